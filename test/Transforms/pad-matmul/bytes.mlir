// RUN: spyre-opt %s --spyre-pad-matmul | FileCheck %s

// A product of 8-bit integers with one element of K is no multiplication of elements, which has one element type. Its rows are padded
// with zeros as any other ones are.

// CHECK-LABEL: func.func @one(
// CHECK-NOT:     spyre.mul
// CHECK:         spyre.fill dense<0> : tensor<127x8xi8>
// CHECK-NOT:     spyre.mul
// CHECK:         spyre.batchmatmulint8 {{.*}} : (tensor<39x1xi8>, tensor<128x8xi8>) -> tensor<39x8xf16>
func.func @one(%a: tensor<39x1xi8>, %b: tensor<1x8xi8>) -> tensor<39x8xf16> {
  %0 = spyre.batchmatmulint8 %a, %b : (tensor<39x1xi8>, tensor<1x8xi8>) -> tensor<39x8xf16>
  return %0 : tensor<39x8xf16>
}
