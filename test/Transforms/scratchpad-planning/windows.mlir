// RUN: spyre-opt %s --spyre-scratchpad-planning | FileCheck %s

// Values that are inserted into a larger tensor: written there when they are made, or copied there when they are
// inserted.

!t = tensor<256x512xf16>
!h = tensor<128x512xf16>

// The usual case: every value is written into its own window.
// CHECK-LABEL: func.func @halves
// CHECK:       spyre.empty place arg 2
// CHECK:       %[[Y:.+]] = spyre.exp %arg0 split [32, 1] place window
// CHECK:       %[[Z:.+]] = spyre.neg %arg1 split [32, 1] place window
// CHECK-NOT:   spyre.copy
// CHECK:       tensor.insert_slice %[[Y]]
// CHECK:       tensor.insert_slice %[[Z]]
func.func @halves(%a: !h, %b: !h) -> !t {
  %init = spyre.empty : !t
  %y = spyre.exp %a split [32, 1] : !h
  %z = spyre.neg %b split [32, 1] : !h
  %n = tensor.insert_slice %y into %init[0, 0] [128, 512] [1, 1] : !h into !t
  %m = tensor.insert_slice %z into %n[128, 0] [128, 512] [1, 1] : !h into !t
  return %m : !t
}

// Windows that overlap are written in the order of the insertions, which is not that of the operations here.
// CHECK-LABEL: func.func @order_of_insertions
// CHECK:       %[[Y:.+]] = spyre.exp %arg0 split [32, 1] place pool
// CHECK:       %[[Z:.+]] = spyre.neg %arg1 split [32, 1] place window
// CHECK:       tensor.insert_slice %[[Z]]
// CHECK:       %[[C:.+]] = spyre.copy %[[Y]] split [32, 1] place window
// CHECK:       tensor.insert_slice %[[C]]
func.func @order_of_insertions(%a: !h, %b: !h) -> !t {
  %init = spyre.empty : !t
  %y = spyre.exp %a split [32, 1] : !h
  %z = spyre.neg %b split [32, 1] : !h
  %n = tensor.insert_slice %z into %init[0, 0] [128, 512] [1, 1] : !h into !t
  %m = tensor.insert_slice %y into %n[64, 0] [128, 512] [1, 1] : !h into !t
  return %m : !t
}

// The memory of a tensor is its own from its spyre.empty on, which moves in front of what is written there.
// CHECK-LABEL: func.func @made_before_the_tensor
// CHECK:       spyre.empty place arg 1
// CHECK:       %[[Y:.+]] = spyre.exp %arg0 split [32, 1] place window
// CHECK-NOT:   spyre.copy
// CHECK:       tensor.insert_slice %[[Y]]
func.func @made_before_the_tensor(%a: !h) -> !t {
  %y = spyre.exp %a split [32, 1] : !h
  %init = spyre.empty : !t
  %n = tensor.insert_slice %y into %init[0, 0] [128, 512] [1, 1] : !h into !t
  return %n : !t
}

// What is written beside a window does not matter: an argument is copied into one half behind the operation that writes the other.
// CHECK-LABEL: func.func @beside_a_copy
// CHECK:       spyre.empty place arg 2
// CHECK:       %[[Y:.+]] = spyre.exp %arg0 split [32, 1] place window
// CHECK:       %[[C:.+]] = spyre.copy %arg1 {{.*}}place window
// CHECK:       tensor.insert_slice %[[C]]
// CHECK-NOT:   spyre.copy
// CHECK:       tensor.insert_slice %[[Y]]
func.func @beside_a_copy(%a: !h, %b: !h) -> !t {
  %y = spyre.exp %a split [32, 1] : !h
  %init = spyre.empty : !t
  %n = tensor.insert_slice %b into %init[0, 0] [128, 512] [1, 1] : !h into !t
  %m = tensor.insert_slice %y into %n[128, 0] [128, 512] [1, 1] : !h into !t
  return %m : !t
}

// Where windows overlap it does: the copy would write over a part of the value.
// CHECK-LABEL: func.func @over_a_copy
// CHECK:       %[[Y:.+]] = spyre.exp %arg0 split [32, 1] place pool
// CHECK:       spyre.copy %arg1 {{.*}}place window
// CHECK:       %[[C:.+]] = spyre.copy %[[Y]] split [32, 1] place window
// CHECK:       tensor.insert_slice %[[C]]
func.func @over_a_copy(%a: !h, %b: !h) -> !t {
  %y = spyre.exp %a split [32, 1] : !h
  %init = spyre.empty : !t
  %n = tensor.insert_slice %b into %init[0, 0] [128, 512] [1, 1] : !h into !t
  %m = tensor.insert_slice %y into %n[127, 0] [128, 512] [1, 1] : !h into !t
  return %m : !t
}

