// What follows from operations besides their types.

// RUN: spyre-opt %s --uop-print-properties --split-input-file --verify-diagnostics

func.func @ranges() -> tensor<index> {
  // expected-remark @+1 {{from 0 to 15}}
  %i = uop.range 0 to 16 loop : tensor<index>
  // expected-remark @+1 {{3}}
  %c = uop.const dense<3> : tensor<index>
  // expected-remark @+1 {{from 0 to 45}}
  %0 = uop.mul %i, %c : tensor<index>
  // expected-remark @+1 {{from 0 to 2}}
  %1 = uop.mod %0, %c : tensor<index>
  return %1 : tensor<index>
}

// -----

func.func @places(%x: tensor<4x6xf32> {uop.device = "h"}) -> tensor<6x4xf32> {
  // expected-remark @+1 {{on d0, d1; shared along axis 0}}
  %0 = uop.copy %x to ["d0", "d1"] : tensor<4x6xf32>
  // expected-remark @+1 {{on d0, d1; shared along axis 1; in GLOBAL; read at positions of 2 operations}}
  %1 = uop.permute %0 [1, 0] : tensor<4x6xf32>
  return %1 : tensor<6x4xf32>
}

// -----

func.func @conflict(%x: tensor<4xf32> {uop.device = "d0"}, %y: tensor<4xf32> {uop.device = "d1"}) -> tensor<4xf32> {
  // expected-error @+1 {{[U35]}}
  %0 = uop.add %x, %y : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// d1 * 2 + d0 mod 2 + d0 floordiv 2 * 6: the movements in between cost nothing.
func.func @positions(%x: tensor<2x3x2xf32>) -> tensor<4x3xf32> {
  // expected-remark @+1 {{read at positions of 4 operations}}
  %0 = uop.permute %x [0, 2, 1] : tensor<2x3x2xf32>
  // expected-remark @+1 {{read at positions of 6 operations}}
  %1 = uop.reshape %0 to [4, 3] : tensor<2x2x3xf32>
  return %1 : tensor<4x3xf32>
}

// -----

// d0 * 3 + d1 - 3, where d0 >= 1, d0 < 3 and d1 < 3.
func.func @padded(%x: tensor<2x3xf32>) -> tensor<4x5xf32> {
  // expected-remark @+1 {{read at positions of 6 operations}}
  %0 = uop.pad %x at [1, 0] to [4, 5] : tensor<2x3xf32>
  return %0 : tensor<4x5xf32>
}
