// RUN: spyre-opt %s --allow-unregistered-dialect --verify-roundtrip | FileCheck %s
// RUN: spyre-opt %s --allow-unregistered-dialect --emit-bytecode | spyre-opt --allow-unregistered-dialect | FileCheck %s
// RUN: spyre-opt %s --allow-unregistered-dialect --mlir-print-op-generic | spyre-opt --allow-unregistered-dialect | FileCheck %s
// RUN: spyre-opt %s --allow-unregistered-dialect --mlir-print-local-scope | spyre-opt --allow-unregistered-dialect | FileCheck %s

// sdscbundle.op_spec and its attributes with all their optional parts. The limits of the constraints are accepted here and
// passed in op-spec-invalid.mlir.

// The maps of tensors, which come first in the text.
// CHECK-DAG: #[[STICK:.*]] = affine_map<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK-DAG: #[[ROWS:.*]] = affine_map<(d0, d1) -> (d0 floordiv 32, d0 mod 32)>
// CHECK-DAG: #[[TABLE:.*]] = affine_map<(d0, d1)[s0] -> (d1 floordiv 64, s0, d1 mod 64)>
// CHECK-DAG: #[[SAME:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[CORES:.*]] = affine_map<(d0) -> (d0 mod 4, d0 floordiv 4)>
// CHECK-DAG: #[[BLOCK:.*]] = affine_map<(d0) -> (d0 floordiv 32 + 1, d0 mod 32)>
// CHECK-DAG: #[[ORIGIN:.*]] = affine_map<() -> (0, 0)>
// CHECK-DAG: #[[ONE:.*]] = affine_map<(d0) -> (d0)>
// CHECK-DAG: #[[DIGITS:.*]] = affine_map<(d0) -> (d0 mod 4, d0 floordiv 4, 0)>
// CHECK-DAG: #[[NONE:.*]] = affine_map<(d0) -> ()>
// CHECK-DAG: #[[LAST:.*]] = affine_map<(d0) -> (d0 floordiv 2, 0)>
// CHECK-DAG: #[[TWICE:.*]] = affine_map<(d0) -> (d0 mod 4, 0)>
// CHECK-DAG: #[[ZERO:.*]] = affine_map<(d0) -> (0)>

//===----------------------------------------------------------------------===//
// OpSpec
//===----------------------------------------------------------------------===//

