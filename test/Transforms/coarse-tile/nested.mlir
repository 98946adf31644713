// RUN: spyre-opt %s --coarse-tile | FileCheck %s --implicit-check-not="tile ["

// Hints in the body of a loop are honoured as anywhere else. Names pass through windows and loops.

!t = tensor<256x512xf16>
!rows = tensor<64x512xf16>

// CHECK-LABEL: func.func @in_a_loop
// CHECK-DAG:   %[[C4:.+]] = arith.constant 4 : index
// CHECK-DAG:   %[[C8:.+]] = arith.constant 8 : index
// CHECK:       %[[R:.+]] = scf.for %[[I:.+]] =
// CHECK:         %[[W:.+]] = tensor.extract_slice %arg0
// CHECK:         %[[INIT:.+]] = spyre.empty : tensor<64x512xf16>
// CHECK:         %[[Z:.+]] = scf.for %[[J:.+]] = %{{.+}} to %[[C4]] step %{{.+}} iter_args(%{{.+}} = %[[INIT]])
// CHECK:           %[[COL:.+]] = affine.apply #{{.+}}(%[[J]])
// CHECK:           %[[T:.+]] = tensor.extract_slice %[[W]][0, %[[COL]]] [64, 128] [1, 1]
// CHECK:           %[[Y:.+]] = spyre.exp %[[T]]
// CHECK:           spyre.neg %[[Y]]
// CHECK:         tensor.insert_slice %[[Z]] into
// CHECK:       scf.for %{{.+}} = %{{.+}} to %[[C8]]
// CHECK:         tensor.extract_slice %[[R]][0, %{{.+}}] [256, 64] [1, 1]
// CHECK:         spyre.abs
func.func @in_a_loop(%a: !t {spyre.dims = ["A", "B"]}) -> !t {
  %lb = arith.constant 0 : index
  %ub = arith.constant 4 : index
  %step = arith.constant 1 : index
  %init = spyre.empty : !t
  %r = scf.for %i = %lb to %ub step %step iter_args(%acc = %init) -> !t {
    %at = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %w = tensor.extract_slice %a[%at, 0] [64, 512] [1, 1] : !t to !rows
    %y = spyre.exp %w tile [0: "B" in 4] : !rows
    %z = spyre.neg %y tile [0: "B" in 4] : !rows
    %n = tensor.insert_slice %z into %acc[%at, 0] [64, 512] [1, 1] : !rows into !t
    scf.yield %n : !t
  }
  %q = spyre.abs %r tile [0: "B" in 8] : !t
  return %q : !t
}

// Names of a carried tensor come from what the loop starts with.
// CHECK-LABEL: func.func @carried
// CHECK:       scf.for
// CHECK:         scf.for %{{.+}} = %{{.+}} to %c2
// CHECK:           spyre.exp %{{.+}} : tensor<128x512xf16>
func.func @carried(%a: !t {spyre.dims = ["A", "B"]}) -> !t {
  %lb = arith.constant 0 : index
  %ub = arith.constant 4 : index
  %step = arith.constant 1 : index
  %r = scf.for %i = %lb to %ub step %step iter_args(%acc = %a) -> !t {
    %y = spyre.exp %acc tile [0: "A" in 2] : !t
    scf.yield %y : !t
  }
  return %r : !t
}
