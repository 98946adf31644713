// RUN: spyre-opt %s --split-input-file --verify-diagnostics

// One module per constraint of an operation, named after it (`sN_...`). Those of
// the attributes are in invalid-attributes.mlir.

//===----------------------------------------------------------------------===//
// Pointwise operations
//===----------------------------------------------------------------------===//

// S1: an operand has no more dimensions than the result.
// expected-note @+1 {{operand #1 of type 'tensor<1x8x64xf16>' comes from here}}
func.func @s1_rank(%a: tensor<8x64xf16>, %b: tensor<1x8x64xf16>) {
  // expected-error @+1 {{operand #1 has rank 3, above the result's rank 2}}
  %0 = spyre.add %a, %b : (tensor<8x64xf16>, tensor<1x8x64xf16>) -> tensor<8x64xf16>
  return
}

// -----

// S1: an extent is that of the result or 1.
// expected-note @+1 {{operand #1 of type 'tensor<8x32xf16>' comes from here}}
func.func @s1_extent(%a: tensor<8x64xf16>, %b: tensor<8x32xf16>) {
  // expected-error @+1 {{operand #1 has extent 32 in dimension 1, which does not broadcast to the result's extent 64}}
  %0 = spyre.add %a, %b : (tensor<8x64xf16>, tensor<8x32xf16>) -> tensor<8x64xf16>
  return
}

// -----

// S1: dimensions are aligned at the last one.
// expected-note @+1 {{operand #1 of type 'tensor<8xf16>' comes from here}}
func.func @s1_alignment(%a: tensor<8x64xf16>, %b: tensor<8xf16>) {
  // expected-error @+1 {{operand #1 has extent 8 in dimension 0, which does not broadcast to the result's extent 64}}
  %0 = spyre.add %a, %b : (tensor<8x64xf16>, tensor<8xf16>) -> tensor<8x64xf16>
  return
}

// -----

// S1: the result has no extent that no operand has.
func.func @s1_result(%a: tensor<1x64xf16>, %b: tensor<64xf16>) {
  // expected-error @+1 {{result has shape [8, 64], but the operands broadcast to [1, 64]}}
  %0 = spyre.add %a, %b : (tensor<1x64xf16>, tensor<64xf16>) -> tensor<8x64xf16>
  return
}

// -----

// S1: comparisons.
// expected-note @+1 {{operand #1 of type 'tensor<7x64xf16>' comes from here}}
func.func @s1_compare(%a: tensor<8x64xf16>, %b: tensor<7x64xf16>) {
  // expected-error @+1 {{operand #1 has extent 7 in dimension 0, which does not broadcast to the result's extent 8}}
  %0 = spyre.lesserthan %a, %b : (tensor<8x64xf16>, tensor<7x64xf16>) -> tensor<8x64xi1>
  return
}

// -----

// S1: three operands.
// expected-note @+1 {{operand #0 of type 'tensor<9x64xi1>' comes from here}}
func.func @s1_where3(%c: tensor<9x64xi1>, %a: tensor<8x64xf16>) {
  // expected-error @+1 {{operand #0 has extent 9 in dimension 0, which does not broadcast to the result's extent 8}}
  %0 = spyre.where3 %c, %a, %a : (tensor<9x64xi1>, tensor<8x64xf16>, tensor<8x64xf16>) -> tensor<8x64xf16>
  return
}

// -----

// S1: one operand.
// expected-note @+1 {{operand #0 of type 'tensor<8x64xf16>' comes from here}}
func.func @s1_unary(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{operand #0 has extent 8 in dimension 0, which does not broadcast to the result's extent 4}}
  %0 = spyre.exp %a : (tensor<8x64xf16>) -> tensor<4x64xf16>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

// S2: functions of real numbers need floats.
func.func @s2_unary(%a: tensor<8x64xi32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of}}
  %0 = spyre.exp %a : tensor<8x64xi32>
  return
}

// -----

// S2: so do those that the card approximates.
func.func @s2_fast(%a: tensor<8x64xi32>) {
  // expected-error @+1 {{'spyre.fastexp' op operand #0 must be ranked tensor of}}
  %0 = spyre.fastexp %a : tensor<8x64xi32>
  return
}

// -----

// S2: f64 has no device format.
func.func @s2_f64(%a: tensor<8x64xf64>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of}}
  %0 = spyre.add %a, %a : tensor<8x64xf64>
  return
}

// -----

// S2: no OpFunc divides integers.
func.func @s2_integer_division(%a: tensor<8x64xi32>) {
  // expected-error @+1 {{'spyre.realdiv' op operand #0 must be ranked tensor of 16-bit float or}}
  %0 = spyre.realdiv %a, %a : tensor<8x64xi32>
  return
}

// -----

// S2: nor has it these two of integers.
func.func @s2_reverse(%a: tensor<8x64xi32>) {
  // expected-error @+1 {{'spyre.revsub' op operand #0 must be ranked tensor of 16-bit float or}}
  %0 = spyre.revsub %a, %a : tensor<8x64xi32>
  return
}

// -----

// S2: the bias is of the type of what it is added to.
func.func @s2_bias(%a: tensor<8x64xf16>, %b: tensor<64xf32>) {
  // expected-error @+1 {{failed to verify that all of {lhs, rhs, result} have same element type}}
  %0 = spyre.biasadd %a, %b : (tensor<8x64xf16>, tensor<64xf32>) -> tensor<8x64xf16>
  return
}

// -----

// S1: the operands of a difference in the other order.
// expected-note @+1 {{operand #1 of type 'tensor<3x64xf16>' comes from here}}
func.func @s1_reverse(%a: tensor<8x64xf16>, %b: tensor<3x64xf16>) {
  // expected-error @+1 {{operand #1 has extent 3 in dimension 0, which does not broadcast to the result's extent 8}}
  %0 = spyre.revsub %a, %b : (tensor<8x64xf16>, tensor<3x64xf16>) -> tensor<8x64xf16>
  return
}

// -----

// S2: arithmetic on bools.
func.func @s2_bool(%a: tensor<8x64xi1>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of}}
  %0 = spyre.add %a, %a : tensor<8x64xi1>
  return
}

// -----

// S2: operands of two types.
func.func @s2_binary(%a: tensor<8x64xf16>, %b: tensor<8x64xf32>) {
  // expected-error @+1 {{failed to verify that all of {lhs, rhs, result} have same element type}}
  %0 = spyre.add %a, %b : (tensor<8x64xf16>, tensor<8x64xf32>) -> tensor<8x64xf16>
  return
}

// -----

// S2: a result of another type is a cast.
func.func @s2_result(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{failed to verify that all of {input, result} have same element type}}
  %0 = spyre.exp %a : (tensor<8x64xf16>) -> tensor<8x64xf32>
  return
}

// -----

// S2: the same of the functions that a bound ends.
func.func @s2_result_relu6(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{'spyre.relu6fwd' op failed to verify that all of {input, result} have same element type}}
  %0 = spyre.relu6fwd %a : (tensor<8x64xf16>) -> tensor<8x64xbf16>
  return
}

// -----

// S2: a comparison gives bools.
func.func @s2_compare(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{result #0 must be ranked tensor of 1-bit signless integer values}}
  %0 = spyre.equal %a, %a : tensor<8x64xf16>
  return
}

// -----

// S2: operands of a comparison.
func.func @s2_compare_operands(%a: tensor<8x64xf16>, %b: tensor<8x64xf32>) {
  // expected-error @+1 {{failed to verify that all of {lhs, rhs} have same element type}}
  %0 = spyre.equal %a, %b : (tensor<8x64xf16>, tensor<8x64xf32>) -> tensor<8x64xi1>
  return
}

// -----

// S2: a condition is a bool.
func.func @s2_condition(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of 1-bit signless integer values}}
  %0 = spyre.where3 %a, %a, %a : tensor<8x64xf16>
  return
}

// -----

// S2: both sides of a choice.
func.func @s2_choice(%c: tensor<8x64xi1>, %a: tensor<8x64xf16>, %b: tensor<8x64xf32>) {
  // expected-error @+1 {{failed to verify that all of {on_true, on_false, result} have same element type}}
  %0 = spyre.where3 %c, %a, %b : (tensor<8x64xi1>, tensor<8x64xf16>, tensor<8x64xf32>) -> tensor<8x64xf16>
  return
}

// -----

// S2: layer norm is in one type.
func.func @s2_layernormnorm(%a: tensor<8x64xf16>, %p: tensor<8x2xf32>, %s: tensor<8x1xf32>) {
  // expected-error @+1 {{failed to verify that all of {input, pair, scale, weight, bias, result} have same element type}}
  %0 = spyre.layernormnorm %a, %p, %s, %a, %a : (tensor<8x64xf16>, tensor<8x2xf32>, tensor<8x1xf32>, tensor<8x64xf16>, tensor<8x64xf16>) -> tensor<8x64xf16>
  return
}

// -----

// S2: casts have fixed sides.
func.func @s2_dl16tofp32(%a: tensor<8x64xf32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of 16-bit float or bfloat16 type values}}
  %0 = spyre.dl16tofp32 %a : (tensor<8x64xf32>) -> tensor<8x64xf32>
  return
}

// -----

// S2: casts have fixed sides.
func.func @s2_fp32todl16(%a: tensor<8x64xf32>) {
  // expected-error @+1 {{result #0 must be ranked tensor of 16-bit float or bfloat16 type values}}
  %0 = spyre.fp32todl16 %a : (tensor<8x64xf32>) -> tensor<8x64xf32>
  return
}

// -----

// S2: casts have fixed sides.
func.func @s2_fp8todl16(%a: tensor<8x64xi8>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of f8E4M3FN type or f8E5M2 type values}}
  %0 = spyre.fp8todl16 %a : (tensor<8x64xi8>) -> tensor<8x64xf16>
  return
}

// -----

// S2: casts have fixed sides.
func.func @s2_qfp8ch(%a: tensor<8x64xf32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of 16-bit float or bfloat16 type values}}
  %0 = spyre.qfp8ch %a : (tensor<8x64xf32>) -> tensor<8x64xf8E4M3FN>
  return
}

// -----

// S2: casts have fixed sides.
func.func @s2_qfp8wt(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{result #0 must be ranked tensor of f8E4M3FN type or f8E5M2 type values}}
  %0 = spyre.qfp8wt %a : (tensor<8x64xf16>) -> tensor<8x64xi8>
  return
}

// -----

// S2: reductions.
func.func @s2_reduction(%a: tensor<8x64xi32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of}}
  %0 = spyre.sum %a dims [0] : (tensor<8x64xi32>) -> tensor<64xi32>
  return
}

// -----

// S2: a reduction does not cast.
func.func @s2_reduction_result(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{failed to verify that all of {input, result} have same element type}}
  %0 = spyre.sum %a dims [0] : (tensor<8x64xf16>) -> tensor<64xf32>
  return
}

// -----

// S2: positions are words or floats, and no smaller integers.
func.func @s2_topkindex(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{result #0 must be ranked tensor of}}
  %0 = spyre.topkindex %a dim 0 k 1 : (tensor<8x64xf16>) -> tensor<1x64xi16>
  return
}

// -----

// S2: factors of one type.
func.func @s2_matmul(%a: tensor<8x8xf16>, %b: tensor<8x8xf32>) {
  // expected-error @+1 {{failed to verify that all of {lhs, rhs} have same element type}}
  %0 = spyre.batchmatmul %a, %b : (tensor<8x8xf16>, tensor<8x8xf32>) -> tensor<8x8xf16>
  return
}

// -----

// S2: 8-bit factors.
func.func @s2_matmulfp8(%a: tensor<8x8xf16>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of f8E4M3FN type or f8E5M2 type values}}
  %0 = spyre.batchmatmulfp8 %a, %a : tensor<8x8xf16>
  return
}

