// RUN: spyre-opt %s --convert-spyre-to-ktir --mlir-print-local-scope --split-input-file | FileCheck %s

// The part of a core, 64 rows, is loaded in two pieces: the tensors of both operands do not fit into the scratchpad.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<256x256xf16, #stick>
module attributes {spyre.target = #spyre.target<cores = 4, lx_bytes = 65536, lx_reserved_bytes = 0>} {
  // CHECK-LABEL: func.func @rows(
  // CHECK: %[[CORE:.*]] = ktdp.get_compute_tile_id
  // CHECK: scf.for %[[PIECE:.*]] = %c0 to %c2 step %c1 {
  // CHECK: %[[PART:.*]] = arith.muli %[[CORE]], %c64 : index
  // CHECK: %[[ROWS:.*]] = arith.muli %[[PIECE]], %c32 : index
  // CHECK: %[[FIRST:.*]] = arith.addi %[[PART]], %[[ROWS]] : index
  // CHECK: ktdp.construct_access_tile %{{.*}}[%c0, %[[FIRST]], %c0]
  // CHECK: ktdp.load %{{.*}} -> tensor<4x32x64xf16>
  // CHECK: linalg.generic
  // CHECK: ktdp.store %{{.*}} : tensor<4x32x64xf16>
  func.func @rows(%a: !t {spyre.place = #spyre.place<arg 0>}, %b: !t {spyre.place = #spyre.place<arg 1>}) -> !t {
    %y = spyre.add %a, %b split [4, 1] place arg 2 : !t
    return %y : !t
  }
}

// -----

// The same rows fit into a larger scratchpad.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<256x256xf16, #stick>
module attributes {spyre.target = #spyre.target<cores = 4, lx_bytes = 131072, lx_reserved_bytes = 0>} {
  // CHECK-LABEL: func.func @fits(
  // CHECK-NOT: scf.for
  // CHECK: ktdp.store %{{.*}} : tensor<4x64x64xf16>
  func.func @fits(%a: !t {spyre.place = #spyre.place<arg 0>}, %b: !t {spyre.place = #spyre.place<arg 1>}) -> !t {
    %y = spyre.add %a, %b split [4, 1] place arg 2 : !t
    return %y : !t
  }
}

// -----

// A product is cut along K: the loop carries the sum, which is rounded after it.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!a = tensor<64x512xf16, #stick>
!b = tensor<512x64xf16, #stick>
!t = tensor<64x64xf16, #stick>
module attributes {spyre.target = #spyre.target<cores = 1, lx_bytes = 131072, lx_reserved_bytes = 0>} {
  // CHECK-LABEL: func.func @product(
  // CHECK: %[[ZERO:.*]] = tensor.splat %{{.*}} : tensor<64x64xf32>
  // CHECK: %[[SUM:.*]] = scf.for %[[K:.*]] = %c0 to %c4 step %c1 iter_args(%[[BEFORE:.*]] = %[[ZERO]]) -> (tensor<64x64xf32>) {
  // CHECK: arith.muli %[[K]], %c2 : index
  // CHECK: ktdp.load %{{.*}} -> tensor<2x64x64xf16>
  // CHECK: arith.muli %[[K]], %c128 : index
  // CHECK: ktdp.load %{{.*}} -> tensor<128x64xf16>
  // CHECK: %[[AFTER:.*]] = linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<64x128xf32>, tensor<128x64xf32>) outs(%[[BEFORE]] : tensor<64x64xf32>)
  // CHECK: scf.yield %[[AFTER]] : tensor<64x64xf32>
  // CHECK: arith.truncf %[[SUM]] : tensor<64x64xf32> to tensor<64x64xf16>
  func.func @product(%a: !a {spyre.place = #spyre.place<arg 0>}, %b: !b {spyre.place = #spyre.place<arg 1>}) -> !t {
    %y = spyre.batchmatmul %a, %b split [1, 1, 1] place arg 2 : (!a, !b) -> !t
    return %y : !t
  }
}

// -----

// A value in scratchpads is there as a whole: a loop carries it, and another one takes slices of it.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<256x256xf16, #stick>
module attributes {spyre.target = #spyre.target<cores = 1, lx_bytes = 196608, lx_reserved_bytes = 0>} {
  // CHECK-LABEL: func.func @scratchpads(
  // CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<256x256xf16>
  // CHECK: %[[X:.*]] = scf.for %[[I:.*]] = %c0 to %{{.*}} step %c1 iter_args(%[[INTO:.*]] = %[[EMPTY]]) -> (tensor<256x256xf16>) {
  // CHECK: ktdp.load
  // CHECK: math.exp
  // CHECK: %[[NEXT:.*]] = tensor.insert_slice %{{.*}} into %[[INTO]][%{{.*}}, 0]
  // CHECK: scf.yield %[[NEXT]]
  // CHECK: scf.for %[[J:.*]] = %c0 to %{{.*}} step %c1 {
  // CHECK: tensor.extract_slice %[[X]][%{{.*}}, 0]
  // CHECK: ktdp.load
  // CHECK: arith.addf
  // CHECK: ktdp.store
  func.func @scratchpads(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
    %x = spyre.exp %a split [1, 1] place lx 0 : !t
    %y = spyre.add %x, %a split [1, 1] place arg 1 : !t
    return %y : !t
  }
}

// -----

// The plan has the sum in the place of an operand, and there is no room for both: the loop carries the operand, and
// overwrites it piece by piece.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<256x256xf16, #stick>
module attributes {spyre.target = #spyre.target<cores = 1, lx_bytes = 196608, lx_reserved_bytes = 0>} {
  // CHECK-LABEL: func.func @in_place(
  // CHECK: %[[X:.*]] = scf.for
  // CHECK: %[[Y:.*]] = scf.for %{{.*}} iter_args(%[[INTO:.*]] = %[[X]]) -> (tensor<256x256xf16>) {
  // CHECK: %[[PIECE:.*]] = tensor.extract_slice %[[INTO]][%[[ROW:.*]], 0]
  // CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[PIECE]],
  // CHECK: %[[NEXT:.*]] = tensor.insert_slice %[[SUM]] into %[[INTO]][%{{.*}}, 0]
  // CHECK: scf.yield %[[NEXT]]
  // CHECK: scf.for
  // CHECK: tensor.extract_slice %[[Y]]
  func.func @in_place(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
    %x = spyre.exp %a split [1, 1] place lx 0 : !t
    %y = spyre.add %x, %a split [1, 1] place lx 0 : !t
    %z = spyre.mul %y, %a split [1, 1] place arg 1 : !t
    return %z : !t
  }
}
