// RUN: sed 's/batchmatmul %z,/batchmatmul %a,/' %s > %t.before.mlir
// RUN: spyre-opt %s --spyre-prove=before=%t.before.mlir -o /dev/null 2>&1 | FileCheck %s
// RUN: sed 's/true, false, false/false, false, false/' %s > %t.short.mlir
// RUN: not spyre-opt %t.short.mlir --spyre-prove=before=%t.before.mlir -o /dev/null 2>&1 | FileCheck %s --check-prefix=SHORT

// A selection by a window of a constant mask is a move; a mask that ends one column early is refuted.

// CHECK: remark: spyre-prove: {{.*}} 0 refuted, 0 not decided
// SHORT: error: spyre-prove: P2:

func.func @f(%a: tensor<4x6xf16>, %b: tensor<6x8xf16>) -> tensor<4x8xf16> {
  %m = arith.constant dense<[[true, true, true, true, true, true, false, false]]> : tensor<1x8xi1>
  %w = tensor.extract_slice %m[0, 0] [1, 6] [1, 1] : tensor<1x8xi1> to tensor<1x6xi1>
  %zero = spyre.fill dense<0.0> : tensor<1x1xf16>
  %z = spyre.where3 %w, %a, %zero : (tensor<1x6xi1>, tensor<4x6xf16>, tensor<1x1xf16>) -> tensor<4x6xf16>
  %c = spyre.batchmatmul %z, %b : (tensor<4x6xf16>, tensor<6x8xf16>) -> tensor<4x8xf16>
  return %c : tensor<4x8xf16>
}
