// Results are compared with recorded ones: those of a run, and those of every run of a check.

// RUN: spyre-run %s --entry exact --random-seed 1 --save-inputs %t.inputs --output %t.exact.npy
// RUN: spyre-run %s --entry exact --input %t.inputs/input_0.npy --expect %t.exact.npy | FileCheck %s --check-prefix=SAME
// SAME: result 0: 0 of 8192 elements differ

// RUN: not spyre-run %s --entry near --input %t.inputs/input_0.npy --expect %t.exact.npy | FileCheck %s --check-prefix=FAR
// FAR: result 0: {{[1-9][0-9]*}} of 8192 elements differ; first at
// RUN: spyre-run %s --entry near --input %t.inputs/input_0.npy --expect %t.exact.npy --tolerance 1e-2 | FileCheck %s --check-prefix=NEAR
// NEAR: result 0: 0 of 8192 elements differ; maximum absolute error

// RUN: spyre-run %s --entry near --input %t.inputs/input_0.npy --expect %t.exact.npy --tolerance 1e-2 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD
// CARD: a bundle, same results on the simulated card
// RUN: not spyre-run %s --entry near --input %t.inputs/input_0.npy --expect %t.exact.npy --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=ITSELF
// ITSELF: the program itself: RESULTS DIFFER

// RUN: not spyre-run %s --entry exact --input %t.inputs/input_0.npy --expect %t.exact.npy --expect %t.exact.npy 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: error: @exact has 1 results, but there are 2 --expect files; give one for each
// RUN: not spyre-run %s --entry exact --input %t.inputs/input_0.npy --expect %t.exact.npy --tolerance=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: expected a number that is not negative, such as 1e-2
// RUN: not spyre-run %s --entry exact --input %t.inputs/input_0.npy --expect %t.exact.npy --tolerance 0 --tolerance 1 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: --tolerance is given 2 times, for 1 result(s); give it once, or once for each result of a run

// A tolerance for each result: the first is exact, the second near.
// RUN: spyre-run %s --entry both --input %t.inputs/input_0.npy --expect %t.exact.npy --expect %t.exact.npy --tolerance 0 --tolerance 1e-2 | FileCheck %s --check-prefix=EACH
// EACH: result 0: 0 of 8192 elements differ
// EACH: result 1: 0 of 8192 elements differ; maximum absolute error
// RUN: not spyre-run %s --entry both --input %t.inputs/input_0.npy --expect %t.exact.npy --expect %t.exact.npy --tolerance 1e-2 --tolerance 0 | FileCheck %s --check-prefix=OTHER
// OTHER: result 1: {{[1-9][0-9]*}} of 8192 elements differ; first at

// RUN: not spyre-run %s --entry exact --random-seed 1 --tolerance 1e-2 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: required arguments were not provided
// RUN: not spyre-run %s --entry exact --expect %t.exact.npy 2>&1 | FileCheck %s --check-prefix=GIVEN
// RUN: not spyre-run %s --entry exact --expect %t.exact.npy --check-pipeline='builtin.module(canonicalize)' 2>&1 | FileCheck %s --check-prefix=GIVEN
// GIVEN: @exact takes 1 inputs, got 0

// A program without arguments needs none.
// RUN: spyre-run %s --entry constant --output %t.constant.npy
// RUN: spyre-run %s --entry constant --expect %t.constant.npy | FileCheck %s --check-prefix=CONSTANT
// CONSTANT: result 0: 0 of 4 elements differ

func.func @exact(%a: tensor<64x128xf16>) -> tensor<64x128xf16> {
  %y = spyre.mul %a, %a : tensor<64x128xf16>
  return %y : tensor<64x128xf16>
}

func.func @near(%a: tensor<64x128xf16>) -> tensor<64x128xf16> {
  %c = spyre.fill dense<1.002> : tensor<1x1xf16>
  %b = spyre.mul %a, %c : (tensor<64x128xf16>, tensor<1x1xf16>) -> tensor<64x128xf16>
  %y = spyre.mul %a, %b : tensor<64x128xf16>
  return %y : tensor<64x128xf16>
}

func.func @both(%a: tensor<64x128xf16>) -> (tensor<64x128xf16>, tensor<64x128xf16>) {
  %x = spyre.mul %a, %a : tensor<64x128xf16>
  %c = spyre.fill dense<1.002> : tensor<1x1xf16>
  %b = spyre.mul %a, %c : (tensor<64x128xf16>, tensor<1x1xf16>) -> tensor<64x128xf16>
  %y = spyre.mul %a, %b : tensor<64x128xf16>
  return %x, %y : tensor<64x128xf16>, tensor<64x128xf16>
}

func.func @constant() -> tensor<4xf16> {
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf16>
  return %c : tensor<4xf16>
}
