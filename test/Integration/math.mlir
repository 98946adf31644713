// Operations of math that the mathematical library has no function for, on the CPU.

// RUN: spyre-run %s --entry f | FileCheck %s

// Upstream's expansion of a clamp swaps its bounds, so it is not used.
// RUN: not spyre-run %s --entry clamped --random-seed 1 2>&1 | FileCheck %s --check-prefix=CLAMP
func.func @clamped(%a: tensor<3xf32>, %low: tensor<3xf32>, %high: tensor<3xf32>) -> tensor<3xf32> {
  // CLAMP: math.mlir:[[#@LINE+1]]:{{[0-9]+}}: error: failed to legalize operation 'math.clampf'
  %0 = math.clampf %a to [%low, %high] : tensor<3xf32>
  return %0 : tensor<3xf32>
}

func.func @f() -> (tensor<2xf32>, tensor<2xf16>, tensor<3xi32>, tensor<3xi8>, tensor<2xf32>, tensor<3xi64>,
                   tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<2xf32>,
                   tensor<5xi1>, tensor<5xi1>, tensor<5xi1>, tensor<5xi1>, tensor<1xf32>, tensor<1xf32>) {
  // CHECK: result 0: tensor<2xf32> [0.5, 0.125]
  %roots = arith.constant dense<[4.0, 64.0]> : tensor<2xf32>
  %0 = math.rsqrt %roots : tensor<2xf32>
  // CHECK: result 1: tensor<2xf16> [0.5, 0.125]
  %half_roots = arith.constant dense<[4.0, 64.0]> : tensor<2xf16>
  %1 = math.rsqrt %half_roots : tensor<2xf16>

  // The least integer has no magnitude of its type.
  // CHECK: result 2: tensor<3xi32> [5, 0, -2147483648]
  %i32 = arith.constant dense<[-5, 0, -2147483648]> : tensor<3xi32>
  %2 = math.absi %i32 : tensor<3xi32>
  // CHECK: result 3: tensor<3xi8> [5, 127, -128]
  %i8 = arith.constant dense<[-5, 127, -128]> : tensor<3xi8>
  %3 = math.absi %i8 : tensor<3xi8>

  // CHECK: result 4: tensor<2xf32> [-27.0, 0.25]
  %bases = arith.constant dense<[-3.0, 2.0]> : tensor<2xf32>
  %exponents = arith.constant dense<[3, -2]> : tensor<2xi32>
  %4 = math.fpowi %bases, %exponents : tensor<2xf32>, tensor<2xi32>
  // CHECK: result 5: tensor<3xi64> [-27, 1, 1024]
  %i64 = arith.constant dense<[-3, 7, 2]> : tensor<3xi64>
  %powers = arith.constant dense<[3, 0, 10]> : tensor<3xi64>
  %5 = math.ipowi %i64, %powers : tensor<3xi64>

  // CHECK: result 6: tensor<3xi32> [32, 31, 0]
  // CHECK: result 7: tensor<3xi32> [32, 0, 31]
  // CHECK: result 8: tensor<3xi32> [0, 1, 1]
  %bits = arith.constant dense<[0, 1, -2147483648]> : tensor<3xi32>
  %6 = math.ctlz %bits : tensor<3xi32>
  %7 = math.cttz %bits : tensor<3xi32>
  %8 = math.ctpop %bits : tensor<3xi32>

  // CHECK: result 9: tensor<2xf32> [3.0, -2.0]
  %signs = arith.constant dense<[1.0, -0.0]> : tensor<2xf32>
  %9 = math.copysign %bases, %signs : tensor<2xf32>

  // 1, a subnormal number, infinity, NaN, 0.
  // CHECK: result 10: tensor<5xi1> [false, false, false, true, false]
  // CHECK: result 11: tensor<5xi1> [false, false, true, false, false]
  // CHECK: result 12: tensor<5xi1> [true, true, false, false, true]
  // CHECK: result 13: tensor<5xi1> [true, false, false, false, false]
  %kinds = arith.constant dense<[1.0, 0x00000001, 0x7F800000, 0x7FC00000, 0.0]> : tensor<5xf32>
  %10 = math.isnan %kinds : tensor<5xf32>
  %11 = math.isinf %kinds : tensor<5xf32>
  %12 = math.isfinite %kinds : tensor<5xf32>
  %13 = math.isnormal %kinds : tensor<5xf32>

  // CHECK: result 14: tensor<1xf32> [0.0]
  // CHECK: result 15: tensor<1xf32> [1.0]
  %zero = arith.constant dense<0.0> : tensor<1xf32>
  %14, %15 = math.sincos %zero : tensor<1xf32>

  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15
    : tensor<2xf32>, tensor<2xf16>, tensor<3xi32>, tensor<3xi8>, tensor<2xf32>, tensor<3xi64>, tensor<3xi32>, tensor<3xi32>,
      tensor<3xi32>, tensor<2xf32>, tensor<5xi1>, tensor<5xi1>, tensor<5xi1>, tensor<5xi1>, tensor<1xf32>, tensor<1xf32>
}
