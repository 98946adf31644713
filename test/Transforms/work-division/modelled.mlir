// Splits of all operations together: where each is split by itself, the values between them go through device memory.

// RUN: spyre-opt %s --spyre-propagate-layouts --spyre-insert-restickify --spyre-work-division --spyre-scratchpad-planning | FileCheck %s --check-prefix=EACH
// RUN: spyre-opt %s --spyre-propagate-layouts --spyre-insert-restickify --spyre-work-division=modelled --spyre-scratchpad-planning -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: sed 's/^func.func @norm_over_rows(.*>/& attributes {spyre.plan = #spyre.plan<memory_weight = 1>}/' %s | spyre-opt --spyre-propagate-layouts --spyre-insert-restickify --spyre-work-division --spyre-scratchpad-planning | FileCheck %s --check-prefixes=CHECK,PLAN
// RUN: spyre-translate %t.mlir --spyre-to-bundle -o %t.bundle
// RUN: spyre-run %s --bundle %t.bundle --compare %s --random-seed 1 --tolerance 1e-2 2>&1 | FileCheck %s --check-prefix=SAME

// The sum over rows has no rows to split, so columns are split everywhere.
// EACH-LABEL: @norm_over_rows
// EACH:         spyre.exp {{.*}} split [32, 1] place pool
// EACH:         spyre.sum {{.*}} split [1, 32, 1] place pool
// EACH:         spyre.realdiv {{.*}} split [32, 1] place arg 1
// A plan of the function does the same as the option, and stays.
// CHECK-LABEL: @norm_over_rows
// PLAN-SAME:     attributes {spyre.plan = #spyre.plan<memory_weight = 1>}
// CHECK:         spyre.exp {{.*}} split [1, 32] place lx
// CHECK:         spyre.sum {{.*}} split [1, 32, 1] place lx
// CHECK:         spyre.realdiv {{.*}} split [1, 32] place arg 1

// SAME: result 0: 0 of 1048576 elements differ
func.func @norm_over_rows(%x: tensor<512x2048xf16>) -> tensor<512x2048xf16> {
  %0 = spyre.exp %x : tensor<512x2048xf16>
  %1 = spyre.sum %0 dims [0] keepdim : (tensor<512x2048xf16>) -> tensor<1x2048xf16>
  %2 = spyre.realdiv %0, %1 : (tensor<512x2048xf16>, tensor<1x2048xf16>) -> tensor<512x2048xf16>
  return %2 : tensor<512x2048xf16>
}