// -----

// S2: 8-bit integers.
func.func @s2_matmulint8(%a: tensor<8x8xf16>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of 8-bit signless integer values}}
  %0 = spyre.batchmatmulint8 %a, %a : tensor<8x8xf16>
  return
}

// -----

// S7: one K.
// expected-note @+2 {{operand #0 of type}}
// expected-note @+1 {{operand #1 of type}}
func.func @s7_matmulint8(%a: tensor<8x200xi8>, %b: tensor<128x8xi8>) {
  // expected-error @+1 {{lhs has K = 200, but rhs has K = 128}}
  %0 = spyre.batchmatmulint8 %a, %b : (tensor<8x200xi8>, tensor<128x8xi8>) -> tensor<8x8xf16>
  return
}

// -----

// S2: a move does not cast.
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
func.func @s2_restickify(%a: tensor<64x64xf16, #stick>) {
  // expected-error @+1 {{failed to verify that all of {input, result} have same element type}}
  %0 = spyre.restickify %a : (tensor<64x64xf16, #stick>) -> tensor<64x64xbf16, #stick>
  return
}

// -----

// S2: tensors are ranked.
func.func @s2_unranked(%a: tensor<*xf16>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of}}
  %0 = spyre.abs %a : tensor<*xf16>
  return
}

// -----

// S2: in generic form.
func.func @s2_unranked_generic(%a: tensor<*xf16>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of}}
  %0 = "spyre.abs"(%a) : (tensor<*xf16>) -> tensor<*xf16>
  return
}

// -----

// S2: no scalars.
func.func @s2_scalar(%a: f16) {
  // expected-error @+1 {{operand #0 must be ranked tensor of}}
  %0 = "spyre.abs"(%a) : (f16) -> f16
  return
}

// -----

//===----------------------------------------------------------------------===//
// Sticks
//===----------------------------------------------------------------------===//

// S3: two operands with two sticks.
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
// expected-note @+2 {{operand #0 of type}}
// expected-note @+1 {{operand #1 of type}}
func.func @s3_operands(%a: tensor<64x128xf16, #stick>, %b: tensor<64x128xf16, #cols>) {
  // expected-error @+1 {{operand #1 has iteration dimension 0 on its stick, but operand #0 has dimension 1; a spyre.restickify makes them agree}}
  %0 = spyre.add %a, %b : (tensor<64x128xf16, #stick>, tensor<64x128xf16, #cols>) -> tensor<64x128xf16, #stick>
  return
}

// -----

// S3: the result sticks as the operands do.
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
// expected-note @+1 {{operand #0 of type}}
func.func @s3_result(%a: tensor<64x128xf16, #stick>) {
  // expected-error @+1 {{result has iteration dimension 0 on its stick, but operand #0 has dimension 1; a spyre.restickify makes them agree}}
  %0 = spyre.exp %a : (tensor<64x128xf16, #stick>) -> tensor<64x128xf16, #cols>
  return
}

// -----

// S3: a broadcast operand sticks on what it has.
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
// expected-note @+2 {{operand #0 of type}}
// expected-note @+1 {{operand #1 of type}}
func.func @s3_broadcast(%a: tensor<64x128xf16, #stick>, %b: tensor<64x1xf16, #cols>) {
  // expected-error @+1 {{operand #1 has iteration dimension 0 on its stick, but operand #0 has dimension 1; a spyre.restickify makes them agree}}
  %0 = spyre.add %a, %b : (tensor<64x128xf16, #stick>, tensor<64x1xf16, #cols>) -> tensor<64x128xf16, #stick>
  return
}

// -----

// S3: a reduction over the stick has no stick left.
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
// expected-note @+1 {{operand #0 of type}}
func.func @s3_reduction(%a: tensor<64x128xf16, #stick>) {
  // expected-error @+1 {{result has iteration dimension 0 on its stick, but operand #0 has dimension 2; a spyre.restickify makes them agree}}
  %0 = spyre.sum %a dims [1] keepdim : (tensor<64x128xf16, #stick>) -> tensor<64x1xf16, #cols>
  return
}

// -----

// S3: a dynamic extent is not 1.
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
// expected-note @+1 {{operand #0 of type}}
func.func @s3_dynamic(%a: tensor<?x?xf16, #stick>) {
  // expected-error @+1 {{result has iteration dimension 0 on its stick, but operand #0 has dimension 1}}
  %0 = spyre.exp %a : (tensor<?x?xf16, #stick>) -> tensor<?x?xf16, #cols>
  return
}

// -----

// S4: a sparse operand indexed by the stick of another.
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#sparse = #spyre.layout<(d0, d1) -> (d1, d0, 0)>
// expected-note @+1 {{operand #1 of type}}
func.func @s4_operand(%a: tensor<64x128xf16, #stick>, %b: tensor<64x128xf16, #sparse>) {
  // expected-error @+1 {{operand #1 is indexed by iteration dimension 1, the stick of operand #0, but has one element of it in each stick}}
  %0 = spyre.add %a, %b : (tensor<64x128xf16, #stick>, tensor<64x128xf16, #sparse>) -> tensor<64x128xf16, #stick>
  return
}

// -----

// S4: a sparse operand before the one that has the stick.
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#sparse = #spyre.layout<(d0, d1) -> (d1, d0, 0)>
// expected-note @+1 {{operand #0 of type}}
func.func @s4_first(%a: tensor<64x128xf16, #stick>, %b: tensor<64x128xf16, #sparse>) {
  // expected-error @+1 {{operand #0 is indexed by iteration dimension 1, the stick of operand #1, but has one element of it in each stick}}
  %0 = spyre.add %b, %a : (tensor<64x128xf16, #sparse>, tensor<64x128xf16, #stick>) -> tensor<64x128xf16, #stick>
  return
}

// -----

// S4: a sparse result.
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#sparse = #spyre.layout<(d0, d1) -> (d1, d0, 0)>
func.func @s4_result(%a: tensor<64x128xf16, #stick>) {
  // expected-error @+1 {{result is indexed by iteration dimension 1, the stick of operand #0, but has one element of it in each stick}}
  %0 = spyre.exp %a : (tensor<64x128xf16, #stick>) -> tensor<64x128xf16, #sparse>
  return
}

// -----

// S4: a reduction that keeps the stick dimension keeps the stick.
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#sparse = #spyre.layout<(d0, d1) -> (d1, d0, 0)>
func.func @s4_reduction(%a: tensor<64x128xf16, #stick>) {
  // expected-error @+1 {{result is indexed by iteration dimension 1, the stick of operand #0, but has one element of it in each stick}}
  %0 = spyre.sum %a dims [0] keepdim : (tensor<64x128xf16, #stick>) -> tensor<1x128xf16, #sparse>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Plan
//===----------------------------------------------------------------------===//

// S5: one entry per iteration dimension.
func.func @s5_rank(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{split has 1 entries, but the iteration space [8, 64] has 2 dimensions}}
  %0 = spyre.exp %a split [8] : tensor<8x64xf16>
  return
}

// -----

// S23: no name twice.
func.func @s23_twice(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{divides "A" twice}}
  %0 = spyre.exp %a divide ["A" over 2, "A" over 4] : tensor<8x64xf16>
  return
}

// -----

// S23: by name or by position.
func.func @s23_split(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{has both 'divide' and 'split', [8, 1]; remove one of them}}
  %0 = spyre.exp %a divide ["A" over 2] split [8, 1] : tensor<8x64xf16>
  return
}

// -----

// S5: the iteration space of a reduction has the reduced dimensions at its end.
func.func @s5_reduction_rank(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{split has 1 entries, but the iteration space [64, 8] has 2 dimensions}}
  %0 = spyre.sum %a dims [0] split [8] : (tensor<8x64xf16>) -> tensor<64xf16>
  return
}

// -----

// S5: entries are positive.
func.func @s5_zero(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{split must be positive, got 0 for dimension 1}}
  %0 = spyre.exp %a split [8, 0] : tensor<8x64xf16>
  return
}

// -----

// S5: entries are counts of cores.
func.func @s5_beyond_32_bits(%a: tensor<4294967296xi1>) {
  // expected-error @+1 {{split must be below 2^32, got 4294967296 for dimension 0}}
  %0 = spyre.copy %a split [4294967296] : tensor<4294967296xi1>
  return
}

// -----

// S5
func.func @s5_negative(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{split must be positive, got -9223372036854775808 for dimension 0}}
  %0 = spyre.exp %a split [-9223372036854775808, 1] : tensor<8x64xf16>
  return
}

// -----

// S5: also for a dynamic extent.
func.func @s5_dynamic(%a: tensor<?x64xf16>) {
  // expected-error @+1 {{split must be positive, got 0 for dimension 0}}
  %0 = spyre.exp %a split [0, 1] : tensor<?x64xf16>
  return
}

// -----

// S5: entries divide the extent.
func.func @s5_division(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{splits dimension 0 of extent 8 over 3 cores, which does not divide it}}
  %0 = spyre.exp %a split [3, 1] : tensor<8x64xf16>
  return
}

// -----

// S5
func.func @s5_too_many(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{splits dimension 0 of extent 8 over 16 cores, which does not divide it}}
  %0 = spyre.exp %a split [16, 1] : tensor<8x64xf16>
  return
}

// -----

// S5: a stick is not cut.
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
func.func @s5_stick(%a: tensor<8x128xf16, #stick>) {
  // expected-error @+1 {{splits dimension 1 of extent 128, 2 sticks, over 4 cores, which does not divide it}}
  %0 = spyre.exp %a split [8, 4] : tensor<8x128xf16, #stick>
  return
}

// -----

// S5: a padded stick counts as one.
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
func.func @s5_one_stick(%a: tensor<8x60xf16, #stick>) {
  // expected-error @+1 {{splits dimension 1 of extent 60, 1 stick, over 2 cores, which does not divide it}}
  %0 = spyre.exp %a split [8, 2] : tensor<8x60xf16, #stick>
  return
}

// -----

// S5: K is on the stick of lhs only, which is enough.
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
func.func @s5_matmul(%a: tensor<64x128xf16, #stick>, %b: tensor<128x64xf16, #stick>) {
  // expected-error @+1 {{splits dimension 2 of extent 128, 2 sticks, over 4 cores, which does not divide it}}
  %0 = spyre.batchmatmul %a, %b split [64, 1, 4] : (tensor<64x128xf16, #stick>, tensor<128x64xf16, #stick>) -> tensor<64x64xf16, #stick>
  return
}

// -----

// S5: sticks of different formats, the one with more elements counts.
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#stick32 = #spyre.layout<(d0, d1) -> (d1 floordiv 32, d0, d1 mod 32)>
func.func @s5_cast(%a: tensor<8x128xf16, #stick>) {
  // expected-error @+1 {{splits dimension 1 of extent 128, 2 sticks, over 4 cores, which does not divide it}}
  %0 = spyre.dl16tofp32 %a split [8, 4] : (tensor<8x128xf16, #stick>) -> tensor<8x128xf32, #stick32>
  return
}

// -----

// S6: scopes ascend.
func.func @s6_descending(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{hint scopes must ascend from the outermost, got 0 after 1}}
  %0 = spyre.exp %a tile [1: "A" in 2, 0: "B" in 2] : tensor<8x64xf16>
  return
}

// -----

// S6: two hints are in two scopes.
func.func @s6_equal(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{hint scopes must ascend from the outermost, got 3 after 3}}
  %0 = spyre.exp %a tile [3: "A" in 2, 3: "B" in 2] : tensor<8x64xf16>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

// S10: at least one dimension.
func.func @s10_none(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{dims [] must be ascending dimensions of the input of rank 2, at least one}}
  %0 = spyre.sum %a dims [] : tensor<8x64xf16>
  return
}

// -----

// S10: dimensions of the input.
func.func @s10_above(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{dims [2] must be ascending dimensions of the input of rank 2, at least one}}
  %0 = spyre.max %a dims [2] : (tensor<8x64xf16>) -> tensor<8xf16>
  return
}

// -----

// S10: no counting from the end.
func.func @s10_negative(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{dims [-1] must be ascending dimensions of the input of rank 2, at least one}}
  %0 = spyre.min %a dims [-1] : (tensor<8x64xf16>) -> tensor<8xf16>
  return
}

