// RUN: spyre-opt %s --coarse-tile | FileCheck %s --implicit-check-not="tile ["

// Where a group begins and ends.

!t = tensor<256x512xf16>

// What is between two operations of a group and uses none of their values stays in front of the loop, but for constants, which
// are made in the tile. In particular, neither splits a hint's scope.
// CHECK-LABEL: func.func @independent_operation_between
// CHECK:       %[[U:.+]] = spyre.neg %arg1
// CHECK:       scf.for
// CHECK:         %[[Y:.+]] = spyre.exp
// CHECK:         %[[TU:.+]] = tensor.extract_slice %[[U]]
// CHECK:         %[[Z:.+]] = spyre.add %[[Y]], %[[TU]]
// CHECK:         %[[TO:.+]] = spyre.fill dense<1.000000e+00> : tensor<128x512xf16>
// CHECK:         spyre.mul %[[Z]], %[[TO]]
// CHECK-NOT:   scf.for
// CHECK:       return
func.func @independent_operation_between(%a: !t {spyre.dims = ["A", "B"]}, %b: !t {spyre.dims = ["A", "B"]}) -> (!t, !t) {
  %y = spyre.exp %a tile [0: "A" in 2] : !t
  %u = spyre.neg %b : !t
  %z = spyre.add %y, %u tile [0: "A" in 2] : !t
  %one = spyre.fill dense<1.0> : !t
  %w = spyre.mul %z, %one tile [0: "A" in 2] : !t
  return %w, %u : !t, !t
}

// One that uses a value of the group goes behind the loop when nothing of the group needs it, with what needs it.
// CHECK-LABEL: func.func @operation_behind
// CHECK:       %[[Y:.+]]:2 = scf.for
// CHECK:         spyre.exp
// CHECK:         spyre.add
// CHECK-NOT:   scf.for
// CHECK:       %[[U:.+]] = spyre.neg %[[Y]]#0
// CHECK:       %[[P:.+]] = spyre.permute %[[U]]
// CHECK:       return %[[Y]]#1, %[[P]]
func.func @operation_behind(%a: !t {spyre.dims = ["A", "B"]}) -> (!t, tensor<512x256xf16>) {
  %y = spyre.exp %a tile [0: "A" in 2] : !t
  %u = spyre.neg %y : !t
  %p = spyre.permute %u [1, 0] : !t to tensor<512x256xf16>
  %z = spyre.add %y, %a tile [0: "A" in 2] : !t
  return %z, %p : !t, tensor<512x256xf16>
}

// A loop may be in front as well as behind, whatever it computes.
// CHECK-LABEL: func.func @loops_between
// CHECK:       scf.for
// CHECK:         spyre.abs
// CHECK:       %[[Y:.+]]:2 = scf.for
// CHECK:         spyre.exp
// CHECK:         spyre.add
// CHECK:       scf.for
// CHECK:         tensor.extract_slice %[[Y]]#0
// CHECK:         spyre.neg
func.func @loops_between(%a: !t {spyre.dims = ["A", "B"]}) -> (!t, !t, !t) {
  %lb = arith.constant 0 : index
  %ub = arith.constant 4 : index
  %step = arith.constant 1 : index
  %y = spyre.exp %a tile [0: "A" in 2] : !t
  %front = scf.for %i = %lb to %ub step %step iter_args(%acc = %a) -> !t {
    %n = spyre.abs %acc : !t
    scf.yield %n : !t
  }
  %behind = scf.for %i = %lb to %ub step %step iter_args(%acc = %a) -> !t {
    %at = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %w = tensor.extract_slice %y[%at, 0] [64, 512] [1, 1] : !t to tensor<64x512xf16>
    %v = spyre.neg %w : tensor<64x512xf16>
    %n = tensor.insert_slice %v into %acc[%at, 0] [64, 512] [1, 1] : tensor<64x512xf16> into !t
    scf.yield %n : !t
  }
  %z = spyre.add %y, %a tile [0: "A" in 2] : !t
  return %z, %front, %behind : !t, !t, !t
}

