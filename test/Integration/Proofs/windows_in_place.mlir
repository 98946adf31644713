// RUN: rm -rf %t && mkdir %t
// RUN: spyre-opt %s --spyre-work-division --spyre-scratchpad-planning -o %t/planned.mlir
// RUN: spyre-opt %t/planned.mlir --spyre-prove='before=%s unknown=error' -o /dev/null
// RUN: spyre-opt %t/planned.mlir --spyre-prove=before=%s -o /dev/null 2>&1 | FileCheck %s

// Values that are inserted into a larger tensor: written there by their operations, or copied there after them. Some
// windows overlap, and then the last insertion counts.

// CHECK-COUNT-9: P4 {{[1-9][0-9]*}}): {{[1-9][0-9]*}} proved, 0 refuted, 0 not decided

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<256x512xf16, #stick>
!h = tensor<128x512xf16, #stick>
!q = tensor<192x512xf16, #stick>

func.func @halves(%a: !h, %b: !h) -> !t {
  %init = spyre.empty : !t
  %y = spyre.exp %a : !h
  %z = spyre.neg %b : !h
  %n = tensor.insert_slice %y into %init[0, 0] [128, 512] [1, 1] : !h into !t
  %m = tensor.insert_slice %z into %n[128, 0] [128, 512] [1, 1] : !h into !t
  return %m : !t
}

// Windows that overlap are written in the order of the insertions, which is not that of the operations here.
func.func @order_of_insertions(%a: !h, %b: !h) -> !q {
  %init = spyre.empty : !q
  %y = spyre.exp %a : !h
  %z = spyre.neg %b : !h
  %n = tensor.insert_slice %z into %init[0, 0] [128, 512] [1, 1] : !h into !q
  %m = tensor.insert_slice %y into %n[64, 0] [128, 512] [1, 1] : !h into !q
  return %m : !q
}

// The copy of an argument would overwrite a part of the value.
func.func @over_a_copy(%a: !h, %b: !h) -> !q {
  %y = spyre.exp %a : !h
  %init = spyre.empty : !q
  %n = tensor.insert_slice %b into %init[0, 0] [128, 512] [1, 1] : !h into !q
  %m = tensor.insert_slice %y into %n[64, 0] [128, 512] [1, 1] : !h into !q
  return %m : !q
}

// A tensor that is read before an insertion keeps its elements in the window until then.
func.func @read_before_the_first(%a: !h, %b: !h, %x: !t) -> (!t, tensor<256x1xf16, #spyre.layout<(d0, d1) -> (0, d0, 0)>>) {
  %y = spyre.exp %a : !h
  %s = spyre.neg %x : !t
  %z = spyre.sum %s dims [1] keepdim : (!t) -> tensor<256x1xf16, #spyre.layout<(d0, d1) -> (0, d0, 0)>>
  %n = tensor.insert_slice %b into %s[0, 0] [128, 512] [1, 1] : !h into !t
  %m = tensor.insert_slice %y into %n[128, 0] [128, 512] [1, 1] : !h into !t
  return %m, %z : !t, tensor<256x1xf16, #spyre.layout<(d0, d1) -> (0, d0, 0)>>
}

// The loop fills the tensor, and would overwrite the value.
func.func @before_the_loop(%a: !h) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %init = spyre.empty : !t
  %y = spyre.exp %a : !h
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %init) -> !t {
    %at = affine.apply affine_map<(d0) -> (d0 * 128)>(%i)
    %z = spyre.neg %a : !h
    %n = tensor.insert_slice %z into %acc[%at, 0] [128, 512] [1, 1] : !h into !t
    scf.yield %n : !t
  }
  %m = tensor.insert_slice %y into %r[64, 0] [128, 512] [1, 1] : !h into !t
  return %m : !t
}

// Used inside of the loop and outside: the tile is in the scratchpad for the one, and a copy has its window for the other.
func.func @inside_and_outside(%a: !t) -> (!t, !t) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %e0 = spyre.empty : !t
  %e1 = spyre.empty : !t
  %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc0 = %e0, %acc1 = %e1) -> (!t, !t) {
    %at = affine.apply affine_map<(d0) -> (d0 * 128)>(%i)
    %w = tensor.extract_slice %a[%at, 0] [128, 512] [1, 1] : !t to !h
    %y = spyre.exp %w : !h
    %n = tensor.insert_slice %y into %acc0[%at, 0] [128, 512] [1, 1] : !h into !t
    %z = spyre.neg %y : !h
    %m = tensor.insert_slice %z into %acc1[%at, 0] [128, 512] [1, 1] : !h into !t
    scf.yield %n, %m : !t, !t
  }
  return %r#0, %r#1 : !t, !t
}

// A second insertion overwrites a part of the window before the value is read.
func.func @window_written_again(%a: !h) -> (!q, !h) {
  %init = spyre.empty : !q
  %y = spyre.exp %a split [32, 1] : !h
  %n = tensor.insert_slice %y into %init[0, 0] [128, 512] [1, 1] : !h into !q
  %x = spyre.abs %a split [32, 1] : !h
  %m = tensor.insert_slice %x into %n[64, 0] [128, 512] [1, 1] : !h into !q
  %z = spyre.neg %y split [16, 2] : !h
  return %m, %z : !q, !h
}

// One value in two tensors: its window is in one, and a copy in the other.
func.func @two_windows(%a: !h, %b: !h) -> (!t, !t) {
  %e0 = spyre.empty : !t
  %e1 = spyre.empty : !t
  %y = spyre.exp %a : !h
  %z = spyre.neg %b : !h
  %n0 = tensor.insert_slice %y into %e0[0, 0] [128, 512] [1, 1] : !h into !t
  %m0 = tensor.insert_slice %z into %n0[128, 0] [128, 512] [1, 1] : !h into !t
  %n1 = tensor.insert_slice %z into %e1[0, 0] [128, 512] [1, 1] : !h into !t
  %m1 = tensor.insert_slice %y into %n1[128, 0] [128, 512] [1, 1] : !h into !t
  return %m0, %m1 : !t, !t
}

// The result of an inner loop, and an argument, are copied into their windows.
func.func @no_operation_next_to_it(%a: !t, %b: !h) -> !t {
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
      %v = tensor.extract_slice %w[0, %col] [128, 256] [1, 1] : !h to tensor<128x256xf16, #stick>
      %y = spyre.exp %v : tensor<128x256xf16, #stick>
      %n = tensor.insert_slice %y into %inner[0, %col] [128, 256] [1, 1] : tensor<128x256xf16, #stick> into !h
      scf.yield %n : !h
    }
    %m = tensor.insert_slice %q into %acc[%at, 0] [128, 512] [1, 1] : !h into !t
    scf.yield %m : !t
  }
  %o = tensor.insert_slice %b into %r[64, 0] [128, 512] [1, 1] : !h into !t
  return %o : !t
}
