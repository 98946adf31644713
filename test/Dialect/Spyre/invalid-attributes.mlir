// RUN: spyre-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

// One module per constraint of an attribute, named after it (`slN_...`) where it
// has a name. Those of the operations are in invalid.mlir.

//===----------------------------------------------------------------------===//
// #spyre.layout
//===----------------------------------------------------------------------===//

// SL1: no symbols.
// expected-error @+1 {{layout map must have no symbols and at least one result, got affine_map<(d0, d1)[s0] -> (d1 floordiv 64, d0, d1 mod 64)>}}
func.func private @sl1_symbol(tensor<8x64xf16, #spyre.layout<(d0, d1)[s0] -> (d1 floordiv 64, d0, d1 mod 64)>>)

// -----

// SL1: at least one result.
// expected-error @+1 {{layout map must have no symbols and at least one result, got affine_map<(d0, d1) -> ()>}}
func.func private @sl1_empty(tensor<8x64xf16, #spyre.layout<(d0, d1) -> ()>>)

// -----

// SL2: digits only.
// expected-error @+1 {{is not a digit of one dimension (dK, dK floordiv A, dK mod B, (dK floordiv A) mod B) and not 0}}
func.func private @sl2_sum(tensor<8x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0 + d1, d1 mod 64)>>)

// -----

// SL2
// expected-error @+1 {{is not a digit of one dimension (dK, dK floordiv A, dK mod B, (dK floordiv A) mod B) and not 0}}
func.func private @sl2_scaled(tensor<8x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0 * 2, d1 mod 64)>>)

// -----

// SL2
// expected-error @+1 {{is not a digit of one dimension (dK, dK floordiv A, dK mod B, (dK floordiv A) mod B) and not 0}}
func.func private @sl2_constant(tensor<8x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, 1, d1 mod 64)>>)

// -----

// SL2
// expected-error @+1 {{is not a digit of one dimension (dK, dK floordiv A, dK mod B, (dK floordiv A) mod B) and not 0}}
func.func private @sl2_ceil(tensor<8x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0 ceildiv 2, d1 mod 64)>>)

// -----

// SL2
// expected-error @+1 {{is not a digit of one dimension (dK, dK floordiv A, dK mod B, (dK floordiv A) mod B) and not 0}}
func.func private @sl2_nested(tensor<8x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, (d0 mod 8) floordiv 2, d1 mod 64)>>)

// -----

// SL2
// expected-error @+1 {{is not a digit of one dimension (dK, dK floordiv A, dK mod B, (dK floordiv A) mod B) and not 0}}
func.func private @sl2_zero_divisor(tensor<8x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0 floordiv 0, d1 mod 64)>>)

// -----

// SL2
// expected-error @+1 {{is not a digit of one dimension (dK, dK floordiv A, dK mod B, (dK floordiv A) mod B) and not 0}}
func.func private @sl2_negative_divisor(tensor<8x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0 floordiv -2, d1 mod 64)>>)

// -----

// SL2
// expected-error @+1 {{is not a digit of one dimension (dK, dK floordiv A, dK mod B, (dK floordiv A) mod B) and not 0}}
func.func private @sl2_zero_modulus(tensor<8x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0 mod 0, d1 mod 64)>>)

// -----

// SL2
// expected-error @+1 {{is not a digit of one dimension (dK, dK floordiv A, dK mod B, (dK floordiv A) mod B) and not 0}}
func.func private @sl2_negative_modulus(tensor<8x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0 mod -8, d1 mod 64)>>)

// -----

// SL3: a smallest digit of divisor 1.
// expected-error @+1 {{the lowest digit of d0 is d0 floordiv 2: 2 neighbouring positions would share one address}}
func.func private @sl3_no_unit(tensor<8x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0 floordiv 2, d1 mod 64)>>)

// -----

// SL3: digits follow each other.
// expected-error @+1 {{the digit of d1 with divisor 1 and modulus 64 must be followed by divisor 1 * 64, found 128}}
func.func private @sl3_chain(tensor<8x256xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 128, d0, d1 mod 64)>>)

// -----

// SL3: 64 * 2^62 is not 2^62, though it is modulo 2^64.
// expected-error @+1 {{the digit of d0 with divisor 64 and modulus 4611686018427387904 must be followed by divisor 64 * 4611686018427387904, found 4611686018427387904}}
func.func private @sl3_overflow(tensor<8x64xf16, #spyre.layout<(d0, d1) -> (d0 floordiv 4611686018427387904, (d0 floordiv 64) mod 4611686018427387904, d1, d0 mod 64)>>)

// -----

// SL3: only the largest digit has no modulus.
// expected-error @+1 {{the digit of d1 with divisor 1 has no modulus, but d1 has another digit with divisor 64: only the most significant digit may be unbounded}}
func.func private @sl3_unbounded(tensor<8x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1)>>)

// -----

// SL4: one entry per result.
// expected-error @+1 {{the device size has 2 entries for 3 device coordinates}}
func.func private @sl4_rank(tensor<8x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), size = [8, 64]>>)

// -----

// SL4: positive.
// expected-error @+1 {{entry 0 of the device size is 0; its coordinate takes 1 values}}
func.func private @sl4_zero(tensor<8x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), size = [0, 8, 64]>>)

// -----

// SL4
// expected-error @+1 {{layout size must not be negative, got -8}}
func.func private @sl4_negative(tensor<8x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), size = [1, -8, 64]>>)

// -----

