// Integers without a sign, and shifts by any number of bits. A register has no sign, so operations say it: those of `arith` by their
// names, functions of PyTorch by the operands that have none. The numbers are NumPy's; what is printed is i8.

// RUN: spyre-translate --import-inductor %S/Inputs/unsigned.json -o %t.mlir
// RUN: FileCheck %s --check-prefix=IR --input-file %t.mlir
// RUN: spyre-translate --export-inductor %t.mlir | spyre-translate --import-inductor - | diff - %t.mlir
// RUN: spyre-opt %t.mlir --convert-inductor-to-linalg | spyre-run - | FileCheck %s
// RUN: spyre-opt %t.mlir --inductor-schedule=policy=cpp --convert-inductor-to-linalg | spyre-run - | FileCheck %s

// IR: arith.maxui
// IR: arith.minui
// IR: arith.cmpi ugt
// IR: arith.cmpi ule
// IR: inductor.apply "floordiv"(%{{.*}}, %{{.*}}) {unsigned = array<i64: 0, 1>}
// IR: inductor.apply "remainder"
// IR: inductor.apply "bitwise_right_shift"
// IR: arith.addi
// IR: inductor.apply "abs"(%{{.*}}) {unsigned = array<i64: 0>}

// CHECK:      result 0: tensor<8xi8> [1, 3, 100, -56, -128, -56, -1, -1]
// CHECK-NEXT: result 1: tensor<8xi8> [0, 1, 7, 127, 5, -128, -2, 9]
// CHECK-NEXT: result 2: tensor<8xi1> [false, false, true, false, true, true, false, true]
// CHECK-NEXT: result 3: tensor<8xi1> [true, true, false, true, false, false, true, false]
// CHECK-NEXT: result 4: tensor<8xi8> [0, 0, 14, 0, 25, 1, 0, 28]
// CHECK-NEXT: result 5: tensor<8xi8> [0, 1, 2, 127, 3, 72, -2, 3]
// CHECK-NEXT: result 6: tensor<8xi8> [0, 0, 0, 0, 4, 0, 0, 0]
// CHECK-NEXT: result 7: tensor<8xi8> [1, 4, 107, 71, -123, 72, -3, 8]
// CHECK-NEXT: result 8: tensor<8xi8> [0, 1, 100, 127, -128, -56, -2, -1]
// CHECK-NEXT: result 9: tensor<1xi8> [-1]
// CHECK-NEXT: result 10: tensor<1xi8> [0]
// CHECK-NEXT: result 11: tensor<1xi64> [7]
// CHECK-NEXT: result 12: tensor<1xi64> [0]
// CHECK-NEXT: result 13: tensor<8xi32> [0, 1, -2147483648, 0, 0, -2, 0, 0]
// CHECK-NEXT: result 14: tensor<8xi32> [-1, 1, 0, -1, 0, 1073741823, -536870912, 0]
