// RUN: spyre-opt %s --spyre-propagate-layouts | FileCheck %s

// The default layouts of ranks 0 to 6 (middle-end specification, section 2.2): the first dimension is right before the
// stick. Reductions over the stick leave one element in each, up to rank 6 as well.

// CHECK-DAG: #[[$R0:layout[0-9]*]] = #spyre.layout<() -> (0, 0)>
// CHECK-DAG: #[[$R1:layout[0-9]*]] = #spyre.layout<(d0) -> (d0 floordiv 64, d0 mod 64)>
// CHECK-DAG: #[[$R2:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK-DAG: #[[$R3:layout[0-9]*]] = #spyre.layout<(d0, d1, d2) -> (d1, d2 floordiv 64, d0, d2 mod 64)>
// CHECK-DAG: #[[$R4:layout[0-9]*]] = #spyre.layout<(d0, d1, d2, d3) -> (d1, d2, d3 floordiv 64, d0, d3 mod 64)>
// CHECK-DAG: #[[$R5:layout[0-9]*]] = #spyre.layout<(d0, d1, d2, d3, d4) -> (d1, d2, d3, d4 floordiv 64, d0, d4 mod 64)>
// CHECK-DAG: #[[$R6:layout[0-9]*]] = #spyre.layout<(d0, d1, d2, d3, d4, d5) -> (d1, d2, d3, d4, d5 floordiv 64, d0, d5 mod 64)>
// CHECK-DAG: #[[$S1:layout[0-9]*]] = #spyre.layout<(d0) -> (0, d0, 0)>
// CHECK-DAG: #[[$S2:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1, 0, d0, 0)>
// CHECK-DAG: #[[$S3:layout[0-9]*]] = #spyre.layout<(d0, d1, d2) -> (d1, d2, 0, d0, 0)>
// CHECK-DAG: #[[$S5:layout[0-9]*]] = #spyre.layout<(d0, d1, d2, d3, d4) -> (d1, d2, d3, d4, 0, d0, 0)>
// CHECK-DAG: #[[$S6:layout[0-9]*]] = #spyre.layout<(d0, d1, d2, d3, d4, d5) -> (d1, d2, d3, d4, d5, 0, d0, 0)>

// CHECK-LABEL: func.func @pointwise(
func.func @pointwise(%a: tensor<f16>, %b: tensor<70xf16>, %c: tensor<2x70xf16>, %d: tensor<2x3x70xf16>, %e: tensor<2x3x4x70xf16>,
                     %f: tensor<2x3x4x5x70xf16>, %g: tensor<2x2x2x2x2x70xf16>) {
  // CHECK: spyre.exp {{.*}}candidates = [#[[$R0]]]
  %0 = spyre.exp %a : tensor<f16>
  // CHECK: spyre.exp {{.*}}candidates = [#[[$R1]]]
  %1 = spyre.exp %b : tensor<70xf16>
  // CHECK: spyre.exp {{.*}}candidates = [#[[$R2]]]
  %2 = spyre.exp %c : tensor<2x70xf16>
  // CHECK: spyre.exp {{.*}}candidates = [#[[$R3]]]
  %3 = spyre.exp %d : tensor<2x3x70xf16>
  // CHECK: spyre.exp {{.*}}candidates = [#[[$R4]]]
  %4 = spyre.exp %e : tensor<2x3x4x70xf16>
  // CHECK: spyre.exp {{.*}}candidates = [#[[$R5]]]
  %5 = spyre.exp %f : tensor<2x3x4x5x70xf16>
  // CHECK: spyre.exp {{.*}}candidates = [#[[$R6]]]
  %6 = spyre.exp %g : tensor<2x2x2x2x2x70xf16>
  return
}

// CHECK-LABEL: func.func @sparse(
func.func @sparse(%b: tensor<70xf16>, %c: tensor<2x70xf16>, %d: tensor<2x3x70xf16>, %e: tensor<2x3x4x70xf16>,
                  %f: tensor<2x3x4x5x70xf16>, %g: tensor<2x2x2x2x2x70xf16>) {
  // CHECK: spyre.sum {{.*}}candidates = [#[[$R0]]]
  %1 = spyre.sum %b dims [0] : (tensor<70xf16>) -> tensor<f16>
  // CHECK: spyre.sum {{.*}}candidates = [#[[$S1]]]
  %2 = spyre.sum %c dims [1] : (tensor<2x70xf16>) -> tensor<2xf16>
  // CHECK: spyre.sum {{.*}}candidates = [#[[$S2]]]
  %3 = spyre.sum %d dims [2] : (tensor<2x3x70xf16>) -> tensor<2x3xf16>
  // CHECK: spyre.sum {{.*}}candidates = [#[[$S3]]]
  %4 = spyre.sum %e dims [3] : (tensor<2x3x4x70xf16>) -> tensor<2x3x4xf16>
  // CHECK: spyre.sum {{.*}}candidates = [#[[$S5]]]
  %5 = spyre.sum %f dims [4] keepdim : (tensor<2x3x4x5x70xf16>) -> tensor<2x3x4x5x1xf16>
  // CHECK: spyre.sum {{.*}}candidates = [#[[$S6]]]
  %6 = spyre.sum %g dims [5] keepdim : (tensor<2x2x2x2x2x70xf16>) -> tensor<2x2x2x2x2x1xf16>
  return
}
