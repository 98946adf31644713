// RUN: spyre-opt %s --convert-spyre-to-ktir=flavour=upstream --mlir-print-local-scope --split-input-file | FileCheck %s

// A value in the pool goes through memory: the pool is the first argument, offsets are bytes, and each stage has views
// of its own. Named operations have the sum and the product.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x256xf16, #stick>
// CHECK-LABEL: func.func @chain(%arg0: index, %arg1: index, %arg2: index, %arg3: index, %arg4: index)
// CHECK-SAME: attributes {grid = [4], pool_argument = 0 : i64, pool_bytes = 36864 : i64}
// CHECK: %[[CORE:.*]] = ktdp.get_compute_tile_id : index
// CHECK: %[[POOL:.*]] = arith.addi %arg0, %c4096 : index
// CHECK: %[[A:.*]] = ktdp.construct_memory_view %arg1, sizes: [4, 64, 64], strides: [4096, 64, 1]
// CHECK-SAME: memref<4x64x64xf16>
// CHECK: %[[ROW:.*]] = arith.muli %[[CORE]], %c16 : index
// CHECK: ktdp.construct_access_tile %[[A]][%c0, %[[ROW]], %c0]
// CHECK: %[[X:.*]] = ktdp.load %{{.*}} : !ktdp.access_tile<4x16x64xindex> -> tensor<4x16x64xf16>
// CHECK: ktdp.construct_memory_view %arg2,
// CHECK: %[[Y:.*]] = ktdp.load
// CHECK: %[[INIT:.*]] = tensor.empty() : tensor<4x16x64xf16>
// CHECK: %[[SUM:.*]] = linalg.add ins(%[[X]], %[[Y]] : tensor<4x16x64xf16>, tensor<4x16x64xf16>) outs(%[[INIT]] : tensor<4x16x64xf16>)
// CHECK: ktdp.construct_memory_view %[[POOL]], sizes: [4, 64, 64], strides: [4096, 64, 1]
// CHECK: ktdp.store %[[SUM]],
// CHECK: ktdp.construct_memory_view %[[POOL]], sizes: [4, 64, 64], strides: [4096, 64, 1]
// CHECK: %[[Z:.*]] = ktdp.load
// CHECK: linalg.mul ins(%[[Z]], %{{.*}}
// CHECK: ktdp.construct_memory_view %arg4,
// CHECK: ktdp.store
// CHECK-NOT: = ktdp.
// CHECK: return
func.func @chain(%a: !t {spyre.place = #spyre.place<arg 0>}, %b: !t {spyre.place = #spyre.place<arg 1>}, %c: !t {spyre.place = #spyre.place<arg 2>}) -> !t {
  %y = spyre.add %a, %b split [4, 1] place pool 4096 : !t
  %z = spyre.mul %y, %c split [4, 1] place arg 3 : !t
  return %z : !t
}

// -----

// One core has no number. A square has one view of its operand.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x256xf16, #stick>
// CHECK-LABEL: func.func @one_core(%arg0: index, %arg1: index) attributes {grid = [1]}
// CHECK-NOT: get_compute_tile_id
// CHECK: ktdp.construct_memory_view %arg0
// CHECK-NOT: ktdp.construct_memory_view %arg0
// CHECK: linalg.mul
// CHECK: return
func.func @one_core(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  %y = spyre.mul %a, %a split [1, 1] place arg 1 : !t
  return %y : !t
}

// -----

// The number of the core in mixed radix: sticks by the lower digit, rows by the higher one.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x256xf16, #stick>
// CHECK-LABEL: func.func @two_digits
// CHECK-SAME: grid = [8]
// CHECK: %[[CORE:.*]] = ktdp.get_compute_tile_id : index
// CHECK-NOT: get_compute_tile_id
// CHECK-DAG: %[[ROWS:.*]] = arith.{{(div|rem)}}ui %[[CORE]], %c
// CHECK-DAG: %[[STICKS:.*]] = arith.{{(div|rem)}}ui %[[CORE]], %c
// CHECK: ktdp.construct_access_tile {{.*}} -> !ktdp.access_tile<2x16x64xindex>
// CHECK: linalg.sub
func.func @two_digits(%a: !t {spyre.place = #spyre.place<arg 0>}, %b: !t {spyre.place = #spyre.place<arg 1>}) -> !t {
  %y = spyre.sub %a, %b split [4, 2] place arg 2 : !t
  return %y : !t
}

// -----

// Functions are operations of the scheduler, in 16 bits. A row is broadcast by a map with 0.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x256xf16, #stick>
!r = tensor<1x256xf16, #stick>
// CHECK-LABEL: func.func @functions
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%{{.*}} : tensor<4x16x64xf16>)
// CHECK-NEXT: ^bb0(%[[X:.*]]: f16, %{{.*}}: f16):
// CHECK-NEXT: %[[E:.*]] = spyreop.exp %[[X]] : f16
// CHECK-NEXT: linalg.yield %[[E]] : f16
// CHECK: spyreop.gelu %{{.*}} : f16
// CHECK: spyreop.softplus %{{.*}} beta 5.000000e-01 threshold 2.000000e+00 : f16
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, 0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>]
// CHECK-SAME: ins(%{{.*}}, %{{.*}} : tensor<4x16x64xf16>, tensor<4x1x64xf16>)
// CHECK: arith.mulf %{{.*}}, %{{.*}} : f16
// CHECK: spyreop.realdiv %{{.*}}, %{{.*}} : f16
func.func @functions(%a: !t {spyre.place = #spyre.place<arg 0>}, %r: !r {spyre.place = #spyre.place<arg 1>}) -> !t {
  %e = spyre.exp %a split [4, 1] place pool 0 : !t
  %g = spyre.gelufwd %e split [4, 1] place pool 32768 : !t
  %s = spyre.softplus %g beta 0.5 threshold 2.0 split [4, 1] place pool 65536 : !t
  %m = spyre.mul %s, %r split [4, 1] place pool 32768 : (!t, !r) -> !t
  %y = spyre.realdiv %m, %e split [4, 1] place arg 2 : !t
  return %y : !t
}

// -----

// Integers have operations of the scheduler for sums and products, and a named one for differences.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 32, d0, d1 mod 32)>
!t = tensor<64x64xi32, #stick>
// CHECK-LABEL: func.func @integers
// CHECK: linalg.generic
// CHECK: spyreop.addi32toi32 %{{.*}}, %{{.*}}
// CHECK: linalg.generic
// CHECK: spyreop.muli32toi32 %{{.*}}, %{{.*}}
// CHECK: linalg.sub ins(%{{.*}} : tensor<2x16x32xi32>, tensor<2x16x32xi32>)
func.func @integers(%a: !t {spyre.place = #spyre.place<arg 0>}, %b: !t {spyre.place = #spyre.place<arg 1>}) -> !t {
  %x = spyre.add %a, %b split [4, 1] place pool 0 : !t
  %y = spyre.mul %x, %b split [4, 1] place pool 16384 : !t
  %z = spyre.sub %y, %a split [4, 1] place arg 2 : !t
  return %z : !t
}

// -----

// A reduction of rows drops the dimension, and starts from no number.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x256xf16, #stick>
!r = tensor<1x256xf16, #stick>
// CHECK-LABEL: func.func @rows
// CHECK: %[[INIT:.*]] = tensor.empty() : tensor<1x64xf16>
// CHECK: linalg.reduce { arith.addf } ins(%{{.*}} : tensor<1x64x64xf16>) outs(%[[INIT]] : tensor<1x64xf16>) dimensions = [1]
// CHECK: ktdp.construct_memory_view %arg1, sizes: [4, 64], strides: [64, 1]
// CHECK: ktdp.store %{{.*}} : tensor<1x64xf16>
// CHECK: linalg.reduce { arith.minimumf }
// CHECK: linalg.reduce { arith.mulf }
func.func @rows(%a: !t {spyre.place = #spyre.place<arg 0>}) -> (!r, !r, !r) {
  %x = spyre.sum %a dims [0] keepdim split [1, 4, 1] place arg 1 : (!t) -> !r
  %y = spyre.min %a dims [0] keepdim split [1, 4, 1] place arg 2 : (!t) -> !r
  %z = spyre.prod %a dims [0] keepdim split [1, 4, 1] place arg 3 : (!t) -> !r
  return %x, %y, %z : !r, !r, !r
}

// -----

// Along sticks, the element that is read and the one that is written are two loops: a stick of each result is stored. Its
// head is what the next stage reads.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#sparse = #spyre.layout<(d0, d1) -> (d1, 0, d0, 0)>
!t = tensor<64x256xf16, #stick>
!s = tensor<64x1xf16, #sparse>
// CHECK-LABEL: func.func @softmax
// CHECK: %[[INIT:.*]] = tensor.empty() : tensor<16x64xf16>
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d1, d3)>], iterator_types = ["reduction", "parallel", "reduction", "parallel"]} ins(%{{.*}} : tensor<4x16x64xf16>) outs(%[[INIT]] : tensor<16x64xf16>)
// CHECK-NEXT: ^bb0(%[[X:.*]]: f16, %[[MOST:.*]]: f16):
// CHECK-NEXT: arith.maximumf %[[MOST]], %[[X]] : f16
// CHECK: ktdp.construct_memory_view %{{.*}}, sizes: [64, 64], strides: [64, 1]
// CHECK: ktdp.store %{{.*}} : tensor<16x64xf16>
// CHECK: ktdp.construct_memory_view %{{.*}}, sizes: [64, 64], strides: [64, 1]
// CHECK: ktdp.load %{{.*}} : !ktdp.access_tile<16x1xindex> -> tensor<16x1xf16>
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d1, 0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>]
// CHECK: arith.subf
// CHECK: spyreop.exp
// CHECK: arith.addf %{{.*}}, %{{.*}} : f16
// CHECK: spyreop.realdiv
func.func @softmax(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  %m = spyre.max %a dims [1] keepdim split [4, 1, 1] place pool 0 : (!t) -> !s
  %d = spyre.sub %a, %m split [4, 1] place pool 8192 : (!t, !s) -> !t
  %e = spyre.exp %d split [4, 1] place pool 40960 : !t
  %s = spyre.sum %e dims [1] keepdim split [4, 1, 1] place pool 0 : (!t) -> !s
  %y = spyre.realdiv %e, %s split [4, 1] place arg 1 : (!t, !s) -> !t
  return %y : !t
}