// The best hint of a scope is that of an operation which has the dimension; what the others say does not count.
// CHECK-LABEL: func.func @best_hint
// CHECK:       %[[R:.+]] = spyre.exp %arg1
// CHECK:       scf.for %{{.+}} = %{{.+}} to %c4
// CHECK:         spyre.add {{.*}} tensor<64x512xf16>
func.func @best_hint(%a: !t {spyre.dims = ["A", "B"]}, %v: tensor<512xf16> {spyre.dims = ["B"]}) -> !t {
  %r = spyre.exp %v tile [0: "X" in 3] : tensor<512xf16>
  %z = spyre.add %a, %r tile [0: "A" in 4] : (!t, tensor<512xf16>) -> !t
  return %z : !t
}

// One that uses a value of the group, and is used by it, is between two loops. So is what depends on it, through any number of operations.
// CHECK-LABEL: func.func @dependent_operation_between
// CHECK:       %[[Y:.+]] = scf.for
// CHECK:         spyre.exp
// CHECK:       %[[U:.+]] = spyre.neg %[[Y]]
// CHECK:       %[[V:.+]] = spyre.abs %[[U]]
// CHECK:       %[[Z:.+]] = scf.for
// CHECK:         spyre.add
// CHECK:       return %[[Z]]
func.func @dependent_operation_between(%a: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.exp %a tile [0: "A" in 2] : !t
  %u = spyre.neg %y : !t
  %v = spyre.abs %u : !t
  %z = spyre.add %y, %v tile [0: "A" in 2] : !t
  return %z : !t
}

// So is a loop.
// CHECK-LABEL: func.func @region_between
// CHECK:       scf.for
// CHECK:         spyre.exp
// CHECK:       scf.for
// CHECK:         tensor.insert_slice
// CHECK:       scf.for
// CHECK:         spyre.add
func.func @region_between(%a: !t {spyre.dims = ["A", "B"]}) -> !t {
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
  %z = spyre.add %y, %r tile [0: "A" in 2] : !t
  return %z : !t
}

// Other scopes, another group, even with the same dimension and count.
// CHECK-LABEL: func.func @other_scopes
// CHECK:       scf.for
// CHECK:         spyre.exp
// CHECK:       scf.for
// CHECK:         spyre.neg
func.func @other_scopes(%a: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.exp %a tile [0: "A" in 2] : !t
  %z = spyre.neg %y tile [1: "A" in 2] : !t
  return %z : !t
}

// An operation that lacks every dimension of its group is computed once, in front of the loop; its value is read
// whole inside and outside.
// CHECK-LABEL: func.func @lacks_every_dimension
// CHECK:       %[[R:.+]] = spyre.exp %arg1 : tensor<512xf16>
// CHECK:       %[[Z:.+]] = scf.for
// CHECK:         spyre.add %{{.+}}, %[[R]] : (tensor<128x512xf16>, tensor<512xf16>) -> tensor<128x512xf16>
// CHECK:       return %[[Z]], %[[R]]
func.func @lacks_every_dimension(%a: !t {spyre.dims = ["A", "B"]}, %v: tensor<512xf16> {spyre.dims = ["B"]}) -> (!t, tensor<512xf16>) {
  %r = spyre.exp %v tile [0: "A" in 2] : tensor<512xf16>
  %z = spyre.add %a, %r tile [0: "A" in 2] : (!t, tensor<512xf16>) -> !t
  return %z, %r : !t, tensor<512xf16>
}

// One that lacks the outer dimension is computed in each of its iterations. Its extent of 1 in that dimension counts as
// lacking, although the argument names it.
// CHECK-LABEL: func.func @lacks_one_dimension
// CHECK:       scf.for %[[I:.+]] = %{{.+}} to %c2
// CHECK:         scf.for %[[J:.+]] = %{{.+}} to %c4
// CHECK:           %[[COL:.+]] = affine.apply #{{.+}}(%[[J]])
// CHECK:           %[[T:.+]] = tensor.extract_slice %arg1[0, %[[COL]]] [1, 128] [1, 1]
// CHECK:           %[[R:.+]] = spyre.exp %[[T]] : tensor<1x128xf16>
// CHECK:           %[[ROW:.+]] = affine.apply #{{.+}}(%[[I]])
// CHECK:           tensor.extract_slice %arg0[%[[ROW]], %[[COL]]] [128, 128] [1, 1]
func.func @lacks_one_dimension(%a: !t {spyre.dims = ["A", "B"]}, %row: tensor<1x512xf16> {spyre.dims = ["A", "B"]}) -> !t {
  %r = spyre.exp %row tile [0: "A" in 2, 1: "B" in 4] : tensor<1x512xf16>
  %z = spyre.add %a, %r tile [0: "A" in 2, 1: "B" in 4] : (!t, tensor<1x512xf16>) -> !t
  return %z : !t
}

