// Sums that pick an element, and numbers from 0, run.

// RUN: spyre-opt %s --convert-uop-to-linalg --canonicalize --cse -o %t
// RUN: FileCheck %s --check-prefix=IR --input-file %t
// RUN: spyre-run %t | FileCheck %s

// IR-LABEL: func.func @gather
// IR-NOT: "reduction"
// IR: tensor.extract

// An index outside gives 0, and infinite elements that are not picked do no harm.
// CHECK{LITERAL}: result 0: tensor<4xf32> [3.0, inf, 0.0, 3.0]
// CHECK{LITERAL}: result 1: tensor<3xi32> [0, 1, 2]
func.func @gather() -> (tensor<4xf32>, tensor<3xi32>) {
  %x = uop.const dense<[1.0, 0x7F800000, 3.0]> : tensor<3xf32>
  %index = uop.const dense<[2, 1, 9, 2]> : tensor<4xi32>
  %one = uop.const dense<1> : tensor<3xi32>
  %p0 = uop.pad %one at [2] to [5] : tensor<3xi32>
  %p1 = uop.reshape %p0 to [1, 5] : tensor<5xi32>
  %p2 = uop.expand %p1 to [4, 5] : tensor<1x5xi32>
  %p3 = uop.reshape %p2 to [20] : tensor<4x5xi32>
  %p4 = uop.shrink %p3 at [0] to [18] : tensor<20xi32>
  %p5 = uop.reshape %p4 to [3, 6] : tensor<18xi32>
  %p6 = uop.shrink %p5 at [0, 0] to [3, 3] : tensor<3x6xi32>
  %p7 = uop.reduce add %p6 axes [1] : tensor<3x3xi32>
  %p8 = uop.reshape %p7 to [3] : tensor<3x1xi32>
  %m = uop.const dense<-1> : tensor<3xi32>
  %positions = uop.add %p8, %m : tensor<3xi32>
  %0 = uop.reshape %positions to [3, 1] : tensor<3xi32>
  %1 = uop.expand %0 to [3, 4] : tensor<3x1xi32>
  %2 = uop.reshape %index to [1, 4] : tensor<4xi32>
  %3 = uop.expand %2 to [3, 4] : tensor<1x4xi32>
  %4 = uop.cmpne %1, %3 : tensor<3x4xi32>
  %5 = uop.not %4 : tensor<3x4xi1>
  %6 = uop.cast %5 : tensor<3x4xi1> to tensor<3x4xf32>
  %7 = uop.reshape %x to [3, 1] : tensor<3xf32>
  %8 = uop.expand %7 to [3, 4] : tensor<3x1xf32>
  %9 = uop.mul %8, %6 : tensor<3x4xf32>
  %10 = uop.reduce add %9 axes [0] : tensor<3x4xf32>
  %11 = uop.reshape %10 to [4] : tensor<1x4xf32>
  return %11, %positions : tensor<4xf32>, tensor<3xi32>
}
