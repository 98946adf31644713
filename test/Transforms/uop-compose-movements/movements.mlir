// Movements that keep the order of elements are one reshape, and the program computes the same.

// RUN: spyre-opt %s --uop-compose-movements --canonicalize | FileCheck %s
// RUN: spyre-opt %s --uop-canonicalize --convert-uop-to-linalg | spyre-run - | FileCheck %s --check-prefix=VALUES
// RUN: spyre-opt %s --convert-uop-to-linalg | spyre-run - | FileCheck %s --check-prefix=VALUES

// VALUES{LITERAL}: result 0: tensor<1x4x3xi32> [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]
// VALUES{LITERAL}: result 1: tensor<12xi32> [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]
// VALUES{LITERAL}: result 2: tensor<12xi32> [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]

// CHECK-LABEL: func.func @movements
// CHECK: %[[X:.*]] = uop.const
func.func @movements() -> (tensor<1x4x3xi32>, tensor<12xi32>, tensor<12xi32>) {
  %x = uop.const dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]> : tensor<12xi32>
  %c = uop.contiguous %x : tensor<12xi32>
  %0 = uop.reshape %c to [4, 3, 1] : tensor<12xi32>
  %1 = uop.permute %0 [2, 0, 1] : tensor<4x3x1xi32>
  %2 = uop.flip %1 [true, false, false] : tensor<1x4x3xi32>
  // Padding that is not read.
  %3 = uop.pad %2 at [0, 1, 0] to [1, 6, 3] : tensor<1x4x3xi32>
  %4 = uop.shrink %3 at [0, 1, 0] to [1, 4, 3] : tensor<1x6x3xi32>
  // Turned twice.
  %5 = uop.reshape %c to [3, 4] : tensor<12xi32>
  %6 = uop.permute %5 [1, 0] : tensor<3x4xi32>
  %7 = uop.reshape %6 to [2, 2, 3] : tensor<4x3xi32>
  %8 = uop.permute %7 [2, 0, 1] : tensor<2x2x3xi32>
  %9 = uop.reshape %8 to [12] : tensor<3x2x2xi32>
  // Another order stays.
  // CHECK: %[[F:.*]] = uop.flip
  %10 = uop.flip %9 [true] : tensor<12xi32>
  return %4, %9, %10 : tensor<1x4x3xi32>, tensor<12xi32>, tensor<12xi32>
}
