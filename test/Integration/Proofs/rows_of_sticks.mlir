// RUN: rm -rf %t && mkdir %t
// RUN: spyre-opt %s --coarse-tile --spyre-work-division --spyre-scratchpad-planning -o %t/planned.mlir
// RUN: spyre-opt %t/planned.mlir --spyre-prove='before=%s unknown=error' -o /dev/null
// RUN: spyre-translate bundle %t/planned.mlir --verify-written -o %t/bundle || true
// RUN: spyre-translate prove %t/bundle %t/planned.mlir
// RUN: spyre-translate prove %t/bundle %t/planned.mlir 2>&1 | FileCheck %s

// Rows of several sticks, cut along both dimensions: windows of one tensor are far from each other, and the sticks of a row
// are as far apart as in the whole tensor.

// CHECK: P5 {{[1-9][0-9]*}}): {{[1-9][0-9]*}} proved, 0 refuted, 0 not decided

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x512xf16, #stick>
func.func @f(%a: !t {spyre.dims = ["A", "B"]}, %b: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.add %a, %b tile [0: "A" in 2, 1: "B" in 4] : !t
  %z = spyre.mul %y, %b tile [0: "A" in 2, 1: "B" in 4] : !t
  return %z : !t
}
