// RUN: spyre-opt %s --coarse-tile | FileCheck %s

// Which values cross the loop boundary, and how.

!t = tensor<256x512xf16>

// Used inside and outside: the tile is read inside, the full tensor outside.
// CHECK-LABEL: func.func @inside_and_outside
// CHECK:       %[[R:.+]]:2 = scf.for {{.+}} iter_args(%[[ACC0:.+]] = %{{.+}}, %[[ACC1:.+]] = %{{.+}})
// CHECK:         %[[Y:.+]] = spyre.add
// CHECK:         %[[N0:.+]] = tensor.insert_slice %[[Y]] into %[[ACC0]]
// CHECK:         %[[Z:.+]] = spyre.neg %[[Y]]
// CHECK:         %[[N1:.+]] = tensor.insert_slice %[[Z]] into %[[ACC1]]
// CHECK:         scf.yield %[[N0]], %[[N1]]
// CHECK:       %[[U:.+]] = spyre.exp %[[R]]#0
// CHECK:       return %[[R]]#1, %[[U]]
func.func @inside_and_outside(%a: !t {spyre.dims = ["A", "B"]}) -> (!t, !t) {
  %y = spyre.add %a, %a tile [0: "A" in 2] : !t
  %z = spyre.neg %y tile [0: "A" in 2] : !t
  %u = spyre.exp %y : !t
  return %z, %u : !t, !t
}

// One carried tensor for a value that is returned twice.
// CHECK-LABEL: func.func @returned_twice
// CHECK:       %[[INIT:.+]] = spyre.empty
// CHECK-NEXT:  %[[R:.+]] = scf.for {{.+}} iter_args(%{{[^,]+}} = %[[INIT]]) -> (tensor<256x512xf16>)
// CHECK:       return %[[R]], %[[R]]
func.func @returned_twice(%a: !t {spyre.dims = ["A", "B"]}) -> (!t, !t) {
  %y = spyre.exp %a tile [0: "A" in 2] : !t
  return %y, %y : !t, !t
}

// One window for a tensor that is read twice in it, by one operation or by two; another for another window.
// CHECK-LABEL: func.func @read_twice
// CHECK:         %[[T:.+]] = tensor.extract_slice %arg0[%{{.+}}, 0] [128, 512] [1, 1]
// CHECK-NEXT:    %[[Y:.+]] = spyre.mul %[[T]], %[[T]]
// CHECK-NEXT:    %[[Z:.+]] = spyre.add %[[Y]], %[[T]]
// CHECK-NOT:     tensor.extract_slice
// CHECK:         scf.yield
func.func @read_twice(%a: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.mul %a, %a tile [0: "A" in 2] : !t
  %z = spyre.add %y, %a tile [0: "A" in 2] : !t
  return %z : !t
}

// A result that nobody uses is not carried.
// CHECK-LABEL: func.func @unused
// CHECK-NOT:   spyre.empty
// CHECK:       scf.for %{{[^ ]+}} = %c0 to %c2 step %c1 {
// CHECK:         spyre.exp
// CHECK-NOT:     tensor.insert_slice
// CHECK:       return %arg0
func.func @unused(%a: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.exp %a tile [0: "A" in 2] : !t
  return %a : !t
}

// Groups that feed each other: the second reads windows of what the first has filled.
// CHECK-LABEL: func.func @group_after_group
// CHECK:       %[[Y:.+]] = scf.for %{{.+}} = %{{.+}} to %c2
// CHECK:       %[[Z:.+]] = scf.for %{{.+}} = %{{.+}} to %c4
// CHECK:         tensor.extract_slice %[[Y]][0, %{{.+}}] [256, 128] [1, 1]
// CHECK:       %[[W:.+]] = scf.for %{{.+}} = %{{.+}} to %c2
// CHECK-DAG:     tensor.extract_slice %[[Y]][%{{.+}}, 0] [128, 512] [1, 1]
// CHECK-DAG:     tensor.extract_slice %[[Z]][%{{.+}}, 0] [128, 512] [1, 1]
// CHECK:       return %[[W]]
func.func @group_after_group(%a: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.exp %a tile [0: "A" in 2] : !t
  %z = spyre.neg %y tile [1: "B" in 4] : !t
  %w = spyre.add %y, %z tile [0: "A" in 2] : !t
  return %w : !t
}

// A loop after the group uses the full value.
// CHECK-LABEL: func.func @used_in_a_later_loop
// CHECK:       %[[Y:.+]] = scf.for %{{.+}} = %c0 to %c2
// CHECK:       scf.for
// CHECK:         tensor.extract_slice %[[Y]][%{{.+}}, 0] [64, 512]
func.func @used_in_a_later_loop(%a: !t {spyre.dims = ["A", "B"]}) -> !t {
  %lb = arith.constant 0 : index
  %ub = arith.constant 4 : index
  %step = arith.constant 1 : index
  %y = spyre.exp %a tile [0: "A" in 2] : !t
  %init = spyre.empty : !t
  %r = scf.for %i = %lb to %ub step %step iter_args(%acc = %init) -> !t {
    %at = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %w = tensor.extract_slice %y[%at, 0] [64, 512] [1, 1] : !t to tensor<64x512xf16>
    %z = spyre.neg %w : tensor<64x512xf16>
    %n = tensor.insert_slice %z into %acc[%at, 0] [64, 512] [1, 1] : tensor<64x512xf16> into !t
    scf.yield %n : !t
  }
  return %r : !t
}
