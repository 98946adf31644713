// Operations of math that no OpFunc computes become operations of the dialect, which --spyre-decompose writes with others.

// RUN: spyre-opt %s --spyre-import-linalg | FileCheck %s
// RUN: spyre-run %s --entry functions --random-seed 1 --check-pipeline='builtin.module(spyre-import-linalg,spyre-pipeline)' --tolerance 1e-4 2>/dev/null | FileCheck %s --check-prefix=CARD

// CARD: a bundle, same results on the simulated card

#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @functions(
// CHECK-DAG:     %[[TWO:.+]] = spyre.fill dense<2.000000e+00> : tensor<1x1xf32>
// CHECK-DAG:     %[[THREE:.+]] = spyre.fill dense<3.000000e+00> : tensor<1x1xf32>
// CHECK-DAG:     spyre.ceil
// CHECK-DAG:     spyre.round
// CHECK-DAG:     spyre.pow %{{.+}}, %[[TWO]] : (tensor<4x64xf32>, tensor<1x1xf32>) -> tensor<4x64xf32>
// CHECK:         spyre.sin
// CHECK:         spyre.cos
// CHECK:         spyre.erf
// CHECK:         spyre.exp2
// CHECK:         spyre.expm1
// CHECK:         spyre.atan
// CHECK:         spyre.pow %{{.+}}, %[[THREE]]
// CHECK:         spyre.log1p
// CHECK:         spyre.log2
func.func @functions(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %e = tensor.empty() : tensor<4x64xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x64xf32>) outs(%e : tensor<4x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %two = arith.constant 2.0 : f32
    %three = arith.constant 3 : i32
    %0 = math.sin %in : f32
    %1 = math.cos %0 : f32
    %2 = math.erf %1 : f32
    %3 = math.exp2 %2 : f32
    %4 = math.expm1 %3 : f32
    %5 = math.atan %4 : f32
    %6 = math.ceil %in : f32
    %7 = math.roundeven %in : f32
    %8 = arith.addf %6, %7 : f32
    %9 = math.powf %8, %two : f32
    %10 = math.fpowi %5, %three : f32, i32
    %11 = arith.addf %9, %10 : f32
    %12 = math.absf %11 : f32
    %13 = math.log1p %12 : f32
    %14 = arith.addf %13, %two : f32
    %15 = math.log2 %14 : f32
    linalg.yield %15 : f32
  } -> tensor<4x64xf32>
  return %y : tensor<4x64xf32>
}

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
