// RUN: rm -rf %t && mkdir %t
// RUN: spyre-opt %s --spyre-work-division --spyre-scratchpad-planning -o %t/planned.mlir
// RUN: spyre-opt %t/planned.mlir --spyre-prove='before=%s unknown=error' -o /dev/null
// RUN: spyre-opt %t/planned.mlir --spyre-prove=before=%s -o /dev/null 2>&1 | FileCheck %s

// Rows over 8 cores would be further apart than a core addresses.

// CHECK: P4 {{[1-9][0-9]*}}): {{[1-9][0-9]*}} proved, 0 refuted, 0 not decided

#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x512xf16, #rows>
module attributes {spyre.target = #spyre.target<cores = 8, span_limit_bytes = 16384>} {
func.func @spans(%a: !t) -> !t {
  %0 = spyre.exp %a : !t
  return %0 : !t
}
}
