// RUN: spyre-opt %s --spyre-pad-matmul | FileCheck %s --implicit-check-not=spyre.fill --implicit-check-not=tensor.insert_slice
// RUN: spyre-opt %s --spyre-pad-matmul --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: spyre-opt %s --spyre-pad-matmul -o %t.once
// RUN: spyre-opt %t.once --spyre-pad-matmul | diff %t.once -

// The right operand gets rows of zeros up to the end of the last stick of K. A second time there is nothing to pad.

// 300 is 4.7 sticks of 64, so 5: 320 rows.
// CHECK-LABEL: func.func @f16(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<100x300xf16>, %[[B:[a-z0-9]+]]: tensor<300x200xf16>)
// CHECK-NEXT: %[[E:.*]] = spyre.empty : tensor<320x200xf16>
// CHECK-NEXT: %[[Z:.*]] = spyre.fill dense<0.000000e+00> : tensor<20x200xf16>
// CHECK-NEXT: %[[Q:.*]] = tensor.insert_slice %[[B]] into %[[E]][0, 0] [300, 200] [1, 1] : tensor<300x200xf16> into tensor<320x200xf16>
// CHECK-NEXT: %[[P:.*]] = tensor.insert_slice %[[Z]] into %[[Q]][300, 0] [20, 200] [1, 1] : tensor<20x200xf16> into tensor<320x200xf16>
// CHECK-NEXT: spyre.batchmatmul %[[A]], %[[P]] : (tensor<100x300xf16>, tensor<320x200xf16>) -> tensor<100x200xf16>
func.func @f16(%a: tensor<100x300xf16>, %b: tensor<300x200xf16>) {
  %0 = spyre.batchmatmul %a, %b : (tensor<100x300xf16>, tensor<300x200xf16>) -> tensor<100x200xf16>
  return
}

// In sticks of 32. The card has no product of f32 (K4), but the form is the same for every format.
// CHECK-LABEL: func.func @f32(
// CHECK-NEXT: spyre.empty : tensor<64x200xf32>
// CHECK-NEXT: spyre.fill dense<0.000000e+00> : tensor<24x200xf32>
// CHECK-NEXT: tensor.insert_slice %{{.*}}[0, 0] [40, 200] [1, 1]
// CHECK-NEXT: tensor.insert_slice %{{.*}}[40, 0] [24, 200] [1, 1]
// CHECK-NEXT: spyre.batchmatmul %{{.*}} : (tensor<100x40xf32>, tensor<64x200xf32>) -> tensor<100x200xf32>
func.func @f32(%a: tensor<100x40xf32>, %b: tensor<40x200xf32>) {
  %0 = spyre.batchmatmul %a, %b : (tensor<100x40xf32>, tensor<40x200xf32>) -> tensor<100x200xf32>
  return
}

// In sticks of 128.
// CHECK-LABEL: func.func @fp8(
// CHECK-NEXT: spyre.empty : tensor<128x200xf8E4M3FN>
// CHECK-NEXT: spyre.fill dense<0.000000e+00> : tensor<88x200xf8E4M3FN>
// CHECK-NEXT: tensor.insert_slice %{{.*}}[0, 0] [40, 200] [1, 1]
// CHECK-NEXT: tensor.insert_slice %{{.*}}[40, 0] [88, 200] [1, 1]
// CHECK-NEXT: spyre.batchmatmulfp8 %{{.*}} : (tensor<100x40xf8E4M3FN>, tensor<128x200xf8E4M3FN>) -> tensor<100x200xf16>
func.func @fp8(%a: tensor<100x40xf8E4M3FN>, %b: tensor<40x200xf8E4M3FN>) {
  %0 = spyre.batchmatmulfp8 %a, %b : (tensor<100x40xf8E4M3FN>, tensor<40x200xf8E4M3FN>) -> tensor<100x200xf16>
  return
}

// Two elements of K remain a product, padded.
// CHECK-LABEL: func.func @two(
// CHECK-NEXT: spyre.empty : tensor<64x200xf16>
// CHECK-NEXT: spyre.fill dense<0.000000e+00> : tensor<62x200xf16>
// CHECK-NEXT: tensor.insert_slice %{{.*}}[0, 0] [2, 200] [1, 1]
// CHECK-NEXT: tensor.insert_slice %{{.*}}[2, 0] [62, 200] [1, 1]
// CHECK-NEXT: spyre.batchmatmul
func.func @two(%a: tensor<100x2xf16>, %b: tensor<2x200xf16>) {
  %0 = spyre.batchmatmul %a, %b : (tensor<100x2xf16>, tensor<2x200xf16>) -> tensor<100x200xf16>
  return
}

