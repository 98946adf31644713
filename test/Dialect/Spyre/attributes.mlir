// RUN: spyre-opt %s --allow-unregistered-dialect | FileCheck %s
// RUN: spyre-opt %s --allow-unregistered-dialect --mlir-print-op-generic | spyre-opt --allow-unregistered-dialect | FileCheck %s

// Every attribute with all its optional parts. The limits of the constraints
// are accepted here and passed in invalid-attributes.mlir.

//===----------------------------------------------------------------------===//
// #spyre.layout: printed as aliases, before everything else
//===----------------------------------------------------------------------===//

// One stick for a tensor of rank 0.
// CHECK-DAG: #[[$SCALAR:layout[0-9]*]] = #spyre.layout<() -> (0, 0)>
// CHECK-DAG: #[[$STICK:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK-DAG: #[[$STICK32:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 32, d0, d1 mod 32)>
// CHECK-DAG: #[[$STICK128:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 128, d0, d1 mod 128)>
// Digits in any order, with a middle one.
// CHECK-DAG: #[[$MIDDLE:layout[0-9]*]] = #spyre.layout<(d0, d1) -> ((d1 floordiv 64) mod 4, d0, d1 floordiv 256, d1 mod 64)>
// CHECK-DAG: #[[$SPARSE:layout[0-9]*]] = #spyre.layout<(d0) -> (0, d0, 0)>
// The stick of an extent that is just one stick needs no modulus.
// CHECK-DAG: #[[$WHOLE:layout[0-9]*]] = #spyre.layout<(d0) -> (d0)>
// CHECK-DAG: #[[$PADDED:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), size = [1, 512, 64]>
// CHECK-DAG: #[[$EXPANDED:layout[0-9]*]] = #spyre.layout<(d0) -> (0, d0 floordiv 64, 0, d0 mod 64), size = [3, 2, 5, 64], expanded = [0, 2]>
// CHECK-DAG: #[[$FORMAT:layout[0-9]*]] = #spyre.layout<(d0) -> (d0 floordiv 32, d0 mod 32), format = IEEE_FP32>
// CHECK-DAG: #[[$STAGGERED:layout[0-9]*]] = #spyre.layout<(d0) -> (d0 floordiv 32, d0 mod 32), format = SENUINT32, arrangement = dl16_to_fp32>
// Two dimensions share the stick of a quantized weight.
// CHECK-DAG: #[[$WEIGHT:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0 floordiv 2, d0 mod 2, d1 mod 64), arrangement = qfp8wt>