// -----

// S10: ascending.
func.func @s10_order(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{dims [1, 0] must be ascending dimensions of the input of rank 2, at least one}}
  %0 = spyre.prod %a dims [1, 0] : (tensor<8x64xf16>) -> tensor<f16>
  return
}

// -----

// S10: the same of magnitudes.
func.func @s10_magnitude(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{dims [2] must be ascending dimensions of the input of rank 2, at least one}}
  %0 = spyre.absmax %a dims [2] : (tensor<8x64xf16>) -> tensor<8xf16>
  return
}

// -----

// S2: magnitudes of integers have no OpFunc.
func.func @s2_magnitude(%a: tensor<8x64xi32>) {
  // expected-error @+1 {{'spyre.absmax' op operand #0 must be ranked tensor of}}
  %0 = spyre.absmax %a dims [1] : (tensor<8x64xi32>) -> tensor<8xi32>
  return
}

// -----

// S10: each once.
func.func @s10_twice(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{dims [1, 1] must be ascending dimensions of the input of rank 2, at least one}}
  %0 = spyre.mean %a dims [1, 1] : (tensor<8x64xf16>) -> tensor<8xf16>
  return
}

// -----

// S10: rank 0 has nothing to reduce.
func.func @s10_scalar(%a: tensor<f16>) {
  // expected-error @+1 {{dims [0] must be ascending dimensions of the input of rank 0, at least one}}
  %0 = spyre.sum %a dims [0] : tensor<f16>
  return
}

// -----

// S10: is checked before the sticks, which need it.
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
func.func @s10_before_sticks(%a: tensor<8x64xf16, #stick>) {
  // expected-error @+1 {{dims [7, 9223372036854775807] must be ascending dimensions of the input of rank 2, at least one}}
  %0 = spyre.sum %a dims [7, 9223372036854775807] split [1] : (tensor<8x64xf16, #stick>) -> tensor<8x64xf16, #cols>
  return
}

// -----

// S11: without the dimensions.
// expected-note @+1 {{operand #0 of type 'tensor<8x64xf16>' comes from here}}
func.func @s11_shape(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{result has shape [64], but reducing dims [1] of [8, 64] gives [8]}}
  %0 = spyre.sum %a dims [1] : (tensor<8x64xf16>) -> tensor<64xf16>
  return
}

// -----

// S11: with extent 1.
// expected-note @+1 {{operand #0 of type 'tensor<8x64xf16>' comes from here}}
func.func @s11_keepdim(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{result has shape [8], but reducing dims [1] of [8, 64] gives [8, 1]}}
  %0 = spyre.sum %a dims [1] keepdim : (tensor<8x64xf16>) -> tensor<8xf16>
  return
}

// -----

// S11: with a dynamic extent.
// expected-note @+1 {{operand #0 of type}}
func.func @s11_dynamic(%a: tensor<?x64xf16>) {
  // expected-error @+1 {{result has shape [8, 2], but reducing dims [1] of [?, 64] gives [?, 1]}}
  %0 = spyre.sum %a dims [1] keepdim : (tensor<?x64xf16>) -> tensor<8x2xf16>
  return
}

// -----

// S9: one dimension on the stick of both. Of three dimensions, since two would leave the searched one alone.
#last = #spyre.layout<(d0, d1, d2) -> (d0, d2 floordiv 64, d1, d2 mod 64)>
#first = #spyre.layout<(d0, d1, d2) -> (d2, d0 floordiv 64, d1, d0 mod 64)>
// expected-note @+1 {{operand #0 of type}}
func.func @s9_sticks(%a: tensor<64x256x64xf16, #last>) {
  // expected-error @+1 {{result has dimension 0 on its stick, but operand #0 has dimension 2; a spyre.restickify makes them agree}}
  %0 = spyre.topkvalue %a dim 1 k 4 : (tensor<64x256x64xf16, #last>) -> tensor<64x4x64xf16, #first>
  return
}

// -----

// S9: the searched dimension on the stick of the input.
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
// expected-note @+1 {{operand #0 of type}}
func.func @s9_input(%a: tensor<64x256xf16, #stick>) {
  // expected-error @+1 {{input has dimension 1 on its stick, which is searched; have another dimension there, or one element in each stick}}
  %0 = spyre.topkvalue %a dim 1 k 4 : (tensor<64x256xf16, #stick>) -> tensor<64x4xf16, #cols>
  return
}

// -----

// S9: the dimension of what was found on the stick of the result.
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
// expected-note @+1 {{operand #0 of type}}
func.func @s9_result(%a: tensor<64x256xf16, #cols>) {
  // expected-error @+1 {{result has dimension 1 on its stick, which is searched; have another dimension there, or one element in each stick}}
  %0 = spyre.topkindex %a dim 1 k 4 : (tensor<64x256xf16, #cols>) -> tensor<64x4xf16, #stick>
  return
}

// -----

// S9: a sparse result.
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#sparse = #spyre.layout<(d0, d1) -> (d1, d0, 0)>
func.func @s9_sparse(%a: tensor<64x256xf16, #stick>) {
  // expected-error @+1 {{result is indexed by dimension 1, the stick of operand #0, but has one element of it in each stick}}
  %0 = spyre.topkindex %a dim 0 k 4 : (tensor<64x256xf16, #stick>) -> tensor<4x256xi64, #sparse>
  return
}

// -----

// S16: a dimension of the input.
func.func @s16_dim(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{dim 2 is not a dimension of the input of rank 2}}
  %0 = spyre.topkvalue %a dim 2 k 4 : tensor<8x64xf16>
  return
}

// -----

// S16
func.func @s16_negative_dim(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{dim -1 is not a dimension of the input of rank 2}}
  %0 = spyre.topkvalue %a dim -1 k 4 : tensor<8x64xf16>
  return
}

// -----

// S16: k is positive.
func.func @s16_zero(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{k must be positive, got 0}}
  %0 = spyre.topkvalue %a dim 1 k 0 : (tensor<8x64xf16>) -> tensor<8x0xf16>
  return
}

// -----

// S16
func.func @s16_negative(%a: tensor<8x?xf16>) {
  // expected-error @+1 {{k must be positive, got -9223372036854775808}}
  %0 = spyre.topkvalue %a dim 1 k -9223372036854775808 : tensor<8x?xf16>
  return
}

// -----

// S16: k is at most the extent.
func.func @s16_above(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{k is 65, above the extent 64 of dimension 1}}
  %0 = spyre.topkindex %a dim 1 k 65 : (tensor<8x64xf16>) -> tensor<8x65xi32>
  return
}

// -----

// S16: the shape of the result.
// expected-note @+1 {{operand #0 of type}}
func.func @s16_shape(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{result has shape [4, 64], expected [8, 4]}}
  %0 = spyre.topkvalue %a dim 1 k 4 : (tensor<8x64xf16>) -> tensor<4x64xf16>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

// S2: indices are i32.
func.func @s2_indices(%i: tensor<64xi64>, %t: tensor<100x256xf16>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of 32-bit signless integer values, but got 'tensor<64xi64>'}}
  %0 = spyre.gather %i, %t dim 0 : (tensor<64xi64>, tensor<100x256xf16>) -> tensor<64x256xf16>
  return
}

// -----

// S2: a table of floats.
func.func @s2_table(%i: tensor<64xi32>, %t: tensor<100x256xi32>) {
  // expected-error @+1 {{operand #1 must be ranked tensor of 16-bit float or bfloat16 type or 32-bit float values, but got 'tensor<100x256xi32>'}}
  %0 = spyre.gather %i, %t dim 0 : (tensor<64xi32>, tensor<100x256xi32>) -> tensor<64x256xi32>
  return
}

// -----

// S2: the result has the elements of the table.
func.func @s2_gathered(%i: tensor<64xi32>, %t: tensor<100x256xf16>) {
  // expected-error @+1 {{failed to verify that all of {table, result} have same element type}}
  %0 = spyre.gather %i, %t dim 0 : (tensor<64xi32>, tensor<100x256xf16>) -> tensor<64x256xf32>
  return
}

// -----

// S25: at least one dimension.
func.func @s25_rank(%i: tensor<i32>, %t: tensor<100x256xf16>) {
  // expected-error @+1 {{indices need at least one dimension, got 'tensor<i32>'}}
  %0 = spyre.gather %i, %t dim 0 : (tensor<i32>, tensor<100x256xf16>) -> tensor<256xf16>
  return
}

// -----

// S25: a dimension of the table.
func.func @s25_dim(%i: tensor<64xi32>, %t: tensor<100x256xf16>) {
  // expected-error @+1 {{dim 2 is not a dimension of the table of rank 2}}
  %0 = spyre.gather %i, %t dim 2 : (tensor<64xi32>, tensor<100x256xf16>) -> tensor<64x256xf16>
  return
}

// -----

// S25
func.func @s25_negative_dim(%i: tensor<64xi32>, %t: tensor<100x256xf16>) {
  // expected-error @+1 {{dim -1 is not a dimension of the table of rank 2}}
  %0 = spyre.gather %i, %t dim -1 : (tensor<64xi32>, tensor<100x256xf16>) -> tensor<64x256xf16>
  return
}

// -----

// S25: the shape of the result.
// expected-note @+2 {{operand #0 of type}}
// expected-note @+1 {{operand #1 of type}}
func.func @s25_shape(%i: tensor<4x16xi32>, %t: tensor<8x100x256xf16>) {
  // expected-error @+1 {{result has shape [4, 16, 8, 256], but indices of shape [4, 16] in place of dimension 1 of [8, 100, 256] give [8, 4, 16, 256]}}
  %0 = spyre.gather %i, %t dim 1 : (tensor<4x16xi32>, tensor<8x100x256xf16>) -> tensor<4x16x8x256xf16>
  return
}

// -----

