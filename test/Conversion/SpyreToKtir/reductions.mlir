// RUN: spyre-opt %s --convert-spyre-to-ktir --mlir-print-local-scope --split-input-file | FileCheck %s

// Each reduction has a new tensor of the neutral number. Sums are in 32 bits; a maximum is an element.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#sparse = #spyre.layout<(d0, d1) -> (d1, 0, d0, 0)>
!t = tensor<64x256xf16, #stick>
!s = tensor<64x1xf16, #sparse>
// CHECK-LABEL: func.func @norm
// CHECK: %[[LOW:.*]] = tensor.splat %{{.*}} : tensor<16xf16>
// CHECK: linalg.reduce { arith.maximumf } ins(%{{.*}} : tensor<16x256xf16>) outs(%[[LOW]] : tensor<16xf16>) dimensions = [1]
// CHECK: arith.extf %{{.*}} : tensor<16x256xf16> to tensor<16x256xf32>
// CHECK: %[[ZERO:.*]] = tensor.splat %{{.*}} : tensor<16xf32>
// CHECK: linalg.reduce { arith.addf } ins(%{{.*}} : tensor<16x256xf32>) outs(%[[ZERO]] : tensor<16xf32>) dimensions = [1]
// CHECK: %[[OTHER:.*]] = tensor.splat %{{.*}} : tensor<16xf32>
// CHECK: linalg.reduce { arith.addf } ins(%{{.*}} : tensor<16x256xf32>) outs(%[[OTHER]] : tensor<16xf32>) dimensions = [1]
// CHECK: %[[COUNT:.*]] = arith.constant 2.560000e+02 : f32
// CHECK: arith.divf
func.func @norm(%a: !t {spyre.place = #spyre.place<arg 0>}) -> (!s, !s, !s) {
  %x = spyre.max %a dims [1] keepdim split [4, 1, 1] place arg 1 : (!t) -> !s
  %y = spyre.sum %a dims [1] keepdim split [4, 1, 1] place arg 2 : (!t) -> !s
  %z = spyre.mean %a dims [1] keepdim split [4, 1, 1] place arg 3 : (!t) -> !s
  return %x, %y, %z : !s, !s, !s
}

// -----

// The first one of the cores that share a reduced dimension computes the whole sum, and stores it.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!a = tensor<64x256xf16, #stick>
!b = tensor<256x128xf16, #stick>
!y = tensor<64x128xf16, #stick>
// CHECK-LABEL: func.func @shared_k
// CHECK-SAME: grid = [8]
// CHECK: %[[CORE:.*]] = ktdp.get_compute_tile_id
// CHECK: %[[ROW:.*]] = arith.divui %[[CORE]], %c4 : index
// CHECK: %[[K:.*]] = arith.remui %[[CORE]], %c4 : index
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[K]], %c0 : index
// CHECK-NOT: ktdp.load
// CHECK: scf.if %[[FIRST]] {
// CHECK: ktdp.load
// CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<32x256xf32>, tensor<256x128xf32>)
// CHECK: ktdp.store
func.func @shared_k(%a: !a {spyre.place = #spyre.place<arg 0>}, %b: !b {spyre.place = #spyre.place<arg 1>}) -> !y {
  %y = spyre.batchmatmul %a, %b split [2, 1, 4] place arg 2 : (!a, !b) -> !y
  return %y : !y
}

// -----

// A pair of moments is two sums side by side. The scale has both halves of it, and the norm has the first one.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#row = #spyre.layout<(d0) -> (d0 floordiv 64, d0 mod 64)>
#pair = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), arrangement = exx2>
#sparse = #spyre.layout<(d0, d1) -> (d1, 0, d0, 0)>
!t = tensor<32x256xf16, #stick>
!w = tensor<256xf16, #row>
!p = tensor<32x2xf16, #pair>
!s = tensor<32x1xf16, #sparse>
// CHECK-LABEL: func.func @moments
// CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : tensor<8x256xf16> to tensor<8x256xf32>
// CHECK: %[[SQUARES:.*]] = arith.mulf %[[WIDE]], %[[WIDE]] : tensor<8x256xf32>
// CHECK: linalg.reduce { arith.addf } ins(%[[WIDE]] : tensor<8x256xf32>) outs(%{{.*}} : tensor<8xf32>)
// CHECK: arith.divf {{.*}} : tensor<8xf32>
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, 0] [8, 1] [1, 1] : tensor<8x1xf16> into tensor<8x2xf16>
// CHECK: linalg.reduce { arith.addf } ins(%[[SQUARES]] : tensor<8x256xf32>) outs(%{{.*}} : tensor<8xf32>)
// CHECK: %[[PAIR:.*]] = tensor.insert_slice %{{.*}} into %{{.*}}[0, 1] [8, 1] [1, 1] : tensor<8x1xf16> into tensor<8x2xf16>
// CHECK: tensor.extract_slice %[[PAIR]][0, 0] [8, 1] [1, 1]
// CHECK: tensor.extract_slice %[[PAIR]][0, 1] [8, 1] [1, 1]
// CHECK: math.sqrt
// CHECK: tensor.extract_slice %[[PAIR]][0, 0] [8, 1] [1, 1]
// CHECK: arith.subf
// CHECK: ktdp.store
func.func @moments(%x: !t {spyre.place = #spyre.place<arg 0>}, %w: !w {spyre.place = #spyre.place<arg 1>}, %b: !w {spyre.place = #spyre.place<arg 2>}) -> !t {
  %pair = spyre.exx2 %x split [4, 1] place lx 0 : (!t) -> !p
  %scale = spyre.layernormscale %pair eps 1.0e-5 split [4, 1] place lx 4096 : (!p) -> !s
  %y = spyre.layernormnorm %x, %pair, %scale, %w, %b split [4, 1] place arg 3 : (!t, !p, !s, !w, !w) -> !t
  return %y : !t
}
