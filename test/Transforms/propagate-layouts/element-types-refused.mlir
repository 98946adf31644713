// RUN: spyre-opt %s --spyre-propagate-layouts --split-input-file --verify-diagnostics

// Operands with different dimensions on the stick: one needs a restickify, which the card has in 16 bits alone (K4, K35).
// element-types.mlir has the types of 16 bits.

func.func @f32(%a: tensor<256x256xf32>) {
  // expected-note @+1 {{operand #1 is defined here}}
  %t = spyre.permute %a [1, 0] : tensor<256x256xf32> to tensor<256x256xf32>
  // expected-error @+1 {{spyre-propagate-layouts: operand #1 has to change the dimension on its stick: 'ReStickifyOpHBM' computes in SEN169_FP16, but tensor 0 is IEEE_FP32; have the same dimension on the sticks of all operands, or compute in f16 or on the host}}
  %0 = spyre.add %a, %t : tensor<256x256xf32>
  return
}

// -----

func.func @i32(%a: tensor<256x256xi32>) {
  // expected-note @+1 {{operand #1 is defined here}}
  %t = spyre.permute %a [1, 0] : tensor<256x256xi32> to tensor<256x256xi32>
  // expected-error @+1 {{spyre-propagate-layouts: operand #1 has to change the dimension on its stick: 'ReStickifyOpHBM' computes in SEN169_FP16, but tensor 0 is IEEE_INT32; have the same dimension on the sticks of all operands, or compute in f16 or on the host}}
  %0 = spyre.add %a, %t : tensor<256x256xi32>
  return
}

// -----

func.func @i64(%a: tensor<256x256xi64>) {
  // expected-note @+1 {{operand #1 is defined here}}
  %t = spyre.permute %a [1, 0] : tensor<256x256xi64> to tensor<256x256xi64>
  // expected-error @+1 {{spyre-propagate-layouts: operand #1 has to change the dimension on its stick: 'ReStickifyOpHBM' computes in SEN169_FP16, but tensor 0 is IEEE_INT32; have the same dimension on the sticks of all operands, or compute in f16 or on the host}}
  %0 = spyre.add %a, %t : tensor<256x256xi64>
  return
}

// -----

func.func @i8(%a: tensor<256x256xi8>) {
  // expected-note @+1 {{operand #1 is defined here}}
  %t = spyre.permute %a [1, 0] : tensor<256x256xi8> to tensor<256x256xi8>
  // expected-error @+1 {{spyre-propagate-layouts: operand #1 has to change the dimension on its stick: 'ReStickifyOpHBM' computes in SEN169_FP16, but tensor 0 is SENINT8; have the same dimension on the sticks of all operands, or compute in f16 or on the host}}
  %0 = spyre.add %a, %t : tensor<256x256xi8>
  return
}

// -----

func.func @fp8(%a: tensor<256x256xf8E4M3FN>) {
  // expected-note @+1 {{operand #1 is defined here}}
  %t = spyre.permute %a [1, 0] : tensor<256x256xf8E4M3FN> to tensor<256x256xf8E4M3FN>
  // expected-error @+1 {{spyre-propagate-layouts: operand #1 has to change the dimension on its stick: 'ReStickifyOpHBM' computes in SEN169_FP16, but tensor 0 is SEN143_FP8; have the same dimension on the sticks of all operands, or compute in f16 or on the host}}
  %0 = spyre.add %a, %t : tensor<256x256xf8E4M3FN>
  return
}

// -----

// A sum leaves one element in each stick, of which the cast has none: the operand would have to be brought onto full sticks (K36).
func.func @cast_of_a_sum(%a: tensor<64x32xf32>) {
  // expected-note @+1 {{operand #0 is defined here}}
  %0 = spyre.sum %a dims [1] : (tensor<64x32xf32>) -> tensor<64xf32>
  // expected-error @+1 {{operand #0 has to change the dimension on its stick: 'ReStickifyOpHBM' computes in SEN169_FP16, but tensor 0 is IEEE_FP32}}
  %1 = spyre.fp32todl16 %0 : (tensor<64xf32>) -> tensor<64xf16>
  return
}
