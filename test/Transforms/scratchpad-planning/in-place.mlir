// RUN: spyre-opt %s --spyre-scratchpad-planning --spyre-verify-plan | FileCheck %s
// RUN: spyre-run %s --entry chain --check-pipeline='builtin.module(func.func(spyre-scratchpad-planning),convert-spyre-to-sdscbundle)' | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry product --check-pipeline='builtin.module(func.func(spyre-scratchpad-planning),convert-spyre-to-sdscbundle)' | FileCheck %s --check-prefix=CARD

// CARD: a bundle, same results on the simulated card

// Values that are written over those that they are made of, in a scratchpad with room for one.

!t = tensor<64x64xf16>
module attributes {spyre.target = #spyre.target<cores = 2, lx_bytes = 4096, lx_reserved_bytes = 0, lx_backend_percent = 0>} {

// CHECK-LABEL: func.func @chain
// CHECK:       spyre.exp %{{.+}} place lx 0
// CHECK:       spyre.neg %{{.+}} place lx 0
// CHECK:       spyre.abs %{{.+}} place lx 0
// CHECK:       spyre.neg %{{.+}} place arg 1
func.func @chain(%a: !t) -> !t {
  %0 = spyre.exp %a split [2, 1] : !t
  %1 = spyre.neg %0 split [2, 1] : !t
  %2 = spyre.abs %1 split [2, 1] : !t
  %3 = spyre.neg %2 split [2, 1] : !t
  return %3 : !t
}

// A product reads whole rows, so it needs room beside them.
// CHECK-LABEL: func.func @product
// CHECK:       spyre.exp %{{.+}} place lx 0
// CHECK:       spyre.batchmatmul %{{.+}} place pool
// CHECK:       spyre.neg %{{.+}} place arg 2
func.func @product(%a: !t, %b: !t) -> !t {
  %0 = spyre.exp %a split [2, 1] : !t
  %1 = spyre.batchmatmul %0, %b split [2, 1, 1] : (!t, !t) -> !t
  %2 = spyre.neg %1 split [2, 1] : !t
  return %2 : !t
}
}