// SL4: not below a modulus.
// expected-error @+1 {{entry 2 of the device size is 32; its coordinate takes 64 values}}
func.func private @sl4_modulus(tensor<8x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), size = [1, 8, 32]>>)

// -----

// SL5: the rank of the tensor.
// expected-error @+1 {{the layout is for rank 2, the shape has 1 entries}}
func.func private @sl5_rank(tensor<8xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>>)

// -----

// SL6: a format.
// expected-error @+1 {{element type 'f64' has no format in device memory (f16, bf16, f32, f8E4M3FN, f8E5M2, i1, i8, i32, i64 have one)}}
func.func private @sl6_f64(tensor<8x64xf64, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>>)

// -----

// SL6
// expected-error @+1 {{element type 'complex<f32>' has no format in device memory (f16, bf16, f32, f8E4M3FN, f8E5M2, i1, i8, i32, i64 have one)}}
func.func private @sl6_complex(tensor<8x64xcomplex<f32>, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>>)

// -----

// SL6
// expected-error @+1 {{element type 'index' has no format in device memory (f16, bf16, f32, f8E4M3FN, f8E5M2, i1, i8, i32, i64 have one)}}
func.func private @sl6_index(tensor<8x64xindex, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>>)

// -----

// SL6
// expected-error @+1 {{element type 'i16' has no format in device memory (f16, bf16, f32, f8E4M3FN, f8E5M2, i1, i8, i32, i64 have one)}}
func.func private @sl6_i16(tensor<8x64xi16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>>)

// -----

// SL6
// expected-error @+1 {{element type 'ui8' has no format in device memory (f16, bf16, f32, f8E4M3FN, f8E5M2, i1, i8, i32, i64 have one)}}
func.func private @sl6_ui8(tensor<8x64xui8, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>>)

// -----

// SL7: as many elements as a stick.
// expected-error @+1 {{the stick of the layout holds 64 elements, a stick of this format holds 32 elements}}
func.func private @sl7_f32(tensor<8x64xf32, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>>)

// -----

// SL7: i64 is narrowed to 32 bits.
// expected-error @+1 {{the stick of the layout holds 64 elements, a stick of this format holds 32 elements}}
func.func private @sl7_i64(tensor<?x64xi64, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>>)

// -----

// SL7: i8.
// expected-error @+1 {{the stick of the layout holds 64 elements, a stick of this format holds 128 elements}}
func.func private @sl7_i8(tensor<8x64xi8, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>>)

// -----

// SL7: of the format that is given.
// expected-error @+1 {{the stick of the layout holds 64 elements, a stick of this format holds 128 elements}}
func.func private @sl7_format(tensor<8x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), format = SENINT8>>)

// -----

// SL7: with an explicit size.
// expected-error @+1 {{the stick of the layout holds 128 elements, a stick of this format holds 64 elements}}
func.func private @sl7_size(tensor<8x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), size = [1, 8, 128]>>)

// -----

// SL7: with a huge modulus.
// expected-error @+1 {{the stick of the layout holds 9223372036854775807 elements, a stick of this format holds 64 elements}}
func.func private @sl7_huge(tensor<8x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 9223372036854775807, d0, d1 mod 9223372036854775807)>>)

// -----

// SL7: low digits only.
// expected-error @+1 {{device coordinate 2 lies inside the stick but is a digit of d1 with divisor 64; a stick holds consecutive positions}}
func.func private @sl7_high_digit(tensor<8x64xf16, #spyre.layout<(d0, d1) -> (d1 mod 64, d0, d1 floordiv 64)>>)

// -----

// SL7: two coordinates of a quantized weight.
// expected-error @+1 {{the stick of the layout holds 256 elements, a stick of this format holds 128 elements}}
func.func private @sl7_qfp8wt(tensor<256x512xf8E4M3FN, #spyre.layout<(d0, d1) -> (d1 floordiv 128, d0 floordiv 2, d0 mod 2, d1 mod 128), arrangement = qfp8wt>>)

// -----

// SL7: which must be there.
// expected-error @+1 {{1 device coordinates cannot hold a stick of 2}}
func.func private @sl7_qfp8wt_rank(tensor<64xf8E4M3FN, #spyre.layout<(d0) -> (d0), arrangement = qfp8wt>>)

// -----

// SL8: digits that reach the extent.
// expected-error @+1 {{the digits of d0 count to 4, but its extent is 8}}
func.func private @sl8_few(tensor<8x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0 mod 4, d1 mod 64)>>)

// -----

// SL8: digits at all.
// expected-error @+1 {{d0 has extent 8 but no device coordinate depends on it: its elements would share one address}}
func.func private @sl8_none(tensor<8x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d1 mod 64)>>)

// -----

// SL8: a dynamic extent may be above 1.
// expected-error @+1 {{d0 has a dynamic extent but no device coordinate depends on it: its elements would share one address}}
func.func private @sl8_dynamic(tensor<?x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d1 mod 64)>>)

// -----

// SL8: no empty tensors.
// expected-error @+1 {{d0 has extent 0: an empty tensor has no place in device memory}}
func.func private @sl8_empty(tensor<0x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>>)

// -----

// SL9: room for the tensor.
// expected-error @+1 {{entry 1 of the device size is 4; this tensor needs at least 8}}
func.func private @sl9_size(tensor<8x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), size = [1, 4, 64]>>)

// -----