// -----

// The scheduler looks for these three operations, in this order. A function of statistics writes whole sticks.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#sparse = #spyre.layout<(d0, d1) -> (d1, 0, d0, 0)>
!t = tensor<64x256xf16, #stick>
!s = tensor<64x1xf16, #sparse>
// CHECK-LABEL: func.func @magnitude
// CHECK: ^bb0(%[[X:.*]]: f16, %[[MOST:.*]]: f16):
// CHECK-NEXT: %[[A:.*]] = math.absf %[[X]] : f16
// CHECK-NEXT: %[[B:.*]] = math.absf %[[MOST]] : f16
// CHECK-NEXT: arith.maxnumf %[[A]], %[[B]] : f16
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%{{.*}} : tensor<16x1xf16>) outs(%{{.*}} : tensor<16x64xf16>)
// CHECK: spyreop.reciprocal
func.func @magnitude(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !s {
  %m = spyre.absmax %a dims [1] keepdim split [4, 1, 1] place pool 0 : (!t) -> !s
  %r = spyre.reciprocal %m split [4, 1] place arg 1 : !s
  return %r : !s
}

// -----

// A layer norm: the moments are a pair in one element, which the scale reads as a pair, and the norm as the mean.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#pair = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), arrangement = exx2>
#sparse = #spyre.layout<(d0, d1) -> (d1, 0, d0, 0)>
!t = tensor<64x256xf16, #stick>
!p = tensor<64x2xf16, #pair>
!s = tensor<64x1xf16, #sparse>
!r = tensor<1x256xf16, #stick>
// CHECK-LABEL: func.func @norm
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d1, d3)>], iterator_types = ["reduction", "parallel", "reduction", "parallel"]} ins(%{{.*}} : tensor<4x16x64xf16>) outs(%{{.*}} : tensor<16x64x!spyreop.fp16_fused>)
// CHECK-NEXT: ^bb0(%[[X:.*]]: f16, %{{.*}}: !spyreop.fp16_fused):
// CHECK-NEXT: spyreop.exx2_fused %[[X]] : f16 -> !spyreop.fp16_fused
// CHECK: ktdp.construct_memory_view %{{.*}}, sizes: [64, 64], strides: [64, 1] {{.*}} : memref<64x64x!spyreop.fp16_fused>
// CHECK: ktdp.store %{{.*}} : tensor<16x64x!spyreop.fp16_fused>, !ktdp.access_tile<16x64xindex>
// CHECK: ktdp.load %{{.*}} : !ktdp.access_tile<16x1xindex> -> tensor<16x1x!spyreop.fp16_fused>
// CHECK: ^bb0(%[[P:.*]]: !spyreop.fp16_fused, %{{.*}}: f16):
// CHECK-NEXT: spyreop.layernormscale_fused %[[P]] {eps = {{.*}} : f32} : !spyreop.fp16_fused -> f16
// CHECK: ktdp.store %{{.*}} : tensor<16x64xf16>
// CHECK: ktdp.load %{{.*}} : !ktdp.access_tile<16x1xindex> -> tensor<16x1xf16>
// CHECK: ktdp.load %{{.*}} : !ktdp.access_tile<16x1xindex> -> tensor<16x1xf16>
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d1, 0)>, affine_map<(d0, d1, d2) -> (d1, 0)>, affine_map<(d0, d1, d2) -> (d0, 0, d2)>, affine_map<(d0, d1, d2) -> (d0, 0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>]
// CHECK-NEXT: ^bb0(%[[X:.*]]: f16, %[[M:.*]]: f16, %[[S:.*]]: f16, %[[W:.*]]: f16, %[[B:.*]]: f16, %{{.*}}: f16):
// CHECK-NEXT: spyreop.layernormnorm %[[X]] squares %[[M]] scale %[[S]] weight %[[W]] bias %[[B]] : f16
func.func @norm(%x: !t {spyre.place = #spyre.place<arg 0>}, %w: !r {spyre.place = #spyre.place<arg 1>}, %b: !r {spyre.place = #spyre.place<arg 2>}) -> !t {
  %e = spyre.exx2 %x split [4, 1] place pool 0 : (!t) -> !p
  %s = spyre.layernormscale %e eps 0.0009765625 split [4, 1] place pool 8192 : (!p) -> !s
  %y = spyre.layernormnorm %x, %e, %s, %w, %b split [4, 1] place arg 3 : (!t, !p, !s, !r, !r) -> !t
  return %y : !t
}

// -----

// Windows are indices of tiles of the whole buffer; the loop carries nothing.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x256xf16, #stick>
!w = tensor<32x128xf16, #stick>
// CHECK-LABEL: func.func @windows
// CHECK: scf.for %[[I:.*]] = %c0 to %c2 step %c1 {
// CHECK: ktdp.construct_memory_view %arg0, sizes: [4, 64, 64], strides: [4096, 64, 1]
// CHECK: %[[CORE_ROW:.*]] = arith.muli %{{.*}}, %c8 : index
// CHECK: %[[WINDOW_ROW:.*]] = arith.muli %[[I]], %c32 : index
// CHECK: %[[ROW:.*]] = arith.addi %[[CORE_ROW]], %[[WINDOW_ROW]] : index
// CHECK: ktdp.construct_access_tile %{{.*}}[%c2, %[[ROW]], %c0] {{.*}} -> !ktdp.access_tile<2x8x64xindex>
// CHECK: spyreop.silu
// CHECK: ktdp.construct_memory_view %arg1, sizes: [2, 64, 64]
// CHECK: ktdp.construct_access_tile %{{.*}}[%c0, %{{.*}}, %c0]
// CHECK: ktdp.store
func.func @windows(%a: !t {spyre.place = #spyre.place<arg 0>}) -> tensor<64x128xf16, #stick> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %init = spyre.empty place arg 1 : tensor<64x128xf16, #stick>
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %init) -> (tensor<64x128xf16, #stick>) {
    %row = affine.apply affine_map<(d0) -> (d0 * 32)>(%i)
    %w = tensor.extract_slice %a[%row, 128] [32, 128] [1, 1] : !t to !w
    %y = spyre.silu %w split [4, 1] place window : !w
    %n = tensor.insert_slice %y into %acc[%row, 0] [32, 128] [1, 1] : !w into tensor<64x128xf16, #stick>
    scf.yield %n : tensor<64x128xf16, #stick>
  }
  return %r : tensor<64x128xf16, #stick>
}
