// RUN: spyre-opt %s --spyre-merge-batches | FileCheck %s
// RUN: spyre-opt %s --spyre-merge-batches --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: spyre-opt %s --spyre-merge-batches -o %t.once
// RUN: spyre-opt %t.once --spyre-merge-batches | diff %t.once -

// Products have at most two dimensions that all tensors have, and two that only the left operand and the result have.

// The last two are merged: the default layout has the first one apart.
// CHECK-LABEL: func.func @shared(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<2x3x4x32x64xf16>, %[[B:[a-z0-9]+]]: tensor<2x3x4x64x64xf16>)
// CHECK-NEXT: %[[P:.*]] = tensor.collapse_shape %[[A]] {{\[}}[0], [1, 2], [3], [4]] : tensor<2x3x4x32x64xf16> into tensor<2x12x32x64xf16>
// CHECK-NEXT: %[[Q:.*]] = tensor.collapse_shape %[[B]] {{\[}}[0], [1, 2], [3], [4]] : tensor<2x3x4x64x64xf16> into tensor<2x12x64x64xf16>
// CHECK-NEXT: %[[R:.*]] = spyre.batchmatmul %[[P]], %[[Q]] : (tensor<2x12x32x64xf16>, tensor<2x12x64x64xf16>) -> tensor<2x12x32x64xf16>
// CHECK-NEXT: %[[C:.*]] = tensor.expand_shape %[[R]] {{\[}}[0], [1, 2], [3], [4]] output_shape [2, 3, 4, 32, 64]
// CHECK-NEXT: return %[[C]]
func.func @shared(%a: tensor<2x3x4x32x64xf16>, %b: tensor<2x3x4x64x64xf16>) -> tensor<2x3x4x32x64xf16> {
  %0 = spyre.batchmatmul %a, %b : (tensor<2x3x4x32x64xf16>, tensor<2x3x4x64x64xf16>) -> tensor<2x3x4x32x64xf16>
  return %0 : tensor<2x3x4x32x64xf16>
}

// One right operand for all: batches are rows, beside those that there are.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<2x3x4x32x64xf16>, %[[B:[a-z0-9]+]]: tensor<64x64xf16>)
// CHECK:      %[[P:.*]] = tensor.collapse_shape %[[A]] {{\[}}[0], [1, 2, 3], [4]] : tensor<2x3x4x32x64xf16> into tensor<2x384x64xf16>
// CHECK-NEXT: %[[Q:.*]] = tensor.expand_shape %[[B]] {{.*}} into tensor<1x64x64xf16>
// CHECK-NEXT: spyre.batchmatmul %[[P]], %[[Q]] : (tensor<2x384x64xf16>, tensor<1x64x64xf16>) -> tensor<2x384x64xf16>
func.func @rows(%a: tensor<2x3x4x32x64xf16>, %b: tensor<64x64xf16>) -> tensor<2x3x4x32x64xf16> {
  %0 = spyre.batchmatmul %a, %b : (tensor<2x3x4x32x64xf16>, tensor<64x64xf16>) -> tensor<2x3x4x32x64xf16>
  return %0 : tensor<2x3x4x32x64xf16>
}

// A dimension along which the right operand repeats lies between two others: there are two of each role, and nothing is merged.
// CHECK-LABEL: func.func @two_of_each(
// CHECK-NEXT: spyre.batchmatmul
// CHECK-NEXT: return
func.func @two_of_each(%a: tensor<2x3x4x32x64xf16>, %b: tensor<2x1x4x64x64xf16>) -> tensor<2x3x4x32x64xf16> {
  %0 = spyre.batchmatmul %a, %b : (tensor<2x3x4x32x64xf16>, tensor<2x1x4x64x64xf16>) -> tensor<2x3x4x32x64xf16>
  return %0 : tensor<2x3x4x32x64xf16>
}

// Two of them, and others between: those of one role are brought together.
// CHECK-LABEL: func.func @between(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<3x2x5x4x32x64xf16>, %[[B:[a-z0-9]+]]: tensor<1x2x1x4x64x64xf16>)
// CHECK-NEXT: %[[P:.*]] = spyre.permute %[[A]] [1, 3, 0, 2, 4, 5] : tensor<3x2x5x4x32x64xf16> to tensor<2x4x3x5x32x64xf16>
// CHECK-NEXT: %[[P2:.*]] = tensor.collapse_shape %[[P]] {{.*}} into tensor<2x4x3x160x64xf16>
// CHECK-NEXT: %[[Q:.*]] = spyre.permute %[[B]] [1, 3, 0, 2, 4, 5] : tensor<1x2x1x4x64x64xf16> to tensor<2x4x1x1x64x64xf16>
// CHECK-NEXT: %[[Q2:.*]] = tensor.collapse_shape %[[Q]] {{.*}} into tensor<2x4x1x64x64xf16>
// CHECK-NEXT: %[[R:.*]] = spyre.batchmatmul %[[P2]], %[[Q2]] : (tensor<2x4x3x160x64xf16>, tensor<2x4x1x64x64xf16>) -> tensor<2x4x3x160x64xf16>
// CHECK-NEXT: %[[E:.*]] = tensor.expand_shape %[[R]] {{.*}} output_shape [2, 4, 3, 5, 32, 64]
// CHECK-NEXT: %[[C:.*]] = spyre.permute %[[E]] [2, 0, 3, 1, 4, 5] : tensor<2x4x3x5x32x64xf16> to tensor<3x2x5x4x32x64xf16>
// CHECK-NEXT: return %[[C]]
func.func @between(%a: tensor<3x2x5x4x32x64xf16>, %b: tensor<1x2x1x4x64x64xf16>) -> tensor<3x2x5x4x32x64xf16> {
  %0 = spyre.batchmatmul %a, %b : (tensor<3x2x5x4x32x64xf16>, tensor<1x2x1x4x64x64xf16>) -> tensor<3x2x5x4x32x64xf16>
  return %0 : tensor<3x2x5x4x32x64xf16>
}