// S26: the table is not gathered along its stick.
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// expected-note @+1 {{operand #1 of type}}
func.func @s26_gathered_stick(%i: tensor<64xi32>, %t: tensor<100x256xf16, #stick>) {
  // expected-error @+1 {{operand #1 has dimension 1, which the indices choose from, on its stick; a spyre.restickify moves another one there}}
  %0 = spyre.gather %i, %t dim 1 : (tensor<64xi32>, tensor<100x256xf16, #stick>) -> tensor<100x64xf16, #stick>
  return
}

// -----

// S26: the result sticks as the table does.
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
// expected-note @+1 {{operand #1 of type}}
func.func @s26_sticks(%i: tensor<64xi32>, %t: tensor<100x256xf16, #stick>) {
  // expected-error @+1 {{result has iteration dimension 0 on its stick, but operand #1 has dimension 1; a spyre.restickify makes them agree}}
  %0 = spyre.gather %i, %t dim 0 : (tensor<64xi32>, tensor<100x256xf16, #stick>) -> tensor<64x256xf16, #cols>
  return
}

// -----

// S26: a sparse result.
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#sparse = #spyre.layout<(d0, d1) -> (d1, d0, 0)>
func.func @s26_sparse(%i: tensor<64xi32>, %t: tensor<100x256xf16, #stick>) {
  // expected-error @+1 {{result is indexed by iteration dimension 1, the stick of operand #1, but has one element of it in each stick}}
  %0 = spyre.gather %i, %t dim 0 : (tensor<64xi32>, tensor<100x256xf16, #stick>) -> tensor<64x256xf16, #sparse>
  return
}

// -----

// S26: sticks alike.
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#staggered = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), arrangement = fp32_to_dl16>
// expected-note @+1 {{operand #1 of type}}
func.func @s26_arrangement(%i: tensor<64xi32>, %t: tensor<100x256xf16, #staggered>) {
  // expected-error @+1 {{result has the arrangement standard on its stick, but operand #1 has fp32_to_dl16}}
  %0 = spyre.gather %i, %t dim 0 : (tensor<64xi32>, tensor<100x256xf16, #staggered>) -> tensor<64x256xf16, #stick>
  return
}

// -----

// S26: whole sticks of indices.
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#sparse = #spyre.layout<(d0) -> (d0, 0)>
// expected-note @+1 {{operand #0 of type}}
func.func @s26_indices(%i: tensor<64xi32, #sparse>, %t: tensor<100x256xf16, #stick>) {
  // expected-error @+1 {{operand #0 has one index in each stick, but a gather reads whole sticks of them; a spyre.restickify moves a dimension there}}
  %0 = spyre.gather %i, %t dim 0 : (tensor<64xi32, #sparse>, tensor<100x256xf16, #stick>) -> tensor<64x256xf16, #stick>
  return
}

// -----

// S27: one core.
func.func @s27_cores(%i: tensor<64xi32>, %t: tensor<100x256xf16>) {
  // expected-error @+1 {{runs on one core, as every operation that takes coordinates from a tensor, but split is [32, 1]}}
  %0 = spyre.gather %i, %t dim 0 split [32, 1] : (tensor<64xi32>, tensor<100x256xf16>) -> tensor<64x256xf16>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Matrix multiplication
//===----------------------------------------------------------------------===//

// S7: at least two dimensions.
func.func @s7_vector(%a: tensor<64xf16>, %b: tensor<64x8xf16>) {
  // expected-error @+1 {{operands need at least 2 dimensions, got ranks 1 and 2}}
  %0 = spyre.batchmatmul %a, %b : (tensor<64xf16>, tensor<64x8xf16>) -> tensor<8xf16>
  return
}

// -----

// S7: rank 0.
func.func @s7_scalar(%a: tensor<f16>) {
  // expected-error @+1 {{operands need at least 2 dimensions, got ranks 0 and 0}}
  %0 = spyre.batchmatmul %a, %a : tensor<f16>
  return
}

// -----

// S7: K agrees.
// expected-note @+2 {{operand #0 of type}}
// expected-note @+1 {{operand #1 of type}}
func.func @s7_k(%a: tensor<8x64xf16>, %b: tensor<32x8xf16>) {
  // expected-error @+1 {{lhs has K = 64, but rhs has K = 32}}
  %0 = spyre.batchmatmul %a, %b : (tensor<8x64xf16>, tensor<32x8xf16>) -> tensor<8x8xf16>
  return
}

// -----

// S7: batch dimensions broadcast.
// expected-note @+2 {{operand #0 of type}}
// expected-note @+1 {{operand #1 of type}}
func.func @s7_batch(%a: tensor<2x8x64xf16>, %b: tensor<3x64x8xf16>) {
  // expected-error @+1 {{batch dimension 0 has extent 2 in lhs, but 3 in rhs}}
  %0 = spyre.batchmatmul %a, %b : (tensor<2x8x64xf16>, tensor<3x64x8xf16>) -> tensor<3x8x8xf16>
  return
}

// -----

// S7: the result is M x N.
// expected-note @+2 {{operand #0 of type}}
// expected-note @+1 {{operand #1 of type}}
func.func @s7_result(%a: tensor<16x64xf16>, %b: tensor<64x8xf16>) {
  // expected-error @+1 {{result has shape [8, 16], but the product of [16, 64] and [64, 8] has shape [16, 8]}}
  %0 = spyre.batchmatmul %a, %b : (tensor<16x64xf16>, tensor<64x8xf16>) -> tensor<8x16xf16>
  return
}

// -----

// S7: the result has the batch dimensions.
// expected-note @+2 {{operand #0 of type}}
// expected-note @+1 {{operand #1 of type}}
func.func @s7_result_rank(%a: tensor<2x16x64xf16>, %b: tensor<64x8xf16>) {
  // expected-error @+1 {{result has shape [16, 8], but the product of [2, 16, 64] and [64, 8] has shape [2, 16, 8]}}
  %0 = spyre.batchmatmul %a, %b : (tensor<2x16x64xf16>, tensor<64x8xf16>) -> tensor<16x8xf16>
  return
}

// -----

// S7: a static batch extent counts more than a dynamic one.
// expected-note @+2 {{operand #0 of type}}
// expected-note @+1 {{operand #1 of type}}
func.func @s7_dynamic(%a: tensor<4x8x64xf16>, %b: tensor<?x64x8xf16>) {
  // expected-error @+1 {{result has shape [7, 8, 8], but the product of [4, 8, 64] and [?, 64, 8] has shape [4, 8, 8]}}
  %0 = spyre.batchmatmul %a, %b : (tensor<4x8x64xf16>, tensor<?x64x8xf16>) -> tensor<7x8x8xf16>
  return
}

// -----

// S8: lhs sticks on K.
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
// expected-note @+1 {{operand #0 of type}}
func.func @s8_lhs(%a: tensor<64x64xf16, #cols>, %b: tensor<64x64xf16, #stick>) {
  // expected-error @+1 {{operand #0 must have K, its dimension 1, on the stick; a spyre.restickify moves it there}}
  %0 = spyre.batchmatmul %a, %b : (tensor<64x64xf16, #cols>, tensor<64x64xf16, #stick>) -> tensor<64x64xf16, #stick>
  return
}

// -----

// S8: rhs sticks on N.
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
// expected-note @+1 {{operand #1 of type}}
func.func @s8_rhs(%a: tensor<64x64xf16, #stick>, %b: tensor<64x64xf16, #cols>) {
  // expected-error @+1 {{operand #1 must have N, its dimension 1, on the stick; a spyre.restickify moves it there}}
  %0 = spyre.batchmatmul %a, %b : (tensor<64x64xf16, #stick>, tensor<64x64xf16, #cols>) -> tensor<64x64xf16, #stick>
  return
}

// -----

// S8: the result sticks on N.
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
func.func @s8_result(%a: tensor<64x64xf16, #stick>) {
  // expected-error @+1 {{result must have N, its dimension 1, on the stick; a spyre.restickify moves it there}}
  %0 = spyre.batchmatmul %a, %a : (tensor<64x64xf16, #stick>, tensor<64x64xf16, #stick>) -> tensor<64x64xf16, #cols>
  return
}

// -----

// S8: a dynamic extent is not 1.
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
// expected-note @+1 {{operand #0 of type}}
func.func @s8_dynamic(%a: tensor<?x?xf16, #cols>, %b: tensor<?x?xf16, #stick>) {
  // expected-error @+1 {{operand #0 must have K, its dimension 1, on the stick}}
  %0 = spyre.batchmatmul %a, %b : (tensor<?x?xf16, #cols>, tensor<?x?xf16, #stick>) -> tensor<?x?xf16, #stick>
  return
}

// -----

// S8: in 8 bits.
#sparse8 = #spyre.layout<(d0, d1) -> (d1, d0, 0)>
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// expected-note @+1 {{operand #0 of type}}
func.func @s8_fp8(%a: tensor<128x128xf8E4M3FN, #sparse8>) {
  // expected-error @+1 {{operand #0 must have K, its dimension 1, on the stick}}
  %0 = spyre.batchmatmulfp8 %a, %a : (tensor<128x128xf8E4M3FN, #sparse8>, tensor<128x128xf8E4M3FN, #sparse8>) -> tensor<128x128xf16, #stick>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Single operations
//===----------------------------------------------------------------------===//

// S12: min is not above max.
func.func @s12_order(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{min 1.000000e+00 is above max -1.000000e+00}}
  %0 = spyre.clip %a min 1.0 max -1.0 : tensor<8x64xf16>
  return
}

// -----

// S12: they are numbers.
func.func @s12_nan(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{min and max must be numbers, got nan and 1.000000e+00}}
  %0 = spyre.clip %a min 0x7FF8000000000000 max 1.0 : tensor<8x64xf16>
  return
}

// -----

// S13: the result has every position of the operand.
// expected-note @+1 {{operand #0 of type 'tensor<8x64xf16>' comes from here}}
func.func @s13_shape(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{operand #0 has extent 8 in dimension 0, which does not broadcast to the result's extent 1}}
  %0 = spyre.copy %a : (tensor<8x64xf16>) -> tensor<1x64xf16>
  return
}

// -----

// S13: one dimension on the stick.
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
// expected-note @+1 {{operand #0 of type}}
func.func @s13_stick(%a: tensor<64x64xf16, #stick>) {
  // expected-error @+1 {{stick}}
  %0 = spyre.copy %a : (tensor<64x64xf16, #stick>) -> tensor<64x64xf16, #cols>
  return
}

// -----

// S13: one format.
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#ieee = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), format = IEEE_FP16>
func.func @s13_format(%a: tensor<64x64xf16, #stick>) {
  // expected-error @+1 {{cannot change the device format or the arrangement, from}}
  %0 = spyre.copy %a : (tensor<64x64xf16, #stick>) -> tensor<64x64xf16, #ieee>
  return
}

// -----

// S13: one arrangement.
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#exx2 = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), arrangement = exx2>
// expected-note @+1 {{operand #0 of type}}
func.func @s13_arrangement(%a: tensor<64x64xf16, #stick>) {
  // expected-error @+1 {{result has the arrangement exx2 on its stick, but operand #0 has standard}}
  %0 = spyre.copy %a : (tensor<64x64xf16, #stick>) -> tensor<64x64xf16, #exx2>
  return
}

// -----

// S14: a layout to change to.
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
func.func @s14_layout(%a: tensor<64x64xf16, #stick>) {
  // expected-error @+1 {{needs a layout to change to, got the result type 'tensor<64x64xf16>'}}
  %0 = spyre.restickify %a : (tensor<64x64xf16, #stick>) -> tensor<64x64xf16>
  return
}

// -----

// S14: one format.
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#ieee = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), format = IEEE_FP16>
func.func @s14_format(%a: tensor<64x64xf16, #stick>) {
  // expected-error @+1 {{cannot change the device format from SEN169_FP16 to IEEE_FP16}}
  %0 = spyre.restickify %a : (tensor<64x64xf16, #stick>) -> tensor<64x64xf16, #ieee>
  return
}

// -----

// S14: one shape.
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
func.func @s14_shape(%a: tensor<64x64xf16, #stick>) {
  // expected-error @+1 {{failed to verify that all of {input, result} have same shape}}
  %0 = spyre.restickify %a : (tensor<64x64xf16, #stick>) -> tensor<64x128xf16, #stick>
  return
}

// -----

// S15: a splat.
func.func @s15_splat() {
  // expected-error @+1 {{value must be a splat}}
  %0 = spyre.fill dense<[1.0, 2.0]> : tensor<2xf16>
  return
}

// -----

// S15: in generic form, a number is no tensor.
func.func @s15_scalar() {
  // expected-error @+1 {{failed to verify that all of {value, result} have same type}}
  %0 = "spyre.fill"() <{value = 1.0 : f16}> : () -> tensor<2xf16>
  return
}

// -----

// S17: a size for each dynamic extent.
func.func @s17_dynamic() {
  // expected-error @+1 {{needs one size for each dynamic extent of [?, 64], got 0}}
  %0 = spyre.empty : tensor<?x64xf16>
  return
}

// -----

// S17: no size for a fixed extent.
func.func @s17_static(%n: index) {
  // expected-error @+1 {{needs one size for each dynamic extent of [8, 64], got 1}}
  %0 = spyre.empty(%n) : tensor<8x64xf16>
  return
}

// -----

// S17: a place for a tensor of fixed extents only.
func.func @s17_place(%n: index) {
  // expected-error @+1 {{has a place, so it needs a static shape, got [?, 64]}}
  %0 = spyre.empty(%n) place pool 0 : tensor<?x64xf16>
  return
}

// -----

// S24: a dimension that is declared.
func.func @s24_undeclared() {
  // expected-error @+1 {{needs a function around it whose 'spyre.dim_sizes' declares "S" to be #spyre.dynamic}}
  %0 = spyre.dim_size "S"
  return
}

// -----

// S24: a dimension whose extent is dynamic.
func.func @s24_fixed() attributes {spyre.dim_sizes = {S = 64}} {
  // expected-error @+1 {{needs a function around it whose 'spyre.dim_sizes' declares "S" to be #spyre.dynamic}}
  %0 = spyre.dim_size "S"
  return
}

// -----

// S18: a division by beta must make sense.
func.func @s18_beta_zero(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{beta must be positive and finite, got 0.000000e+00}}
  %0 = spyre.softplus %a beta 0.0 threshold 20.0 : tensor<8x64xf16>
  return
}

// -----

// S18: a division by beta must make sense.
func.func @s18_beta_negative(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{beta must be positive and finite, got -1.000000e+00}}
  %0 = spyre.softplus %a beta -1.0 threshold 20.0 : tensor<8x64xf16>
  return
}

// -----

// S18: a division by beta must make sense.
func.func @s18_beta_inf(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{beta must be positive and finite, got INF}}
  %0 = spyre.softplus %a beta 0x7FF0000000000000 threshold 20.0 : tensor<8x64xf16>
  return
}

// -----

// S18: a division by beta must make sense.
func.func @s18_beta_nan(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{beta must be positive and finite, got nan}}
  %0 = spyre.softplus %a beta 0x7FF8000000000000 threshold 20.0 : tensor<8x64xf16>
  return
}

// -----

// S18: the threshold is a number.
func.func @s18_threshold(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{threshold must be a number}}
  %0 = spyre.softplus %a beta 1.0 threshold 0x7FF8000000000000 : tensor<8x64xf16>
  return
}

// -----

// S19: eps keeps the variance positive.
func.func @s19_eps_negative(%a: tensor<8x2xf16>) {
  // expected-error @+1 {{eps must be finite and not negative, got -1.000000e-05}}
  %0 = spyre.layernormscale %a eps -1.0e-5 : (tensor<8x2xf16>) -> tensor<8x1xf16>
  return
}

// -----

// S19: eps keeps the variance positive.
func.func @s19_eps_inf(%a: tensor<8x2xf16>) {
  // expected-error @+1 {{eps must be finite and not negative, got INF}}
  %0 = spyre.layernormscale %a eps 0x7FF0000000000000 : (tensor<8x2xf16>) -> tensor<8x1xf16>
  return
}

// -----

// S19: eps keeps the variance positive.
func.func @s19_eps_nan(%a: tensor<8x2xf16>) {
  // expected-error @+1 {{eps must be finite and not negative, got nan}}
  %0 = spyre.layernormscale %a eps 0x7FF8000000000000 : (tensor<8x2xf16>) -> tensor<8x1xf16>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Malformed generic form
//===----------------------------------------------------------------------===//

// Too few operands.
func.func @generic_operands(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{expected 2 operands, but found 1}}
  %0 = "spyre.add"(%a) : (tensor<8x64xf16>) -> tensor<8x64xf16>
  return
}

// -----

// No operands.
func.func @generic_no_operands() {
  // expected-error @+1 {{expected 2 operands, but found 0}}
  %0 = "spyre.batchmatmul"() : () -> tensor<8x64xf16>
  return
}

// -----

// No result.
func.func @generic_no_result(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{requires one result}}
  "spyre.abs"(%a) : (tensor<8x64xf16>) -> ()
  return
}

// -----

// Missing attributes.
func.func @generic_no_dims(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{requires attribute 'dims'}}
  %0 = "spyre.sum"(%a) : (tensor<8x64xf16>) -> tensor<8x64xf16>
  return
}

// -----

func.func @generic_no_k(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{requires attribute 'k'}}
  %0 = "spyre.topkvalue"(%a) <{dim = 1 : i64}> : (tensor<8x64xf16>) -> tensor<8x64xf16>
  return
}

// -----

func.func @generic_no_max(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{requires attribute 'max'}}
  %0 = "spyre.clip"(%a) <{min = 1.0 : f64}> : (tensor<8x64xf16>) -> tensor<8x64xf16>
  return
}

// -----

func.func @generic_no_value() {
  // expected-error @+1 {{requires attribute 'value'}}
  %0 = "spyre.fill"() : () -> tensor<8x64xf16>
  return
}

// -----

// Attributes of another kind.
func.func @generic_dims(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{invalid properties {dims = [0]} for op spyre.sum: Invalid attribute `dims` in property conversion: [0]}}
  %0 = "spyre.sum"(%a) <{dims = [0]}> : (tensor<8x64xf16>) -> tensor<64xf16>
  return
}

// -----

func.func @generic_tile(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{attribute 'tile' failed to satisfy constraint: hints of the tiling scopes around the operation, outermost first}}
  %0 = "spyre.abs"(%a) <{tile = [1, 2]}> : (tensor<8x64xf16>) -> tensor<8x64xf16>
  return
}

// -----

func.func @generic_split(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{invalid properties {split = array<i32: 1, 1>} for op spyre.abs}}
  %0 = "spyre.abs"(%a) <{split = array<i32: 1, 1>}> : (tensor<8x64xf16>) -> tensor<8x64xf16>
  return
}

// -----

func.func @generic_place(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{invalid properties {place = "lx"} for op spyre.abs}}
  %0 = "spyre.abs"(%a) <{place = "lx"}> : (tensor<8x64xf16>) -> tensor<8x64xf16>
  return
}

// -----

func.func @generic_min(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{attribute 'min' failed to satisfy constraint: 64-bit float attribute}}
  %0 = "spyre.clip"(%a) <{min = 1.0 : f32, max = 2.0 : f64}> : (tensor<8x64xf16>) -> tensor<8x64xf16>
  return
}

// -----

func.func @generic_k(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{attribute 'k' failed to satisfy constraint: 64-bit signless integer attribute}}
  %0 = "spyre.topkvalue"(%a) <{dim = 1 : i64, k = 4 : i32}> : (tensor<8x64xf16>) -> tensor<8x4xf16>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

// An unknown place.
func.func @syntax_place(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{unknown place 'hbm' (known: arg, pool, lx, window)}}
  %0 = spyre.abs %a place hbm 0 : tensor<8x64xf16>
  return
}

// -----

// A place without its address.
func.func @syntax_address(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{expected integer value}}
  %0 = spyre.abs %a place lx : tensor<8x64xf16>
  return
}

// -----

// The constraints of places hold here too: SP2.
func.func @syntax_place_constraint(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{'lx' address 64 is not a multiple of the stick, 128 bytes}}
  %0 = spyre.abs %a place lx 64 : tensor<8x64xf16>
  return
}

