// RUN: rm -rf %t && mkdir %t
// RUN: spyre-opt %s --canonicalize --cse --spyre-propagate-layouts --spyre-optimize-restickify --spyre-insert-restickify --spyre-insert-tensor-copies --spyre-work-division --spyre-scratchpad-planning -o %t/planned.mlir
// RUN: spyre-opt %t/planned.mlir --spyre-prove='before=%s unknown=error' -o /dev/null
// RUN: spyre-opt %t/planned.mlir --spyre-prove=before=%s -o /dev/null 2>&1 | FileCheck %s

// Two tensors go on from one of which a half is filled: it is filled twice, and not copied.

// CHECK-COUNT-2: P4 {{[1-9][0-9]*}}): {{[1-9][0-9]*}} proved, 0 refuted, 0 not decided

!t = tensor<64x512xf16>
!h = tensor<32x512xf16>

// Folds make of this that two tensors start from the first insertion.
func.func @overwritten(%a: !h, %b: !h) -> (!t, !t) {
  %y = spyre.exp %a : !h
  %z = spyre.neg %b : !h
  %w = spyre.abs %a : !h
  %e = spyre.empty : !t
  %n0 = tensor.insert_slice %y into %e[0, 0] [32, 512] [1, 1] : !h into !t
  %n1 = tensor.insert_slice %z into %n0[32, 0] [32, 512] [1, 1] : !h into !t
  %k = spyre.neg %n1 : !t
  %n2 = tensor.insert_slice %w into %n1[32, 0] [32, 512] [1, 1] : !h into !t
  return %k, %n2 : !t, !t
}

func.func @branches(%a: !h, %b: !h) -> (!t, !t) {
  %y = spyre.exp %a : !h
  %z = spyre.neg %b : !h
  %w = spyre.abs %b : !h
  %e = spyre.empty : !t
  %n0 = tensor.insert_slice %y into %e[0, 0] [32, 512] [1, 1] : !h into !t
  %n1 = tensor.insert_slice %z into %n0[32, 0] [32, 512] [1, 1] : !h into !t
  %n2 = tensor.insert_slice %w into %n0[32, 0] [32, 512] [1, 1] : !h into !t
  return %n1, %n2 : !t, !t
}
