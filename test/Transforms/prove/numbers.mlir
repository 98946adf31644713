// RUN: sed 's/6.0, 7.0/6.5, 7.0/' %s > %t.changed.mlir
// RUN: not spyre-opt %t.changed.mlir --spyre-prove=before=%s -o /dev/null 2>&1 | FileCheck %s --check-prefix=CHANGED
// RUN: sed 's/dense<\[\[.*\]\]>/dense<1.0>/' %s > %t.ones.mlir
// RUN: not spyre-opt %t.ones.mlir --spyre-prove=before=%s -o /dev/null 2>&1 | FileCheck %s --check-prefix=ONES
// RUN: sed 's/add %a, %c/add %b, %c/' %s > %t.other.mlir
// RUN: not spyre-opt %t.other.mlir --spyre-prove=before=%s -o /dev/null 2>&1 | FileCheck %s --check-prefix=OTHER

// A witness has the numbers of constants, at a point where they differ, and names the operand that differs.

// CHANGED: error: spyre-prove: P2: 'add': operand 1 reads the number 6.5 of f16, element [0, 5] of a constant, before: the number 6 of f16, element [0, 5] of a constant (point [0, 5])
// ONES: error: spyre-prove: P2: 'add': operand 1 reads the number 1 of f16, before: the number 2 of f16, element [0, 1] of a constant (point [0, 1])
// OTHER: error: spyre-prove: P2: 'add': operand 0 reads element [0, 0] of argument 1, before: element [0, 0] of argument 0 (point [0, 0])

func.func @f(%a: tensor<2x20xf16>, %b: tensor<2x20xf16>) -> tensor<2x20xf16> {
  %c = arith.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 1.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.5, 8.0, 9.0, 0.0]]> : tensor<1x20xf16>
  %0 = spyre.add %a, %c : (tensor<2x20xf16>, tensor<1x20xf16>) -> tensor<2x20xf16>
  return %0 : tensor<2x20xf16>
}
