// RUN: spyre-opt %s --split-input-file --verify-diagnostics

// One function for each constraint and each way to violate it; docs/Dialects/UopConstraints.md has the list.

func.func @u1_dynamic(%x: tensor<?xf32>) {
  // expected-error @+1 {{operand #0 must be tensor of known extents of numbers}}
  %0 = uop.neg %x : tensor<?xf32>
  return
}

// -----

func.func @u1_encoding(%x: tensor<4xf32, "row">) {
  // expected-error @+1 {{operand #0 must be tensor of known extents of numbers}}
  %0 = uop.neg %x : tensor<4xf32, "row">
  return
}

// -----

func.func @u1_elements(%x: tensor<1xf32>) {
  // expected-error @+1 {{makes [9223372036854775807, 2] of [1]}}
  %0 = uop.expand %x to [9223372036854775807, 2] : tensor<1xf32>
  return
}

// -----

func.func @u1_overflow(%x: tensor<1x1xf32>) {
  // expected-error @+1 {{has a result of shape [4294967296, 4294967296], which has a negative extent, or 2^63 elements or more}}
  %0 = uop.expand %x to [4294967296, 4294967296] : tensor<1x1xf32>
  return
}

// -----

func.func @u5_shapes(%x: tensor<4xf32>, %y: tensor<1xf32>) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %0 = "uop.add"(%x, %y) : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @u5_compare(%x: tensor<4xf32>, %y: tensor<1xf32>) {
  // expected-error @+1 {{requires all operands to have the same type}}
  %0 = "uop.cmplt"(%x, %y) : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xi1>
  return
}

// -----

func.func @u5_cast(%x: tensor<4xf32>) {
  // expected-error @+1 {{requires the same shape for all operands and results}}
  %0 = uop.cast %x : tensor<4xf32> to tensor<1xi32>
  return
}

// -----

func.func @u6_elements(%x: tensor<4xf32>, %y: tensor<4xf16>) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %0 = "uop.mul"(%x, %y) : (tensor<4xf32>, tensor<4xf16>) -> tensor<4xf32>
  return
}

// -----

func.func @u6_where(%p: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf16>) {
  // expected-error @+1 {{failed to verify that all of {on_true, on_false, result} have same type}}
  %0 = "uop.where"(%p, %x, %y) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf16>) -> tensor<4xf32>
  return
}

// -----

func.func @u6_mulacc(%x: tensor<4xf32>, %y: tensor<4xf16>) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %0 = "uop.mulacc"(%x, %x, %y) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf16>) -> tensor<4xf32>
  return
}

// -----

func.func @u7_recip(%x: tensor<4xi32>) {
  // expected-error @+1 {{operand #0 must be tensor of known extents of floats}}
  %0 = uop.recip %x : tensor<4xi32>
  return
}

// -----

func.func @u7_trunc(%x: tensor<4xi32>) {
  // expected-error @+1 {{operand #0 must be tensor of known extents of floats}}
  %0 = uop.trunc %x : tensor<4xi32>
  return
}

// -----

func.func @u7_neg(%x: tensor<4xi1>) {
  // expected-error @+1 {{operand #0 must be tensor of known extents of numbers}}
  %0 = uop.neg %x : tensor<4xi1>
  return
}

// -----

func.func @u7_not(%x: tensor<4xi8>) {
  // expected-error @+1 {{operand #0 must be tensor of known extents of truth values}}
  %0 = uop.not %x : tensor<4xi8>
  return
}

// -----

func.func @u7_exp2(%x: tensor<4xi32>) {
  // expected-error @+1 {{operand #0 must be tensor of known extents of floats}}
  %0 = uop.exp2 %x : tensor<4xi32>
  return
}

// -----

func.func @u7_log2(%x: tensor<4xi32>) {
  // expected-error @+1 {{operand #0 must be tensor of known extents of floats}}
  %0 = uop.log2 %x : tensor<4xi32>
  return
}

// -----

func.func @u7_sin(%x: tensor<4xi32>) {
  // expected-error @+1 {{operand #0 must be tensor of known extents of floats}}
  %0 = uop.sin %x : tensor<4xi32>
  return
}

// -----

func.func @u7_sqrt(%x: tensor<4xindex>) {
  // expected-error @+1 {{operand #0 must be tensor of known extents of floats}}
  %0 = uop.sqrt %x : tensor<4xindex>
  return
}