// What is computed from operands without names is cut as it is read, through any number of operations.
// CHECK-LABEL: func.func @names_of_the_reader
// CHECK:       scf.for
// CHECK:         spyre.exp %{{.+}} : tensor<128x512xf16>
// CHECK:         spyre.neg %{{.+}} : tensor<128x512xf16>
// CHECK:         spyre.add %{{.+}} : tensor<128x512xf16>
func.func @names_of_the_reader(%a: !t {spyre.dims = ["A", "B"]}, %b: !t) -> !t {
  %x = spyre.exp %b tile [0: "A" in 2] : !t
  %n = spyre.neg %x tile [0: "A" in 2] : !t
  %y = spyre.add %a, %n tile [0: "A" in 2] : !t
  return %y : !t
}

// What comes after the operation between two groups and needs nothing of the first belongs to the second: its value is
// no full tensor.
// CHECK-LABEL: func.func @goes_with_the_second
// CHECK:       %[[Y:.+]] = scf.for
// CHECK:         spyre.exp
// CHECK-NOT:     spyre.neg
// CHECK:       %[[U:.+]] = spyre.abs %[[Y]]
// CHECK:       scf.for
// CHECK:         spyre.neg
// CHECK:         spyre.relufwd
// CHECK:         spyre.add
func.func @goes_with_the_second(%a: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.exp %a tile [0: "A" in 2] : !t
  %u = spyre.abs %y : !t
  %v = spyre.neg %a tile [0: "A" in 2] : !t
  %w = spyre.relufwd %v tile [0: "A" in 2] : !t
  %s = spyre.sub %u, %w : !t
  %z = spyre.add %u, %w tile [0: "A" in 2] : !t
  %q = spyre.add %z, %s : !t
  return %q : !t
}

// Unless it needs something of the first.
// CHECK-LABEL: func.func @stays_with_the_first
// CHECK:       scf.for
// CHECK:         spyre.exp
// CHECK:         spyre.neg
// CHECK:         spyre.relufwd
// CHECK:       spyre.abs
// CHECK:       scf.for
// CHECK:         spyre.add
func.func @stays_with_the_first(%a: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.exp %a tile [0: "A" in 2] : !t
  %u = spyre.abs %y : !t
  %v = spyre.neg %y tile [0: "A" in 2] : !t
  %w = spyre.relufwd %v tile [0: "A" in 2] : !t
  %z = spyre.add %u, %w tile [0: "A" in 2] : !t
  return %z : !t
}

// The loops are behind the last operation of the group, whether or not it goes into them, and what reads them is behind.
// CHECK-LABEL: func.func @last_stays_in_front
// CHECK:       %[[U:.+]] = spyre.neg %arg1
// CHECK:       %[[W:.+]] = spyre.abs %arg2
// CHECK:       %[[Y:.+]] = scf.for
// CHECK:         spyre.exp
// CHECK:       %[[Z:.+]] = spyre.add %[[Y]], %[[U]]
// CHECK:       return %[[Z]], %[[W]]
func.func @last_stays_in_front(%a: !t {spyre.dims = ["A", "B"]}, %b: !t, %c: tensor<512xf16> {spyre.dims = ["B"]}) -> (!t, tensor<512xf16>) {
  %y = spyre.exp %a tile [0: "A" in 2] : !t
  %u = spyre.neg %b : !t
  %z = spyre.add %y, %u : !t
  %w = spyre.abs %c tile [0: "A" in 2] : tensor<512xf16>
  return %z, %w : !t, tensor<512xf16>
}
