// RUN: spyre-opt %s --spyre-scratchpad-planning=solver=greedy | FileCheck %s --check-prefixes=CHECK,GREEDY
// RUN: spyre-opt %s --spyre-scratchpad-planning=solver=first-fit | FileCheck %s --check-prefixes=CHECK,FIT
// RUN: spyre-opt %s --spyre-scratchpad-planning=solver=best-fit | FileCheck %s --check-prefixes=CHECK,FIT
// RUN: spyre-opt %s --spyre-scratchpad-planning | FileCheck %s --check-prefixes=CHECK,FIT
// RUN: spyre-opt %s --spyre-scratchpad-planning=solver=greedy --remarks-filter=spyre-scratchpad-planning -o /dev/null 2>&1 | FileCheck %s --check-prefix=GAP
// RUN: not spyre-opt %s --spyre-scratchpad-planning=solver=worst-fit 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: spyre-run %s --check-pipeline='builtin.module(func.func(spyre-scratchpad-planning{solver=greedy}),convert-spyre-to-sdscbundle)' | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --check-pipeline='builtin.module(func.func(spyre-scratchpad-planning),convert-spyre-to-sdscbundle)' | FileCheck %s --check-prefix=CARD

// The pattern of fragmentation (middle-end specification, section 5.8): thirds of the scratchpad, of which greedy placement
// leaves two free that are not beside each other.

// CARD: a bundle, same results on the simulated card

#stick = #spyre.layout<(d0, d1, d2) -> (d2 floordiv 64, d0, d1, d2 mod 64)>
!third = tensor<1x4232x64xf16, #stick>
!two = tensor<2x4232x64xf16, #stick>

module attributes {spyre.target = #spyre.target<cores = 1>} {

// BAD: no solver is named 'worst-fit'; there are greedy, first-fit, best-fit and exact

// GAP: remark: [Analysis] Placement | {{.*}} Reason="values without room move 2166784 bytes on each core, at most 2166784 bytes more than other addresses would"

// CHECK-LABEL: func.func @fragmentation
// GREEDY:      %[[A:.+]] = spyre.copy %arg0 split [1, 1, 1] place lx 0
// GREEDY-NEXT: %[[B:.+]] = spyre.exp %[[A]] split [1, 1, 1] place lx 541696
// FIT:         %[[A:.+]] = spyre.copy %arg0 split [1, 1, 1] place lx 0
// FIT-NEXT:    %[[B:.+]] = spyre.exp %[[A]] split [1, 1, 1] place lx 1083392
// CHECK:       spyre.add %[[A]], %[[B]]
// GREEDY:      spyre.copy %[[B]] split [1, 1, 1] place pool 0
// FIT:         spyre.copy %[[B]] split [1, 1, 1] place lx 0
func.func @fragmentation(%arg0: !third) -> (!third, !two) {
  %a = spyre.copy %arg0 split [1, 1, 1] : (!third) -> !third
  %b = spyre.exp %a split [1, 1, 1] : !third
  %d = spyre.add %a, %b split [1, 1, 1] : !third
  %c = spyre.copy %b split [1, 1, 1] : (!third) -> !two
  %e = spyre.add %b, %c split [1, 1, 1] : (!third, !two) -> !two
  return %d, %e : !third, !two
}
}
