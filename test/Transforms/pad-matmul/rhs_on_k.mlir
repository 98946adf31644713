// A right operand with K on its sticks: the rows of zeros would begin inside a stick, so the padded tensor gets another layout.

// RUN: spyre-opt %s --spyre-pad-matmul | FileCheck %s
// RUN: spyre-run %s --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=RESULT

#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>

// CHECK-LABEL: func.func @f(
// CHECK: %[[EMPTY:.*]] = spyre.empty : tensor<64x5xf16>
// CHECK: %[[ZEROS:.*]] = spyre.fill dense<0.000000e+00> : tensor<62x5xf16>
// CHECK: %[[BODY:.*]] = tensor.insert_slice %{{.*}} into %[[EMPTY]][0, 0] [2, 5] [1, 1] : tensor<2x5xf16, #{{.*}}> into tensor<64x5xf16>
// CHECK: %[[PADDED:.*]] = tensor.insert_slice %[[ZEROS]] into %[[BODY]][2, 0] [62, 5] [1, 1]
// CHECK: spyre.batchmatmul %{{.*}}, %[[PADDED]]
// RESULT: builtin.module(func.func(spyre-pad-matmul)): same results
// RESULT: a bundle, same results on the simulated card
func.func @f(%a: tensor<6x2xf16>, %b: tensor<2x5xf16, #cols>) -> tensor<6x5xf16> {
  %c = spyre.batchmatmul %a, %b : (tensor<6x2xf16>, tensor<2x5xf16, #cols>) -> tensor<6x5xf16>
  return %c : tensor<6x5xf16>
}
