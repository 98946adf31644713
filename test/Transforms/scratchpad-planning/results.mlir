// RUN: spyre-opt %s --spyre-scratchpad-planning | FileCheck %s

// Arguments and results of a kernel are its arguments, inputs first. Each result is a buffer of its own.

!t = tensor<256x512xf16>
!h = tensor<128x512xf16>

// CHECK-LABEL: func.func @numbered
// CHECK-SAME:    %arg0: tensor<256x512xf16> {spyre.place = #spyre.place<arg 0>}, %arg1: tensor<256x512xf16> {spyre.place = #spyre.place<arg 1>}
// CHECK:       spyre.exp %arg0 split [32, 1] place arg 3
// CHECK:       spyre.neg %arg1 split [32, 1] place arg 2
func.func @numbered(%a: !t, %b: !t) -> (!t, !t) {
  %0 = spyre.exp %a split [32, 1] : !t
  %1 = spyre.neg %b split [32, 1] : !t
  return %1, %0 : !t, !t
}

// A result that is read as well is read where it is returned.
// CHECK-LABEL: func.func @returned_and_read
// CHECK:       %[[Y:.+]] = spyre.exp %arg0 split [32, 1] place arg 1
// CHECK-NEXT:  spyre.neg %[[Y]] split [32, 1] place arg 2
// CHECK-NEXT:  return
func.func @returned_and_read(%a: !t) -> (!t, !t) {
  %0 = spyre.exp %a split [32, 1] : !t
  %1 = spyre.neg %0 split [32, 1] : !t
  return %0, %1 : !t, !t
}

// CHECK-LABEL: func.func @returned_twice
// CHECK:       %[[Y:.+]] = spyre.exp %arg0 split [32, 1] place arg 1
// CHECK-NEXT:  %[[C:.+]] = spyre.copy %[[Y]] split [32, 1] place arg 2
// CHECK-NEXT:  return %[[Y]], %[[C]]
func.func @returned_twice(%a: !t) -> (!t, !t) {
  %0 = spyre.exp %a split [32, 1] : !t
  return %0, %0 : !t, !t
}

// CHECK-LABEL: func.func @argument_returned
// CHECK:       %[[Y:.+]] = spyre.exp %arg0 split [32, 1] place arg 2
// CHECK-NEXT:  %[[C:.+]] = spyre.copy %arg0 split [32, 1] place arg 1
// CHECK-NEXT:  return %[[C]], %[[Y]]
func.func @argument_returned(%a: !t) -> (!t, !t) {
  %0 = spyre.exp %a split [32, 1] : !t
  return %a, %0 : !t, !t
}

// A window of a tensor is not a buffer of its own.
// CHECK-LABEL: func.func @window_returned
// CHECK:       %[[Y:.+]] = spyre.exp %arg0 split [32, 1] place pool 0
// CHECK:       %[[W:.+]] = tensor.extract_slice %[[Y]]
// CHECK-NEXT:  %[[C:.+]] = spyre.copy %[[W]] split [32, 1] place arg 1
// CHECK-NEXT:  return %[[C]]
func.func @window_returned(%a: !t) -> !h {
  %0 = spyre.exp %a split [32, 1] : !t
  %w = tensor.extract_slice %0[128, 0] [128, 512] [1, 1] : !t to !h
  return %w : !h
}

// A value that is returned and inserted into another result is made in the scratchpad and copied to both.
// CHECK-LABEL: func.func @returned_and_inserted
// CHECK:       spyre.empty place arg 1
// CHECK:       %[[Y:.+]] = spyre.exp %arg0 split [32, 1] place lx 0
// CHECK:       %[[C:.+]] = spyre.copy %[[Y]] split [32, 1] place window
// CHECK:       %[[N:.+]] = tensor.insert_slice %[[C]]
// CHECK:       %[[D:.+]] = spyre.copy %[[Y]] split [32, 1] place arg 2
// CHECK:       return %[[N]], %[[D]]
func.func @returned_and_inserted(%a: !h) -> (!t, !h) {
  %init = spyre.empty : !t
  %y = spyre.exp %a split [32, 1] : !h
  %n = tensor.insert_slice %y into %init[0, 0] [128, 512] [1, 1] : !h into !t
  return %n, %y : !t, !h
}

// The tensor that a nest of loops fills is the result itself: nothing is copied.
// CHECK-LABEL: func.func @filled_by_loops
// CHECK:       spyre.empty place arg 1
// CHECK-NOT:   spyre.copy
// CHECK:       spyre.exp %{{.+}} place window
// CHECK-NOT:   spyre.copy
// CHECK:       return
func.func @filled_by_loops(%a: !t) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %init = spyre.empty : !t
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%outer = %init) -> !t {
    %q = scf.for %j = %c0 to %c2 step %c1 iter_args(%inner = %outer) -> !t {
      %row = affine.apply affine_map<(d0) -> (d0 * 128)>(%i)
      %col = affine.apply affine_map<(d0) -> (d0 * 256)>(%j)
      %w = tensor.extract_slice %a[%row, %col] [128, 256] [1, 1] : !t to tensor<128x256xf16>
      %y = spyre.exp %w split [32, 1] : tensor<128x256xf16>
      %n = tensor.insert_slice %y into %inner[%row, %col] [128, 256] [1, 1] : tensor<128x256xf16> into !t
      scf.yield %n : !t
    }
    scf.yield %q : !t
  }
  return %r : !t
}