// CHECK-LABEL: func.func private @layouts(
func.func private @layouts(
    // CHECK-SAME: tensor<f16, #[[$SCALAR]]>,
    tensor<f16, #spyre.layout<() -> (0, 0)>>,
    // CHECK-SAME: tensor<1024x4096xf16, #[[$STICK]]>,
    tensor<1024x4096xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>>,
    // Every element type has its stick; bool is stored as a 16-bit float.
    // CHECK-SAME: tensor<7x33xbf16, #[[$STICK]]>,
    tensor<7x33xbf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>>,
    // CHECK-SAME: tensor<7x33xi1, #[[$STICK]]>,
    tensor<7x33xi1, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>>,
    // CHECK-SAME: tensor<7x33xf32, #[[$STICK32]]>,
    tensor<7x33xf32, #spyre.layout<(d0, d1) -> (d1 floordiv 32, d0, d1 mod 32)>>,
    // CHECK-SAME: tensor<7x33xi32, #[[$STICK32]]>,
    tensor<7x33xi32, #spyre.layout<(d0, d1) -> (d1 floordiv 32, d0, d1 mod 32)>>,
    // CHECK-SAME: tensor<7x33xi64, #[[$STICK32]]>,
    tensor<7x33xi64, #spyre.layout<(d0, d1) -> (d1 floordiv 32, d0, d1 mod 32)>>,
    // CHECK-SAME: tensor<512x256xi8, #[[$STICK128]]>,
    tensor<512x256xi8, #spyre.layout<(d0, d1) -> (d1 floordiv 128, d0, d1 mod 128)>>,
    // CHECK-SAME: tensor<512x256xf8E4M3FN, #[[$STICK128]]>,
    tensor<512x256xf8E4M3FN, #spyre.layout<(d0, d1) -> (d1 floordiv 128, d0, d1 mod 128)>>,
    // CHECK-SAME: tensor<512x256xf8E5M2, #[[$STICK128]]>,
    tensor<512x256xf8E5M2, #spyre.layout<(d0, d1) -> (d1 floordiv 128, d0, d1 mod 128)>>,
    // CHECK-SAME: tensor<8x1000xf16, #[[$MIDDLE]]>,
    tensor<8x1000xf16, #spyre.layout<(d0, d1) -> ((d1 floordiv 64) mod 4, d0, d1 floordiv 256, d1 mod 64)>>,
    // CHECK-SAME: tensor<128xf16, #[[$SPARSE]]>,
    tensor<128xf16, #spyre.layout<(d0) -> (0, d0, 0)>>,
    // CHECK-SAME: tensor<64xf16, #[[$WHOLE]]>,
    tensor<64xf16, #spyre.layout<(d0) -> (d0)>>,
    // CHECK-SAME: tensor<40x60xf16, #[[$PADDED]]>,
    tensor<40x60xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), size = [1, 512, 64]>>,
    // CHECK-SAME: tensor<128xf16, #[[$EXPANDED]]>,
    tensor<128xf16, #spyre.layout<(d0) -> (0, d0 floordiv 64, 0, d0 mod 64), size = [3, 2, 5, 64], expanded = [0, 2]>>,
    // CHECK-SAME: tensor<128xf16, #[[$FORMAT]]>,
    tensor<128xf16, #spyre.layout<(d0) -> (d0 floordiv 32, d0 mod 32), format = IEEE_FP32>>,
    // Keys in any order; what is the default is not printed.
    // CHECK-SAME: tensor<128xf16, #[[$STAGGERED]]>,
    tensor<128xf16, #spyre.layout<(d0) -> (d0 floordiv 32, d0 mod 32), arrangement = dl16_to_fp32, format = SENUINT32>>,
    // CHECK-SAME: tensor<8x64xf16, #[[$STICK]]>,
    tensor<8x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), arrangement = standard>>,
    // CHECK-SAME: tensor<256x512xf8E4M3FN, #[[$WEIGHT]]>,
    tensor<256x512xf8E4M3FN, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0 floordiv 2, d0 mod 2, d1 mod 64), arrangement = qfp8wt>>,
    // A dynamic extent, also with room for it in an explicit size.
    // CHECK-SAME: tensor<?x?xf16, #[[$STICK]]>,
    tensor<?x?xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>>,
    // CHECK-SAME: tensor<?x60xf16, #[[$PADDED]]>,
    tensor<?x60xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), size = [1, 512, 64]>>,
    // SL11 at its limit: 2^63 - 128 bytes.
    // CHECK-SAME: tensor<4611686018427387840xf16, #{{.*}}>)
    tensor<4611686018427387840xf16, #spyre.layout<(d0) -> (d0 floordiv 64, d0 mod 64)>>)