// -----

func.func @u7_idiv(%x: tensor<4xf32>) {
  // expected-error @+1 {{operand #0 must be tensor of known extents of integers}}
  %0 = uop.idiv %x, %x : tensor<4xf32>
  return
}

// -----

func.func @u7_mod(%x: tensor<4xf32>) {
  // expected-error @+1 {{operand #0 must be tensor of known extents of integers}}
  %0 = uop.mod %x, %x : tensor<4xf32>
  return
}

// -----

func.func @u7_cdiv(%x: tensor<4xi1>) {
  // expected-error @+1 {{operand #0 must be tensor of known extents of integers}}
  %0 = uop.cdiv %x, %x : tensor<4xi1>
  return
}

// -----

func.func @u7_cmod(%x: tensor<4xf32>) {
  // expected-error @+1 {{operand #0 must be tensor of known extents of integers}}
  %0 = uop.cmod %x, %x : tensor<4xf32>
  return
}

// -----

func.func @u7_sub(%x: tensor<4xi1>) {
  // expected-error @+1 {{operand #0 must be tensor of known extents of numbers}}
  %0 = uop.sub %x, %x : tensor<4xi1>
  return
}

// -----

func.func @u7_div(%x: tensor<4xi32>) {
  // expected-error @+1 {{operand #0 must be tensor of known extents of floats}}
  %0 = uop.div %x, %x : tensor<4xi32>
  return
}

// -----

func.func @u7_pow(%x: tensor<4xi32>) {
  // expected-error @+1 {{operand #0 must be tensor of known extents of floats}}
  %0 = uop.pow %x, %x : tensor<4xi32>
  return
}

// -----

func.func @u7_xor(%x: tensor<4xf32>) {
  // expected-error @+1 {{operand #0 must be tensor of known extents of integers or truth values}}
  %0 = uop.xor %x, %x : tensor<4xf32>
  return
}

// -----

func.func @u7_or(%x: tensor<4xf32>) {
  // expected-error @+1 {{operand #0 must be tensor of known extents of integers or truth values}}
  %0 = uop.or %x, %x : tensor<4xf32>
  return
}

// -----

func.func @u7_and(%x: tensor<4xf32>) {
  // expected-error @+1 {{operand #0 must be tensor of known extents of integers or truth values}}
  %0 = uop.and %x, %x : tensor<4xf32>
  return
}

// -----

func.func @u7_shl(%x: tensor<4xi1>) {
  // expected-error @+1 {{operand #0 must be tensor of known extents of integers}}
  %0 = uop.shl %x, %x : tensor<4xi1>
  return
}

// -----

func.func @u7_shr(%x: tensor<4xf32>) {
  // expected-error @+1 {{operand #0 must be tensor of known extents of integers}}
  %0 = uop.shr %x, %x : tensor<4xf32>
  return
}

// -----

func.func @u7_threefry(%x: tensor<4xi64>) {
  // expected-error @+1 {{operand #0 must be tensor of known extents of ui64}}
  %0 = uop.threefry %x, %x : tensor<4xi64>
  return
}

// -----

func.func @u7_add(%x: tensor<4xf80>) {
  // expected-error @+1 {{operand #0 must be tensor of known extents of numbers or truth values}}
  %0 = uop.add %x, %x : tensor<4xf80>
  return
}

// -----

func.func @u7_mul(%x: tensor<4xi4>) {
  // expected-error @+1 {{operand #0 must be tensor of known extents of numbers or truth values}}
  %0 = uop.mul %x, %x : tensor<4xi4>
  return
}

// -----

func.func @u7_max(%x: tensor<4xsi8>) {
  // expected-error @+1 {{operand #0 must be tensor of known extents of numbers or truth values}}
  %0 = uop.max %x, %x : tensor<4xsi8>
  return
}

// -----

