// Two programs on the same inputs: equal in every bit, or where and by how much they differ.

// RUN: spyre-opt %s --coarse-tile -o %t.tiled.mlir
// RUN: spyre-opt %t.tiled.mlir --spyre-unroll-loops -o %t.unrolled.mlir
// RUN: spyre-opt %t.tiled.mlir --spyre-work-division --spyre-scratchpad-planning -o %t.planned.mlir
// RUN: spyre-run %s --entry add_mul --compare %t.tiled.mlir --random-seed 1 --special-values --poison | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry add_mul --compare %t.unrolled.mlir --random-seed 2 --special-values --poison | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry add_mul --compare %t.planned.mlir --random-seed 3 --special-values --poison | FileCheck %s --check-prefix=SAME
// SAME: result 0: 0 of 16384 elements differ{{$}}

// RUN: not spyre-run %s --entry add_mul --compare %s --compare-entry wrong --random-seed 1 | FileCheck %s --check-prefix=WRONG
// WRONG: result 0: {{[0-9]+}} of 16384 elements differ; first at [0, {{[0-9]+}}]: {{.*}} against {{.*}}; maximum absolute error {{.*}}, maximum {{[0-9]+}} ULPs

// Any two NaNs are equal. The zeros are neighbours.
// RUN: not spyre-run %s --entry zero --compare %s --compare-entry minus_zero --random-seed 1 | FileCheck %s --check-prefix=ZERO
// RUN: spyre-run %s --entry zero --compare %s --compare-entry minus_zero --random-seed 1 --max-ulps 1 | FileCheck %s --check-prefix=NEAR
// ZERO: result 0: 1 of 3 elements differ; first at [1]: 0.0 against -0.0; maximum absolute error 0.0, maximum 1 ULPs
// NEAR: result 0: 0 of 3 elements differ; maximum absolute error 0.0, maximum 1 ULPs

// RUN: not spyre-run %s --entry zero --compare %s --compare-entry other_type 2>&1 | FileCheck %s --check-prefix=TYPES
// TYPES: error: the programs cannot be compared: one is () -> (tensor<3xf16>), the other () -> (tensor<3xf32>)

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<32x512xf16, #stick>

func.func @add_mul(%a: !t {spyre.dims = ["A", "B"]}, %b: !t {spyre.dims = ["A", "B"]}, %c: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.add %a, %b tile [0: "A" in 2, 1: "B" in 4] : !t
  %z = spyre.mul %y, %c tile [0: "A" in 2, 1: "B" in 4] : !t
  return %z : !t
}

func.func @wrong(%a: !t, %b: !t, %c: !t) -> !t {
  %y = spyre.add %a, %c : !t
  %z = spyre.mul %y, %b : !t
  return %z : !t
}

func.func @zero() -> tensor<3xf16> {
  %0 = arith.constant dense<[1.0, 0.0, 0x7E00]> : tensor<3xf16>
  return %0 : tensor<3xf16>
}

func.func @minus_zero() -> tensor<3xf16> {
  %0 = arith.constant dense<[1.0, -0.0, 0xFE01]> : tensor<3xf16>
  return %0 : tensor<3xf16>
}

func.func @other_type() -> tensor<3xf32> {
  %0 = arith.constant dense<0.0> : tensor<3xf32>
  return %0 : tensor<3xf32>
}
