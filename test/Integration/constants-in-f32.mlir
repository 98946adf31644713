// What a program computes from constants is computed in its own type, and rounded to 16 bits afterwards.

// RUN: spyre-opt %s '--spyre-import-linalg=host=true float=dl16' 2>&1 | FileCheck %s
// RUN: spyre-run %s --entry norm --on=card --float=dl16 --compare %s --compare-entry norm --random-seed 1 --tolerance 1e-2 --stats 2>&1 | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry quotient --random-seed 1 --on=card --float=dl16 2>&1 | FileCheck %s --check-prefix=QUOTIENT
// RUN: spyre-run %s --entry doubles --on=card --float=dl16 --compare %s --compare-entry doubles --random-seed 1 --tolerance 1e-2 2>&1 | FileCheck %s --check-prefix=DOUBLES
// CARD: host: 0 elements
// CARD: result 0: 0 of 256 elements differ

#rows = affine_map<(n, c) -> (n, c)>
#columns = affine_map<(n, c) -> (c)>
#one = affine_map<(d0) -> (d0)>

// A trained variance of 1e8 is none that 16 bits have, and its inverse root is.
// CHECK-NOT:   warning: {{.*}} 1e8
// CHECK-LABEL: func.func private @norm_device_0(
// CHECK-NOT:     rsqrt
// CHECK:         arith.constant dense<1.000170e-04> : tensor<1x1xf16>
// CHECK-NOT:     rsqrt
// CHECK:         return
func.func @norm(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %v = arith.constant dense<1.0e+8> : tensor<64xf32>
  %g = arith.constant dense<1.0e+4> : tensor<64xf32>
  %eps = arith.constant 1.0e-5 : f32
  %e = tensor.empty() : tensor<4x64xf32>
  %r = linalg.generic {indexing_maps = [#rows, #columns, #columns, #rows], iterator_types = ["parallel", "parallel"]} ins(%x, %v, %g : tensor<4x64xf32>, tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<4x64xf32>) {
  ^bb0(%a: f32, %b: f32, %d: f32, %o: f32):
    %1 = arith.addf %b, %eps : f32
    %2 = math.rsqrt %1 : f32
    %3 = arith.mulf %a, %2 : f32
    %4 = arith.mulf %3, %d : f32
    linalg.yield %4 : f32
  } -> tensor<4x64xf32>
  return %r : tensor<4x64xf32>
}

// A divisor's epsilon is not zero in 16 bits, and the warning says what becomes of it.
// QUOTIENT: constants-in-f32.mlir:[[@LINE+4]]:10: warning: spyre-narrow-floats: f16 has magnitudes from 2^-24 to 65504, which 1 of the constant's numbers are not in; 1e-8 becomes 5.96{{.*}}e-8; float=exact leaves it as it is
// QUOTIENT: result 0: tensor<3xf32> [0.0, 0.0, 0.0]
func.func @quotient(%v: tensor<3xf32>) -> tensor<3xf32> {
  %m = tensor.empty() : tensor<3xf32>
  %eps = arith.constant 1.0e-8 : f32
  %r = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%v : tensor<3xf32>) outs(%m : tensor<3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %b = arith.subf %a, %a : f32
    %s = math.sqrt %b : f32
    %d = arith.addf %s, %eps : f32
    %q = arith.divf %b, %d : f32
    linalg.yield %q : f32
  } -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// An argument of f64 becomes one of f32, and not one of 16 bits.
// DOUBLES: result 0: 0 of 64 elements differ
// DOUBLES: result 1: 0 of 64 elements differ
func.func @doubles(%m: tensor<64xf64>, %v: tensor<64xf32>) -> (tensor<64xf64>, tensor<64xf32>) {
  %e = tensor.empty() : tensor<64xf64>
  %c = arith.constant 1.5 : f64
  %r = linalg.generic {indexing_maps = [#one, #one, #one], iterator_types = ["parallel"]} ins(%m, %v : tensor<64xf64>, tensor<64xf32>) outs(%e : tensor<64xf64>) {
  ^bb0(%a: f64, %b: f32, %o: f64):
    %w = arith.extf %b : f32 to f64
    %s = math.sqrt %w : f64
    %d = arith.addf %s, %c : f64
    %q = arith.divf %a, %d : f64
    linalg.yield %q : f64
  } -> tensor<64xf64>
  %t = arith.truncf %r : tensor<64xf64> to tensor<64xf32>
  return %r, %t : tensor<64xf64>, tensor<64xf32>
}
