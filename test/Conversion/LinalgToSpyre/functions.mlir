// Operations of math that no OpFunc computes become operations of the dialect, which --spyre-decompose writes with others.

// RUN: spyre-opt %s --spyre-import-linalg | FileCheck %s
// RUN: spyre-run %s --entry functions --random-seed 1 --check-pipeline='builtin.module(spyre-import-linalg,spyre-pipeline)' --tolerance 1e-2 2>/dev/null | FileCheck %s --check-prefix=CARD

// CARD: a bundle, same results on the simulated card

#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @functions(
// CHECK-DAG:     %[[TWO:.+]] = spyre.fill dense<2.000000e+00> : tensor<1x1xf16>
// CHECK-DAG:     %[[THREE:.+]] = spyre.fill dense<3.000000e+00> : tensor<1x1xf16>
// CHECK-DAG:     spyre.ceil
// CHECK-DAG:     spyre.round
// CHECK-DAG:     spyre.pow %{{.+}}, %[[TWO]] : (tensor<4x64xf16>, tensor<1x1xf16>) -> tensor<4x64xf16>
// CHECK:         spyre.sin
// CHECK:         spyre.cos
// CHECK:         spyre.erf
// CHECK:         spyre.exp2
// CHECK:         spyre.expm1
// CHECK:         spyre.atan
// CHECK:         spyre.pow %{{.+}}, %[[THREE]]
// CHECK:         spyre.log1p
// CHECK:         spyre.log2
func.func @functions(%x: tensor<4x64xf16>) -> tensor<4x64xf16> {
  %e = tensor.empty() : tensor<4x64xf16>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x64xf16>) outs(%e : tensor<4x64xf16>) {
  ^bb0(%in: f16, %out: f16):
    %two = arith.constant 2.0 : f16
    %three = arith.constant 3 : i32
    %0 = math.sin %in : f16
    %1 = math.cos %0 : f16
    %2 = math.erf %1 : f16
    %3 = math.exp2 %2 : f16
    %4 = math.expm1 %3 : f16
    %5 = math.atan %4 : f16
    %6 = math.ceil %in : f16
    %7 = math.roundeven %in : f16
    %8 = arith.addf %6, %7 : f16
    %9 = math.powf %8, %two : f16
    %10 = math.fpowi %5, %three : f16, i32
    %11 = arith.addf %9, %10 : f16
    %12 = math.absf %11 : f16
    %13 = math.log1p %12 : f16
    %14 = arith.addf %13, %two : f16
    %15 = math.log2 %14 : f16
    linalg.yield %15 : f16
  } -> tensor<4x64xf16>
  return %y : tensor<4x64xf16>
}

// The card has neither logarithms nor roots nor tanh of f32, so what is written with them is the host's.
// RUN: spyre-opt %s --spyre-import-linalg=host=true --remarks-filter=spyre-outline-device --mlir-disable-threading -o /dev/null 2>&1 | FileCheck %s --check-prefix=HOST
// HOST-DAG: Function=more | Reason="'sqrt' computes in SEN169_FP16, but tensor 0 is IEEE_FP32", Remark="'spyre.asin' stays on the host"
// HOST-DAG: Function=more | Reason="'sqrt' computes in {{.+}} Remark="'spyre.acos' stays on the host"
// HOST-DAG: Function=more | Reason="'tanh' computes in {{.+}} Remark="'spyre.sinh' stays on the host"
// HOST-DAG: Function=more | Reason="'sqrt' computes in {{.+}} Remark="'spyre.asinh' stays on the host"
// HOST-DAG: Function=more | Reason="'sqrt' computes in {{.+}} Remark="'spyre.acosh' stays on the host"
// HOST-DAG: Function=more | Reason="'log' computes in {{.+}} Remark="'spyre.atanh' stays on the host"
// HOST-DAG: Function=more | Reason="'log' computes in {{.+}} Remark="'spyre.cbrt' stays on the host"
// CHECK-LABEL: func.func @more(
// CHECK-DAG:     spyre.tan %
// CHECK-DAG:     spyre.asin %
// CHECK-DAG:     spyre.acos %
// CHECK-DAG:     spyre.sinh %
// CHECK-DAG:     spyre.cosh %
// CHECK-DAG:     spyre.asinh %
// CHECK-DAG:     spyre.acosh %
// CHECK-DAG:     spyre.atanh %
// CHECK-DAG:     spyre.cbrt %
// CHECK-DAG:     spyre.trunc %
// CHECK-DAG:     spyre.roundaway %
// CHECK-DAG:     spyre.atan2 %
// CHECK-DAG:     spyre.copysign %
func.func @more(%x: tensor<4x64xf32>, %y: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %e = tensor.empty() : tensor<4x64xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<4x64xf32>, tensor<4x64xf32>) outs(%e : tensor<4x64xf32>) {
  ^bb0(%in: f32, %other: f32, %out: f32):
    %0 = math.tan %in : f32
    %1 = math.asin %in : f32
    %2 = math.acos %in : f32
    %3 = math.sinh %0 : f32
    %4 = math.cosh %1 : f32
    %5 = math.asinh %3 : f32
    %6 = math.acosh %4 : f32
    %7 = math.atanh %2 : f32
    %8 = math.cbrt %5 : f32
    %9 = math.trunc %6 : f32
    %10 = math.round %7 : f32
    %11 = math.atan2 %8, %other : f32
    %12 = math.copysign %9, %other : f32
    %13 = arith.addf %10, %11 : f32
    %14 = arith.addf %12, %13 : f32
    linalg.yield %14 : f32
  } -> tensor<4x64xf32>
  return %z : tensor<4x64xf32>
}
