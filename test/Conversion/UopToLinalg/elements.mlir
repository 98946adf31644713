// Elements where `arith` leaves something open, run. The numbers are those of the readings in docs/Dialects/RationaleUop.md.

// RUN: spyre-opt %s --convert-uop-to-linalg -o %t
// RUN: spyre-run %t --entry divisions | FileCheck %s --check-prefix=DIVISIONS
// RUN: spyre-run %t --entry shifts | FileCheck %s --check-prefix=SHIFTS
// RUN: spyre-run %t --entry conversions | FileCheck %s --check-prefix=CONVERSIONS
// RUN: spyre-run %t --entry integers_to_bf16 | FileCheck %s --check-prefix=BF16
// RUN: spyre-run %t --entry nans | FileCheck %s --check-prefix=NANS
// RUN: spyre-run %t --entry called | FileCheck %s --check-prefix=CALLED

// DIVISIONS{LITERAL}: result 0: tensor<6xi8> [-4, -4, 3, 0, -128, 127]
// DIVISIONS{LITERAL}: result 1: tensor<6xi8> [1, -1, -1, 7, 0, 0]
// DIVISIONS{LITERAL}: result 2: tensor<6xi8> [-3, -3, 3, 0, -128, 127]
// DIVISIONS{LITERAL}: result 3: tensor<6xi8> [-1, 1, -1, 7, 0, 0]
func.func @divisions() -> (tensor<6xi8>, tensor<6xi8>, tensor<6xi8>, tensor<6xi8>) {
  %a = uop.const dense<[-7, 7, -7, 7, -128, 127]> : tensor<6xi8>
  %b = uop.const dense<[2, -2, -2, 0, -1, 1]> : tensor<6xi8>
  %0 = uop.idiv %a, %b : tensor<6xi8>
  %1 = uop.mod %a, %b : tensor<6xi8>
  %2 = uop.cdiv %a, %b : tensor<6xi8>
  %3 = uop.cmod %a, %b : tensor<6xi8>
  return %0, %1, %2, %3 : tensor<6xi8>, tensor<6xi8>, tensor<6xi8>, tensor<6xi8>
}

// SHIFTS{LITERAL}: result 0: tensor<4xi8> [-2, 0, 0, 0]
// SHIFTS{LITERAL}: result 1: tensor<4xi8> [-1, -1, -1, 0]
func.func @shifts() -> (tensor<4xi8>, tensor<4xi8>) {
  %a = uop.const dense<[-1, -1, -1, 1]> : tensor<4xi8>
  %b = uop.const dense<[1, 8, -1, 100]> : tensor<4xi8>
  %0 = uop.shl %a, %b : tensor<4xi8>
  %1 = uop.shr %a, %b : tensor<4xi8>
  return %0, %1 : tensor<4xi8>, tensor<4xi8>
}

// CONVERSIONS{LITERAL}: result 0: tensor<5xi8> [-1, 127, -128, 0, 127]
// CONVERSIONS{LITERAL}: result 1: tensor<5xi1> [true, true, true, true, true]
func.func @conversions() -> (tensor<5xi8>, tensor<5xi1>) {
  %x = uop.const dense<[-1.5, 300.0, -300.0, 0x7FC00000, 0x7F800000]> : tensor<5xf32>
  %0 = uop.cast %x : tensor<5xf32> to tensor<5xi8>
  %1 = uop.cast %x : tensor<5xf32> to tensor<5xi1>
  return %0, %1 : tensor<5xi8>, tensor<5xi1>
}

// The first operand stays, a reduction skips NaN, and "not less" is true.
// NANS{LITERAL}: result 0: tensor<2xf32> [NaN, 1.0]
// NANS{LITERAL}: result 1: tensor<1xf32> [1.0]
// NANS{LITERAL}: result 2: tensor<2xi1> [true, true]
func.func @nans() -> (tensor<2xf32>, tensor<1xf32>, tensor<2xi1>) {
  %x = uop.const dense<[0x7FC00000, 1.0]> : tensor<2xf32>
  %y = uop.const dense<[1.0, 0x7FC00000]> : tensor<2xf32>
  %0 = uop.max %x, %y : tensor<2xf32>
  %1 = uop.reduce max %x axes [0] : tensor<2xf32>
  %2 = uop.cmpge %x, %y : tensor<2xf32>
  return %0, %1, %2 : tensor<2xf32>, tensor<1xf32>, tensor<2xi1>
}

// A call is converted in place, and its body is gone.
// CALLED{LITERAL}: result 0: tensor<3xi32> [3, 4, 5]
func.func private @body(%x: tensor<3xi32>, %y: tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>) {
  %0 = uop.add %x, %y : tensor<3xi32>
  return %0, %x : tensor<3xi32>, tensor<3xi32>
}
func.func @called() -> tensor<3xi32> {
  %x = uop.const dense<[1, 2, 3]> : tensor<3xi32>
  %y = uop.const dense<2> : tensor<3xi32>
  %0:2 = call @body(%x, %y) : (tensor<3xi32>, tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>)
  return %0#0 : tensor<3xi32>
}

// One more than half way between two values of bf16 rounds away from 0. In f32 the one is lost, and half way rounds to even.
// BF16{LITERAL}: result 0: tensor<6xbf16> [1108101600000.0, -1108101600000.0, 1099511600000.0, -9.223372e18, -1.0, 0.0]
// BF16{LITERAL}: result 1: tensor<3xbf16> [1082130400.0, -1082130400.0, 7.0]
// BF16{LITERAL}: result 2: tensor<2xbf16> [9.29543e18, 1.8446744e19]
// BF16{LITERAL}: result 3: tensor<2xbf16> [4294967300.0, 256.0]
func.func @integers_to_bf16() -> (tensor<6xbf16>, tensor<3xbf16>, tensor<2xbf16>, tensor<2xbf16>) {
  %a = uop.const dense<[1103806595073, -1103806595073, 1103806595072, -9223372036854775808, -1, 0]> : tensor<6xi64>
  %b = uop.const dense<[1077936129, -1077936129, 7]> : tensor<3xi32>
  %c = uop.const dense<[9259400833873739777, 18446744073709551615]> : tensor<2xui64>
  %d = uop.const dense<[4294967295, 257]> : tensor<2xui32>
  %0 = uop.cast %a : tensor<6xi64> to tensor<6xbf16>
  %1 = uop.cast %b : tensor<3xi32> to tensor<3xbf16>
  %2 = uop.cast %c : tensor<2xui64> to tensor<2xbf16>
  %3 = uop.cast %d : tensor<2xui32> to tensor<2xbf16>
  return %0, %1, %2, %3 : tensor<6xbf16>, tensor<3xbf16>, tensor<2xbf16>, tensor<2xbf16>
}
