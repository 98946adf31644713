// A cast of one element in each stick writes half of a stick, over what was there before; the cast back reads that half, of which one
// element is defined and the others are padding.

// RUN: spyre-run %s --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --implicit-check-not=DIFFER
// CHECK: a bundle, same results on the simulated card
module attributes {spyre.target = #spyre.target<cores = 1>} {
func.func @there_and_back(%a: tensor<64x32xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %0 = spyre.neg %a : tensor<64x32xf32>
  %1 = spyre.sum %0 dims [1] : (tensor<64x32xf32>) -> tensor<64xf32>
  %2 = spyre.neg %1 : tensor<64xf32>
  %3 = spyre.fp32todl16 %1 : (tensor<64xf32>) -> tensor<64xf16>
  %4 = spyre.dl16tofp32 %3 : (tensor<64xf16>) -> tensor<64xf32>
  return %2, %4 : tensor<64xf32>, tensor<64xf32>
}
}
