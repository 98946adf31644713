// Tensors of more dimensions than a layout has stay on the host, and what is computed of them in fewer dimensions does not.

// RUN: spyre-opt %s --spyre-import-linalg=host=true | FileCheck %s
// RUN: spyre-opt %s --spyre-import-linalg=host=true --remarks-filter=spyre-outline-device -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: spyre-run %s --entry reshaped --on=card --compare %s --compare-entry reshaped --random-seed 1 --stats 2>&1 | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry beside --on=card --compare %s --compare-entry beside --random-seed 1 --stats 2>&1 | FileCheck %s --check-prefix=PART
// RUN: spyre-run %s --entry between --on=card --compare %s --compare-entry between --random-seed 1 2>&1 | FileCheck %s --check-prefix=BETWEEN

// REMARK: [Missed] StaysOnHost {{.*}} Reason="rank 7 is more than the 6 dimensions that the default layout takes", Remark="'spyre.exp' stays on the host"
// CARD-NOT: warning
// CARD: {{^}}100.0 % of the work is the device's
// CARD: result 0: 0 of
// BETWEEN-NOT: warning
// BETWEEN: result 0: 0 of 4096 elements differ
// PART: host: 96 elements
// PART: {{^}}97.7 % of the work is the device's
// PART: result 0: 0 of 4096 elements differ
// PART: result 1: 0 of 96 elements differ

!seven = tensor<2x1x2x2x3x2x64xf16>

// The host reshapes what it has, for nothing.
// CHECK-LABEL: func.func @reshaped(
// CHECK:         tensor.collapse_shape
// CHECK-NEXT:    call @reshaped_device_0({{.*}}) : (tensor<48x64xf16>) -> tensor<48x64xf16>
// CHECK-NEXT:    tensor.expand_shape
func.func @reshaped(%x: !seven) -> !seven {
  %0 = tensor.collapse_shape %x [[0, 1, 2, 3, 4, 5], [6]] : !seven into tensor<48x64xf16>
  %empty = tensor.empty() : tensor<48x64xf16>
  %1 = linalg.exp ins(%0 : tensor<48x64xf16>) outs(%empty : tensor<48x64xf16>) -> tensor<48x64xf16>
  %2 = tensor.expand_shape %1 [[0, 1, 2, 3, 4, 5], [6]] output_shape [2, 1, 2, 2, 3, 2, 64] : tensor<48x64xf16> into !seven
  return %2 : !seven
}

// CHECK-LABEL: func.func @beside(
// CHECK:         call @beside_device_0({{.*}}) : (tensor<64x64xf16>) -> tensor<64x64xf16>
func.func @beside(%x: tensor<64x64xf16>, %y: tensor<2x1x2x2x3x2x2xf16>) -> (tensor<64x64xf16>, tensor<2x1x2x2x3x2x2xf16>) {
  %empty = tensor.empty() : tensor<64x64xf16>
  %0 = linalg.exp ins(%x : tensor<64x64xf16>) outs(%empty : tensor<64x64xf16>) -> tensor<64x64xf16>
  %seven = tensor.empty() : tensor<2x1x2x2x3x2x2xf16>
  %1 = linalg.exp ins(%y : tensor<2x1x2x2x3x2x2xf16>) outs(%seven : tensor<2x1x2x2x3x2x2xf16>) -> tensor<2x1x2x2x3x2x2xf16>
  return %0, %1 : tensor<64x64xf16>, tensor<2x1x2x2x3x2x2xf16>
}

// Nor is there a layout for a view of so many dimensions.
// CHECK-LABEL: func.func @between(
// CHECK:         tensor.expand_shape
// CHECK-NEXT:    spyre.permute
// CHECK-NEXT:    tensor.collapse_shape
func.func @between(%x: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %empty = tensor.empty() : tensor<64x64xf16>
  %0 = linalg.exp ins(%x : tensor<64x64xf16>) outs(%empty : tensor<64x64xf16>) -> tensor<64x64xf16>
  %1 = tensor.expand_shape %0 [[0, 1, 2, 3, 4, 5], [6]] output_shape [2, 2, 2, 2, 2, 2, 64] : tensor<64x64xf16> into tensor<2x2x2x2x2x2x64xf16>
  %e = tensor.empty() : tensor<2x2x2x2x2x2x64xf16>
  %2 = linalg.transpose ins(%1 : tensor<2x2x2x2x2x2x64xf16>) outs(%e : tensor<2x2x2x2x2x2x64xf16>) permutation = [1, 0, 3, 2, 5, 4, 6]
  %3 = tensor.collapse_shape %2 [[0, 1, 2, 3, 4, 5], [6]] : tensor<2x2x2x2x2x2x64xf16> into tensor<64x64xf16>
  %4 = linalg.abs ins(%3 : tensor<64x64xf16>) outs(%empty : tensor<64x64xf16>) -> tensor<64x64xf16>
  return %4 : tensor<64x64xf16>
}