// -----

// And those of hints: SH1.
func.func @syntax_hint_constraint(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{tile count must be positive, got 0}}
  %0 = spyre.abs %a tile [0: "A" in 0] : tensor<8x64xf16>
  return
}

// -----

// SH5.
func.func @syntax_divide_constraint(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{number of cores must be positive, got 0}}
  %0 = spyre.abs %a divide ["A" over 0] : tensor<8x64xf16>
  return
}

// -----

// A hint without a name.
func.func @syntax_hint(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{invalid kind of attribute specified}}
  %0 = spyre.abs %a tile [0: 1 in 2] : tensor<8x64xf16>
  return
}

// -----

// Too few types.
func.func @syntax_types(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{expected 2 operand types and 1 result type, got 1 and 1}}
  %0 = spyre.add %a, %a : (tensor<8x64xf16>) -> tensor<8x64xf16>
  return
}

// -----

// Too many results.
func.func @syntax_results(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{expected 1 operand types and 1 result type, got 1 and 2}}
  %0 = spyre.exp %a : (tensor<8x64xf16>) -> (tensor<8x64xf16>, tensor<8x64xf16>)
  return
}

// -----

// A whole number where a fraction may be.
func.func @syntax_number(%a: tensor<8x64xf16>) {
  // expected-error @+2 {{unexpected decimal integer literal for a floating point value}}
  // expected-note @+1 {{add a trailing dot to make the literal a float}}
  %0 = spyre.clip %a min 1 max 2 : tensor<8x64xf16>
  return
}

// -----

// S28
// expected-note @+1 {{operand #1 of type}}
func.func @s28_extent(%x: tensor<8x64xf16>, %y: tensor<32xf16>) {
  // expected-error @+1 {{operand #1 has extent 32 in dimension 0, which does not broadcast to the result's extent 64}}
  %0 = spyre.pow %x, %y : (tensor<8x64xf16>, tensor<32xf16>) -> tensor<8x64xf16>
  return
}

// -----

// S28
// expected-note @+1 {{operand #1 of type}}
func.func @s28_remainder(%x: tensor<8x64xf16>, %y: tensor<32xf16>) {
  // expected-error @+1 {{operand #1 has extent 32 in dimension 0, which does not broadcast to the result's extent 64}}
  %0 = spyre.fmod %x, %y : (tensor<8x64xf16>, tensor<32xf16>) -> tensor<8x64xf16>
  return
}

// -----

// S28
func.func @s28_result(%x: tensor<1x64xf16>, %y: tensor<64xf16>) {
  // expected-error @+1 {{result has shape [8, 64], but the operands broadcast to [1, 64]}}
  %0 = spyre.pow %x, %y : (tensor<1x64xf16>, tensor<64xf16>) -> tensor<8x64xf16>
  return
}

// -----

func.func @no_op_func_on_integers(%x: tensor<8x64xi32>) {
  // expected-error @+1 {{operand #0 must be}}
  %0 = "spyre.sin"(%x) : (tensor<8x64xi32>) -> tensor<8x64xi32>
  return
}

// -----

func.func @no_op_func_to_another_type(%x: tensor<8x64xf16>) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %0 = "spyre.sin"(%x) : (tensor<8x64xf16>) -> tensor<8x64xf32>
  return
}

// -----

func.func @bitcast_to_itself(%x: tensor<8x64xi32>) {
  // expected-error @+1 {{'spyre.bitcast' op failed to verify that input and result have different element types}}
  %0 = spyre.bitcast %x : tensor<8x64xi32>
  return
}

// -----

func.func @bitcast_of_half(%x: tensor<8x64xf16>) {
  // expected-error @+1 {{'spyre.bitcast' op operand #0 must be}}
  %0 = spyre.bitcast %x : (tensor<8x64xf16>) -> tensor<8x64xi32>
  return
}