func.func @u7_predicate(%p: tensor<4xi8>, %x: tensor<4xf32>) {
  // expected-error @+1 {{operand #0 must be tensor of known extents of truth values}}
  %0 = "uop.where"(%p, %x, %x) : (tensor<4xi8>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @u7_cmplt(%x: tensor<4xf32>) {
  // expected-error @+1 {{result #0 must be tensor of known extents of truth values}}
  %0 = "uop.cmplt"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @u7_cmpne(%x: tensor<4xf32>) {
  // expected-error @+1 {{result #0 must be tensor of known extents of truth values}}
  %0 = "uop.cmpne"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @u7_cmpeq(%x: tensor<4xf32>) {
  // expected-error @+1 {{result #0 must be tensor of known extents of truth values}}
  %0 = "uop.cmpeq"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @u7_cmpgt(%x: tensor<4xf32>) {
  // expected-error @+1 {{result #0 must be tensor of known extents of truth values}}
  %0 = "uop.cmpgt"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @u7_cmpge(%x: tensor<4xf32>) {
  // expected-error @+1 {{result #0 must be tensor of known extents of truth values}}
  %0 = "uop.cmpge"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @u7_cmple(%x: tensor<4xf32>) {
  // expected-error @+1 {{result #0 must be tensor of known extents of truth values}}
  %0 = "uop.cmple"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @u7_contiguous(%x: tensor<4xf80>) {
  // expected-error @+1 {{operand #0 must be tensor of known extents of numbers or truth values}}
  %0 = uop.contiguous %x : tensor<4xf80>
  return
}

// -----

func.func @u7_contiguous_backward(%x: tensor<4xf80>) {
  // expected-error @+1 {{operand #0 must be tensor of known extents of numbers or truth values}}
  %0 = uop.contiguous_backward %x : tensor<4xf80>
  return
}

// -----

func.func @u7_detach(%x: tensor<4xf80>) {
  // expected-error @+1 {{operand #0 must be tensor of known extents of numbers or truth values}}
  %0 = uop.detach %x : tensor<4xf80>
  return
}

// -----

func.func @u8_twice(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{has [0, 0], which is no order of the axes of [2, 3]}}
  %0 = uop.permute %x [0, 0] : tensor<2x3xf32>
  return
}

// -----

func.func @u8_missing(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{has [0], which is no order of the axes of [2, 3]}}
  %0 = uop.permute %x [0] : tensor<2x3xf32>
  return
}

// -----

func.func @u8_result(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{has a result of 'tensor<2x3xf32>' where the rule gives 'tensor<3x2xf32>'}}
  %0 = "uop.permute"(%x) {perm = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @u9_flags(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{has 1 flags for the axes of [2, 3]}}
  %0 = uop.flip %x [true] : tensor<2x3xf32>
  return
}

// -----

func.func @u10_elements(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{makes [5], which has 5 elements, of [2, 3], which has 6}}
  %0 = uop.reshape %x to [5] : tensor<2x3xf32>
  return
}

// -----

func.func @u10_negative(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{has a result of shape [-2, -3], which has a negative extent}}
  %0 = uop.reshape %x to [-2, -3] : tensor<2x3xf32>
  return
}

// -----

func.func @u11_extent(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{makes [4, 3] of [2, 3], which differs in more than axes of one element}}
  %0 = uop.expand %x to [4, 3] : tensor<2x3xf32>
  return
}

// -----

func.func @u11_rank(%x: tensor<3xf32>) {
  // expected-error @+1 {{makes [2, 3] of [3], which differs in more than axes of one element}}
  %0 = uop.expand %x to [2, 3] : tensor<3xf32>
  return
}

// -----

func.func @u12_outside(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{puts [2, 3] at [1, 0], which is not inside of [2, 3]}}
  %0 = uop.pad %x at [1, 0] to [2, 3] : tensor<2x3xf32>
  return
}

// -----

func.func @u12_negative(%x: tensor<2xf32>) {
  // expected-error @+1 {{puts [2] at [-1], which is not inside of [4]}}
  %0 = uop.pad %x at [-1] to [4] : tensor<2xf32>
  return
}

// -----

func.func @u13_outside(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{takes [2, 3] at [1, 0], which is not inside of [2, 3]}}
  %0 = uop.shrink %x at [1, 0] to [2, 3] : tensor<2x3xf32>
  return
}

// -----

func.func @u14_many(%x: tensor<2xf32>, %i: tensor<i32>) {
  // expected-error @+1 {{has 2 positions for the axes of [2]}}
  %0 = uop.index %x[%i, %i] : tensor<2xf32>[tensor<i32>, tensor<i32>]
  return
}

// -----

func.func @u14_rank(%x: tensor<2x3xf32>, %i: tensor<i32>, %j: tensor<1x1xi32>) {
  // expected-error @+1 {{position #1 has shape [1, 1], and is no scalar and no vector}}
  %0 = uop.index %x[%i, %j] : tensor<2x3xf32>[tensor<i32>, tensor<1x1xi32>]
  return
}

// -----

func.func @u14_float(%x: tensor<2xf32>, %i: tensor<f32>) {
  // expected-error @+1 {{operand #1 must be variadic of tensor of known extents of integers}}
  %0 = uop.index %x[%i] : tensor<2xf32>[tensor<f32>]
  return
}

// -----

func.func @u15_types(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  // expected-error @+1 {{source #1 has type tensor<3xf32>, but source #0 has tensor<2xf32>}}
  %0 = uop.stack %x, %y : tensor<2xf32>, tensor<3xf32>
  return
}

// -----

func.func @u15_nothing() {
  // expected-error @+1 {{stacks nothing}}
  %0 = "uop.stack"() : () -> tensor<0xf32>
  return
}

// -----

func.func @u16_truth(%x: tensor<8xi1>) {
  // expected-error @+1 {{reads or makes the bytes of i1, which are not known}}
  %0 = uop.bitcast %x to i8 : tensor<8xi1>
  return
}

// -----

func.func @u16_index(%x: tensor<8xi64>) {
  // expected-error @+1 {{reads or makes the bytes of index, which are not known}}
  %0 = uop.bitcast %x to index : tensor<8xi64>
  return
}

// -----

func.func @u16_whole(%x: tensor<3xi8>) {
  // expected-error @+1 {{makes elements of 16 bits of 3 of 8 bits}}
  %0 = uop.bitcast %x to i16 : tensor<3xi8>
  return
}

// -----

func.func @u16_scalar(%x: tensor<i8>) {
  // expected-error @+1 {{makes 16 bits of a scalar of 8}}
  %0 = uop.bitcast %x to i16 : tensor<i8>
  return
}

// -----

func.func @u17_order(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{has axes [1, 0], which are not ascending axes of [2, 3]}}
  %0 = uop.reduce add %x axes [1, 0] : tensor<2x3xf32>
  return
}

