// Buffers after effects, run.

// RUN: spyre-opt %s --convert-uop-to-linalg | spyre-run - | FileCheck %s

// CHECK{LITERAL}: result 0: tensor<3xi32> [1, 5, 3]
// CHECK{LITERAL}: result 1: tensor<3xi32> [4, 2, 6]
func.func @effects() -> (tensor<3xi32>, tensor<3xi32>) {
  %b = uop.buffer 0 local : tensor<3xi32>
  %x = uop.const dense<[1, 2, 3]> : tensor<3xi32>
  %y = uop.const dense<[4, 5, 6]> : tensor<3xi32>
  %gate = uop.const dense<[false, true, false]> : tensor<3xi1>
  %0 = uop.store %x into %b : tensor<3xi32>
  %1 = uop.after %b, %0 : tensor<3xi32>, !uop.effect
  %2 = uop.store %y into %1 if %gate : tensor<3xi1> in : tensor<3xi32>
  %3 = uop.linear %0, %2
  %4 = uop.after %1, %3 : tensor<3xi32>, !uop.effect
  %5 = uop.load %x if %gate : tensor<3xi1> else %y : tensor<3xi32> : tensor<3xi32>
  return %4, %5 : tensor<3xi32>, tensor<3xi32>
}
