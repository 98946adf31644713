// RUN: spyre-opt %s --spyre-propagate-layouts --spyre-optimize-restickify --spyre-insert-restickify --split-input-file --verify-diagnostics

// A split that was said before the layout is known, and does not fit it.

func.func @split_of_sticks(%a: tensor<256x512xf16>) -> tensor<256x512xf16> {
  // expected-error @+1 {{spyre-insert-restickify: split of dimension 1 over 16 cores does not divide its 8 sticks of 64; the layout that fits the operands has it on the stick}}
  %y = spyre.exp %a split [2, 16] : tensor<256x512xf16>
  return %y : tensor<256x512xf16>
}

// -----

// Here 16 cores divide rows, and 4 of them sticks.
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
func.func @other_stick(%a: tensor<256x512xf16, #cols>) -> tensor<256x512xf16> {
  %y = spyre.exp %a split [2, 16] : (tensor<256x512xf16, #cols>) -> tensor<256x512xf16>
  // expected-error @+1 {{spyre-insert-restickify: split of dimension 0 over 8 cores does not divide its 4 sticks of 64}}
  %z = spyre.neg %y split [8, 1] : tensor<256x512xf16>
  return %z : tensor<256x512xf16>
}

// -----

// The layout that is chosen for the operand has the dimension that is reduced on the stick: 2 sticks, for 4 cores.
func.func @sticks_of_a_sum(%a: tensor<2x64x3xf16>) -> (tensor<128x3xf16>, tensor<3xf16>) {
  %c = tensor.collapse_shape %a [[0, 1], [2]] : tensor<2x64x3xf16> into tensor<128x3xf16>
  // expected-error @+1 {{spyre-insert-restickify: split of dimension 1 over 4 cores does not divide its 2 sticks of 64; the layout that fits the operands has it on the stick}}
  %y = spyre.max %c dims [0] split [1, 4] : (tensor<128x3xf16>) -> tensor<3xf16>
  return %c, %y : tensor<128x3xf16>, tensor<3xf16>
}
