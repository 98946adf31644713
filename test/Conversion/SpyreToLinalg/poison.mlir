// RUN: spyre-opt %s --convert-spyre-to-linalg | FileCheck %s --check-prefix=PLAIN
// RUN: spyre-opt %s --convert-spyre-to-linalg=poison | FileCheck %s

// PLAIN-NOT: tensor.splat

// CHECK-LABEL: func.func @destinations(
// CHECK-DAG:     %[[F16:.+]] = arith.constant 0x7E00 : f16
// CHECK-DAG:     tensor.splat %[[F16]] : tensor<8x64xf16>
// CHECK-DAG:     %[[F32:.+]] = arith.constant 0x7FC00000 : f32
// CHECK-DAG:     tensor.splat %[[F32]] : tensor<8x32xf32>
// CHECK-DAG:     %[[I8:.+]] = arith.constant -91 : i8
// CHECK-DAG:     tensor.splat %[[I8]] : tensor<128xi8>
// CHECK-DAG:     %[[I64:.+]] = arith.constant -6510615555426900571 : i64
// CHECK-DAG:     tensor.splat %[[I64]] : tensor<16xi64>
// CHECK-DAG:     %[[I1:.+]] = arith.constant true
// CHECK-DAG:     tensor.splat %[[I1]] : tensor<64xi1>
func.func @destinations() -> (tensor<8x64xf16>, tensor<8x32xf32>, tensor<128xi8>, tensor<16xi64>, tensor<64xi1>) {
  %0 = spyre.empty : tensor<8x64xf16>
  %1 = spyre.empty : tensor<8x32xf32>
  %2 = spyre.empty : tensor<128xi8>
  %3 = spyre.empty : tensor<16xi64>
  %4 = spyre.empty : tensor<64xi1>
  return %0, %1, %2, %3, %4 : tensor<8x64xf16>, tensor<8x32xf32>, tensor<128xi8>, tensor<16xi64>, tensor<64xi1>
}

// What an operation writes as a whole needs no poison.
// CHECK-LABEL: func.func @written(
// CHECK-NOT:     tensor.splat
// CHECK:         tensor.empty
func.func @written(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
  %y = spyre.exp %x : tensor<8x64xf16>
  return %y : tensor<8x64xf16>
}