// -----

func.func @u17_axis(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{has axes [2], which are not ascending axes of [2, 3]}}
  %0 = uop.reduce add %x axes [2] : tensor<2x3xf32>
  return
}

// -----

func.func @u17_nothing(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{has neither axes nor ranges}}
  %0 = uop.reduce add %x axes [] : tensor<2x3xf32>
  return
}

// -----

func.func @u18_shape() {
  // expected-error @+1 {{is no scalar, but has shape [4]}}
  %0 = uop.variable "n" : tensor<4xindex>
  return
}

// -----

func.func @u18_bounds() {
  // expected-error @+1 {{min 3 is above max 2}}
  %0 = uop.variable "n" from 3 to 2 : tensor<index>
  return
}

// -----

func.func @u18_type() {
  // expected-error @+1 {{bounds 0 and 256 of 'ui8' must be in [0, 255]}}
  %0 = uop.variable "n" from 0 to 256 : tensor<ui8>
  return
}

// -----

func.func @u18_one() {
  // expected-error @+1 {{must have both 'min' and 'max' or none of them, got only}}
  %0 = "uop.variable"() {slot = "n", min = 3} : () -> tensor<index>
  return
}

// -----

func.func @u19_type() {
  // expected-error @+1 {{result #0 must be tensor of known extents of numbers or truth values}}
  %0 = uop.const dense<2> : tensor<i4>
  return
}

// -----

func.func @u19_result() {
  // expected-error @+1 {{failed to verify that all of {value, result} have same type}}
  %0 = "uop.const"() {value = dense<2> : tensor<i8>} : () -> tensor<i16>
  return
}

// -----

func.func @u21_bound() {
  // expected-error @+1 {{has -1 iterations of axis 0}}
  %0 = uop.range 0 to -1 loop : tensor<index>
  return
}

// -----

func.func @u21_shape() {
  // expected-error @+1 {{is no scalar, but has shape [1]}}
  %0 = uop.range 0 to 4 loop : tensor<1xindex>
  return
}

// -----

