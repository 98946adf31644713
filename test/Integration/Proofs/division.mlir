// RUN: rm -rf %t && mkdir %t
// RUN: spyre-opt %s --spyre-work-division --spyre-scratchpad-planning -o %t/planned.mlir
// RUN: spyre-opt %t/planned.mlir --spyre-prove='before=%s unknown=error' -o /dev/null
// RUN: spyre-translate bundle %t/planned.mlir --verify-written -o %t/bundle || true
// RUN: spyre-translate prove %t/bundle %t/planned.mlir
// RUN: spyre-translate prove %t/bundle %t/planned.mlir 2>&1 | FileCheck %s

// 32 cores divide rows and whole sticks of columns.

// CHECK: P5 {{[1-9][0-9]*}}): {{[1-9][0-9]*}} proved, 0 refuted, 0 not decided

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<4x512xf16, #stick>
func.func @f(%a: !t, %b: !t) -> !t {
  %y = spyre.add %a, %b : !t
  %m = spyre.exp %y : !t
  %z = spyre.mul %m, %b : !t
  return %z : !t
}