// A tensor that is read in front of an insertion keeps what it has in the window until then.
// CHECK-LABEL: func.func @read_before_the_first
// CHECK:       %[[Y:.+]] = spyre.exp %arg0 split [32, 1] place pool
// CHECK:       spyre.sum
// CHECK:       %[[C:.+]] = spyre.copy %[[Y]] split [32, 1] place window
// CHECK:       tensor.insert_slice %[[C]]
func.func @read_before_the_first(%a: !h, %b: !h, %x: !t) -> (!t, tensor<256x1xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = spyre.empty : !t
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%acc = %init) -> !t {
    %s = spyre.neg %x : !t
    scf.yield %s : !t
  }
  %y = spyre.exp %a split [32, 1] : !h
  %z = spyre.sum %r dims [1] keepdim : (!t) -> tensor<256x1xf16>
  %n = tensor.insert_slice %b into %r[0, 0] [128, 512] [1, 1] : !h into !t
  %m = tensor.insert_slice %y into %n[128, 0] [128, 512] [1, 1] : !h into !t
  return %m, %z : !t, tensor<256x1xf16>
}

// Before a loop that fills the tensor, the loop would write over the value.
// CHECK-LABEL: func.func @made_before_the_loop
// CHECK:       %[[Y:.+]] = spyre.exp %arg0 split [32, 1] place pool
// CHECK:       %[[R:.+]] = scf.for
// CHECK:         spyre.neg %{{.+}} place window
// CHECK:       %[[C:.+]] = spyre.copy %[[Y]] split [32, 1] place window
// CHECK:       tensor.insert_slice %[[C]] into %[[R]]
func.func @made_before_the_loop(%a: !h) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %init = spyre.empty : !t
  %y = spyre.exp %a split [32, 1] : !h
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %init) -> !t {
    %at = affine.apply affine_map<(d0) -> (d0 * 128)>(%i)
    %z = spyre.neg %a split [32, 1] : !h
    %n = tensor.insert_slice %z into %acc[%at, 0] [128, 512] [1, 1] : !h into !t
    scf.yield %n : !t
  }
  %m = tensor.insert_slice %y into %r[64, 0] [128, 512] [1, 1] : !h into !t
  return %m : !t
}

// Used inside the loop and outside: the tile is in the scratchpad for the one, and a copy writes it out for the other.
// CHECK-LABEL: func.func @inside_and_outside
// CHECK:       scf.for
// CHECK:         %[[Y:.+]] = spyre.exp %{{.+}} split [32, 1] place lx 0
// CHECK:         %[[C:.+]] = spyre.copy %[[Y]] split [32, 1] place window
// CHECK:         tensor.insert_slice %[[C]]
// CHECK:         %[[Z:.+]] = spyre.neg %[[Y]] split [32, 1] place window
// CHECK:         tensor.insert_slice %[[Z]]
func.func @inside_and_outside(%a: !t) -> (!t, !t) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %e0 = spyre.empty : !t
  %e1 = spyre.empty : !t
  %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc0 = %e0, %acc1 = %e1) -> (!t, !t) {
    %at = affine.apply affine_map<(d0) -> (d0 * 128)>(%i)
    %w = tensor.extract_slice %a[%at, 0] [128, 512] [1, 1] : !t to !h
    %y = spyre.exp %w split [32, 1] : !h
    %n = tensor.insert_slice %y into %acc0[%at, 0] [128, 512] [1, 1] : !h into !t
    %z = spyre.neg %y split [32, 1] : !h
    %m = tensor.insert_slice %z into %acc1[%at, 0] [128, 512] [1, 1] : !h into !t
    scf.yield %n, %m : !t, !t
  }
  return %r#0, %r#1 : !t, !t
}