// -----

func.func @sitofp_of_another_shape(%x: tensor<8x64xi32>) {
  // expected-error @+1 {{'spyre.sitofp' op failed to verify that all of {input, result} have same shape}}
  %0 = spyre.sitofp %x : (tensor<8x64xi32>) -> tensor<8x32xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

// S29
func.func @s29_rank(%x: tensor<9x7x64xf16>, %w: tensor<3x3x64x80xf16>) {
  // expected-error @+1 {{operand #0 has rank 3, but must have rank 4}}
  %0 = spyre.conv2d %x, %w : (tensor<9x7x64xf16>, tensor<3x3x64x80xf16>) -> tensor<7x5x80xf16>
  return
}

// -----

// S29
func.func @s29_strides(%x: tensor<2x9x7x64xf16>, %w: tensor<3x3x64x80xf16>) {
  // expected-error @+1 {{strides must be two positive numbers below 2^31, got [2]}}
  %0 = spyre.conv2d %x, %w strides [2] : (tensor<2x9x7x64xf16>, tensor<3x3x64x80xf16>) -> tensor<2x7x5x80xf16>
  return
}

// -----

// S29
func.func @s29_dilations(%x: tensor<2x9x7x64xf16>, %w: tensor<3x3x64x80xf16>) {
  // expected-error @+1 {{dilations must be two positive numbers below 2^31, got [1, 0]}}
  %0 = spyre.conv2d %x, %w dilations [1, 0] : (tensor<2x9x7x64xf16>, tensor<3x3x64x80xf16>) -> tensor<2x7x5x80xf16>
  return
}

// -----

// S29
// expected-note @+2 {{operand #0 of type}}
// expected-note @+1 {{operand #1 of type}}
func.func @s29_channels(%x: tensor<2x9x7x128xf16>, %w: tensor<3x3x64x80xf16>) {
  // expected-error @+1 {{the image has 128 channels in dimension 3, but the weight 64 in dimension 2}}
  %0 = spyre.conv2d %x, %w : (tensor<2x9x7x128xf16>, tensor<3x3x64x80xf16>) -> tensor<2x7x5x80xf16>
  return
}

// -----

// S29
// expected-note @+2 {{operand #0 of type}}
// expected-note @+1 {{operand #1 of type}}
func.func @s29_dynamic_channels(%x: tensor<2x9x7x?xf16>, %w: tensor<3x3x64x80xf16>) {
  // expected-error @+1 {{the image has ? channels in dimension 3, but the weight 64 in dimension 2}}
  %0 = spyre.conv2d %x, %w : (tensor<2x9x7x?xf16>, tensor<3x3x64x80xf16>) -> tensor<2x7x5x80xf16>
  return
}

// -----

// S29
func.func @s29_dynamic(%x: tensor<2x?x7x64xf16>, %w: tensor<3x3x64x80xf16>) {
  // expected-error @+1 {{only the batch can be dynamic, got}}
  %0 = spyre.conv2d %x, %w : (tensor<2x?x7x64xf16>, tensor<3x3x64x80xf16>) -> tensor<2x?x5x80xf16>
  return
}

// -----

// S29
func.func @s29_reach(%x: tensor<2x9x7x64xf16>, %w: tensor<3x3x64x80xf16>) {
  // expected-error @+1 {{a window of 3 elements, 4 apart, reaches over more than dimension 2 of the image, which has 7}}
  %0 = spyre.conv2d %x, %w dilations [1, 4] : (tensor<2x9x7x64xf16>, tensor<3x3x64x80xf16>) -> tensor<2x7x1x80xf16>
  return
}

// -----

// S29
func.func @s29_reach_of_64_bits(%x: tensor<2x9x7x64xf16>, %w: tensor<3x4611686018427387904x64x80xf16>) {
  // expected-error @+1 {{a window of 4611686018427387904 elements, 4 apart, reaches over more than dimension 2 of the image, which has 7}}
  %0 = spyre.conv2d %x, %w dilations [1, 4] : (tensor<2x9x7x64xf16>, tensor<3x4611686018427387904x64x80xf16>) -> tensor<2x7x1x80xf16>
  return
}

// -----

// S29
func.func @s29_rest(%x: tensor<2x9x7x64xf16>, %w: tensor<3x3x64x80xf16>) {
  // expected-error @+1 {{windows of 3 elements, 4 apart, leave 2 of 9 elements along dimension 1 of the image; slice it before}}
  %0 = spyre.conv2d %x, %w strides [4, 1] : (tensor<2x9x7x64xf16>, tensor<3x3x64x80xf16>) -> tensor<2x2x5x80xf16>
  return
}

// -----

// S29
// expected-note @+2 {{operand #0 of type}}
// expected-note @+1 {{operand #1 of type}}
func.func @s29_result(%x: tensor<2x9x7x64xf16>, %w: tensor<3x3x64x80xf16>) {
  // expected-error @+1 {{result has shape [2, 7, 7, 80], but there are windows for [2, 7, 5, 80]}}
  %0 = spyre.conv2d %x, %w : (tensor<2x9x7x64xf16>, tensor<3x3x64x80xf16>) -> tensor<2x7x7x80xf16>
  return
}

// -----

// S30
func.func @s30_channels(%x: tensor<2x9x7x48xf16>, %w: tensor<3x3x48x80xf16>) {
  // expected-error @+1 {{the image has 48 channels, which are not whole sticks of 64: the rest of the last one would add to the sums}}
  %0 = spyre.conv2d %x, %w : (tensor<2x9x7x48xf16>, tensor<3x3x48x80xf16>) -> tensor<2x7x5x80xf16>
  return
}

// -----

// S30
func.func @s30_window(%x: tensor<2x9x7x64xf16>, %w: tensor<1x1x64x80xf16>) {
  // expected-error @+1 {{the window has a single element; use spyre.batchmatmul}}
  %0 = spyre.conv2d %x, %w : (tensor<2x9x7x64xf16>, tensor<1x1x64x80xf16>) -> tensor<2x9x7x80xf16>
  return
}

// -----

// S30
func.func @s30_stride(%x: tensor<2x9x7x64xf16>, %w: tensor<1x3x64x80xf16>) {
  // expected-error @+1 {{the window has a single element along dimension 0, where the stride is 2: slice the image before}}
  %0 = spyre.conv2d %x, %w strides [2, 1] : (tensor<2x9x7x64xf16>, tensor<1x3x64x80xf16>) -> tensor<2x5x5x80xf16>
  return
}

// -----

// S30
func.func @s30_position(%x: tensor<2x3x7x64xf16>, %w: tensor<3x3x64x80xf16>) {
  // expected-error @+1 {{a window of 3 elements is at a single position along dimension 1 of the result: its elements are channels}}
  %0 = spyre.conv2d %x, %w : (tensor<2x3x7x64xf16>, tensor<3x3x64x80xf16>) -> tensor<2x1x5x80xf16>
  return
}

// -----

// S31
#image = #spyre.layout<(d0, d1, d2, d3) -> (d1, d2, d3 floordiv 64, d0, d3 mod 64)>
#channels = #spyre.layout<(d0, d1, d2, d3) -> (d0, d1, d3, d2 floordiv 64, d2 mod 64)>
// expected-note @+1 {{operand #1 of type}}
func.func @s31_weight(%x: tensor<2x9x7x64xf16, #image>, %w: tensor<3x3x64x80xf16, #channels>) {
  // expected-error @+1 {{operand #1 must have the filters, its dimension 3, on the stick; a spyre.restickify moves it there}}
  %0 = spyre.conv2d %x, %w : (tensor<2x9x7x64xf16, #image>, tensor<3x3x64x80xf16, #channels>) -> tensor<2x7x5x80xf16, #image>
  return
}

// -----

// S32
func.func @s32_window(%x: tensor<2x9x7x64xf16>, %w: tensor<3x3x64x80xf16>) {
  // expected-error @+1 {{a core needs whole windows, but split has 3 cores along dimension 0 of the window}}
  %0 = spyre.conv2d %x, %w split [1, 1, 1, 1, 1, 3, 1] : (tensor<2x9x7x64xf16>, tensor<3x3x64x80xf16>) -> tensor<2x7x5x80xf16>
  return
}

// -----

// S32
func.func @s32_stride(%x: tensor<2x9x7x64xf16>, %w: tensor<3x3x64x80xf16>) {
  // expected-error @+1 {{windows of 3 elements, 2 apart, stay on one core, but split has 2 cores along dimension 1 of the result}}
  %0 = spyre.conv2d %x, %w strides [2, 1] split [1, 2, 1, 1, 1, 1, 1] : (tensor<2x9x7x64xf16>, tensor<3x3x64x80xf16>) -> tensor<2x4x5x80xf16>
  return
}

// -----

// S33: positions as floats are of the element type that is searched.
func.func @s33_types(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{positions are of 'f32', but the input of 'f16'; positions as floats have the element type of the input}}
  %0 = spyre.topkindex %a dim 0 k 1 : (tensor<8x64xf16>) -> tensor<1x64xf32>
  return
}

// -----

// S33: no f16 is 1025 on the card, which has nine bits after the point.
func.func @s33_f16(%a: tensor<1026x64xf16>) {
  // expected-error @+1 {{searches 1026 elements, but 'f16' holds positions up to 1024 exactly; search in f32, or return positions as integers, which the host computes}}
  %0 = spyre.topkindex %a dim 0 k 1 : (tensor<1026x64xf16>) -> tensor<1x64xf16>
  return
}

// -----

// S33: and no bf16 is 257.
func.func @s33_bf16(%a: tensor<258x64xbf16>) {
  // expected-error @+1 {{searches 258 elements, but 'bf16' holds positions up to 256 exactly}}
  %0 = spyre.topkindex %a dim 0 k 1 : (tensor<258x64xbf16>) -> tensor<1x64xbf16>
  return
}

// -----

// S33: and no f32 is 2^24 + 1.
func.func @s33_f32(%a: tensor<16777218x64xf32>) {
  // expected-error @+1 {{searches 16777218 elements, but 'f32' holds positions up to 16777216 exactly}}
  %0 = spyre.topkindex %a dim 0 k 1 : (tensor<16777218x64xf32>) -> tensor<1x64xf32>
  return
}

// -----

// S33: a dynamic extent has no largest position.
func.func @s33_dynamic(%a: tensor<?x64xf16>) {
  // expected-error @+1 {{searches dimension 0 of dynamic extent, but 'f16' holds positions up to 1024 exactly; search in f32, or return positions as integers, which the host computes}}
  %0 = spyre.topkindex %a dim 0 k 1 : (tensor<?x64xf16>) -> tensor<1x64xf16>
  return
}

// -----

// S34: the bounds of a magnitude.
func.func @s34_negative(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{min and max must be numbers, 0 <= min <= max, got -1.000000e+00 and 4.000000e+00}}
  %0 = spyre.quantscalepertokenfp8 %a dims [1] min -1.0 max 4.0 factor 0.125 : (tensor<8x64xf16>) -> tensor<8xf16>
  return
}

// -----

// S34: in order.
func.func @s34_order(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{min and max must be numbers, 0 <= min <= max, got 4.000000e+00 and 1.000000e+00}}
  %0 = spyre.quantscalepertokenfp8 %a dims [1] min 4.0 max 1.0 factor 0.125 : (tensor<8x64xf16>) -> tensor<8xf16>
  return
}

// -----

// S34: NaN is no bound.
func.func @s34_nan(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{min and max must be numbers, 0 <= min <= max, got}}
  %0 = spyre.quantscalepertokenfp8 %a dims [1] min 0.0 max 0x7FF8000000000000 factor 0.125 : (tensor<8x64xf16>) -> tensor<8xf16>
  return
}

