// RUN: spyre-opt %s --spyre-expand-gather-scatter --split-input-file --verify-diagnostics

func.func @dynamic(%table: tensor<?x64xf16>, %source: tensor<3x64xf16>, %at: tensor<3x1xi32>) -> tensor<?x64xf16> {
  // expected-error @+1 {{spyre-expand-gather-scatter: tensor<?x64xf16> has a dynamic extent in dimension 0}}
  %0 = tensor.scatter %source into %table[%at] scatter_dims([0]) unique
      : (tensor<3x64xf16>, tensor<?x64xf16>, tensor<3x1xi32>) -> tensor<?x64xf16>
  return %0 : tensor<?x64xf16>
}

// -----

func.func @slices(%table: tensor<8x64xf16>, %at: tensor<?x1xi32>) -> tensor<?x64xf16> {
  // expected-error @+1 {{spyre-expand-gather-scatter: tensor<?x64xf16> has a dynamic extent in dimension 0}}
  %0 = tensor.gather %table[%at] gather_dims([0]) : (tensor<8x64xf16>, tensor<?x1xi32>) -> tensor<?x64xf16>
  return %0 : tensor<?x64xf16>
}