// The reader wants other slices, so the value cannot be in the scratchpad; it is read in its window, where it stays.
// CHECK-LABEL: func.func @read_in_the_window
// CHECK:       spyre.empty place arg 1
// CHECK:       %[[Y:.+]] = spyre.exp %arg0 split [32, 1] place window
// CHECK:       tensor.insert_slice %[[Y]]
// CHECK:       spyre.neg %[[Y]] split [16, 2] place arg 2
// CHECK-NOT:   spyre.copy
func.func @read_in_the_window(%a: !h) -> (!t, !h) {
  %init = spyre.empty : !t
  %y = spyre.exp %a split [32, 1] : !h
  %n = tensor.insert_slice %y into %init[0, 0] [128, 512] [1, 1] : !h into !t
  %z = spyre.neg %y split [16, 2] : !h
  return %n, %z : !t, !h
}

// Here a second insertion may write over the window before the value is read.
// CHECK-LABEL: func.func @window_written_again
// CHECK:       %[[Y:.+]] = spyre.exp %arg0 split [32, 1] place pool
// CHECK:       %[[C:.+]] = spyre.copy %[[Y]] split [32, 1] place window
// CHECK:       tensor.insert_slice %[[C]]
// CHECK:       spyre.abs %arg0 split [32, 1] place window
// CHECK:       spyre.neg %[[Y]] split [16, 2] place arg 2
func.func @window_written_again(%a: !h) -> (!t, !h) {
  %init = spyre.empty : !t
  %y = spyre.exp %a split [32, 1] : !h
  %n = tensor.insert_slice %y into %init[0, 0] [128, 512] [1, 1] : !h into !t
  %x = spyre.abs %a split [32, 1] : !h
  %m = tensor.insert_slice %x into %n[64, 0] [128, 512] [1, 1] : !h into !t
  %z = spyre.neg %y split [16, 2] : !h
  return %m, %z : !t, !h
}

// One window is in place, the other is a copy.
// CHECK-LABEL: func.func @two_windows
// CHECK-DAG:   spyre.empty place arg 1
// CHECK-DAG:   spyre.empty place arg 2
// CHECK:       %[[Y:.+]] = spyre.exp %arg0 split [32, 1] place window
// CHECK:       tensor.insert_slice %[[Y]]
// CHECK:       %[[C:.+]] = spyre.copy %[[Y]] split [32, 1] place window
// CHECK:       tensor.insert_slice %[[C]]
func.func @two_windows(%a: !h) -> (!t, !t) {
  %e0 = spyre.empty : !t
  %e1 = spyre.empty : !t
  %y = spyre.exp %a split [32, 1] : !h
  %n = tensor.insert_slice %y into %e0[0, 0] [128, 512] [1, 1] : !h into !t
  %m = tensor.insert_slice %y into %e1[0, 0] [128, 512] [1, 1] : !h into !t
  return %n, %m : !t, !t
}

// What no operation beside the insertion makes is copied into place: an argument, the result of an inner loop.
// CHECK-LABEL: func.func @not_made_beside
// CHECK:       scf.for
// CHECK:         %[[E:.+]] = spyre.empty place pool 0
// CHECK:         %[[R:.+]] = scf.for %{{.+}} iter_args(%{{.+}} = %[[E]])
// CHECK:           spyre.exp %{{.+}} place window
// CHECK:         %[[C:.+]] = spyre.copy %[[R]] split [32, 1] place window
// CHECK:         tensor.insert_slice %[[C]]
// CHECK:       %[[D:.+]] = spyre.copy %arg1 split [32, 1] place window
// CHECK:       tensor.insert_slice %[[D]]
func.func @not_made_beside(%a: !t, %b: !h) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %init = spyre.empty : !t
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %init) -> !t {
    %at = affine.apply affine_map<(d0) -> (d0 * 128)>(%i)
    %w = tensor.extract_slice %a[%at, 0] [128, 512] [1, 1] : !t to !h
    %e = spyre.empty : !h
    %q = scf.for %j = %c0 to %c2 step %c1 iter_args(%inner = %e) -> !h {
      %col = affine.apply affine_map<(d0) -> (d0 * 256)>(%j)
      %v = tensor.extract_slice %w[0, %col] [128, 256] [1, 1] : !h to tensor<128x256xf16>
      %y = spyre.exp %v split [32, 1] : tensor<128x256xf16>
      %n = tensor.insert_slice %y into %inner[0, %col] [128, 256] [1, 1] : tensor<128x256xf16> into !h
      scf.yield %n : !h
    }
    %m = tensor.insert_slice %q into %acc[%at, 0] [128, 512] [1, 1] : !h into !t
    scf.yield %m : !t
  }
  %o = tensor.insert_slice %b into %r[64, 0] [128, 512] [1, 1] : !h into !t
  return %o : !t
}
