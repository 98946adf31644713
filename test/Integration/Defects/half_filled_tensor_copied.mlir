// RUN: spyre-run %s --entry overwritten --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s
// RUN: spyre-run %s --entry branches --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s
// RUN: spyre-run %s --entry branches --check-pipeline='builtin.module(spyre-pipeline{plan=false})' | FileCheck %s
// RUN: spyre-opt %s --spyre-pipeline="plan=false bundle=false" | FileCheck %s --check-prefix=PLANNED

// A tensor of which a half is filled was copied as a whole, because two go on from it: the bundle read what nobody has written.
// It is made twice now.

// CHECK: a bundle, same results on the simulated card
// CHECK-NOT: different

!t = tensor<64x512xf16>
!h = tensor<32x512xf16>

// Folds make of this that two tensors start from the first insertion.
// PLANNED-LABEL: func.func @overwritten(
// PLANNED-COUNT-2: spyre.empty
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

// PLANNED-LABEL: func.func @branches(
// PLANNED-COUNT-2: spyre.empty
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