// A product with one element of K is a multiplication, and the sum starts from zero: -0 becomes +0.
// CHECK-LABEL: func.func @one(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<100x1xf16>, %[[B:[a-z0-9]+]]: tensor<1x200xf16>)
// CHECK-NEXT: %[[M:.*]] = spyre.mul %[[A]], %[[B]] : (tensor<100x1xf16>, tensor<1x200xf16>) -> tensor<100x200xf16>
// CHECK-NEXT: %[[Z:.*]] = spyre.fill dense<0.000000e+00> : tensor<1x1xf16>
// CHECK-NEXT: spyre.add %[[M]], %[[Z]] : (tensor<100x200xf16>, tensor<1x1xf16>) -> tensor<100x200xf16>
// CHECK-NEXT: return
func.func @one(%a: tensor<100x1xf16>, %b: tensor<1x200xf16>) {
  %0 = spyre.batchmatmul %a, %b : (tensor<100x1xf16>, tensor<1x200xf16>) -> tensor<100x200xf16>
  return
}

// Batches, and one right operand for all batches.
// CHECK-LABEL: func.func @batches(
// CHECK-NEXT: spyre.empty : tensor<4x320x200xf16>
// CHECK-NEXT: spyre.fill dense<0.000000e+00> : tensor<4x20x200xf16>
// CHECK-NEXT: tensor.insert_slice %{{.*}}[0, 0, 0] [4, 300, 200] [1, 1, 1]
// CHECK-NEXT: tensor.insert_slice %{{.*}}[0, 300, 0] [4, 20, 200] [1, 1, 1]
// CHECK-NEXT: spyre.batchmatmul %{{.*}} : (tensor<4x100x300xf16>, tensor<4x320x200xf16>) -> tensor<4x100x200xf16>
// CHECK-NEXT: spyre.empty : tensor<320x200xf16>
// CHECK-NEXT: spyre.fill dense<0.000000e+00> : tensor<20x200xf16>
// CHECK-NEXT: tensor.insert_slice %{{.*}}[0, 0] [300, 200] [1, 1]
// CHECK-NEXT: tensor.insert_slice %{{.*}}[300, 0] [20, 200] [1, 1]
// CHECK-NEXT: spyre.batchmatmul %{{.*}} : (tensor<4x100x300xf16>, tensor<320x200xf16>) -> tensor<4x100x200xf16>
func.func @batches(%a: tensor<4x100x300xf16>, %b: tensor<4x300x200xf16>, %s: tensor<300x200xf16>) {
  %0 = spyre.batchmatmul %a, %b : (tensor<4x100x300xf16>, tensor<4x300x200xf16>) -> tensor<4x100x200xf16>
  %1 = spyre.batchmatmul %a, %s : (tensor<4x100x300xf16>, tensor<300x200xf16>) -> tensor<4x100x200xf16>
  return
}

// Two products with one right operand share the padded one. Other readers of the operand, and a product that has it on the
// left, read it as it was.
// CHECK-LABEL: func.func @shared(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<100x300xf16>, %[[B:[a-z0-9]+]]: tensor<300x300xf16>)
// CHECK-NEXT: spyre.empty
// CHECK-NEXT: %[[Z:.*]] = spyre.fill
// CHECK-NEXT: tensor.insert_slice %[[B]]
// CHECK-NEXT: %[[P:.*]] = tensor.insert_slice %[[Z]]
// CHECK-NEXT: spyre.batchmatmul %[[A]], %[[P]]
// CHECK-NEXT: spyre.batchmatmul %[[B]], %[[P]]
// CHECK-NEXT: spyre.exp %[[B]]
func.func @shared(%a: tensor<100x300xf16>, %b: tensor<300x300xf16>) {
  %0 = spyre.batchmatmul %a, %b : (tensor<100x300xf16>, tensor<300x300xf16>) -> tensor<100x300xf16>
  %1 = spyre.batchmatmul %b, %b : (tensor<300x300xf16>, tensor<300x300xf16>) -> tensor<300x300xf16>
  %2 = spyre.exp %b : tensor<300x300xf16>
  return
}

// COUNT: spyre-pad-matmul
// COUNT-NEXT: (S) 1 outer - Matrix products with one element of K, which are multiplications now
// COUNT-NEXT: (S) 8 padded - Matrix products whose right operand was padded
