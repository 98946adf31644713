// Types that the host has and the card does not: f64 and i16. Integers without a sign of their own are also read from unsigned files.

// RUN: rm -rf %t && mkdir %t
// RUN: spyre-run %s --entry wide --random-seed 3 --save-inputs %t --output %t/y.npy
// RUN: spyre-run %s --entry wide --input %t/input_0.npy --expect %t/y.npy | FileCheck %s --check-prefix=WIDE
// RUN: spyre-run %s --entry wide --input %t/input_0.npy --on=card --expect %t/y.npy 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: spyre-run %s --entry short --input %S/Inputs/words.npy | FileCheck %s --check-prefix=SHORT
// RUN: spyre-run %s --entry short --input %S/Inputs/words.npy --on=card 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: not spyre-run %s --entry wide --input %S/Inputs/words.npy 2>&1 | FileCheck %s --check-prefix=OTHER
// WIDE: result 0: 0 of 6 elements differ
// SHORT: result 0: tensor<3xi16> [2, -32767, 0]
// OTHER: float64

#all = affine_map<(d0, d1) -> (d0, d1)>
#line = affine_map<(d0) -> (d0)>

func.func @wide(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %tenth = arith.constant 0.1 : f64
  %0 = tensor.empty() : tensor<2x3xf64>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<2x3xf64>) outs(%0 : tensor<2x3xf64>) {
  ^bb0(%in: f64, %out: f64):
    %r = arith.addf %in, %tenth : f64
    linalg.yield %r : f64
  } -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

// The words are 1, 32768 and 65535.
func.func @short(%x: tensor<3xi16>) -> tensor<3xi16> {
  %one = arith.constant 1 : i16
  %0 = tensor.empty() : tensor<3xi16>
  %y = linalg.generic {indexing_maps = [#line, #line], iterator_types = ["parallel"]} ins(%x : tensor<3xi16>) outs(%0 : tensor<3xi16>) {
  ^bb0(%in: i16, %out: i16):
    %r = arith.addi %in, %one : i16
    linalg.yield %r : i16
  } -> tensor<3xi16>
  return %y : tensor<3xi16>
}
