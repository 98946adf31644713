// RUN: spyre-opt %s --split-input-file --spyre-copy-joined-parts --verify-diagnostics -o /dev/null

func.func @filled(%a: tensor<?x64xf16> {spyre.dims = ["S", "D"]}) -> tensor<?x64xf16>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %f = spyre.fill dense<1.0> : tensor<1x64xf16>
  // expected-error @+1 {{spyre-copy-joined-parts: a tensor with one value everywhere is along "S", whose extent is dynamic}}
  %r = spyre.copy %f {spyre.dims = ["S", "_untracked_64"]} : (tensor<1x64xf16>) -> tensor<?x64xf16>
  // expected-note @+1 {{it is read here}}
  return %r : tensor<?x64xf16>
}

// -----

// No argument has the dimension.
func.func @summed(%a: tensor<1x64xf16>) -> tensor<64xf16>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  // expected-error @+1 {{spyre-copy-joined-parts: a tensor that repeats is along "S", whose extent is dynamic}}
  %r = spyre.copy %a {spyre.dims = ["S", "_untracked_64"]} : (tensor<1x64xf16>) -> tensor<?x64xf16>
  // expected-note @+1 {{it is read here}}
  %y = spyre.sum %r dims [0] : (tensor<?x64xf16>) -> tensor<64xf16>
  return %y : tensor<64xf16>
}

// -----

// expected-note @+2 {{"T" comes from here}}
func.func @apart(%a: tensor<?x64xf16> {spyre.dims = ["S", "D"]},
                 %b: tensor<?x64xf16> {spyre.dims = ["T", "D"]}) -> tensor<?x64xf16>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>, T = #spyre.dynamic<granularity = 64, max = 256>}} {
  // expected-error @+1 {{dimension 0 is both "S" and "T", whose extents are independent}}
  %0 = spyre.add %a, %b : tensor<?x64xf16>
  return %0 : tensor<?x64xf16>
}