func.func @u22_end(%i: tensor<index>, %e: !uop.effect) {
  // expected-error @+1 {{must have a result of a 'uop.range' as its range}}
  %0 = uop.end %e, %i : tensor<index>
  return
}

// -----

func.func @u22_reduce(%i: tensor<index>) {
  // expected-error @+1 {{range #0 is no result of a 'uop.range'}}
  %0 = uop.reduce add %i axes [] over %i : tensor<index> in : tensor<index>
  return
}

// -----

func.func @u23_buffer(%x: tensor<4xf32>) {
  %y = uop.neg %x : tensor<4xf32>
  // expected-error @+1 {{must write to a buffer or a part of one}}
  %0 = uop.store %x into %y : tensor<4xf32>
  return
}

// -----

func.func @u23_padded(%x: tensor<4xf32>, %v: tensor<5xf32>) {
  %y = uop.pad %x at [0] to [5] : tensor<4xf32>
  // expected-error @+1 {{must write to a buffer or a part of one}}
  %0 = uop.store %v into %y : tensor<5xf32>
  return
}

// -----

func.func @u23_value(%x: tensor<4xf32>, %v: tensor<4xf16>) {
  // expected-error @+1 {{failed to verify that all of {value, buffer} have same type}}
  %0 = "uop.store"(%v, %x) : (tensor<4xf16>, tensor<4xf32>) -> !uop.effect
  return
}

// -----

func.func @u23_gate(%x: tensor<4xf32>, %g: tensor<1xi1>) {
  // expected-error @+1 {{writes 'tensor<4xf32>', and its gate is 'tensor<1xi1>'}}
  %0 = uop.store %x into %x if %g : tensor<1xi1> in : tensor<4xf32>
  return
}

// -----

func.func @u24_alone(%x: tensor<4xf32>, %g: tensor<4xi1>) {
  // expected-error @+1 {{has a gate without an alternative, or the reverse}}
  %0 = "uop.load"(%x, %g) {operandSegmentSizes = array<i32: 1, 1, 0>} : (tensor<4xf32>, tensor<4xi1>) -> tensor<4xf32>
  return
}

// -----

func.func @u24_gate(%x: tensor<4xf32>, %g: tensor<1xi1>) {
  // expected-error @+1 {{reads 'tensor<4xf32>', and its gate is 'tensor<1xi1>'}}
  %0 = uop.load %x if %g : tensor<1xi1> else %x : tensor<4xf32> : tensor<4xf32>
  return
}

// -----

func.func @u24_alternative(%x: tensor<4xf32>, %g: tensor<4xi1>, %y: tensor<4xf16>) {
  // expected-error @+1 {{reads 'tensor<4xf32>', and its alternative is 'tensor<4xf16>'}}
  %0 = uop.load %x if %g : tensor<4xi1> else %y : tensor<4xf16> : tensor<4xf32>
  return
}

// -----

func.func @u25_buffer(%x: tensor<4xf32>) {
  %y = uop.neg %x : tensor<4xf32>
  // expected-error @+1 {{must have a buffer or a part of one as operand #0}}
  %0 = uop.after %y : tensor<4xf32>
  return
}

// -----

// The verifier comes to an end where a value comes from itself.
func.func @u25_circle(%x: tensor<4xf32>) {
  // expected-error @+2 {{operand #0 does not dominate this use}}
  // expected-note @+2 {{operand defined here (op in the same block)}}
  %0 = uop.after %1 : tensor<4xf32>
  %1 = uop.after %0 : tensor<4xf32>
  return
}

// -----

func.func @u26_first(%x: tensor<4xf32>, %i: tensor<index>) {
  // expected-error @+1 {{operand #1 must be an effect or a result of a 'uop.range', got 'tensor<index>'}}
  %0 = uop.after %x, %i : tensor<4xf32>, tensor<index>
  return
}

// -----

func.func @u26_group(%x: tensor<4xf32>) {
  // expected-error @+1 {{operand #0 must be variadic of what has been executed, but got 'tensor<4xf32>'}}
  %0 = "uop.group"(%x) : (tensor<4xf32>) -> !uop.effect
  return
}

// -----

func.func @u26_sink(%x: tensor<4xf32>) {
  // expected-error @+1 {{operand #0 must be variadic of what has been executed, but got 'tensor<4xf32>'}}
  %0 = "uop.sink"(%x) : (tensor<4xf32>) -> !uop.effect
  return
}