// -----

// S34: a scale of 0 divides nothing.
func.func @s34_factor(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{factor must be positive and finite, got 0.000000e+00}}
  %0 = spyre.quantscalepertokenfp8 %a dims [1] min 0.0 max 4.0 factor 0.0 : (tensor<8x64xf16>) -> tensor<8xf16>
  return
}

// -----

// S35: along rows there is no scale.
func.func @s35_rows(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{dims [0] must be the last dimension of the input, 1, alone: no OpFunc has the scale along another one}}
  %0 = spyre.quantscalepertokenfp8 %a dims [0] min 0.0 max 4.0 factor 0.125 : (tensor<8x64xf16>) -> tensor<64xf16>
  return
}

// -----

// S35: nor of several rows.
func.func @s35_both(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{must be the last dimension of the input, 1, alone}}
  %0 = spyre.quantscalepertokenfp8 %a dims [0, 1] keepdim min 0.0 max 4.0 factor 0.125 : (tensor<8x64xf16>) -> tensor<1x1xf16>
  return
}

// -----

// S35: one element is on no stick.
func.func @s35_one(%a: tensor<8x1xf16>) {
  // expected-error @+1 {{the last dimension of the input has one element, and is on no stick}}
  %0 = spyre.quantscalepertokenfp8 %a dims [1] min 0.0 max 4.0 factor 0.125 : (tensor<8x1xf16>) -> tensor<8xf16>
  return
}

// -----

