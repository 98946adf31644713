// A cast between 16 and 32 bits runs over whole sticks of both formats. One element has no dimension on the stick, and is laid out as if
// it had one; a tensor without dimensions is cast as one of a dimension. Strict pipelines have them, and the card computes the same.

// RUN: spyre-opt %s --spyre-pipeline --split-input-file -o /dev/null
// RUN: spyre-run %s --entry scalar --random-seed 1 --largest 1 --on=card --compare %s --compare-entry scalar --tolerance 1e-2 --stats 2>&1 | FileCheck %s --implicit-check-not=warning
// RUN: spyre-run %s --entry sum --random-seed 2 --largest 0.125 --on=card --compare %s --compare-entry sum --tolerance 1e-2 --stats 2>&1 | FileCheck %s --implicit-check-not=warning
// RUN: spyre-run %s --entry sum_without_dimensions --random-seed 3 --largest 0.125 --on=card --compare %s --compare-entry sum_without_dimensions --tolerance 1e-2 --stats 2>&1 | FileCheck %s --implicit-check-not=warning
// RUN: spyre-opt %s --spyre-simplify-views | FileCheck %s --check-prefix=VIEWS
// CHECK: host: 0 elements
// CHECK: result 0: 0 of 1 elements differ

// VIEWS-LABEL: func.func @scalar(
// VIEWS-NEXT:    %[[X:.*]] = tensor.expand_shape %{{.*}} [] output_shape [1] : tensor<f16> into tensor<1xf16>
// VIEWS-NEXT:    %[[C:.*]] = spyre.dl16tofp32 %[[X]] : (tensor<1xf16>) -> tensor<1xf32>
// VIEWS-NEXT:    tensor.collapse_shape %[[C]] [] : tensor<1xf32> into tensor<f32>
func.func @scalar(%x: tensor<f16>) -> tensor<f16> {
  %c = spyre.dl16tofp32 %x : (tensor<f16>) -> tensor<f32>
  %d = spyre.exp %c : tensor<f32>
  %e = spyre.fp32todl16 %d : (tensor<f32>) -> tensor<f16>
  return %e : tensor<f16>
}

// -----

func.func @sum(%x: tensor<128xf16>) -> tensor<1xf16> {
  %s = spyre.sum %x dims [0] keepdim : (tensor<128xf16>) -> tensor<1xf16>
  %c = spyre.dl16tofp32 %s : (tensor<1xf16>) -> tensor<1xf32>
  %d = spyre.exp %c : tensor<1xf32>
  %e = spyre.fp32todl16 %d : (tensor<1xf32>) -> tensor<1xf16>
  return %e : tensor<1xf16>
}

// -----

func.func @sum_without_dimensions(%x: tensor<3x128xf16>) -> tensor<f16> {
  %s = spyre.sum %x dims [0, 1] : (tensor<3x128xf16>) -> tensor<f16>
  %c = spyre.dl16tofp32 %s : (tensor<f16>) -> tensor<f32>
  %d = spyre.mul %c, %c : tensor<f32>
  %e = spyre.fp32todl16 %d : (tensor<f32>) -> tensor<f16>
  return %e : tensor<f16>
}
