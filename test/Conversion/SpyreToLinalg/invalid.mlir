// RUN: spyre-opt %s --convert-spyre-to-linalg --split-input-file --verify-diagnostics

// Everything that cannot be lowered is reported, not only the first.
func.func @no_definition(%x: tensor<128x256xf16>) -> tensor<128x256xf16> {
  // expected-error @+1 {{convert-spyre-to-linalg: 'spyre.qfp8ch' has no definition on values}}
  %e = spyre.qfp8ch %x : (tensor<128x256xf16>) -> tensor<128x256xf8E4M3FN>
  // expected-error @+1 {{convert-spyre-to-linalg: 'spyre.fp8todl16' has no definition on values}}
  %s = spyre.fp8todl16 %e : (tensor<128x256xf8E4M3FN>) -> tensor<128x256xf16>
  return %s : tensor<128x256xf16>
}

// -----

func.func @search_of_eight_bit_floats(%x: tensor<8x128xf8E4M3FN>) -> tensor<8x1xi32> {
  // expected-error @+1 {{convert-spyre-to-linalg: this operation is not defined on elements of type 'f8E4M3FN'}}
  %y = spyre.topkindex %x dim 1 k 1 : (tensor<8x128xf8E4M3FN>) -> tensor<8x1xi32>
  return %y : tensor<8x1xi32>
}

// -----

func.func @eight_bit_floats(%x: tensor<8x128xf8E4M3FN>) -> tensor<8x128xf8E4M3FN> {
  // expected-error @+1 {{convert-spyre-to-linalg: this operation is not defined on elements of type 'f8E4M3FN'}}
  %y = spyre.neg %x : tensor<8x128xf8E4M3FN>
  return %y : tensor<8x128xf8E4M3FN>
}

// -----

func.func @dynamic(%x: tensor<8x?xf16>) -> tensor<8x?xf16> {
  // expected-error @+1 {{convert-spyre-to-linalg: dimension 1 of the iteration space has a dynamic extent}}
  %y = spyre.neg %x : tensor<8x?xf16>
  return %y : tensor<8x?xf16>
}

// -----

// expected-error @+1 {{convert-spyre-to-linalg: 'sdscbundle.op_spec' has no meaning on plain tensors}}
sdscbundle.op_spec @sdsc_0 "add" space [<"c0" = 64 over 1>] args [
  <in arg 0 SEN169_FP16 [1, 64], (d0) -> (d0 floordiv 64, d0 mod 64)>,
  <in arg 1 SEN169_FP16 [1, 64], (d0) -> (d0 floordiv 64, d0 mod 64)>,
  <out arg 2 SEN169_FP16 [1, 64], (d0) -> (d0 floordiv 64, d0 mod 64)>]

// -----

func.func @table_of_dynamic_extent(%i: tensor<64xi32>, %t: tensor<?x8xf16>) -> tensor<64x8xf16> {
  // expected-error @+1 {{convert-spyre-to-linalg: dimension 0 of the table has a dynamic extent; --spyre-specialize-dynamic-dims chooses one}}
  %y = spyre.gather %i, %t dim 0 : (tensor<64xi32>, tensor<?x8xf16>) -> tensor<64x8xf16>
  return %y : tensor<64x8xf16>
}