// CHECK-LABEL: func.func private @formats(
func.func private @formats(
    tensor<64xf16, #spyre.layout<(d0) -> (d0 floordiv 64, d0 mod 64), format = SEN169_FP16>>,
    tensor<64xf16, #spyre.layout<(d0) -> (d0 floordiv 64, d0 mod 64), format = SENINT16>>,
    tensor<64xf16, #spyre.layout<(d0) -> (d0 floordiv 64, d0 mod 64), format = IEEE_FP16>>,
    tensor<64xf16, #spyre.layout<(d0) -> (d0 floordiv 64, d0 mod 64), format = BFLOAT16>>,
    tensor<64xf16, #spyre.layout<(d0) -> (d0 floordiv 32, d0 mod 32), format = IEEE_INT32>>,
    tensor<64xf16, #spyre.layout<(d0) -> (d0 floordiv 128, d0 mod 128), format = SENINT8>>,
    tensor<64xf16, #spyre.layout<(d0) -> (d0 floordiv 128, d0 mod 128), format = SEN143_FP8>>,
    tensor<64xf16, #spyre.layout<(d0) -> (d0 floordiv 128, d0 mod 128), format = SEN152_FP8>>)

// CHECK-LABEL: func.func private @arrangements(
func.func private @arrangements(
    tensor<64xf16, #spyre.layout<(d0) -> (d0 floordiv 64, d0 mod 64), arrangement = fp32_to_dl16>>,
    tensor<64xf16, #spyre.layout<(d0) -> (d0 floordiv 64, d0 mod 64), arrangement = qfp8ch>>,
    tensor<64xf16, #spyre.layout<(d0) -> (d0 floordiv 64, d0 mod 64), arrangement = exx2>>)

//===----------------------------------------------------------------------===//
// #spyre.target
//===----------------------------------------------------------------------===//

// CHECK: module @default_target attributes {spyre.target = #[[$TARGET:target[0-9]*]]}
module @default_target attributes {spyre.target = #spyre.target} {}
// CHECK: module @default_target_too attributes {spyre.target = #[[$TARGET]]}
module @default_target_too attributes {spyre.target = #spyre.target<cores = 32, lx_bytes = 2097152>} {}
// CHECK: module @small_target attributes {spyre.target = #[[$SMALL:target[0-9]*]]}
module @small_target attributes {spyre.target = #spyre.target<formats = [f16, i64], cores = 1, lx_reserved_bytes = 0, lx_backend_percent = 0>} {}
// CHECK: module @without_lx attributes {spyre.target = #[[$WITHOUT:target[0-9]*]]}
module @without_lx attributes {spyre.target = #spyre.target<lx_bytes = 0>} {}
// CHECK: module @full_target attributes {spyre.target = #[[$FULL:target[0-9]*]]}
module @full_target attributes {spyre.target = #spyre.target<
  cores = 2147483647, lx_bytes = 4096, lx_reserved_bytes = 3968, lx_backend_percent = 99, stick_bytes = 128,
  span_limit_bytes = 128, segment_bytes = 1024, segment_reserved_bytes = 896, segments = 2147483647, formats = []>} {}

// ST6: the rules of bundles. The default version is not printed.
// CHECK: module @published attributes {spyre.target = #[[$TARGET]]}
module @published attributes {spyre.target = #spyre.target<contract = "1.0.0">} {}
// CHECK: module @recorded attributes {spyre.target = #[[$RECORDED:target[0-9]*]]}
module @recorded attributes {spyre.target = #spyre.target<contract = "r3">} {}
// CHECK: module @recorded_before attributes {spyre.target = #[[$BEFORE:target[0-9]*]]}
module @recorded_before attributes {spyre.target = #spyre.target<contract = "r2", cores = 2>} {}
// CHECK: module @with_exceptions attributes {spyre.target = #[[$EXCEPTIONS:target[0-9]*]]}
module @with_exceptions attributes {spyre.target = #spyre.target<
  exceptions = ["fp32-roots", "fp32-restickify", "int32-arithmetic", "product-reduction"]>} {}
// CHECK: module @no_exceptions attributes {spyre.target = #[[$NONE:target[0-9]*]]}
module @no_exceptions attributes {spyre.target = #spyre.target<exceptions = []>} {}

// CHECK: module @slow attributes {spyre.target = #[[$SLOW:target[0-9]*]]}
module @slow attributes {spyre.target = #spyre.target<rates = <bytes_per_us = 1024, execution_ps = 0>>} {}

//===----------------------------------------------------------------------===//
// The other attributes
//===----------------------------------------------------------------------===//

// CHECK-LABEL: "test.hints"()
// CHECK-SAME: a = #spyre.tile_hint<0 : "A" in 2>
// CHECK-SAME: b = #spyre.tile_hint<9223372036854775807 : "B \22quoted\22" in 9223372036854775807>
// CHECK-SAME: c = #spyre.tile_hint<3 : "A" by 64>
"test.hints"() {a = #spyre.tile_hint<0 : "A" in 2>,
                b = #spyre.tile_hint<9223372036854775807 : "B \"quoted\"" in 9223372036854775807>,
                c = #spyre.tile_hint<3 : "A" by 64>} : () -> ()

// CHECK-LABEL: "test.scopes"()
// CHECK-SAME: a = #spyre.tile_scope<"A" in 2>
// CHECK-SAME: b = #spyre.tile_scope<"A" in 2, "B" by 64, ops 0 to 3>
// CHECK-SAME: c = #spyre.tile_scope<"A" in 2, "B" by 64, "A" over 8, "C" over 2, ops 0 to 3>
// CHECK-SAME: d = #spyre.tile_scope<"A" over 32>
// CHECK-SAME: e = #spyre.divide_hint<"A" over 32>
"test.scopes"() {a = #spyre.tile_scope<"A" in 2>, b = #spyre.tile_scope<"A" in 2, "B" by 64, ops 0 to 3>,
                 c = #spyre.tile_scope<"A" over 8, "A" in 2, "C" over 2, "B" by 64, ops 0 to 3>,
                 d = #spyre.tile_scope<"A" over 32>, e = #spyre.divide_hint<"A" over 32>} : () -> ()

// CHECK-LABEL: "test.merged"()
// CHECK-SAME: a = #spyre.merged<"H" of 8, "D" of 64>
"test.merged"() {a = #spyre.merged<"H" of 8, "D" of 64>} : () -> ()

// CHECK-LABEL: "test.dynamic"()
// CHECK-SAME: a = #spyre.dynamic<granularity = 64, max = 512>
"test.dynamic"() {a = #spyre.dynamic<max = 512, granularity = 64>} : () -> ()

// CHECK-LABEL: "test.plan"()
// CHECK-SAME: a = #spyre.plan,
// CHECK-SAME: b = #spyre.plan<cache_arguments = true, relayouts = true, memory_weight = 1, most_bytes = 9223372036854775807>
// CHECK-SAME: c = #spyre.plan<memory_weight = 8>
"test.plan"() {a = #spyre.plan<cache_arguments = false>,
               b = #spyre.plan<most_bytes = 9223372036854775807, memory_weight = 1, relayouts = true, cache_arguments = true>,
               c = #spyre.plan<memory_weight = 8>} : () -> ()

// SD17
// CHECK-LABEL: func.func @planned()
// CHECK-SAME: attributes {spyre.plan = #spyre.plan<cache_arguments = true>}
func.func @planned() attributes {spyre.plan = #spyre.plan<cache_arguments = true>} { return }

// SD2, SD9, SD10, SD11: what names may be, and where.
// CHECK-LABEL: func.func @names(
// CHECK-SAME: {spyre.dims = ["S", #spyre.merged<"H" of 8, "D" of 8>]}
// CHECK-SAME: {spyre.dims = {{\[\[}}"A", "S"], "B"]}
// CHECK-SAME: attributes {spyre.dim_sizes = {A = 8 : i64, B = "A", T = #spyre.dynamic<granularity = 1, max = 9223372036854775807>, U = "T"}, spyre.tile_scopes = [#spyre.tile_scope<"S" by 4>]}
func.func @names(%x: tensor<8x64xf16> {spyre.dims = ["S", #spyre.merged<"H" of 8, "D" of 8>]},
                 %y: tensor<8x64xf16> {spyre.dims = [["A", "S"], "B"]})
    attributes {spyre.dim_sizes = {A = 8, B = "A", U = "T", T = #spyre.dynamic<granularity = 1, max = 9223372036854775807>}, spyre.tile_scopes = [#spyre.tile_scope<"S" by 4>]} {
  // CHECK: spyre.sum {{.*}} {spyre.dims = ["S"], spyre.expected_dims = ["S"], spyre.expected_reduction_dims = ["K"], spyre.reduction_dims = ["K"]}
  %s = spyre.sum %x dims [1] {spyre.dims = ["S"], spyre.expected_dims = ["S"], spyre.reduction_dims = ["K"], spyre.expected_reduction_dims = ["K"]} : (tensor<8x64xf16>) -> tensor<8xf16>
  return
}

// CHECK-LABEL: "test.places"()
// CHECK-SAME: a = #spyre.place<arg 0>
// CHECK-SAME: b = #spyre.place<arg 2147483647>
// CHECK-SAME: c = #spyre.place<pool 9223372036854775680>
// CHECK-SAME: d = #spyre.place<lx 128>
// CHECK-SAME: e = #spyre.place<window>
"test.places"() {a = #spyre.place<arg 0>, b = #spyre.place<arg 2147483647>, c = #spyre.place<pool 9223372036854775680>,
                 d = #spyre.place<lx 128>, e = #spyre.place<window>} : () -> ()

// Discardable attributes, on arguments and results.
// CHECK-LABEL: func.func private @boundary(
// CHECK-SAME: tensor<8x64xf16> {spyre.dims = ["A", "B"], spyre.place = #spyre.place<arg 0>},
// CHECK-SAME: tensor<f16> {spyre.dims = []})
// CHECK-SAME: -> (tensor<?xf16> {spyre.dims = ["A"], spyre.place = #spyre.place<arg 2>})
func.func private @boundary(
    tensor<8x64xf16> {spyre.dims = ["A", "B"], spyre.place = #spyre.place<arg 0>},
    tensor<f16> {spyre.dims = []})
    -> (tensor<?xf16> {spyre.dims = ["A"], spyre.place = #spyre.place<arg 2>})

// SD2: a placeholder is no name.
// CHECK-LABEL: func.func @placeholders(
// CHECK-SAME:    %{{.+}}: tensor<8x64x64xf16> {spyre.dims = ["S", "_untracked_64", "_untracked_64"]}
func.func @placeholders(%x: tensor<8x64x64xf16> {spyre.dims = ["S", "_untracked_64", "_untracked_64"]}) {
  return
}