// Each tensor is on a line of its own, attributes of the operation have no names, and maps are aliases.
// CHECK-LABEL: sdscbundle.op_spec @sdsc_0 "mul" space [<"c0" = 512 over 32>, <"c1" = 1024 over 1>] loops [2, 4] args [{{$}}
// CHECK-NEXT: <in lx 0 SEN169_FP16 [16, 512, 64], #[[STICK]]>,{{$}}
// CHECK-NEXT: <out arg 2 SEN169_FP16 [64, 1024, 64], #[[STICK]], advance = [32768, 1048576]>]{{$}}
sdscbundle.op_spec @sdsc_0 "mul" space [<"c0" = 512 over 32>, <"c1" = 1024 over 1>] loops [2, 4] args [
  <in lx 0 SEN169_FP16 [16, 512, 64], (d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>,
  <out arg 2 SEN169_FP16 [64, 1024, 64], (d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), advance = [32768, 1048576]>]

// CHECK: sdscbundle.op_spec @sdsc_1 "mean" reduction space
// CHECK-NEXT: <in arg 0
// CHECK-NEXT: <out arg 1{{.*}}>] constants <"scaling_factor" = 1.000000e-02 : f64> {note}
sdscbundle.op_spec @sdsc_1 "mean" reduction space [<"c0" = 100 over 1>] args [
  <in arg 0 SEN169_FP16 [2, 64], (d0) -> (d0 floordiv 64, d0 mod 64)>,
  <out arg 1 SEN169_FP16 [1, 64], (d0) -> (0, 0)>] constants <"scaling_factor" = 1.0e-2> {note}

// CHECK: sdscbundle.op_spec "private" @hidden "exp" space [] args
sdscbundle.op_spec "private" @hidden "exp" space [] args [<out arg 0 SEN169_FP16 [1, 64], () -> (0, 0)>] constants <>

// What only some front ends say: runtime sizes, tensors that others take coordinates from, levels beside loops, the
// order of cores, ownership, extras and provenance.
// CHECK: sdscbundle.op_spec @runtime "identity" space [<"c0" = "s0" max 512 granularity 64 over 4>,
// CHECK-SAME: <"c1" = 5 over 2>]
// CHECK-SAME: in_order loops [2, 4] levels [<0>, <0 : "c0">, <1 : "c1" of 8>, <1 of 3>] args [{{$}}
// CHECK-NEXT: <in arg 0 IEEE_INT32 [16, 32], #[[ROWS]], name = "rows">,{{$}}
// CHECK-NEXT: <in arg 1 SEN169_FP16 [4, 999, 64], #[[TABLE]], advance = [0, 64, 0, 128], offset = 8191, arrangement = qfp8wt, name = "table", indirect = ["rows"]>,{{$}}
// CHECK-NEXT: <out lx 1 SEN169_FP16 [512, 64], #[[SAME]], owners = <[4, 2], #[[CORES]]>>]
// CHECK-SAME: constants <"z" = 1.000000e+00 : f64, "a" = 2 : i64> info <"conv_params" = <"stride" = [2, -1], "name" = unit>, "pairs" = [1, <"b" = []>, [<>]]>
// CHECK-SAME: output_ranges [1, 2, 3, 4] debug_handle <"z" = "last", "a" = [true, 1.500000e+00, 18446744073709551615 : ui64]>{{$}}
sdscbundle.op_spec @runtime "identity" space [<"c0" = "s0" max 512 granularity 64 over 4>, <"c1" = 5 over 2>]
  in_order loops [2, 4] levels [<0>, <0 : "c0">, <1 : "c1" of 8>, <1 of 3>] args [
  <in arg 0 IEEE_INT32 [16, 32], (d0, d1) -> (d0 floordiv 32, d0 mod 32), name = "rows">,
  <in arg 1 SEN169_FP16 [4, 999, 64], (d0, d1)[s0] -> (d1 floordiv 64, s0, d1 mod 64), indirect = ["rows"],
    name = "table", arrangement = qfp8wt, offset = 8191, advance = [0, 64, 0, 128]>,
  <out lx 1 SEN169_FP16 [512, 64], (d0, d1) -> (d0, d1), owners = <[4, 2], (d0) -> (d0 mod 4, d0 floordiv 4)>>]
  constants <"z" = 1.0, "a" = 2> info <"conv_params" = <"stride" = [2, -1], "name" = unit>, "pairs" = [1, #sdscbundle.record<"b" = []>, [<>]]> output_ranges [1, 2, 3, 4]
  debug_handle <"z" = "last", "a" = [true, 1.5, 18446744073709551615 : ui64]>

// The slices of cores, in the order of the files, which is not that of the space. A dimension that is not divided needs none.
// CHECK: sdscbundle.op_spec @slices "neg" space [<"c0" = 64 over 8>, <"c1" = 256 over 4>, <"c2" = 2 over 1>, <"c3" = 5 over 1>]
// CHECK-SAME: in_order core_slices <["c1", "c0", "c3"], #[[DIGITS]]> loops [2] args [
sdscbundle.op_spec @slices "neg" space [<"c0" = 64 over 8>, <"c1" = 256 over 4>, <"c2" = 2 over 1>, <"c3" = 5 over 1>]
  in_order core_slices <["c1", "c0", "c3"], (d0) -> (d0 mod 4, d0 floordiv 4, 0)> loops [2] args [
  <out arg 0 SEN169_FP16 [64, 64], (d0, d1, d2, d3) -> (d0, d1)>]

// No dimension is divided, which is another thing than no word about it.
// CHECK: sdscbundle.op_spec @undivided "neg" space [<"c0" = 64 over 1>] core_slices <[], #[[NONE]]> args [
sdscbundle.op_spec @undivided "neg" space [<"c0" = 64 over 1>] core_slices <[], (d0) -> ()> args [
  <out arg 0 SEN169_FP16 [1, 64], (d0) -> (0, d0)>]

// A re-layout of what the last of every two cores has, to eight cores of which two have each part.
// CHECK: sdscbundle.op_spec @relayout "identity" space [<"c0" = 64 over 4>, <"c1" = 256 over 1>] completed_cores [1, 3, 2147483647, 0] args [
// CHECK-NEXT: owners = <[4, 1], #[[LAST]]>>,{{$}}
// CHECK-NEXT: owners = <[4, 1], #[[TWICE]] among 8>>] info <"lx_relayout_certified" = true>
sdscbundle.op_spec @relayout "identity" space [<"c0" = 64 over 4>, <"c1" = 256 over 1>] completed_cores [1, 3, 2147483647, 0] args [
  <in lx 0 SEN169_FP16 [64, 64], (d0, d1) -> (d0, d1), owners = <[4, 1], (d0) -> (d0 floordiv 2, 0)>>,
  <out lx 8192 SEN169_FP16 [64, 64], (d0, d1) -> (d0, d1), owners = <[4, 1], (d0) -> (d0 mod 4, 0) among 8>>]
  info <"lx_relayout_certified" = true>

// CHECK: "test.owners"() {a = #sdscbundle.ownership<[1], #[[ZERO]] among 2147483647>, b = #sdscbundle.core_slices<["c0"], #[[ONE]]>}
"test.owners"() {a = #sdscbundle.ownership<[1], (d0) -> (0) among 2147483647>, b = #sdscbundle.core_slices<["c0"], (d0) -> (d0)>} : () -> ()

// The runtime sizes that parameters are.
// CHECK: func.func private @sizes(index {sdscbundle.size = #sdscbundle.size<"s0">}, index {sdscbundle.size = #sdscbundle.size<"s1" in 2 dim 0>})
func.func private @sizes(index {sdscbundle.size = #sdscbundle.size<"s0">}, index {sdscbundle.size = #sdscbundle.size<"s1" in 2 dim 0>})

// A name is unique in its symbol table only.
// CHECK: module @nested
module @nested {
  // CHECK-NEXT: sdscbundle.op_spec @sdsc_0 "exp" space [] args
  sdscbundle.op_spec @sdsc_0 "exp" space [] args [<out arg 0 SEN169_FP16 [1, 64], () -> (0, 0)>]
}

// CHECK-LABEL: "test.iter_dims"()
// CHECK-SAME: a = #sdscbundle.iter_dim<"c0" = 512 over 32>
// CHECK-SAME: b = #sdscbundle.iter_dim<"c1" = 9223372036854775807 over 1>
"test.iter_dims"() {a = #sdscbundle.iter_dim<"c0" = 512 over 32>,
                    b = #sdscbundle.iter_dim<"c1" = 9223372036854775807 over 1>} : () -> ()

// CHECK-LABEL: "test.tensor_args"()
// CHECK-SAME: a = #sdscbundle.tensor_arg<in arg 0 SEN169_FP16 [64, 1024, 64], #[[STICK]], advance = [32768, 1048576]>
// CHECK-SAME: b = #sdscbundle.tensor_arg<out pool 4096 IEEE_FP32 [2, 32], #[[BLOCK]], offset = 256>
// CHECK-SAME: c = #sdscbundle.tensor_arg<in lx 128 SENINT8 [1, 128], #[[ORIGIN]]>
// CHECK-SAME: d = #sdscbundle.tensor_arg<out arg 1 BFLOAT16 [64], #[[ONE]], advance = [-64, 0], offset = 128>
// CHECK-SAME: e = #sdscbundle.tensor_arg<in pool 0 SEN169_FP16 [64], #[[ONE]], name = "x", separate_parts, kernel_local>
// CHECK-SAME: f = #sdscbundle.tensor_arg<out lx 0 SEN169_FP16 [64], #[[ONE]], kernel_local>
"test.tensor_args"() {
  a = #sdscbundle.tensor_arg<in arg 0 SEN169_FP16 [64, 1024, 64], (d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), advance = [32768, 1048576]>,
  b = #sdscbundle.tensor_arg<out pool 4096 IEEE_FP32 [2, 32], (d0) -> (d0 floordiv 32 + 1, d0 mod 32), offset = 256>,
  c = #sdscbundle.tensor_arg<in lx 128 SENINT8 [1, 128], () -> (0, 0), advance = [], offset = 0>,
  d = #sdscbundle.tensor_arg<out arg 1 BFLOAT16 [64], (d0) -> (d0), offset = 128, advance = [-64, 0]>,
  e = #sdscbundle.tensor_arg<in pool 0 SEN169_FP16 [64], (d0) -> (d0), kernel_local, name = "x", separate_parts>,
  f = #sdscbundle.tensor_arg<out lx 0 SEN169_FP16 [64], (d0) -> (d0), kernel_local>
} : () -> ()
