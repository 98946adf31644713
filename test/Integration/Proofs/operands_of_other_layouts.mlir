// RUN: rm -rf %t && mkdir %t
// RUN: spyre-opt %s --coarse-tile --spyre-work-division --spyre-scratchpad-planning -o %t/planned.mlir
// RUN: spyre-opt %t/planned.mlir --spyre-prove='before=%s unknown=error' -o /dev/null
// RUN: spyre-translate bundle %t/planned.mlir --verify-written -o %t/bundle || true
// RUN: spyre-translate prove %t/bundle %t/planned.mlir
// RUN: spyre-translate prove %t/bundle %t/planned.mlir 2>&1 | FileCheck %s

// Each operand moves by the distances of its layout, and no distance leaves a tensor of the other layout.

// CHECK: P5 {{[1-9][0-9]*}}): {{[1-9][0-9]*}} proved, 0 refuted, 0 not decided

#middle = #spyre.layout<(d0, d1, d2) -> (d1, d2 floordiv 64, d0, d2 mod 64)>
#outer = #spyre.layout<(d0, d1, d2) -> (d2 floordiv 64, d0, d1, d2 mod 64)>
!m = tensor<32x8x128xf16, #middle>
!o = tensor<32x8x128xf16, #outer>
func.func @f(%a: !m {spyre.dims = ["X", "Y", "Z"]}, %b: !o {spyre.dims = ["X", "Y", "Z"]}) -> !m {
  %y = spyre.add %a, %b tile [0: "X" in 2, 1: "Z" in 2] : (!m, !o) -> !m
  return %y : !m
}
