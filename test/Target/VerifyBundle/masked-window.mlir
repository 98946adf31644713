// The minimum masks what follows the window in its last stick. That is no padding of %a, which the sum reads whole.

// RUN: spyre-translate --spyre-to-bundle %s -o %t 2>&1 | count 0
// RUN: spyre-translate --verify-bundle %t 2>&1 | FileCheck %s

// CHECK: {{.*}}: 2 files, 2 operations, 0 loops, 3 parameters, 0 warnings

module attributes {spyre.target = #spyre.target<cores = 1>} {
  func.func @least_of_a_window_and_sum_of_all(%a: tensor<1x192xf16>) -> (tensor<1xf16>, tensor<1xf16>) {
    %window = tensor.extract_slice %a[0, 0] [1, 80] [1, 1] : tensor<1x192xf16> to tensor<1x80xf16>
    %least = spyre.min %window dims [1] : (tensor<1x80xf16>) -> tensor<1xf16>
    %row = tensor.collapse_shape %a [[0, 1]] : tensor<1x192xf16> into tensor<192xf16>
    %sum = spyre.sum %row dims [0] keepdim : (tensor<192xf16>) -> tensor<1xf16>
    return %least, %sum : tensor<1xf16>, tensor<1xf16>
  }
}
