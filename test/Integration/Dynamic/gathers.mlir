// Indices whose number is chosen at run time, in one dimension and in two.

// RUN: spyre-opt %s --coarse-tile -o %t.tiled.mlir
// RUN: spyre-run %s --entry rows --size N=96 --random-seed 1 --poison --compare %t.tiled.mlir | FileCheck %s
// RUN: spyre-run %s --entry sentences --size B=3 --random-seed 1 --poison --compare %t.tiled.mlir | FileCheck %s
// CHECK: result 0: 0 of {{[0-9]+}} elements differ

// RUN: spyre-run %s --entry rows --size N=32 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry rows --size N=128 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry sentences --size B=2 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// CARD: a bundle, same results on the simulated card

func.func @rows(%i: tensor<?xi32> {spyre.dims = ["N"]}, %t: tensor<50x256xf16> {spyre.dims = ["R", "E"]}) -> tensor<?x256xf16>
    attributes {spyre.dim_sizes = {E = 256, N = #spyre.dynamic<granularity = 32, max = 128>, R = 50}} {
  %0 = spyre.gather %i, %t dim 0 tile [0: "N" by 32, 1: "E" in 2] : (tensor<?xi32>, tensor<50x256xf16>) -> tensor<?x256xf16>
  %1 = spyre.neg %0 tile [0: "N" by 32, 1: "E" in 2] : tensor<?x256xf16>
  return %1 : tensor<?x256xf16>
}

func.func @sentences(%i: tensor<?x40xi32> {spyre.dims = ["B", "S"]}, %t: tensor<50x64xf16> {spyre.dims = ["R", "E"]}) -> tensor<?x40x64xf16>
    attributes {spyre.dim_sizes = {B = #spyre.dynamic<granularity = 1, max = 4>, E = 64, R = 50, S = 40}} {
  %0 = spyre.gather %i, %t dim 0 tile [0: "B" by 1] : (tensor<?x40xi32>, tensor<50x64xf16>) -> tensor<?x40x64xf16>
  %1 = spyre.exp %0 tile [0: "B" by 1] : tensor<?x40x64xf16>
  return %1 : tensor<?x40x64xf16>
}