// A batch that only the right operand has would be a second dimension of columns, so the left operand is copied for each. Then all
// tensors have three.
// CHECK-LABEL: func.func @left_repeats(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<2x1x4x32x64xf16>, %[[B:[a-z0-9]+]]: tensor<2x3x4x64x64xf16>)
// CHECK-NEXT: %[[L:.*]] = spyre.copy %[[A]] : (tensor<2x1x4x32x64xf16>) -> tensor<2x3x4x32x64xf16>
// CHECK-NEXT: %[[P:.*]] = tensor.collapse_shape %[[L]]
// CHECK:      spyre.batchmatmul %[[P]], %{{.*}} : (tensor<2x12x32x64xf16>, tensor<2x12x64x64xf16>) -> tensor<2x12x32x64xf16>
func.func @left_repeats(%a: tensor<2x1x4x32x64xf16>, %b: tensor<2x3x4x64x64xf16>) -> tensor<2x3x4x32x64xf16> {
  %0 = spyre.batchmatmul %a, %b : (tensor<2x1x4x32x64xf16>, tensor<2x3x4x64x64xf16>) -> tensor<2x3x4x32x64xf16>
  return %0 : tensor<2x3x4x32x64xf16>
}

// With two batches as well, where nothing is merged.
// CHECK-LABEL: func.func @left_has_none(
// CHECK-NEXT: %[[L:.*]] = spyre.copy %{{.*}} : (tensor<32x64xf16>) -> tensor<4x32x64xf16>
// CHECK-NEXT: spyre.batchmatmul %[[L]], %{{.*}} : (tensor<4x32x64xf16>, tensor<4x64x64xf16>) -> tensor<4x32x64xf16>
func.func @left_has_none(%a: tensor<32x64xf16>, %b: tensor<4x64x64xf16>) -> tensor<4x32x64xf16> {
  %0 = spyre.batchmatmul %a, %b : (tensor<32x64xf16>, tensor<4x64x64xf16>) -> tensor<4x32x64xf16>
  return %0 : tensor<4x32x64xf16>
}

// Dimensions of one element do not count, and go with those that are merged.
// CHECK-LABEL: func.func @of_one_element(
// CHECK:      spyre.batchmatmul %{{.*}} : (tensor<2x1x4x1x32x64xf16>, tensor<2x1x4x1x64x64xf16>)
// CHECK:      spyre.batchmatmul %{{.*}} : (tensor<2x12x32x64xf16>, tensor<2x12x64x64xf16>) -> tensor<2x12x32x64xf16>
func.func @of_one_element(%a: tensor<2x1x4x1x32x64xf16>, %b: tensor<2x1x4x1x64x64xf16>, %c: tensor<2x3x1x4x32x64xf16>, %d: tensor<2x3x1x4x64x64xf16>)
    -> (tensor<2x1x4x1x32x64xf16>, tensor<2x3x1x4x32x64xf16>) {
  %0 = spyre.batchmatmul %a, %b : (tensor<2x1x4x1x32x64xf16>, tensor<2x1x4x1x64x64xf16>) -> tensor<2x1x4x1x32x64xf16>
  %1 = spyre.batchmatmul %c, %d : (tensor<2x3x1x4x32x64xf16>, tensor<2x3x1x4x64x64xf16>) -> tensor<2x3x1x4x32x64xf16>
  return %0, %1 : tensor<2x1x4x1x32x64xf16>, tensor<2x3x1x4x32x64xf16>
}

// A dimension that a hint names stays. The names that the product declares are those of its result, and of K.
// CHECK-LABEL: func.func @hinted(
// CHECK:      %[[R:.*]] = spyre.batchmatmul %{{.*}} tile [0: "H" in 3] {spyre.reduction_dims = ["K"]} : (tensor<8x3x32x64xf16>, tensor<8x3x64x64xf16>) -> tensor<8x3x32x64xf16>
// CHECK-NEXT: tensor.expand_shape %[[R]] {{.*}} {spyre.dims = ["A", "B", "H", "M", "N"]}
func.func @hinted(%a: tensor<2x4x3x32x64xf16> {spyre.dims = ["A", "B", "H", "M", "K"]}, %b: tensor<2x4x3x64x64xf16>) -> tensor<2x4x3x32x64xf16> {
  %0 = spyre.batchmatmul %a, %b tile [0: "H" in 3] {spyre.dims = ["A", "B", "H", "M", "N"], spyre.reduction_dims = ["K"]}
    : (tensor<2x4x3x32x64xf16>, tensor<2x4x3x64x64xf16>) -> tensor<2x4x3x32x64xf16>
  return %0 : tensor<2x4x3x32x64xf16>
}

// COUNT: spyre-merge-batches
// COUNT-NEXT: (S) 6 merged - Matrix products of which batch dimensions were merged
// COUNT-NEXT: (S) 1 permuted - Matrix products of which batch dimensions were brought together first
// COUNT-NEXT: (S) 2 repeated - Left operands that are copied for each batch of the right one
