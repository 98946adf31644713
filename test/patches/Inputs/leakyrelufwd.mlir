// The operation of leakyrelufwd.patch, in tiles, compiled for the CPU and as a bundle on the simulated card.

// RUN: rm -rf %t && mkdir %t
// RUN: spyre-translate --spyre-to-bundle %s -o %t/bundle
// RUN: spyre-run %s --bundle %t/bundle --compare %s --random-seed 1 --special-values --poison | FileCheck %s
// CHECK: result 0: 0 of 8192 elements differ

func.func @f(%a: tensor<64x128xf16> {spyre.dims = ["A", "B"]}) -> tensor<64x128xf16> {
  %y = spyre.leakyrelufwd %a tile [0: "A" in 2] : tensor<64x128xf16>
  %z = spyre.neg %y tile [0: "A" in 2] : tensor<64x128xf16>
  return %z : tensor<64x128xf16>
}