// S22: along the stick.
#s22_columns = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
#s22_result = #spyre.layout<(d0) -> (d0 floordiv 64, d0 mod 64)>
// expected-note @+1 {{operand #0 of type}}
func.func @s22_scale(%a: tensor<64x64xf16, #s22_columns>) {
  // expected-error @+1 {{operand #0 must have its last dimension, 1, on the stick; a spyre.restickify moves it there}}
  %0 = spyre.quantscalepertokenfp8 %a dims [1] min 0.0 max 4.0 factor 0.125 : (tensor<64x64xf16, #s22_columns>) -> tensor<64xf16, #s22_result>
  return
}

// -----

// S40: a pair has two moments.
// expected-note @+1 {{operand #0 of type 'tensor<8x1xf16>' comes from here}}
func.func @s40_scale_of_no_pair(%m: tensor<8x1xf16>) {
  // expected-error @+1 {{operand #0 has shape [8, 1], but a pair has 2 elements in its last dimension, the mean and the mean of squares that spyre.exx2 makes}}
  %0 = spyre.layernormscale %m eps 1.0e-5 : tensor<8x1xf16>
  return
}

// -----

// S40: of which a scale is made for each row.
// expected-note @+1 {{operand #0 of type}}
func.func @s40_scale_of_other_rows(%p: tensor<8x2xf16>) {
  // expected-error @+1 {{operand #0 has extent 8 in dimension 0, which does not broadcast to the result's extent 4}}
  %0 = spyre.layernormscale %p eps 1.0e-5 : (tensor<8x2xf16>) -> tensor<4x1xf16>
  return
}

// -----

// S40: and one element.
func.func @s40_scale_of_columns(%p: tensor<8x2xf16>) {
  // expected-error @+1 {{result has shape [8, 2], but the operands broadcast to [8, 1]}}
  %0 = spyre.layernormscale %p eps 1.0e-5 : tensor<8x2xf16>
  return
}

// -----

// S40: a plain mean is no pair.
// expected-note @+1 {{operand #1 of type 'tensor<8x1xf16>' comes from here}}
func.func @s40_plain_mean(%x: tensor<8x64xf16>, %m: tensor<8x1xf16>, %w: tensor<64xf16>) {
  // expected-error @+1 {{operand #1 has shape [8, 1], but a pair has 2 elements in its last dimension, the mean and the mean of squares that spyre.exx2 makes}}
  %0 = spyre.layernormnorm %x, %m, %m, %w, %w : (tensor<8x64xf16>, tensor<8x1xf16>, tensor<8x1xf16>, tensor<64xf16>, tensor<64xf16>) -> tensor<8x64xf16>
  return
}

// -----

// S40: a pair is no scale.
// expected-note @+1 {{operand #2 of type}}
func.func @s40_pair_as_scale(%x: tensor<8x64xf16>, %p: tensor<8x2xf16>, %w: tensor<64xf16>) {
  // expected-error @+1 {{operand #2 has shape [8, 2], but a scale has one element for each row, 1 in the last dimension}}
  %0 = spyre.layernormnorm %x, %p, %p, %w, %w : (tensor<8x64xf16>, tensor<8x2xf16>, tensor<8x2xf16>, tensor<64xf16>, tensor<64xf16>) -> tensor<8x64xf16>
  return
}

// -----

// S40: what is normalised does not repeat.
// expected-note @+1 {{operand #0 of type}}
func.func @s40_repeated_input(%x: tensor<64xf16>, %p: tensor<8x2xf16>, %s: tensor<8x1xf16>, %w: tensor<64xf16>) {
  // expected-error @+1 {{result has shape [8, 64], but the input has [64]; what is normalised does not repeat}}
  %0 = spyre.layernormnorm %x, %p, %s, %w, %w : (tensor<64xf16>, tensor<8x2xf16>, tensor<8x1xf16>, tensor<64xf16>, tensor<64xf16>) -> tensor<8x64xf16>
  return
}

// -----

// S40: rows have a dimension.
// expected-note @+1 {{operand #0 of type}}
func.func @s40_norm_of_nothing(%x: tensor<f16>) {
  // expected-error @+1 {{needs a last dimension of more than one element, which is normalised, got 'tensor<f16>'}}
  %0 = spyre.layernormnorm %x, %x, %x, %x, %x : tensor<f16>
  return
}

// -----

// S40: rows have several elements.
// expected-note @+1 {{operand #0 of type}}
func.func @s40_norm_of_one_element(%x: tensor<8x1xf16>, %p: tensor<8x2xf16>) {
  // expected-error @+1 {{needs a last dimension of more than one element, which is normalised, got 'tensor<8x1xf16>'}}
  %0 = spyre.layernormnorm %x, %p, %x, %x, %x : (tensor<8x1xf16>, tensor<8x2xf16>, tensor<8x1xf16>, tensor<8x1xf16>, tensor<8x1xf16>) -> tensor<8x1xf16>
  return
}

// -----

// S40: rows have several elements.
// expected-note @+1 {{operand #0 of type}}
func.func @s40_moments_of_one_element(%x: tensor<8x1xf16>) {
  // expected-error @+1 {{needs a last dimension of more than one element, which is normalised, got 'tensor<8x1xf16>'}}
  %0 = spyre.exx2 %x : (tensor<8x1xf16>) -> tensor<8x2xf16>
  return
}

// -----

// S40: the moments are a pair.
func.func @s40_one_moment(%x: tensor<8x64xf16>) {
  // expected-error @+1 {{result has shape [8, 1], but a pair has 2 elements in its last dimension}}
  %0 = spyre.exx2 %x : (tensor<8x64xf16>) -> tensor<8x1xf16>
  return
}

// -----

// S40: for each row.
// expected-note @+1 {{operand #0 of type}}
func.func @s40_moments_of_other_rows(%x: tensor<8x64xf16>) {
  // expected-error @+1 {{result has shape [4, 2], but the pairs of [8, 64] have [8, 2]}}
  %0 = spyre.exx2 %x : (tensor<8x64xf16>) -> tensor<4x2xf16>
  return
}

// -----

// S41: a pair is in the arrangement of pairs.
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
func.func @s41_moments(%x: tensor<8x64xf16, #stick>) {
  // expected-error @+1 {{but a pair has its last dimension, 1, on the stick, in the arrangement exx2}}
  %0 = spyre.exx2 %x : (tensor<8x64xf16, #stick>) -> tensor<8x2xf16, #stick>
  return
}

// -----

// S41: and alone in its stick.
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#spread = #spyre.layout<(d0, d1) -> (d1, 0, d0, 0), arrangement = exx2>
func.func @s41_moments_apart(%x: tensor<8x64xf16, #stick>) {
  // expected-error @+1 {{but a pair has its last dimension, 1, on the stick, in the arrangement exx2}}
  %0 = spyre.exx2 %x : (tensor<8x64xf16, #stick>) -> tensor<8x2xf16, #spread>
  return
}

// -----

// S41: where it is read as well.
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#column = #spyre.layout<(d0, d1) -> (d1, 0, d0, 0)>
// expected-note @+1 {{operand #0 of type}}
func.func @s41_scale(%p: tensor<8x2xf16, #stick>) {
  // expected-error @+1 {{operand #0 has the layout}}
  %0 = spyre.layernormscale %p eps 1.0e-5 : (tensor<8x2xf16, #stick>) -> tensor<8x1xf16, #column>
  return
}

// -----

// S42: rows stay on one core.
func.func @s42_moments(%x: tensor<8x128xf16>) {
  // expected-error @+1 {{normalises its last dimension as a whole, but split has 2 cores along it}}
  %0 = spyre.exx2 %x split [4, 2] : (tensor<8x128xf16>) -> tensor<8x2xf16>
  return
}

// -----

// S42: rows stay on one core.
func.func @s42_norm(%x: tensor<8x128xf16>, %p: tensor<8x2xf16>, %s: tensor<8x1xf16>, %w: tensor<128xf16>) {
  // expected-error @+1 {{normalises its last dimension as a whole, but split has 2 cores along it}}
  %0 = spyre.layernormnorm %x, %p, %s, %w, %w split [4, 2] : (tensor<8x128xf16>, tensor<8x2xf16>, tensor<8x1xf16>, tensor<128xf16>, tensor<128xf16>) -> tensor<8x128xf16>
  return
}

// -----

// S29: pools.
func.func @s29_pool_rank(%x: tensor<8x6x80xf16>) {
  // expected-error @+1 {{operand #0 has rank 3, but must have rank 4}}
  %0 = spyre.maxpoolfwd %x window [2, 2] : (tensor<8x6x80xf16>) -> tensor<7x5x80xf16>
  return
}

// -----

// S29
func.func @s29_pool_result_rank(%x: tensor<2x8x6x80xf16>) {
  // expected-error @+1 {{result has rank 3, but must have rank 4}}
  %0 = spyre.maxpoolfwd %x window [2, 2] : (tensor<2x8x6x80xf16>) -> tensor<7x5x80xf16>
  return
}

// -----

// S29
func.func @s29_pool_window(%x: tensor<2x8x6x80xf16>) {
  // expected-error @+1 {{window must be two positive numbers below 2^31, got [2, 0]}}
  %0 = spyre.maxpoolfwd %x window [2, 0] : (tensor<2x8x6x80xf16>) -> tensor<2x7x6x80xf16>
  return
}

// -----

// S29
func.func @s29_pool_strides(%x: tensor<2x8x6x80xf16>) {
  // expected-error @+1 {{strides must be two positive numbers below 2^31, got [1]}}
  %0 = spyre.avgpoolfwd %x window [2, 2] strides [1] : (tensor<2x8x6x80xf16>) -> tensor<2x7x5x80xf16>
  return
}

// -----

// S29
func.func @s29_pool_reach(%x: tensor<2x8x6x80xf16>) {
  // expected-error @+1 {{a window of 7 elements, 1 apart, reaches over more than dimension 2 of the image, which has 6}}
  %0 = spyre.avgpoolfwd %x window [2, 7] : (tensor<2x8x6x80xf16>) -> tensor<2x7x1x80xf16>
  return
}

// -----

// S29
func.func @s29_pool_rest(%x: tensor<2x8x6x80xf16>) {
  // expected-error @+1 {{windows of 3 elements, 2 apart, leave 1 of 8 elements along dimension 1 of the image; slice it before}}
  %0 = spyre.avgpoolfwd %x window [3, 2] strides [2, 2] : (tensor<2x8x6x80xf16>) -> tensor<2x3x3x80xf16>
  return
}

// -----

// S29
// expected-note @+1 {{operand #0 of type}}
func.func @s29_pool_result(%x: tensor<2x8x6x80xf16>) {
  // expected-error @+1 {{result has shape [2, 4, 3, 64], but there are windows for [2, 4, 3, 80]}}
  %0 = spyre.maxpoolfwd %x window [2, 2] strides [2, 2] : (tensor<2x8x6x80xf16>) -> tensor<2x4x3x64xf16>
  return
}

// -----

// S29
func.func @s29_pool_dynamic(%x: tensor<2x8x6x?xf16>) {
  // expected-error @+1 {{only the batch can be dynamic, got}}
  %0 = spyre.maxpoolfwd %x window [2, 2] : (tensor<2x8x6x?xf16>) -> tensor<2x7x5x?xf16>
  return
}

// -----

// S29: the weight of each channel.
func.func @s29_depthwise_weight(%x: tensor<2x8x6x80xf16>, %w: tensor<2x2x80x1xf16>) {
  // expected-error @+1 {{operand #1 has rank 4, but must have rank 3}}
  %0 = spyre.depthwiseconv2dnative %x, %w : (tensor<2x8x6x80xf16>, tensor<2x2x80x1xf16>) -> tensor<2x7x5x80xf16>
  return
}

// -----

// S29
// expected-note @+2 {{operand #0 of type}}
// expected-note @+1 {{operand #1 of type}}
func.func @s29_depthwise_channels(%x: tensor<2x8x6x80xf16>, %w: tensor<2x2x64xf16>) {
  // expected-error @+1 {{the image has 80 channels in dimension 3, but the weight 64 in dimension 2}}
  %0 = spyre.depthwiseconv2dnative %x, %w : (tensor<2x8x6x80xf16>, tensor<2x2x64xf16>) -> tensor<2x7x5x80xf16>
  return
}

// -----

// S30: a pool walks along both dimensions.
func.func @s30_pool_window(%x: tensor<2x8x6x80xf16>) {
  // expected-error @+1 {{window [1, 2] has a single element along a dimension, and the OpFunc walks along two: combine slices of the image element by element}}
  %0 = spyre.maxpoolfwd %x window [1, 2] : (tensor<2x8x6x80xf16>) -> tensor<2x8x5x80xf16>
  return
}

// -----

// S30
func.func @s30_pool_position(%x: tensor<2x8x6x80xf16>) {
  // expected-error @+1 {{a window of 8 elements is at a single position along dimension 1 of the result: reduce that dimension by spyre.max or spyre.mean}}
  %0 = spyre.avgpoolfwd %x window [8, 2] : (tensor<2x8x6x80xf16>) -> tensor<2x1x5x80xf16>
  return
}

// -----

// S30
func.func @s30_pool_channel(%x: tensor<2x8x6x1xf16>) {
  // expected-error @+1 {{the image has a single channel, which is on no stick: make a dimension of more elements the last one}}
  %0 = spyre.avgpoolfwd %x window [2, 2] : (tensor<2x8x6x1xf16>) -> tensor<2x7x5x1xf16>
  return
}

// -----

// S30
func.func @s30_depthwise_window(%x: tensor<2x8x6x80xf16>, %w: tensor<1x1x80xf16>) {
  // expected-error @+1 {{the window has a single element; use spyre.mul}}
  %0 = spyre.depthwiseconv2dnative %x, %w : (tensor<2x8x6x80xf16>, tensor<1x1x80xf16>) -> tensor<2x8x6x80xf16>
  return
}

// -----

// S30
func.func @s30_depthwise_stride(%x: tensor<2x8x6x80xf16>, %w: tensor<2x1x80xf16>) {
  // expected-error @+1 {{the window has a single element along dimension 1, where the stride is 5: slice the image before}}
  %0 = spyre.depthwiseconv2dnative %x, %w strides [1, 5] : (tensor<2x8x6x80xf16>, tensor<2x1x80xf16>) -> tensor<2x7x2x80xf16>
  return
}

// -----

// S30
func.func @s30_depthwise_position(%x: tensor<2x8x6x80xf16>, %w: tensor<8x1x80xf16>) {
  // expected-error @+1 {{a window of 8 elements is at a single position along dimension 1 of the result: write spyre.mul, and spyre.sum along it}}
  %0 = spyre.depthwiseconv2dnative %x, %w : (tensor<2x8x6x80xf16>, tensor<8x1x80xf16>) -> tensor<2x1x6x80xf16>
  return
}

// -----

// S32: windows that overlap.
func.func @s32_pool_overlap(%x: tensor<2x8x6x80xf16>) {
  // expected-error @+1 {{windows of 2 elements, 1 apart, stay on one core, but split has 5 cores along dimension 2 of the result}}
  %0 = spyre.maxpoolfwd %x window [2, 2] strides [2, 1] split [1, 4, 5, 1, 1, 1] : (tensor<2x8x6x80xf16>) -> tensor<2x4x5x80xf16>
  return
}

// -----

// S32
func.func @s32_pool_window(%x: tensor<2x8x6x80xf16>) {
  // expected-error @+1 {{a core needs whole windows, but split has 2 cores along dimension 1 of the window}}
  %0 = spyre.maxpoolfwd %x window [2, 2] strides [2, 2] split [1, 4, 3, 1, 1, 2] : (tensor<2x8x6x80xf16>) -> tensor<2x4x3x80xf16>
  return
}

// -----

// S32
func.func @s32_depthwise_stride(%x: tensor<2x8x6x80xf16>, %w: tensor<2x2x80xf16>) {
  // expected-error @+1 {{windows of 2 elements, 2 apart, stay on one core, but split has 4 cores along dimension 1 of the result}}
  %0 = spyre.depthwiseconv2dnative %x, %w strides [2, 2] split [1, 4, 1, 1, 1, 1] : (tensor<2x8x6x80xf16>, tensor<2x2x80xf16>) -> tensor<2x4x3x80xf16>
  return
}

// -----

// S22: rows on the stick.
#s22_rows = #spyre.layout<(d0, d1, d2, d3) -> (d1, d2 floordiv 64, d3, d0, d2 mod 64)>
#s22_channels = #spyre.layout<(d0, d1, d2, d3) -> (d1, d2, d3 floordiv 64, d0, d3 mod 64)>
// expected-note @+1 {{operand #0 of type}}
func.func @s22_pool(%x: tensor<2x8x64x80xf16, #s22_rows>) {
  // expected-error @+1 {{operand #0 must have its last dimension, 3, on the stick; a spyre.restickify moves it there}}
  %0 = spyre.maxpoolfwd %x window [2, 2] : (tensor<2x8x64x80xf16, #s22_rows>) -> tensor<2x7x63x80xf16, #s22_channels>
  return
}

// -----

// S4: the weight as well.
#s4_channels = #spyre.layout<(d0, d1, d2, d3) -> (d1, d2, d3 floordiv 64, d0, d3 mod 64)>
#s4_window = #spyre.layout<(d0, d1, d2) -> (d0, d1 floordiv 64, d2, d1 mod 64)>
// expected-note @+2 {{operand #0 of type}}
// expected-note @+1 {{operand #1 of type}}
func.func @s4_depthwise(%x: tensor<2x8x64x80xf16, #s4_channels>, %w: tensor<2x32x80xf16, #s4_window>) {
  // expected-error @+1 {{operand #1 has iteration dimension 5 on its stick, but operand #0 has dimension 3}}
  %0 = spyre.depthwiseconv2dnative %x, %w : (tensor<2x8x64x80xf16, #s4_channels>, tensor<2x32x80xf16, #s4_window>) -> tensor<2x7x33x80xf16, #s4_channels>
  return
}

// -----

// S43: numbers of slices for dimensions.
func.func @s43_lengths(%a: tensor<64x512xf16>) {
  // expected-error @+1 {{'from' has 1 dimensions and 2 numbers of slices}}
  %0 = spyre.copy %a from [0] by [8, 2] to [1] by [8] split [1, 8] : tensor<64x512xf16>
  return
}

// -----

// S43: no slices of nothing.
func.func @s43_slices(%a: tensor<64x512xf16>) {
  // expected-error @+1 {{'to' needs numbers of slices that are positive and at most 2147483647 together, got [0]}}
  %0 = spyre.copy %a from [0] by [8] to [1] by [0] split [1, 1] : tensor<64x512xf16>
  return
}

// -----

// S43: the cores of the source have different slices.
func.func @s43_shared_source(%a: tensor<64x512xf16>) {
  // expected-error @+1 {{'from' names dimension -1 of a tensor of rank 2}}
  %0 = spyre.copy %a from [0, -1] by [4, 2] to [1] by [8] split [1, 8] : tensor<64x512xf16>
  return
}

// -----

// S43: a dimension once.
func.func @s43_twice(%a: tensor<64x512xf16>) {
  // expected-error @+1 {{'to' names dimension 1 twice}}
  %0 = spyre.copy %a from [0] by [8] to [1, 1] by [2, 4] split [1, 8] : tensor<64x512xf16>
  return
}

// -----

// S43: equal slices.
func.func @s43_extent(%a: tensor<64x512xf16>) {
  // expected-error @+1 {{'from' has 7 slices of dimension 0, which do not divide its extent 64}}
  %0 = spyre.copy %a from [0] by [7] to [1] by [8] split [1, 8] : tensor<64x512xf16>
  return
}

// -----

// S43: also of the destination.
func.func @s43_destination_extent(%a: tensor<64x512xf16>) {
  // expected-error @+1 {{'to' has 7 slices of dimension 1, which do not divide its extent 512}}
  %0 = spyre.copy %a from [0] by [8] to [1] by [7] split [1, 8] : tensor<64x512xf16>
  return
}

// -----

// S43: the split of the destination.
func.func @s43_split(%a: tensor<64x512xf16>) {
  // expected-error @+1 {{is a relayout to [1, 8] slices along the dimensions, which 'split' must be}}
  %0 = spyre.copy %a from [0] by [8] to [1] by [8] split [8, 1] : tensor<64x512xf16>
  return
}

// -----

// S43: one type.
func.func @s43_type(%a: tensor<64x1xf16>) {
  // expected-error @+1 {{is a relayout, which keeps the type, from 'tensor<64x1xf16>' to 'tensor<64x512xf16>'}}
  %0 = spyre.copy %a from [0] by [8] to [1] by [8] split [1, 8] : (tensor<64x1xf16>) -> tensor<64x512xf16>
  return
}

// -----

// S43: between scratchpads.
func.func @s43_place(%a: tensor<64x512xf16>) {
  // expected-error @+1 {{is a relayout, whose result is in LX, not at}}
  %0 = spyre.copy %a from [0] by [8] to [1] by [8] split [1, 8] place pool 0 : tensor<64x512xf16>
  return
}

// -----

// S43: both sides.
func.func @s43_one_side(%a: tensor<64x512xf16>) {
  // expected-error @+1 {{needs the slices of both tensors of a relayout: 'from' and 'to', each with dimensions and slices}}
  %0 = "spyre.copy"(%a) <{from_dims = array<i64: 0>, from_slices = array<i64: 8>}> : (tensor<64x512xf16>) -> tensor<64x512xf16>
  return
}