// -----

func.func @u26_linear(%x: tensor<4xf32>) {
  // expected-error @+1 {{operand #0 must be variadic of what has been executed, but got 'tensor<4xf32>'}}
  %0 = "uop.linear"(%x) : (tensor<4xf32>) -> !uop.effect
  return
}

// -----

func.func @u27_parts(%x: tensor<3xf32>) {
  // expected-error @+1 {{copies [3], whose first axis has no equal parts for 2 devices}}
  %0 = uop.copy %x to ["d0", "d1"] : tensor<3xf32>
  return
}

// -----

func.func @u27_scalar(%x: tensor<f32>) {
  // expected-error @+1 {{copies [], whose first axis has no equal parts for 2 devices}}
  %0 = uop.copy %x to ["d0", "d1"] : tensor<f32>
  return
}

// -----

func.func @u28_axis(%x: tensor<3xf32>) {
  // expected-error @+1 {{drops axis 1 of [3], which has no slice to keep}}
  %0 = uop.replicated %x axis 1 : tensor<3xf32>
  return
}

// -----

func.func @u28_empty(%x: tensor<0xf32>) {
  // expected-error @+1 {{drops axis 0 of [0], which has no slice to keep}}
  %0 = uop.replicated %x axis 0 : tensor<0xf32>
  return
}

// -----

func.func @u29_copy(%x: tensor<4xf32>) {
  // expected-error @+1 {{has a tuple of devices that is empty or has an element that is no string}}
  %0 = uop.copy %x to [] : tensor<4xf32>
  return
}

// -----

func.func @u29_buffer() {
  // expected-error @+1 {{has a tuple of devices that is empty or has an element that is no string}}
  %0 = "uop.buffer"() {slot = 0, space = #uop<address_space global>, device = [1]} : () -> tensor<4xf32>
  return
}

// -----

func.func @u29_load(%x: tensor<4xf32>) {
  // expected-error @+1 {{has a tuple of devices that is empty or has an element that is no string}}
  %0 = uop.load %x on [] : tensor<4xf32>
  return
}

// -----

func.func @u32_slot() {
  // expected-error @+1 {{has slot -1, which is negative}}
  %0 = uop.buffer -1 global : tensor<4xf32>
  return
}

// -----

func.func @u29_twice(%x: tensor<4xf32>) {
  // expected-error @+1 {{has "d0" twice in a tuple of devices}}
  %0 = uop.copy %x to ["d0", "d0"] : tensor<4xf32>
  return
}

// -----

func.func @u45_list(%x: tensor<4xf32>) {
  // expected-error @+1 {{'uop.opts' must be an array of #uop.split, #uop.padto, #uop.swap, #uop.nolocals and #uop.tc on an operation of uop or linalg, got ["split"]}}
  %0 = uop.neg %x {uop.opts = ["split"]} : tensor<4xf32>
  return
}

// -----

// expected-error @+1 {{on an operation of uop or linalg, got [#uop.nolocals]}}
func.func @u45_function() attributes {uop.opts = [#uop.nolocals]} { return }

// -----

func.func @u45_axes(%x: tensor<4xf32>) {
  // expected-error @+1 {{'uop.axes' must be an array of #uop.axis on an operation of linalg, got [#uop.axis<4 loop of 0 step 1>]}}
  %0 = uop.neg %x {uop.axes = [#uop.axis<4 loop of 0 step 1>]} : tensor<4xf32>
  return
}

// -----

// expected-error @+1 {{an axis must have a positive extent, a positive step and a loop that is not negative, got extent 0, step 1 and loop 0}}
#axis = #uop.axis<0 loop of 0 step 1>

// -----

// expected-error @+1 {{a split must have an axis that is not negative and a positive factor, got axis 1 and factor 0}}
#split = #uop.split<1 by 0 to loop top>

// -----

// expected-error @+1 {{axis -1 is padded to a multiple of 64; the axis is not negative, and the multiple is positive}}
#padto = #uop.padto<-1 to 64>

// -----

// expected-error @+1 {{axes 0 and -2 are swapped; no axis is negative}}
#swap = #uop.swap<0 with -2>

// -----

// expected-error @+1 {{tensor core with mode -1; no number is negative}}
#tc = #uop.tc<0 core 0 opt 0 mode -1>
