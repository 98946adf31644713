// RUN: spyre-opt %s --spyre-propagate-layouts --split-input-file --verify-diagnostics

// Programs that no layouts fit: the list at the end of section 2.5 of the middle-end specification. Each case says which
// entry of the list it is.
//
// Four entries cannot be said in this dialect, so nothing has to refuse them:
// * a number of reduced dimensions other than one where exactly one is expected, and two K dimensions: `topkvalue`,
//   `topkindex` and the matrix products name the one dimension, by an attribute or by position;
// * conflicting targets of updates in place: tensors are values, and a window is inserted into one tensor;
// * an argument of the graph that starts inside a stick: a tensor type has no offset. Windows of it have, and are below.
//
// Views that start or break inside a stick, and operands whose sticks have to be spread or gathered, are no such programs:
// test/Integration/views_with_copies.mlir runs them. The order that a cast leaves is a hindrance only where a type says that it is so:
// otherwise the cast is of one element in each stick, which has no order, or of another dimension.

// A stick with an offset, in a result of fixed layout.
#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// expected-note @+1 {{the source of the view is defined here}}
func.func @stick_with_offset_fixed(%a: tensor<128x256xf16>) {
  // expected-error @+1 {{spyre-propagate-layouts: the view starts 7 elements into d1, inside a stick of 64 elements (remainder 7); a window starts and ends with whole sticks: move it, or restickify the source so that another dimension is on the stick}}
  %0 = tensor.extract_slice %a[0, 7] [64, 64] [1, 1] : tensor<128x256xf16> to tensor<64x64xf16, #rows>
  %1 = spyre.exp %0 : tensor<64x64xf16, #rows>
  return
}

// -----

// An operand that cannot be restickified to carry K: the arrangement would have to change first.
#narrow = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), arrangement = fp32_to_dl16>
func.func @carry_k(%a: tensor<256x128xf32>, %b: tensor<256x64xf16>) {
  %0 = spyre.fp32todl16 %a : (tensor<256x128xf32>) -> tensor<256x128xf16, #narrow>
  // expected-note @+1 {{operand #0 is defined here}}
  %1 = spyre.permute %0 [1, 0] : tensor<256x128xf16, #narrow> to tensor<128x256xf16>
  // expected-error @+1 {{spyre-propagate-layouts: operand #0 has to change its layout, but spyre.restickify knows the standard arrangement only and not FP32_TO_DL16; a cast back restores the order}}
  %2 = spyre.batchmatmul %1, %b : (tensor<128x256xf16>, tensor<256x64xf16>) -> tensor<128x64xf16>
  return
}

// -----

// An operand that cannot be restickified to carry N.
#narrow = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), arrangement = fp32_to_dl16>
func.func @carry_n(%a: tensor<128x256xf16>, %b: tensor<64x256xf32>) {
  %0 = spyre.fp32todl16 %b : (tensor<64x256xf32>) -> tensor<64x256xf16, #narrow>
  // expected-note @+1 {{operand #1 is defined here}}
  %1 = spyre.permute %0 [1, 0] : tensor<64x256xf16, #narrow> to tensor<256x64xf16>
  // expected-error @+1 {{spyre-propagate-layouts: operand #1 has to change its layout, but spyre.restickify knows the standard arrangement only and not FP32_TO_DL16; a cast back restores the order}}
  %2 = spyre.batchmatmul %a, %1 : (tensor<128x256xf16>, tensor<256x64xf16>) -> tensor<128x64xf16>
  return
}

// -----

