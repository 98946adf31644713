// RUN: spyre-opt %s --spyre-work-division --spyre-scratchpad-planning | FileCheck %s

// Tensors that loops carry have one buffer, which every iteration updates.

!t = tensor<64x128xf16>
!x = tensor<256x128xf16>

// An accumulator in the scratchpad: a copy of what it starts from, updated in place, and copied out once.
// CHECK-LABEL: func.func @accumulator(
// CHECK:         %[[START:.+]] = spyre.copy %arg1 split [32, 1] place lx [[AT:[0-9]+]]
// CHECK:         %[[R:.+]] = scf.for {{.*}} iter_args(%[[ACC:.+]] = %[[START]])
// CHECK:           %[[PART:.+]] = spyre.exp %{{.+}} place lx
// CHECK:           spyre.add %[[ACC]], %[[PART]] split [32, 1] place lx [[AT]]
// CHECK:         spyre.copy %[[R]] split [32, 1] place arg 2
func.func @accumulator(%x: !x, %zero: !t) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> !t {
    %at = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %w = tensor.extract_slice %x[%at, 0] [64, 128] [1, 1] : !x to !t
    %p = spyre.exp %w : !t
    %n = spyre.add %acc, %p : !t
    scf.yield %n : !t
  }
  return %r : !t
}

// The next value is made while the one before is still read: it has a place of its own, and a copy at the end.
// CHECK-LABEL: func.func @read_behind(
// CHECK:         spyre.copy %arg1 {{.*}} place lx [[AT:[0-9]+]]
// CHECK:         scf.for {{.*}}, %[[ACC:[a-z0-9]+]] = %{{[0-9]+}}) ->
// CHECK:           %[[N:.+]] = spyre.add %[[ACC]], %{{.+}} place lx [[OTHER:[0-9]+]]
// CHECK-NEXT:      spyre.sub %[[ACC]], %[[N]]
// CHECK:           %[[C:.+]] = spyre.copy %[[N]] {{.*}} place lx [[AT]]
// CHECK:           scf.yield %{{.+}}, %[[C]]
func.func @read_behind(%x: !x, %zero: !t) -> (!x, !t) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %init = spyre.empty : !x
  %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%full = %init, %acc = %zero) -> (!x, !t) {
    %at = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %w = tensor.extract_slice %x[%at, 0] [64, 128] [1, 1] : !x to !t
    %n = spyre.add %acc, %w : !t
    %d = spyre.sub %acc, %n : !t
    %m = tensor.insert_slice %d into %full[%at, 0] [64, 128] [1, 1] : !t into !x
    scf.yield %m, %n : !x, !t
  }
  return %r#0, %r#1 : !x, !t
}

// A window of the carried tensor is read, updated and written in place.
// CHECK-LABEL: func.func @windows(
// CHECK:         spyre.copy %arg1 {{.*}} place arg 2
// CHECK:           %[[W:.+]] = tensor.extract_slice %{{.+}}[%[[AT:.+]], 0] [64, 128]
// CHECK:           spyre.add %[[W]], %{{.+}} place window
// CHECK-NOT:       spyre.copy
// CHECK:         return
func.func @windows(%x: !t, %start: !x) -> !x {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %k = %c0 to %c2 step %c1 iter_args(%outer = %start) -> !x {
    %q = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %outer) -> !x {
      %at = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
      %w = tensor.extract_slice %acc[%at, 0] [64, 128] [1, 1] : !x to !t
      %s = spyre.add %w, %x : !t
      %n = tensor.insert_slice %s into %acc[%at, 0] [64, 128] [1, 1] : !t into !x
      scf.yield %n : !x
    }
    scf.yield %q : !x
  }
  return %r : !x
}

// Another window is read than is written, so the new value waits until that is over.
// CHECK-LABEL: func.func @shifted(
// CHECK:           %[[N:.+]] = spyre.neg %{{.+}} place pool
// CHECK:           %[[C:.+]] = spyre.copy %[[N]] {{.*}} place window
// CHECK:           tensor.insert_slice %[[C]]
func.func @shifted(%start: !x) -> !x {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = scf.for %k = %c0 to %c2 step %c1 iter_args(%acc = %start) -> !x {
    %w = tensor.extract_slice %acc[32, 0] [64, 128] [1, 1] : !x to !t
    %s = spyre.neg %w : !t
    %n = tensor.insert_slice %s into %acc[0, 0] [64, 128] [1, 1] : !t into !x
    scf.yield %n : !x
  }
  return %r : !x
}

// Too large for the scratchpad: the result's own argument is updated.
// CHECK-LABEL: func.func @too_large(
// CHECK:         spyre.copy %arg1 {{.*}} place arg 2
// CHECK:         scf.for
// CHECK:           spyre.add %{{.+}} place arg 2
// CHECK-NOT:     spyre.copy
// CHECK:         return
func.func @too_large(%x: tensor<32768x1024xf16>, %zero: tensor<32768x1024xf16>) -> tensor<32768x1024xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> tensor<32768x1024xf16> {
    %n = spyre.add %acc, %x : tensor<32768x1024xf16>
    scf.yield %n : tensor<32768x1024xf16>
  }
  return %r : tensor<32768x1024xf16>
}

// Two loops that start from one tensor have a copy each.
// CHECK-LABEL: func.func @two_loops(
// CHECK:         spyre.copy %arg1
// CHECK:         scf.for
// CHECK:         spyre.copy %arg1
// CHECK:         scf.for
func.func @two_loops(%x: !t, %zero: !t) -> (!t, !t) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> !t {
    %n = spyre.add %acc, %x : !t
    scf.yield %n : !t
  }
  %s = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> !t {
    %n = spyre.sub %acc, %x : !t
    scf.yield %n : !t
  }
  return %r, %s : !t, !t
}

// What a loop reads whole in every iteration may be in the scratchpad in front of it.
// CHECK-LABEL: func.func @read_in_a_loop(
// CHECK:         %[[Y:.+]] = spyre.exp %arg0 split [32, 1] place lx [[AT:[0-9]+]]
// CHECK:         scf.for
// CHECK-NOT:       place lx [[AT]] :
// CHECK:           spyre.add %{{.+}}, %[[Y]]
func.func @read_in_a_loop(%a: !t, %x: !x) -> !x {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %y = spyre.exp %a : !t
  %init = spyre.empty : !x
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %init) -> !x {
    %at = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %w = tensor.extract_slice %x[%at, 0] [64, 128] [1, 1] : !x to !t
    %v = spyre.neg %w : !t
    %s = spyre.add %v, %y : !t
    %n = tensor.insert_slice %s into %acc[%at, 0] [64, 128] [1, 1] : !t into !x
    scf.yield %n : !x
  }
  return %r : !x
}

// Arguments keep what they have: what is inserted goes into a copy.
// CHECK-LABEL: func.func @into_an_argument(
// CHECK:         %[[Y:.+]] = spyre.exp %arg0
// CHECK:         %[[C:.+]] = spyre.copy %arg1 {{.*}} place arg 2
// CHECK:         %[[Z:.+]] = spyre.copy %[[Y]] {{.*}} place window
// CHECK:         tensor.insert_slice %[[Z]] into %[[C]]
func.func @into_an_argument(%a: !t, %b: !x) -> !x {
  %y = spyre.exp %a : !t
  %n = tensor.insert_slice %y into %b[64, 0] [64, 128] [1, 1] : !t into !x
  return %n : !x
}