// SL10: coordinates that are 0.
// expected-error @+1 {{device coordinate 1 cannot be expanded: only a coordinate that is 0 can}}
func.func private @sl10_digit(tensor<8x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), expanded = [1]>>)

// -----

// SL10: coordinates that exist.
// expected-error @+1 {{device coordinate 3 cannot be expanded: only a coordinate that is 0 can}}
func.func private @sl10_above(tensor<8x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), expanded = [3]>>)

// -----

// SL10
// expected-error @+1 {{expanded dimension must not be negative, got -1}}
func.func private @sl10_negative(tensor<8x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), expanded = [-1]>>)

// -----

// SL10: ascending.
// expected-error @+1 {{expanded dimensions must ascend, got 0 after 3}}
func.func private @sl10_order(tensor<8x64xf16, #spyre.layout<(d0, d1) -> (0, d1 floordiv 64, d0, 0, d1 mod 64), expanded = [3, 0]>>)

// -----

// SL10: each once.
// expected-error @+1 {{expanded dimensions must ascend, got 0 after 0}}
func.func private @sl10_twice(tensor<8x64xf16, #spyre.layout<(d0, d1) -> (0, d1 floordiv 64, d0, 0, d1 mod 64), expanded = [0, 0]>>)

// -----

// SL11: 2^63 bytes are too many.
// expected-error @+1 {{device size [72057594037927936, 64] is more than 2^63 - 1 bytes}}
func.func private @sl11_shape(tensor<4611686018427387904xf16, #spyre.layout<(d0) -> (d0 floordiv 64, d0 mod 64)>>)

// -----

// SL11: 2^64 as well.
// expected-error @+1 {{device size [72057594037927936, 4611686018427387904, 64] is more than 2^64 - 1 bytes}}
func.func private @sl11_overflow(tensor<4611686018427387904x4611686018427387904xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>>)

// -----

// SL11: with an explicit size.
// expected-error @+1 {{device size [1, 9223372036854775807, 64] is more than 2^64 - 1 bytes}}
func.func private @sl11_size(tensor<8x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), size = [1, 9223372036854775807, 64]>>)

// -----

// expected-error @+1 {{expected 'size', 'expanded', 'format' or 'arrangement', got 'padding'}}
func.func private @syntax_layout_key(tensor<8x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), padding = [1]>>)

// -----

// expected-error @+1 {{'size' is given twice}}
func.func private @syntax_layout_twice(tensor<8x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), size = [1, 8, 64], size = [1, 8, 64]>>)

// -----

// expected-error @+1 {{unknown device format 'FP16'}}
func.func private @syntax_layout_format(tensor<8x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), format = FP16>>)

// -----

// expected-error @+1 {{unknown arrangement 'mixed'}}
func.func private @syntax_layout_arrangement(tensor<8x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), arrangement = mixed>>)

// -----

// expected-error @+1 {{integer value too large}}
func.func private @syntax_layout_number(tensor<8x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), size = [1, 9223372036854775808, 64]>>)

// -----

// An element type that is none.
// expected-error @+1 {{expected non-function type}}
func.func private @syntax_layout_element(tensor<8x64xfloat, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>>)

// -----

