// Elements where `arith` leaves something open, run. The numbers are those of the readings in docs/Dialects/UopRationale.md.

// RUN: spyre-opt %s --convert-uop-to-linalg -o %t
// RUN: spyre-run %t --entry divisions | FileCheck %s --check-prefix=DIVISIONS
// RUN: spyre-run %t --entry shifts | FileCheck %s --check-prefix=SHIFTS
// RUN: spyre-run %t --entry conversions | FileCheck %s --check-prefix=CONVERSIONS
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
