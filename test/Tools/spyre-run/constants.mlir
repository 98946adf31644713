// Arguments that always hold a constant need no file, and hold it with random inputs too.

// RUN: rm -rf %t && spyre-run %s --random-seed 1 --save-inputs %t | FileCheck %s
// RUN: spyre-run %s --input %t/input_0.npy | FileCheck %s
// RUN: spyre-run %s --input %t/input_0.npy --input %t/input_1.npy | FileCheck %s
// CHECK: result 0: tensor<4xi32> [1, 3, 5, 7]
// RUN: not spyre-run %s --input %t/input_0.npy --input %t/input_1.npy --input %t/input_1.npy 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: @odd takes 2 inputs, got 3

func.func @odd(%x: tensor<4xi32>, %positions: tensor<4xi32> {spyre.constant = dense<[0, 1, 2, 3]> : tensor<4xi32>}) -> tensor<4xi32> {
  %zero = spyre.sub %x, %x : tensor<4xi32>
  %one = spyre.fill dense<1> : tensor<4xi32>
  %twice = spyre.add %positions, %positions : tensor<4xi32>
  %start = spyre.add %zero, %one : tensor<4xi32>
  %y = spyre.add %twice, %start : tensor<4xi32>
  return %y : tensor<4xi32>
}