// expected-error @+1 {{expected '<'}}
func.func private @syntax_layout_map(tensor<8x64xf16, #spyre.layout>)

// -----

//===----------------------------------------------------------------------===//
// #spyre.target
//===----------------------------------------------------------------------===//

// ST1: positive.
// expected-error @+1 {{'cores' must be positive, got 0}}
module attributes {spyre.target = #spyre.target<cores = 0>} {}

// -----

// ST1
// expected-error @+1 {{'lx_bytes' must not be negative, got -128}}
module attributes {spyre.target = #spyre.target<lx_bytes = -128>} {}

// -----

// ST1
// expected-error @+1 {{'span_limit_bytes' must be positive, got 0}}
module attributes {spyre.target = #spyre.target<span_limit_bytes = 0>} {}

// -----

// ST1
// expected-error @+1 {{'segment_bytes' must be positive, got 0}}
module attributes {spyre.target = #spyre.target<segment_bytes = 0>} {}

// -----

// ST1
// expected-error @+1 {{'segments' must be positive, got 0}}
module attributes {spyre.target = #spyre.target<segments = 0>} {}

// -----

// ST1: below 2^31.
// expected-error @+1 {{'cores' must be at most 2147483647, got 2147483648}}
module attributes {spyre.target = #spyre.target<cores = 2147483648>} {}

// -----

// ST1
// expected-error @+1 {{'segments' must be at most 2147483647, got 2147483648}}
module attributes {spyre.target = #spyre.target<segments = 2147483648>} {}

// -----

// ST2: one size of stick.
// expected-error @+1 {{'stick_bytes' must be 128, which defines the device formats, got 64}}
module attributes {spyre.target = #spyre.target<stick_bytes = 64>} {}

// -----

// ST2: whole sticks.
// expected-error @+1 {{'lx_bytes' must be a multiple of the stick, 128 bytes, got 2097153}}
module attributes {spyre.target = #spyre.target<lx_bytes = 2097153>} {}

// -----

// ST2
// expected-error @+1 {{'lx_reserved_bytes' must be a multiple of the stick, 128 bytes, got 64}}
module attributes {spyre.target = #spyre.target<lx_reserved_bytes = 64>} {}

// -----

// ST2
// expected-error @+1 {{'span_limit_bytes' must be a multiple of the stick, 128 bytes, got 1}}
module attributes {spyre.target = #spyre.target<span_limit_bytes = 1>} {}

// -----

// ST2
// expected-error @+1 {{'segment_bytes' must be a multiple of the stick, 128 bytes, got 17179869185}}
module attributes {spyre.target = #spyre.target<segment_bytes = 17179869185>} {}

// -----

// ST2
// expected-error @+1 {{'segment_reserved_bytes' must be a multiple of the stick, 128 bytes, got 127}}
module attributes {spyre.target = #spyre.target<segment_reserved_bytes = 127>} {}

// -----

// ST3: something is left.
// expected-error @+1 {{'lx_reserved_bytes' must be in [0, lx_bytes = 65536), got 65536}}
module attributes {spyre.target = #spyre.target<lx_bytes = 65536>} {}

// -----

// ST3
// expected-error @+1 {{'lx_reserved_bytes' must be in [0, lx_bytes = 2097152), got -128}}
module attributes {spyre.target = #spyre.target<lx_reserved_bytes = -128>} {}

// -----

// ST3
// expected-error @+1 {{'lx_backend_percent' must be in [0, 100), got 100}}
module attributes {spyre.target = #spyre.target<lx_backend_percent = 100>} {}

// -----

// ST3
// expected-error @+1 {{'lx_backend_percent' must be in [0, 100), got -1}}
module attributes {spyre.target = #spyre.target<lx_backend_percent = -1>} {}

// -----

// ST3
// expected-error @+1 {{'segment_reserved_bytes' must be in [0, segment_bytes = 1024), got 1024}}
module attributes {spyre.target = #spyre.target<segment_bytes = 1024, segment_reserved_bytes = 1024>} {}

// -----

// ST4: types with a format.
// expected-error @+1 {{'formats' must hold element types with a device format, got f64}}
module attributes {spyre.target = #spyre.target<formats = [f16, f64]>} {}

// -----

// ST4: types.
// expected-error @+1 {{'formats' must hold element types with a device format, got "f16"}}
module attributes {spyre.target = #spyre.target<formats = ["f16"]>} {}

// -----

// ST5: addresses have 63 bits.
// expected-error @+1 {{2 segments of 9223372036854775680 bytes are more than 2^63 - 1 bytes}}
module attributes {spyre.target = #spyre.target<segment_bytes = 9223372036854775680, segments = 2>} {}

// -----

// ST6: a version.
// expected-error @+1 {{'contract' must be "1.0.0", "r3" or "r2", got "1.0"}}
module @st6_version attributes {spyre.target = #spyre.target<contract = "1.0">} {}

// -----

// ST6: an exception.
// expected-error @+1 {{'exceptions' must hold names of exceptions from the contract, got "fp32-tanh"}}
module @st6_exception attributes {spyre.target = #spyre.target<exceptions = ["fp32-roots", "fp32-tanh"]>} {}

// -----

// ST6: names.
// expected-error @+1 {{'exceptions' must hold names of exceptions from the contract, got f32}}
module @st6_type attributes {spyre.target = #spyre.target<exceptions = [f32]>} {}

// -----

// SR1: a count.
// expected-error @+2 {{'bytes_per_us' must be positive, got 0}}
// expected-error @+1 {{failed to parse Spyre_TargetAttr parameter 'rates'}}
module attributes {spyre.target = #spyre.target<rates = <bytes_per_us = 0>>} {}

// -----

// SR1: cores have 31 bits.
// expected-error @+2 {{'broadcast_cores' must be at most 2147483647, got 2147483648}}
// expected-error @+1 {{failed to parse Spyre_TargetAttr parameter 'rates'}}
module attributes {spyre.target = #spyre.target<rates = <broadcast_cores = 2147483648>>} {}

// -----

// SR1: a time.
// expected-error @+2 {{'execution_ps' must not be negative, got -1}}
// expected-error @+1 {{failed to parse Spyre_TargetAttr parameter 'rates'}}
module attributes {spyre.target = #spyre.target<rates = <execution_ps = -1>>} {}

// -----

// expected-error @+1 {{duplicate or unknown struct parameter name: cores}}
module attributes {spyre.target = #spyre.target<cores = 8, cores = 8>} {}

// -----

//===----------------------------------------------------------------------===//
// #spyre.tile_hint
//===----------------------------------------------------------------------===//

// SH1: scopes are not negative.
// expected-error @+1 {{hint scope must not be negative, got -1}}
"test.op"() {a = #spyre.tile_hint<-1 : "A" in 2>} : () -> ()

// -----

// SH1: counts are positive.
// expected-error @+1 {{tile count must be positive, got 0}}
"test.op"() {a = #spyre.tile_hint<0 : "A" in 0>} : () -> ()

// -----

// SH1
// expected-error @+1 {{tile count must be positive, got -9223372036854775808}}
"test.op"() {a = #spyre.tile_hint<0 : "A" in -9223372036854775808>} : () -> ()

// -----

// SH1: sizes are positive.
// expected-error @+1 {{tile size must be positive, got 0}}
"test.op"() {a = #spyre.tile_hint<0 : "A" by 0>} : () -> ()

// -----

// expected-error @+1 {{expected 'in' and a number of tiles, or 'by' and the size of a tile}}
"test.op"() {a = #spyre.tile_hint<0 : "A" of 2>} : () -> ()

// -----

// SH3: a scope names dimensions.
// expected-error @+1 {{expected attribute value}}
"test.op"() {a = #spyre.tile_scope<>} : () -> ()

// -----

// SH3: none twice for cores.
// expected-error @+1 {{scope divides "A" twice}}
"test.op"() {a = #spyre.tile_scope<"A" over 2, "A" in 2, "A" over 4>} : () -> ()

// -----

// SH4: also without tiles.
// expected-error @+1 {{scope is around operations 3 to 2, but the first must not be negative and not after the last}}
"test.op"() {a = #spyre.tile_scope<"A" over 2, ops 3 to 2>} : () -> ()

// -----

// expected-error @+1 {{expected 'in' and a number of tiles, or 'by' and the size of a tile, or 'over' and a number of cores}}
"test.op"() {a = #spyre.tile_scope<"A" of 2>} : () -> ()

// -----

// SH5: a name.
// expected-error @+1 {{hint names no dimension}}
"test.op"() {a = #spyre.divide_hint<"" over 2>} : () -> ()

// -----

// SH5: at least one core.
// expected-error @+1 {{number of cores must be positive, got -1}}
"test.op"() {a = #spyre.divide_hint<"A" over -1>} : () -> ()

// -----

// expected-error @+1 {{expected 'over' and a number of cores}}
"test.op"() {a = #spyre.divide_hint<"A" in 2>} : () -> ()

// -----

// SH3: none twice.
// expected-error @+1 {{scope names "A" twice}}
"test.op"() {a = #spyre.tile_scope<"A" in 2, "A" by 64>} : () -> ()

// -----

// SH4: the first operation is not after the last.
// expected-error @+1 {{scope is around operations 3 to 2, but the first must not be negative and not after the last}}
"test.op"() {a = #spyre.tile_scope<"A" in 2, ops 3 to 2>} : () -> ()

// -----

// SH4: and not negative.
// expected-error @+1 {{scope is around operations -1 to 2}}
"test.op"() {a = #spyre.tile_scope<"A" in 2, ops -1 to 2>} : () -> ()

// -----

// SY1: a maximum that is a multiple of the granularity.
// expected-error @+1 {{a dynamic extent needs a positive granularity and a maximum that is a multiple of it, got 64 and 500}}
"test.op"() {a = #spyre.dynamic<granularity = 64, max = 500>} : () -> ()

// -----

// SY1: both are positive.
// expected-error @+1 {{a dynamic extent needs a positive granularity and a maximum that is a multiple of it, got 0 and 64}}
"test.op"() {a = #spyre.dynamic<granularity = 0, max = 64>} : () -> ()

// -----

// SY1: both are positive.
// expected-error @+1 {{a dynamic extent needs a positive granularity and a maximum that is a multiple of it, got 64 and -64}}
"test.op"() {a = #spyre.dynamic<granularity = 64, max = -64>} : () -> ()

// -----

// SN1: a positive weight.
// expected-error @+1 {{'memory_weight' must be positive, got 0}}
"test.op"() {a = #spyre.plan<memory_weight = 0>} : () -> ()

// -----

// SN1: a positive number of bytes.
// expected-error @+1 {{'most_bytes' must be positive, got -4096}}
"test.op"() {a = #spyre.plan<memory_weight = 1, most_bytes = -4096>} : () -> ()

// -----

// SN2: a split that is chosen for one operation alone has no limit for all of them.
// expected-error @+1 {{'most_bytes' needs a 'memory_weight', with which the splits of all operations are chosen together}}
"test.op"() {a = #spyre.plan<most_bytes = 4096>} : () -> ()

// -----

// SM1: at least two names.
// expected-error @+1 {{a merged dimension has at least two names, each with an extent}}
"test.op"() {a = #spyre.merged<"A" of 2>} : () -> ()

// -----

// SM1: none is empty.
// expected-error @+1 {{merged dimension has an empty name}}
"test.op"() {a = #spyre.merged<"A" of 2, "" of 2>} : () -> ()

// -----

// SM1: extents are positive.
// expected-error @+1 {{extents of a merged dimension must be positive, got 0}}
"test.op"() {a = #spyre.merged<"A" of 2, "B" of 0>} : () -> ()

// -----

// SM1: their product has 63 bits.
// expected-error @+1 {{the extents of a merged dimension have a product above 2^63 - 1}}
"test.op"() {a = #spyre.merged<"A" of 4294967296, "B" of 4294967296>} : () -> ()

// -----

// SH2: a name.
// expected-error @+1 {{hint names no dimension}}
"test.op"() {a = #spyre.tile_hint<0 : "" in 2>} : () -> ()

// -----

//===----------------------------------------------------------------------===//
// #spyre.place
//===----------------------------------------------------------------------===//

// SP1: not negative.
// expected-error @+1 {{'arg' must not be negative, got -1}}
"test.op"() {a = #spyre.place<arg -1>} : () -> ()

// -----

// SP1
// expected-error @+1 {{'lx' must not be negative, got -128}}
"test.op"() {a = #spyre.place<lx -128>} : () -> ()

// -----

// SP1: below 2^31.
// expected-error @+1 {{'arg' must be at most 2147483647, got 2147483648}}
"test.op"() {a = #spyre.place<arg 2147483648>} : () -> ()

// -----

// SP2: whole sticks.
// expected-error @+1 {{'lx' address 64 is not a multiple of the stick, 128 bytes}}
"test.op"() {a = #spyre.place<lx 64>} : () -> ()

// -----

// SP2
// expected-error @+1 {{'pool' address 1 is not a multiple of the stick, 128 bytes}}
"test.op"() {a = #spyre.place<pool 1>} : () -> ()

// -----

// SP3: a window has no address.
// expected-error @+1 {{'window' has no address of its own, got 0}}
"test.op"() {a = #spyre.place<window 0>} : () -> ()

// -----

// SP3: the others have one.
// expected-error @+1 {{'pool' needs an index or an address}}
"test.op"() {a = #spyre.place<pool>} : () -> ()

// -----

//===----------------------------------------------------------------------===//
// Discardable attributes
//===----------------------------------------------------------------------===//

// SD1: on a module.
// expected-error @+1 {{'func.func' op 'spyre.target' belongs on a module}}
func.func private @sd1_function() attributes {spyre.target = #spyre.target}

// -----

// SD1: a target.
// expected-error @+1 {{'builtin.module' op 'spyre.target' must be a #spyre.target, got 8 : i64}}
module attributes {spyre.target = 8} {}

// -----

// SD2: a name per dimension.
// expected-error @+1 {{'spyre.dims' of argument 0 names 1 dimensions, but 'tensor<8x64xf16>' has 2}}
func.func private @sd2_rank(tensor<8x64xf16> {spyre.dims = ["A"]})

// -----

// SD2: distinct.
// expected-error @+1 {{'spyre.dims' of argument 1 names "A" twice; another name of its extent, as in 'spyre.dim_sizes = {..., T = "A"}', tells the dimensions apart}}
func.func private @sd2_twice(index, tensor<8x64xf16> {spyre.dims = ["A", "A"]})

// -----

// SD2: not empty.
// expected-error @+1 {{'spyre.dims' of argument 0 must have a name, a #spyre.merged or an array of these for each dimension, and no empty name; got "" for dimension 1}}
func.func private @sd2_empty(tensor<8x64xf16> {spyre.dims = ["A", ""]})

// -----

// SD2: names.
// expected-error @+1 {{'spyre.dims' of argument 0 must have a name, a #spyre.merged or an array of these for each dimension, and no empty name; got 1 : i64 for dimension 1}}
func.func private @sd2_kind(tensor<8x64xf16> {spyre.dims = ["A", 1]})

// -----

// SD2: an array.
// expected-error @+1 {{'spyre.dims' of argument 0 must be an array of names, got "A"}}
func.func private @sd2_string(tensor<8xf16> {spyre.dims = "A"})

// -----

// SD2: on a ranked tensor.
// expected-error @+1 {{'spyre.dims' of argument 0 needs a ranked tensor, got 'tensor<*xf16>'}}
func.func private @sd2_unranked(tensor<*xf16> {spyre.dims = ["A"]})

// -----

// SD2
// expected-error @+1 {{'spyre.dims' of argument 0 needs a ranked tensor, got 'index'}}
func.func private @sd2_index(index {spyre.dims = []})

// -----

// SD2: on a result.
// expected-error @+1 {{'spyre.dims' of result 0 names 2 dimensions, but 'tensor<8xf16>' has 1}}
func.func private @sd2_result() -> (tensor<8xf16> {spyre.dims = ["A", "B"]})

// -----

// SD2: not a list of lists.
// expected-error @+1 {{got [["A"]] for dimension 0}}
func.func private @sd2_nested(tensor<8xf16> {spyre.dims = [[["A"]]]})

// -----

// SD2: a list of names has some.
// expected-error @+1 {{got [] for dimension 0}}
func.func private @sd2_no_name(tensor<8xf16> {spyre.dims = [[]]})

// -----

// SD2: distinct, also in what is merged.
// expected-error @+1 {{'spyre.dims' of argument 0 names "A" twice}}
func.func private @sd2_merged_distinct(tensor<8x64xf16> {spyre.dims = ["A", #spyre.merged<"B" of 16, "A" of 4>]})

// -----

// SD2: what is merged is the dimension.
// expected-error @+1 {{'spyre.dims' of argument 0 merges other extents than 64, that of dimension 1: #spyre.merged<"B" of 16, "C" of 8>}}
func.func private @sd2_merged_extent(tensor<8x64xf16> {spyre.dims = ["A", #spyre.merged<"B" of 16, "C" of 8>]})

// -----

// SD9: on an operation with one result.
// expected-error @+1 {{'spyre.dims' must be on an operation with one result}}
module attributes {spyre.dims = ["A"]} {}

// -----

// SD9: a name for each dimension of the result.
func.func @sd9_rank(%x: tensor<8x64xf16>) {
  // expected-error @+1 {{'spyre.expected_dims' of the result names 1 dimensions, but 'tensor<8x64xf16>' has 2}}
  %y = spyre.exp %x {spyre.expected_dims = ["A"]} : tensor<8x64xf16>
  return
}

// -----

// SD9: a name for each dimension that is reduced.
func.func @sd9_reduced(%x: tensor<8x64xf16>) {
  // expected-error @+1 {{'spyre.expected_reduction_dims' names 2 dimensions, but the operation reduces 1}}
  %y = spyre.sum %x dims [1] {spyre.expected_reduction_dims = ["A", "B"]} : (tensor<8x64xf16>) -> tensor<8xf16>
  return
}

// -----

// SD9: names.
func.func @sd9_kind(%x: tensor<8x64xf16>) {
  // expected-error @+1 {{'spyre.reduction_dims' must have a name, a #spyre.merged or an array of these for each dimension, and no empty name; got 1 : i64}}
  %y = spyre.sum %x dims [1] {spyre.reduction_dims = [1]} : (tensor<8x64xf16>) -> tensor<8xf16>
  return
}

// -----

// SD9: only device operations reduce.
// expected-error @+1 {{'spyre.reduction_dims' must be an array of names on a device operation, got ["A"]}}
"test.op"() {spyre.reduction_dims = ["A"]} : () -> ()

// -----

// SD10: scopes.
// expected-error @+1 {{'spyre.tile_scopes' must be an array of #spyre.tile_scope on a function or an scf.for, got [#spyre.tile_hint<0 : "A" in 2>]}}
func.func private @sd10_kind() attributes {spyre.tile_scopes = [#spyre.tile_hint<0 : "A" in 2>]}

// -----

// SD10: around operations.
// expected-error @+1 {{'spyre.tile_scopes' must be an array of #spyre.tile_scope on a function or an scf.for, got [#spyre.tile_scope<"A" in 2>]}}
module attributes {spyre.tile_scopes = [#spyre.tile_scope<"A" in 2>]} {}

// -----

// SD11: extents are positive.
// expected-error @+1 {{'spyre.dim_sizes' must be a dictionary of positive 64-bit integers, #spyre.dynamic and names on a function, got {A = 0 : i64}}}
func.func private @sd11_zero() attributes {spyre.dim_sizes = {A = 0}}

// -----

// SD11: on a function.
// expected-error @+1 {{'spyre.dim_sizes' must be a dictionary of positive 64-bit integers, #spyre.dynamic and names on a function, got {A = 2 : i64}}}
module attributes {spyre.dim_sizes = {A = 2}} {}

// -----

// SD11: a further name is one of a name that has an extent.
// expected-error @+1 {{'spyre.dim_sizes' states that "B" is another name of "A", for which it has no extent}}
func.func private @sd11_unknown() attributes {spyre.dim_sizes = {B = "A"}}

// -----

// SD11: and not of another further one.
// expected-error @+1 {{'spyre.dim_sizes' states that "C" is another name of "B", for which it has no extent}}
func.func private @sd11_further() attributes {spyre.dim_sizes = {A = 2, B = "A", C = "B"}}

// -----

// SD12: in a hint.
// expected-error @+1 {{name "\FF" is not UTF-8, as the files of a bundle are}}
"test.hint"() {a = #spyre.tile_hint<0 : "\FF" in 2>} : () -> ()

// -----

// SD12: in a merged name.
// expected-error @+1 {{name "\FE" is not UTF-8}}
"test.merged"() {a = #spyre.merged<"A" of 2, "\FE" of 4>} : () -> ()

// -----

// SD12: of an argument.
// expected-error @+1 {{'spyre.dims' of argument 1: name "\FF" is not UTF-8, as the files of a bundle are}}
func.func private @sd12_dims(index, tensor<8x64xf16> {spyre.dims = ["\FF", "B"]})

// -----

// SD12: of a result.
// expected-error @+1 {{'spyre.dims' of result 0: name "\FF" is not UTF-8, as the files of a bundle are}}
func.func private @sd12_result() -> (tensor<8x64xf16> {spyre.dims = ["\FF", "B"]})

// -----

// SD12: of a declared extent.
// expected-error @+1 {{'spyre.dim_sizes': name "\C3" is not UTF-8, as the files of a bundle are}}
func.func private @sd12_sizes() attributes {spyre.dim_sizes = {"\C3" = 8}}

// -----

// SD3: an argument is an argument.
// expected-error @+1 {{'spyre.place' of argument 0 must be #spyre.place<arg N>, got #spyre.place<lx 0>}}
func.func private @sd3_lx(tensor<8x64xf16> {spyre.place = #spyre.place<lx 0>})

// -----

// SD3: a place.
// expected-error @+1 {{'spyre.place' of argument 0 must be #spyre.place<arg N>, got 0 : i64}}
func.func private @sd3_kind(tensor<8x64xf16> {spyre.place = 0})

// -----

// SD3: on a result.
// expected-error @+1 {{'spyre.place' of result 0 must be #spyre.place<arg N>, got #spyre.place<window>}}
func.func private @sd3_result() -> (tensor<8xf16> {spyre.place = #spyre.place<window>})

// -----

// SD13: on a function.
// expected-error @+1 {{'spyre.integers_fit' must be on a function}}
module attributes {spyre.integers_fit} {}

// -----

// SD13: a mark.
// expected-error @+1 {{'spyre.integers_fit' must be on a function}}
func.func @sd13_value() attributes {spyre.integers_fit = 1} { return }

// -----

// SD13
// expected-error @+1 {{'spyre.device' must be on a function}}
func.func @sd13_device() attributes {spyre.device = "yes"} { return }

// -----

// SD13
// expected-error @+1 {{'spyre.host' must be on a function}}
module attributes {spyre.host} {}

// -----

// SD13
// expected-error @+1 {{'spyre.narrowed' must be on a function}}
func.func @sd13_narrowed() attributes {spyre.narrowed = "yes"} { return }

// -----

// SD14: on an operation of linalg.
// expected-error @+1 {{'spyre.tile' must be an array of #spyre.tile_hint on an operation of linalg, got}}
func.func @sd14_function() attributes {spyre.tile = [#spyre.tile_hint<0 : "A" in 2>]} { return }

// -----

// SD14: hints.
func.func @sd14_hints(%a: tensor<8xf16>, %b: tensor<8xf16>) -> tensor<8xf16> {
  // expected-error @+1 {{'spyre.tile' must be an array of #spyre.tile_hint on an operation of linalg, got ["A"]}}
  %0 = linalg.exp {spyre.tile = ["A"]} ins(%a : tensor<8xf16>) outs(%b : tensor<8xf16>) -> tensor<8xf16>
  return %0 : tensor<8xf16>
}

// -----

// SD14: the scopes ascend.
func.func @sd14_scopes(%a: tensor<8xf16>, %b: tensor<8xf16>) -> tensor<8xf16> {
  // expected-error @+1 {{hint scopes must ascend from the outermost, got 0 after 1}}
  %0 = linalg.exp {spyre.tile = [#spyre.tile_hint<1 : "A" in 2>, #spyre.tile_hint<0 : "B" in 2>]}
    ins(%a : tensor<8xf16>) outs(%b : tensor<8xf16>) -> tensor<8xf16>
  return %0 : tensor<8xf16>
}

// -----

// SD16: on an operation of linalg.
// expected-error @+1 {{'spyre.divide' must be an array of #spyre.divide_hint on an operation of linalg, got}}
func.func @sd16_function() attributes {spyre.divide = [#spyre.divide_hint<"A" over 2>]} { return }

// -----

// SD16: no dimension twice.
func.func @sd16_twice(%a: tensor<8xf16>, %b: tensor<8xf16>) -> tensor<8xf16> {
  // expected-error @+1 {{'spyre.divide' divides "A" twice}}
  %0 = linalg.exp {spyre.divide = [#spyre.divide_hint<"A" over 2>, #spyre.divide_hint<"A" over 4>]}
    ins(%a : tensor<8xf16>) outs(%b : tensor<8xf16>) -> tensor<8xf16>
  return %0 : tensor<8xf16>
}

// -----

// SD17: a plan, and no mark.
// expected-error @+1 {{'spyre.plan' must be a #spyre.plan on a function, got unit}}
func.func @sd17_unit() attributes {spyre.plan} { return }

// -----

// SD17: on a function.
// expected-error @+1 {{'spyre.plan' must be a #spyre.plan on a function, got #spyre.plan<cache_arguments = true>}}
module @sd17_module attributes {spyre.plan = #spyre.plan<cache_arguments = true>} {}

// -----

// SD4: no others.
// expected-error @+1 {{has no attribute 'spyre.names' of the spyre dialect on argument 0}}
func.func private @sd4_argument(tensor<8x64xf16> {spyre.names = ["A"]})

// -----

// SD4: nor elsewhere.
// expected-error @+1 {{has no attribute 'spyre.constant' of the spyre dialect (known: spyre.target on a module; spyre.tile_scopes, spyre.dim_sizes, spyre.device, spyre.host, spyre.narrowed, spyre.integers_fit and spyre.plan on a function; spyre.tile and spyre.divide on an operation of linalg; spyre.layout_candidates, spyre.dims, spyre.expected_dims, spyre.reduction_dims and spyre.expected_reduction_dims on an operation with a tensor result; spyre.dims, spyre.place and spyre.constant on function arguments)}}
module attributes {spyre.constant = ["A"]} {}

// -----

// SD4
// expected-error @+1 {{has no attribute 'spyre.place' of the spyre dialect}}
"test.op"() {spyre.place = #spyre.place<lx 0>} : () -> ()

// -----

// SD5: on an operation with a result.
// expected-error @+1 {{'spyre.layout_candidates' belongs on an operation with one result, a ranked tensor}}
func.func private @sd5_where() attributes {spyre.layout_candidates = []}

// -----

// SD5: at least one layout.
func.func @sd5_none(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{'spyre.layout_candidates' must be layouts, at least one, got []}}
  %0 = spyre.exp %a {spyre.layout_candidates = []} : tensor<8x64xf16>
  return
}

// -----

// SD5: layouts.
func.func @sd5_what(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{'spyre.layout_candidates' must be layouts, at least one, got ["rows"]}}
  %0 = spyre.exp %a {spyre.layout_candidates = ["rows"]} : tensor<8x64xf16>
  return
}

// -----

// SD5: that fit.
#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#row = #spyre.layout<(d0) -> (d0 floordiv 64, d0 mod 64)>
func.func @sd5_fit(%a: tensor<8x64xf16>) {
  // expected-error @+1 {{candidate #1 of 'spyre.layout_candidates': the layout is for rank 1, the shape has 2 entries}}
  %0 = spyre.exp %a {spyre.layout_candidates = [#rows, #row]} : tensor<8x64xf16>
  return
}

// -----

// SD5: while there is none.
#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
func.func @sd5_decided(%a: tensor<8x64xf16, #rows>) {
  // expected-error @+1 {{has 'spyre.layout_candidates', but its result has an encoding already}}
  %0 = spyre.exp %a {spyre.layout_candidates = [#rows]} : tensor<8x64xf16, #rows>
  return
}

// -----

// SD8: elements.
// expected-error @+1 {{'spyre.constant' of argument 0 must be the elements of 'tensor<2xf16>', got 1.000000e+00 : f16}}
func.func private @sd8_elements(tensor<2xf16> {spyre.constant = 1.0 : f16})

// -----

// SD8: of its shape.
// expected-error @+1 {{'spyre.constant' of argument 0 must be the elements of 'tensor<2xf16>', got tensor<4xf16>}}
func.func private @sd8_shape(tensor<2xf16> {spyre.constant = dense<1.0> : tensor<4xf16>})
