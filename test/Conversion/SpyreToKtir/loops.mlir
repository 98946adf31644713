// RUN: spyre-opt %s --convert-spyre-to-ktir --mlir-print-local-scope --split-input-file | FileCheck %s

// A window in a loop is a base address that grows with the iterations. The loop carries no value: its tensor is in
// device memory.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x256xf16, #stick>
!w = tensor<32x256xf16, #stick>
// CHECK-LABEL: func.func @windows
// CHECK: scf.for %[[I:.*]] = %c0 to %c2 step %c1 {
// CHECK: %[[STEP:.*]] = arith.muli %[[I]], %c2048 : index
// CHECK: %[[BASE:.*]] = arith.addi %arg0, %[[STEP]] : index
// CHECK: ktdp.construct_memory_view %[[BASE]], sizes: [4, 32, 64], strides: [4096, 64, 1]
// CHECK: ktdp.load {{.*}} -> tensor<4x8x64xf16>
// CHECK: ktdp.store
func.func @windows(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %init = spyre.empty place arg 1 : !t
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %init) -> (!t) {
    %row = affine.apply affine_map<(d0) -> (d0 * 32)>(%i)
    %w = tensor.extract_slice %a[%row, 0] [32, 256] [1, 1] : !t to !w
    %y = spyre.exp %w split [4, 1] place window : !w
    %n = tensor.insert_slice %y into %acc[%row, 0] [32, 256] [1, 1] : !w into !t
    scf.yield %n : !t
  }
  return %r : !t
}

// -----

// K in tiles: the loop carries the part of the accumulator that the core has.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!a = tensor<64x256xf16, #stick>
!b = tensor<256x128xf16, #stick>
!y = tensor<64x128xf16, #stick>
// CHECK-LABEL: func.func @accumulate
// CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}) -> (tensor<16x128xf16>) {
// CHECK: arith.extf %{{.*}} : tensor<16x64xf16> to tensor<16x64xf32>
// CHECK: arith.extf %{{.*}} : tensor<64x128xf16> to tensor<64x128xf32>
// CHECK: %[[ZERO:.*]] = tensor.splat %{{.*}} : tensor<16x128xf32>
// CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<16x64xf32>, tensor<64x128xf32>) outs(%[[ZERO]] : tensor<16x128xf32>)
// CHECK: %[[NEXT:.*]] = linalg.generic {{.*}} ins(%[[ACC]],
// CHECK: scf.yield %[[NEXT]] : tensor<16x128xf16>
// CHECK: ktdp.store
func.func @accumulate(%a: !a {spyre.place = #spyre.place<arg 0>}, %b: !b {spyre.place = #spyre.place<arg 1>}, %z: !y {spyre.place = #spyre.place<arg 2>}) -> !y {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %init = spyre.copy %z split [4, 1] place lx 0 : !y
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %init) -> (!y) {
    %k = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %wa = tensor.extract_slice %a[0, %k] [64, 64] [1, 1] : !a to tensor<64x64xf16, #stick>
    %wb = tensor.extract_slice %b[%k, 0] [64, 128] [1, 1] : !b to tensor<64x128xf16, #stick>
    %p = spyre.batchmatmul %wa, %wb split [4, 1, 1] place lx 4096 : (tensor<64x64xf16, #stick>, !y) -> !y
    %n = spyre.add %acc, %p split [4, 1] place lx 0 : !y
    scf.yield %n : !y
  }
  %y = spyre.copy %r split [4, 1] place arg 3 : !y
  return %y : !y
}
