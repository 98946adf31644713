// The last tile has one element of a stick, and is written over a stick that another value has filled in part. What is left of that is
// no part of the tensor: padding, whatever it holds.

// RUN: spyre-run %s --random-seed 1 --integers 2 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --implicit-check-not=DIFFER
// CHECK: a bundle, same results on the simulated card
module attributes {spyre.target = #spyre.target<cores = 1>} {
func.func @chosen_rows(%a: tensor<16x65xf16> {spyre.dims = ["D1", "D2"]}, %i: tensor<32x16xi32> {spyre.dims = ["D0", "D1"]}) -> tensor<32x16xf16> {
  %0 = spyre.neg %a tile [0: "D2" in 2] : tensor<16x65xf16>
  %1 = spyre.neg %0 tile [0: "D2" in 2] : tensor<16x65xf16>
  %2 = spyre.neg %1 tile [0: "D2" in 2] : tensor<16x65xf16>
  %3 = spyre.add %2, %2 tile [0: "D2" in 2] : tensor<16x65xf16>
  %4 = spyre.gather %i, %3 dim 0 tile [0: "D2" in 2] : (tensor<32x16xi32>, tensor<16x65xf16>) -> tensor<32x16x65xf16>
  %5 = spyre.sum %4 dims [2] tile [0: "D2" in 2] : (tensor<32x16x65xf16>) -> tensor<32x16xf16>
  return %5 : tensor<32x16xf16>
}
}
