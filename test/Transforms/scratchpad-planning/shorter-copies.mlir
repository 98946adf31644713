// RUN: spyre-opt %s --spyre-work-division --spyre-scratchpad-planning=cache-arguments=true --spyre-verify-plan | FileCheck %s
// RUN: spyre-run %s --entry last --random-seed 1 --check-pipeline='builtin.module(func.func(spyre-work-division,spyre-scratchpad-planning{cache-arguments=true}))' | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry first --random-seed 1 --check-pipeline='builtin.module(func.func(spyre-work-division,spyre-scratchpad-planning{cache-arguments=true}))' | FileCheck %s --check-prefix=SAME

// The scratchpad has room for one of these values. A copy for all readers of an argument would be in the place of what operations make,
// so that it is there for some of them.

// SAME-NOT: DIFFER
// SAME: same results

!t = tensor<256x256xf16>
module attributes {spyre.target = #spyre.target<cores = 4, lx_bytes = 32768, lx_reserved_bytes = 0, lx_backend_percent = 0>} {

// The sum is written over the copy, and the second sum reads device memory.
// CHECK-LABEL: func.func @last
// CHECK: %[[C:.*]] = spyre.copy %arg0 split [4, 1] place lx 0
// CHECK: %[[S:.*]] = spyre.add %[[C]], %[[C]] split [4, 1] place lx 0
// CHECK: spyre.add %[[S]], %arg0 split [4, 1] place arg 1
// CHECK: spyre.exp %[[S]] split [4, 1] place arg 2
func.func @last(%a: !t) -> (!t, !t) {
  %s = spyre.add %a, %a : !t
  %r = spyre.add %s, %a : !t
  %e = spyre.exp %s : !t
  return %r, %e : !t, !t
}

// What is made of the argument is read before the copy is made, for the sum alone.
// CHECK-LABEL: func.func @first
// CHECK: %[[E:.*]] = spyre.exp %arg0 split [4, 1] place lx 0
// CHECK: spyre.tanh %[[E]] split [4, 1] place arg 1
// CHECK: %[[C:.*]] = spyre.copy %arg0 split [4, 1] place lx 0
// CHECK: spyre.add %[[C]], %[[C]] split [4, 1] place arg 2
func.func @first(%a: !t) -> (!t, !t) {
  %e = spyre.exp %a : !t
  %h = spyre.tanh %e : !t
  %s = spyre.add %a, %a : !t
  return %h, %s : !t, !t
}
}
