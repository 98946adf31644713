// A cast of 40 elements from 32 bits reads two sticks and writes 40 of the 64 elements of one stick, over the bytes of an earlier tensor;
// the cast back reads that stick, of which 40 elements are defined and the others are padding.

// RUN: spyre-run %s --entry there_and_back --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry sum_of_sticks --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --implicit-check-not=DIFFER
// CHECK: a bundle, same results on the simulated card
module attributes {spyre.target = #spyre.target<cores = 1>} {
func.func @there_and_back(%a: tensor<32x40xf32>) -> (tensor<40xf32>, tensor<40xf32>) {
  %0 = spyre.neg %a : tensor<32x40xf32>
  %1 = spyre.sum %0 dims [0] : (tensor<32x40xf32>) -> tensor<40xf32>
  %2 = spyre.neg %1 : tensor<40xf32>
  %3 = spyre.fp32todl16 %1 : (tensor<40xf32>) -> tensor<40xf16>
  %4 = spyre.dl16tofp32 %3 : (tensor<40xf16>) -> tensor<40xf32>
  return %2, %4 : tensor<40xf32>, tensor<40xf32>
}

// A sum over the stick leaves one element in each stick. Casts have whole sticks of both widths (K36), so the sum is restickified before.
func.func @sum_of_sticks(%a: tensor<40x32xf16>) -> (tensor<40xf16>, tensor<40xf16>) {
  %0 = spyre.neg %a : tensor<40x32xf16>
  %1 = spyre.sum %0 dims [1] : (tensor<40x32xf16>) -> tensor<40xf16>
  %2 = spyre.neg %1 : tensor<40xf16>
  %3 = spyre.dl16tofp32 %1 : (tensor<40xf16>) -> tensor<40xf32>
  %4 = spyre.exp %3 : tensor<40xf32>
  %5 = spyre.fp32todl16 %4 : (tensor<40xf32>) -> tensor<40xf16>
  return %2, %5 : tensor<40xf16>, tensor<40xf16>
}
}
