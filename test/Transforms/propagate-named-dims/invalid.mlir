// RUN: spyre-opt %s --spyre-propagate-named-dims --split-input-file --verify-diagnostics

// What is wrong with names, where, and with both sides.

// A name would be in two dimensions.
// expected-note @+1 {{dimension 1 of this value becomes 8 x 64}}
func.func @splits_a_name(%a: tensor<128x512xf16> {spyre.dims = ["S", "E"]}) -> tensor<128x8x64xf16> {
  // expected-error @+1 {{this reshape splits dimension "E" into several; call it the #spyre.merged of its parts where it is declared, or name the parts here with 'spyre.dims'}}
  %e = tensor.expand_shape %a [[0], [1, 2]] output_shape [128, 8, 64] : tensor<128x512xf16> into tensor<128x8x64xf16>
  return %e : tensor<128x8x64xf16>
}

// -----

// Also a part of what is merged.
// expected-note @+1 {{dimension 0 of this value becomes 8 x 8 x 8}}
func.func @splits_a_part(%a: tensor<512xf16> {spyre.dims = [#spyre.merged<"H" of 8, "D" of 64>]}) -> tensor<8x8x8xf16> {
  // expected-error @+1 {{this reshape splits dimension "D" into several}}
  %e = tensor.expand_shape %a [[0, 1, 2]] output_shape [8, 8, 8] : tensor<512xf16> into tensor<8x8x8xf16>
  return %e : tensor<8x8x8xf16>
}

// -----

// No first few names multiply.
func.func @no_prefix(%a: tensor<24xf16> {spyre.dims = [#spyre.merged<"A" of 6, "B" of 4>]}) -> tensor<8x3xf16> {
  // expected-warning @+1 {{dimension 0 of the source, #spyre.merged<"A" of 6, "B" of 4>, is reshaped to 8 x 3, and no prefix of its names has extents that multiply to 8; the result has no names there}}
  %e = tensor.expand_shape %a [[0, 1]] output_shape [8, 3] : tensor<24xf16> into tensor<8x3xf16>
  return %e : tensor<8x3xf16>
}

// -----

func.func @dynamic(%a: tensor<?xf16> {spyre.dims = [["A", "B"]]}, %n: index) -> tensor<?x8xf16> {
  // expected-warning @+1 {{dimension 0 of the source, ["A", "B"], is reshaped to ? x 8, and no prefix of its names has extents that multiply to a dynamic extent}}
  %e = tensor.expand_shape %a [[0, 1]] output_shape [%n, 8] : tensor<?xf16> into tensor<?x8xf16>
  return %e : tensor<?x8xf16>
}

// -----

// A dimension without a name beside one with a name; said once for each extent.
func.func @unnamed(%a: tensor<128x512xf16> {spyre.dims = ["A", "_untracked_512"]}) -> tensor<128x512xf16> {
  // expected-warning @+1 {{dimension 1 of this operation has no name; it is tracked as "_untracked_512"}}
  %y = spyre.exp %a : tensor<128x512xf16>
  %z = spyre.neg %y : tensor<128x512xf16>
  return %z : tensor<128x512xf16>
}

// -----

func.func @expected(%a: tensor<128x512xf16> {spyre.dims = ["A", "B"]}) -> tensor<128x512xf16> {
  // expected-error @+1 {{dimensions of the result are expected to be ["A", "C"], but are ["A", "B"]}}
  %y = spyre.exp %a {spyre.expected_dims = ["A", "C"]} : tensor<128x512xf16>
  return %y : tensor<128x512xf16>
}

// -----

func.func @expected_merged(%a: tensor<8x64xf16> {spyre.dims = ["H", "D"]}) -> tensor<512xf16> {
  // expected-error @+1 {{dimensions of the result are expected to be [#spyre.merged<"D" of 64, "H" of 8>], but are [#spyre.merged<"H" of 8, "D" of 64>]}}
  %c = tensor.collapse_shape %a [[0, 1]] {spyre.expected_dims = [#spyre.merged<"D" of 64, "H" of 8>]} : tensor<8x64xf16> into tensor<512xf16>
  return %c : tensor<512xf16>
}

// -----

func.func @expected_placeholder(%a: tensor<128x512xf16> {spyre.dims = ["A", "B"]}) -> tensor<128x512xf16> {
  // expected-error @+1 {{are expected to be ["A", "_untracked_512"], but are ["A", "B"]}}
  %y = spyre.exp %a {spyre.expected_dims = ["A", "_untracked_512"]} : tensor<128x512xf16>
  return %y : tensor<128x512xf16>
}

// -----

func.func @expected_reduced(%a: tensor<128x256xf16> {spyre.dims = ["M", "K"]}, %b: tensor<256x64xf16> {spyre.dims = ["L", "N"]}) -> (tensor<128x64xf16>, tensor<128x64xf16>) {
  // Any of the names of a dimension will do.
  %y = spyre.batchmatmul %a, %b {spyre.expected_reduction_dims = ["L"]} : (tensor<128x256xf16>, tensor<256x64xf16>) -> tensor<128x64xf16>
  // expected-error @+1 {{reduced dimensions are expected to be ["M"], but are [["K", "L"]]}}
  %z = spyre.batchmatmul %a, %b {spyre.expected_reduction_dims = ["M"]} : (tensor<128x256xf16>, tensor<256x64xf16>) -> tensor<128x64xf16>
  return %y, %z : tensor<128x64xf16>, tensor<128x64xf16>
}

// -----

// The names of a function's results are expected.
func.func @result(%a: tensor<128x512xf16> {spyre.dims = ["A", "B"]}) -> (tensor<128x512xf16> {spyre.dims = ["A", "B"]}, tensor<128x512xf16> {spyre.dims = ["B", "A"]}) {
  // expected-note @+1 {{the value comes from here}}
  %y = spyre.exp %a : tensor<128x512xf16>
  // expected-error @+1 {{dimensions of result 1 are expected to be ["B", "A"], but are ["A", "B"]}}
  return %y, %y : tensor<128x512xf16>, tensor<128x512xf16>
}

// -----

// expected-error @+1 {{"C" is no name that 'spyre.dim_sizes' of the function declares (it declares "A" of 128, "B" of 512)}}
func.func @undeclared(%a: tensor<128x512xf16> {spyre.dims = ["A", "C"]}) -> tensor<128x512xf16>
    attributes {spyre.dim_sizes = {A = 128, B = 512}} {
  return %a : tensor<128x512xf16>
}

// -----

// An extent of 1 is a broadcast of the dimension.
// expected-error @+1 {{dimension "B" is declared with extent 512, but has extent 256 here}}
func.func @other_extent(%a: tensor<128x256xf16> {spyre.dims = ["A", "B"]}, %b: tensor<128x1xf16> {spyre.dims = ["A", "B"]}) -> tensor<128x256xf16>
    attributes {spyre.dim_sizes = {A = 128, B = 512}} {
  return %a : tensor<128x256xf16>
}

// -----

func.func @other_extent_of_an_operation() -> tensor<128x256xf16> attributes {spyre.dim_sizes = {A = 128, B = 512}} {
  // expected-error @+1 {{dimension "B" is declared with extent 512, but has extent 256 here}}
  %y = spyre.fill dense<1.0> : tensor<128x256xf16> {spyre.dims = ["A", "B"]}
  return %y : tensor<128x256xf16>
}

// -----

// A further name has the extent of the name.
// expected-error @+1 {{dimension "C" is declared with extent 128, but has extent 512 here}}
func.func @further(%a: tensor<128x512xf16> {spyre.dims = ["A", "C"]}) -> tensor<128x512xf16>
    attributes {spyre.dim_sizes = {A = 128, C = "A"}} {
  return %a : tensor<128x512xf16>
}
