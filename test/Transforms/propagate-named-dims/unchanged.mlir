// RUN: spyre-opt %s > %t.before
// RUN: spyre-opt %s --spyre-propagate-named-dims | diff %t.before -
// RUN: spyre-opt %s --spyre-propagate-named-dims --mlir-pass-statistics 2>&1 | FileCheck %s

// Where nobody has named anything, nothing is written.
// CHECK: spyre-propagate-named-dims
// CHECK: 0 values

func.func @f(%a: tensor<128x512xf16>) -> tensor<512x128xf16> {
  %y = spyre.exp %a : tensor<128x512xf16>
  %p = spyre.permute %y [1, 0] : tensor<128x512xf16> to tensor<512x128xf16>
  return %p : tensor<512x128xf16>
}

func.func private @declared(tensor<8xf16> {spyre.dims = ["A"]})