// An operand that carries K has to be in the standard arrangement as well.
#narrow = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), arrangement = fp32_to_dl16>
func.func @carry_k_staggered(%a: tensor<128x256xf32>, %b: tensor<256x64xf16>) {
  // expected-note @+1 {{operand #0 is defined here}}
  %0 = spyre.fp32todl16 %a : (tensor<128x256xf32>) -> tensor<128x256xf16, #narrow>
  // expected-error @+1 {{spyre-propagate-layouts: operand #0 is in the arrangement FP32_TO_DL16 along its stick, but the operation needs STANDARD; a cast back restores the order}}
  %1 = spyre.batchmatmul %0, %b : (tensor<128x256xf16, #narrow>, tensor<256x64xf16>) -> tensor<128x64xf16>
  return
}

// -----

// Several staggered arrangements.
#staggered = #spyre.layout<(d0, d1) -> (d1 floordiv 32, d0, d1 mod 32), arrangement = fp32_to_dl16>
#wide = #spyre.layout<(d0, d1) -> (d1 floordiv 32, d0, d1 mod 32), arrangement = dl16_to_fp32>
// expected-note @+1 {{operand #1 is defined here}}
func.func @two_staggered(%a: tensor<128x256xf16>, %b: tensor<128x256xf32, #staggered>) {
  %0 = spyre.dl16tofp32 %a : (tensor<128x256xf16>) -> tensor<128x256xf32, #wide>
  // expected-error @+1 {{spyre-propagate-layouts: operand #1 is in the arrangement FP32_TO_DL16 along its stick, but another operand is in DL16_TO_FP32; two different staggered orders cannot be combined. Cast one of them back}}
  %1 = spyre.add %0, %b : (tensor<128x256xf32, #wide>, tensor<128x256xf32, #staggered>) -> tensor<128x256xf32>
  return
}

// -----

// A standard operand that does not broadcast against a staggered one: all of it.
#wide = #spyre.layout<(d0, d1) -> (d1 floordiv 32, d0, d1 mod 32), arrangement = dl16_to_fp32>
// expected-note @+1 {{operand #1 is defined here}}
func.func @standard_and_staggered(%a: tensor<128x256xf16>, %b: tensor<128x256xf32>) {
  %0 = spyre.dl16tofp32 %a : (tensor<128x256xf16>) -> tensor<128x256xf32, #wide>
  // expected-error @+1 {{spyre-propagate-layouts: operand #1 is in the arrangement STANDARD along its stick, but another operand is in DL16_TO_FP32; only operands that are broadcast along the stick go with another one. Cast the staggered one back, or the other one in the same way}}
  %1 = spyre.add %0, %b : (tensor<128x256xf32, #wide>, tensor<128x256xf32>) -> tensor<128x256xf32>
  return
}

// -----

// A standard operand that does not broadcast against a staggered one: a row, which is repeated, but not along the stick.
#wide = #spyre.layout<(d0, d1) -> (d1 floordiv 32, d0, d1 mod 32), arrangement = dl16_to_fp32>
func.func @standard_row_and_staggered(%a: tensor<128x256xf16>, %b: tensor<1x256xf32>) {
  // expected-note @+1 {{operand #1 is defined here}}
  %0 = spyre.dl16tofp32 %a : (tensor<128x256xf16>) -> tensor<128x256xf32, #wide>
  // expected-error @+1 {{spyre-propagate-layouts: operand #1 is in the arrangement DL16_TO_FP32 along its stick, but another operand is in STANDARD; only operands that are broadcast along the stick go with another one. Cast the staggered one back, or the other one in the same way}}
  %1 = spyre.add %b, %0 : (tensor<1x256xf32>, tensor<128x256xf32, #wide>) -> tensor<128x256xf32>
  return
}

// -----

// An operation that knows the standard arrangement only.
#wide = #spyre.layout<(d0, d1) -> (d1 floordiv 32, d0, d1 mod 32), arrangement = dl16_to_fp32>
func.func @staggered_topk(%a: tensor<128x256xf16>) {
  // expected-note @+1 {{operand #0 is defined here}}
  %0 = spyre.dl16tofp32 %a : (tensor<128x256xf16>) -> tensor<128x256xf32, #wide>
  // expected-error @+1 {{spyre-propagate-layouts: operand #0 is in the arrangement DL16_TO_FP32 along its stick, but the operation needs STANDARD; a cast back restores the order}}
  %1 = spyre.topkvalue %0 dim 0 k 3 : (tensor<128x256xf32, #wide>) -> tensor<3x256xf32>
  return
}

// -----

// A cast that leaves no known arrangement.
// expected-note @+1 {{operand #0 is defined here}}
func.func @unknown_arrangement(%a: tensor<128x256xf16>) {
  // expected-error @+1 {{spyre-propagate-layouts: operand #0 is in the arrangement STANDARD, and qfp8wt leaves no known one from there; give the result a layout}}
  %0 = spyre.qfp8wt %a : (tensor<128x256xf16>) -> tensor<128x256xf8E4M3FN>
  return
}

// -----

// The two values of exx2 are read by layer norm only.
func.func @two_values(%a: tensor<128x256xf16>) {
  // expected-note @+1 {{operand #0 is defined here}}
  %0 = spyre.exx2 %a : (tensor<128x256xf16>) -> tensor<128x2xf16>
  // expected-error @+1 {{spyre-propagate-layouts: operand #0 holds two values in each stick (arrangement EXX2), which only layernormscale and layernormnorm read}}
  %1 = spyre.exp %0 : tensor<128x2xf16>
  return
}

// -----

// The host cannot read them either.
func.func @two_values_for_the_host(%a: tensor<128x256xf16>) -> tensor<128x2xf16> {
  // expected-note @+1 {{operand #0 is defined here}}
  %0 = spyre.exx2 %a : (tensor<128x256xf16>) -> tensor<128x2xf16>
  // expected-error @+1 {{spyre-propagate-layouts: operand #0 is returned in the arrangement EXX2, and no document has the places of the two values of a row, so the host cannot read them; return the result of layernormscale or layernormnorm on it}}
  return %0 : tensor<128x2xf16>
}

// -----

// And layer norm reads nothing else as a pair.
// expected-note @+1 {{operand #0 is defined here}}
func.func @two_values_of_the_host(%p: tensor<128x2xf16>) {
  // expected-error @+1 {{spyre-propagate-layouts: operand #0 is in the arrangement STANDARD and not EXX2, in which exx2 leaves the two values of a row; compute them by spyre.exx2}}
  %0 = spyre.layernormscale %p eps 1.0e-5 : (tensor<128x2xf16>) -> tensor<128x1xf16>
  return
}

// -----

// A truth value from mixed formats.
func.func @mixed_truth(%a: tensor<128x256xf16>, %b: tensor<128x256xf32>) {
  // expected-note @+1 {{operand #0 is defined here}}
  %0 = spyre.lesserthan %a, %a : (tensor<128x256xf16>, tensor<128x256xf16>) -> tensor<128x256xi1>
  // expected-note @+1 {{operand #1 is defined here}}
  %1 = spyre.lesserthan %b, %b : (tensor<128x256xf32>, tensor<128x256xf32>) -> tensor<128x256xi1>
  // expected-error @+1 {{spyre-propagate-layouts: operand #0 is stored as SEN169_FP16 and operand #1 as IEEE_FP32, but all truth values of an operation must have the same format, the format of the compared values; cast one of them, or the values that were compared}}
  %2 = spyre.equal %0, %1 : (tensor<128x256xi1>, tensor<128x256xi1>) -> tensor<128x256xi1>
  return
}

// -----

// A truth value in another format than what it selects.
// expected-note @+1 {{operand #0 is defined here}}
func.func @mixed_selection(%c: tensor<128x256xi1>, %b: tensor<128x256xf32>) {
  // expected-error @+1 {{spyre-propagate-layouts: operand #0 is stored as SEN169_FP16 with 64 elements in a stick, but the operation walks along sticks of 32 elements; a truth value has the format of what was compared, so compare in the other format}}
  %0 = spyre.where3 %c, %b, %b : (tensor<128x256xi1>, tensor<128x256xf32>, tensor<128x256xf32>) -> tensor<128x256xf32>
  return
}

// -----

// A truth value from integers, whose format has none.
// expected-note @+2 {{operand #0 is defined here}}
// expected-note @+1 {{operand #1 is defined here}}
func.func @truth_of_integers(%a: tensor<128x256xi32>) {
  // expected-error @+1 {{spyre-propagate-layouts: operand #0 is stored as IEEE_INT32, and there are no truth values in that format; compare elements of f16 or f32}}
  %0 = spyre.lesserthan %a, %a : (tensor<128x256xi32>, tensor<128x256xi32>) -> tensor<128x256xi1>
  return
}

// -----

// Rank above the limit.
// expected-error @+1 {{spyre-propagate-layouts: argument 0: rank 7 is more than the 6 dimensions that the default layout takes}}
func.func @rank_of_argument(%a: tensor<2x2x2x2x2x2x70xf16>) {
  %0 = spyre.exp %a : tensor<2x2x2x2x2x2x70xf16>
  return
}

// -----

// Rank above the limit, of a result.
func.func @rank_of_result(%a: tensor<2x2x2x2x2x70xf16>) {
  // expected-error @+1 {{spyre-propagate-layouts: rank 7 is more than the 6 dimensions that the default layout takes}}
  %0 = tensor.expand_shape %a [[0, 1], [2], [3], [4], [5], [6]] output_shape [1, 2, 2, 2, 2, 2, 70]
    : tensor<2x2x2x2x2x70xf16> into tensor<1x2x2x2x2x2x70xf16>
  %1 = spyre.exp %0 : tensor<1x2x2x2x2x2x70xf16>
  return
}

// -----

// An unsupported element type. Operations do not take it, but an argument may have it.
// expected-error @+1 {{spyre-propagate-layouts: argument 0: element type f64 has no format in device memory}}
func.func @element_type(%a: tensor<128x256xf64>, %b: tensor<128x256xf16>) {
  %0 = spyre.exp %b : tensor<128x256xf16>
  return
}

// -----

// An operation without a rule: a cast that would change the layout without moving anything.
#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
func.func @cast(%a: tensor<128x256xf16, #rows>) {
  // expected-error @+1 {{spyre-propagate-layouts: tensor.cast does not change layouts; spyre.restickify does, and nothing else}}
  %0 = tensor.cast %a : tensor<128x256xf16, #rows> to tensor<128x256xf16>
  %1 = spyre.exp %0 : (tensor<128x256xf16>) -> tensor<128x256xf16, #cols>
  return
}

// -----

// An operation without a rule.
func.func @no_rule(%a: tensor<128x256xf16>) {
  // expected-error @+1 {{spyre-propagate-layouts: tensor.empty has a tensor as result, but no rule for layouts}}
  %0 = tensor.empty() : tensor<128x256xf16>
  %1 = spyre.add %0, %a : tensor<128x256xf16>
  return
}

// -----

// A constant without a rule, for which there is another operation.
func.func @constant(%a: tensor<128x256xf16>) {
  // expected-error @+1 {{spyre-propagate-layouts: arith.constant has no rule for layouts; spyre.fill makes a constant tensor}}
  %0 = arith.constant dense<1.0> : tensor<128x256xf16>
  %1 = spyre.add %0, %a : tensor<128x256xf16>
  return
}

// -----

// A loop cannot yield what it cannot carry.
#narrow = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), arrangement = fp32_to_dl16>
func.func @yield(%a: tensor<128x256xf32>, %b: tensor<128x256xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %b) -> tensor<128x256xf16> {
    %0 = spyre.fp32todl16 %a : (tensor<128x256xf32>) -> tensor<128x256xf16, #narrow>
    // expected-note @+1 {{operand #0 is defined here}}
    %x = spyre.abs %0 : (tensor<128x256xf16, #narrow>) -> tensor<128x256xf16>
    // expected-error @+1 {{spyre-propagate-layouts: operand #0 has to change its layout, but spyre.restickify knows the standard arrangement only and not FP32_TO_DL16; a cast back restores the order}}
    scf.yield %x : tensor<128x256xf16>
  }
  return
}

// -----

// A restickify by hand that the hardware does not have.
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
#narrow = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), arrangement = fp32_to_dl16>
func.func @restickify(%a: tensor<128x256xf32>) {
  %0 = spyre.fp32todl16 %a : (tensor<128x256xf32>) -> tensor<128x256xf16, #narrow>
  // expected-note @+1 {{operand #0 is defined here}}
  %x = spyre.abs %0 : (tensor<128x256xf16, #narrow>) -> tensor<128x256xf16>
  // expected-error @+1 {{spyre-propagate-layouts: operand #0 has to change its layout, but spyre.restickify knows the standard arrangement only and not FP32_TO_DL16; a cast back restores the order}}
  %1 = spyre.restickify %x : (tensor<128x256xf16>) -> tensor<128x256xf16, #cols>
  return
}

// -----

// A copy does not change layouts, so its operand is restickified; here it cannot be.
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
#narrow = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), arrangement = fp32_to_dl16>
func.func @copy(%a: tensor<128x256xf32>) {
  %0 = spyre.fp32todl16 %a : (tensor<128x256xf32>) -> tensor<128x256xf16, #narrow>
  // expected-note @+1 {{operand #0 is defined here}}
  %x = spyre.abs %0 : (tensor<128x256xf16, #narrow>) -> tensor<128x256xf16>
  // expected-error @+1 {{spyre-propagate-layouts: operand #0 has to change its layout, but spyre.restickify knows the standard arrangement only and not FP32_TO_DL16; a cast back restores the order}}
  %1 = spyre.copy %x : (tensor<128x256xf16>) -> tensor<128x256xf16, #cols>
  return
}

// -----

// What normalizes walks along the last dimension of its operands, so no other one can be on the stick of the result.

#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
// expected-note @+1 {{operand #0 is defined here}}
func.func @normalized_columns(%x: tensor<64x128xf16>, %v: tensor<64x1xf16>, %g: tensor<1x128xf16>, %b: tensor<1x128xf16>) -> tensor<64x128xf16, #cols> {
  %m = spyre.exx2 %x : (tensor<64x128xf16>) -> tensor<64x2xf16>
  // expected-error @+1 {{spyre-propagate-layouts: operand #0 has no layout that is compatible with (d0, d1) -> (d0 floordiv 64, d1, d0 mod 64) of the result; leave the layout of the result out, and the passes choose one}}
  %0 = spyre.layernormnorm %x, %m, %v, %g, %b : (tensor<64x128xf16>, tensor<64x2xf16>, tensor<64x1xf16>, tensor<1x128xf16>, tensor<1x128xf16>) -> tensor<64x128xf16, #cols>
  return %0 : tensor<64x128xf16, #cols>
}
