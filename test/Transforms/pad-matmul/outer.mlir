// The right operand of a product is itself a product with one element of K, in whose place is a multiplication.

// RUN: spyre-opt %s --spyre-pad-matmul | FileCheck %s
// RUN: spyre-run %s --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=RESULT

// CHECK-LABEL: func.func @f(
// CHECK: %[[PRODUCT:.*]] = spyre.mul
// CHECK: %[[SUM:.*]] = spyre.add %[[PRODUCT]]
// CHECK: tensor.insert_slice %[[SUM]] into %{{.*}}[0, 0, 0] [6, 10, 80]
// CHECK: spyre.batchmatmul
// RESULT: builtin.module(func.func(spyre-pad-matmul)): same results
// RESULT: a bundle, same results on the simulated card
func.func @f(%a: tensor<6x10x1xf16>, %b: tensor<1x80xf16>, %c: tensor<2x10xf16>) -> tensor<6x2x80xf16> {
  %0 = spyre.batchmatmul %a, %b : (tensor<6x10x1xf16>, tensor<1x80xf16>) -> tensor<6x10x80xf16>
  %1 = spyre.batchmatmul %c, %0 : (tensor<2x10xf16>, tensor<6x10x80xf16>) -> tensor<6x2x80xf16>
  return %1 : tensor<6x2x80xf16>
}
