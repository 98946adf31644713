// RUN: spyre-opt %s --convert-spyre-to-ktir --mlir-print-local-scope --split-input-file | FileCheck %s
// RUN: spyre-opt %s --convert-spyre-to-ktir=base-unit=byte --mlir-print-local-scope --split-input-file | FileCheck %s --check-prefix=BYTE

// Each core loads the rows of its number, computes, and stores them. The value in scratchpads is a tensor.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x256xf16, #stick>
// CHECK-LABEL: func.func @rows(%arg0: index, %arg1: index, %arg2: index) attributes {argument_bytes = [32768, 32768, 32768], grid = [4]}
// CHECK: %[[CORE:.*]] = ktdp.get_compute_tile_id : index
// CHECK: ktdp.construct_memory_view %arg0, sizes: [4, 64, 64], strides: [4096, 64, 1]
// CHECK: %[[ROW:.*]] = arith.muli %[[CORE]], %c16 : index
// CHECK: ktdp.construct_access_tile %{{.*}}[%c0, %[[ROW]], %c0]
// CHECK: ktdp.load %{{.*}} : !ktdp.access_tile<4x16x64xindex> -> tensor<4x16x64xf16>
// CHECK: linalg.transpose ins(%{{.*}} : tensor<4x16x64xf16>) outs(%{{.*}} : tensor<16x4x64xf16>) permutation = [1, 0, 2]
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0], [1, 2]] : tensor<16x4x64xf16> into tensor<16x256xf16>
// CHECK: %[[SUM:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>,
// CHECK: arith.extf
// CHECK: arith.addf {{.*}} : f32
// CHECK: arith.truncf {{.*}} : f32 to f16
// CHECK-NOT: ktdp.store
// CHECK: linalg.generic {{.*}} ins(%[[SUM]] :
// CHECK: math.exp
// CHECK: ktdp.construct_memory_view %arg2
// CHECK: ktdp.store
// CHECK-NOT: ktdp.store
// CHECK: return
func.func @rows(%a: !t {spyre.place = #spyre.place<arg 0>}, %b: !t {spyre.place = #spyre.place<arg 1>}) -> !t {
  %y = spyre.add %a, %b split [4, 1] place lx 0 : !t
  %z = spyre.exp %y split [4, 1] place arg 2 : !t
  return %z : !t
}

// -----

// Numbers of a formula are tensors: as constants of the body they would be rounded to 16 bits.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x256xf16, #stick>
// CHECK-LABEL: func.func @numbers
// CHECK: %[[LOW:.*]] = arith.constant -5.000000e-01 : f32
// CHECK: tensor.splat %[[LOW]] : tensor<64xf32>
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>]
// CHECK: arith.maximumf
// CHECK: arith.minimumf
func.func @numbers(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  %y = spyre.clip %a min -0.5 max 1.5 split [1, 4] place arg 1 : !t
  return %y : !t
}

// -----

// A column of one element in each stick is a view of one dimension, and no dimension of the tensor. It is broadcast by a
// map that is a projection. A window of the second half starts at a base address.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#sparse = #spyre.layout<(d0, d1) -> (d1, 0, d0, 0)>
!t = tensor<64x256xf16, #stick>
!h = tensor<64x128xf16, #stick>
// CHECK-LABEL: func.func @half
// CHECK: %[[BASE:.*]] = arith.addi %arg0, %c8192
// CHECK: ktdp.construct_memory_view %[[BASE]], sizes: [2, 64, 64], strides: [4096, 64, 1]
// CHECK: ktdp.construct_memory_view %arg1, sizes: [64], strides: [64]
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>,
// CHECK-SAME: ins(%{{.*}}, %{{.*}} : tensor<64x128xf16>, tensor<64xf16>)
// BYTE-LABEL: func.func @half
// BYTE: %[[BASE:.*]] = arith.addi %arg0, %c16384
// BYTE: ktdp.construct_memory_view %[[BASE]], sizes: [2, 64, 64], strides: [4096, 64, 1]
func.func @half(%a: !t {spyre.place = #spyre.place<arg 0>}, %b: tensor<64x1xf16, #sparse> {spyre.place = #spyre.place<arg 1>}) -> !h {
  %w = tensor.extract_slice %a[0, 128] [64, 128] [1, 1] : !t to !h
  %y = spyre.mul %w, %b split [1, 1] place arg 2 : (!h, tensor<64x1xf16, #sparse>) -> !h
  return %y : !h
}

// -----

// Half a stick is left: the tensor is padded to whole sticks before the store.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<8x96xf16, #stick>
// CHECK-LABEL: func.func @ragged
// CHECK: tensor.collapse_shape %{{.*}} into tensor<8x128xf16>
// CHECK: tensor.extract_slice %{{.*}}[0, 0] [8, 96] [1, 1]
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, 0] [8, 96] [1, 1] : tensor<8x96xf16> into tensor<8x128xf16>
// CHECK: ktdp.store %{{.*}} : tensor<2x8x64xf16>
func.func @ragged(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  %y = spyre.neg %a split [1, 1] place arg 1 : !t
  return %y : !t
}

// -----

// The float of the same bits: an interpreter takes it in a body, and not of a tensor.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 32, d0, d1 mod 32)>
!i = tensor<64x128xi32, #stick>
!f = tensor<64x128xf32, #stick>
// CHECK-LABEL: func.func @bits
// CHECK: %[[X:.*]] = linalg.generic
// CHECK: arith.bitcast %{{.*}} : i32 to f32
// CHECK: linalg.generic {{.*}} ins(%[[X]] :
// CHECK: math.exp
func.func @bits(%a: !i {spyre.place = #spyre.place<arg 0>}) -> !f {
  %y = spyre.bitcast %a split [4, 1] place lx 0 : (!i) -> !f
  %z = spyre.exp %y split [4, 1] place arg 1 : !f
  return %z : !f
}
