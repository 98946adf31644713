// Products of matrices with a dynamic extent: of the rows, the columns or what is summed over.

// RUN: spyre-opt %s --coarse-tile -o %t.tiled.mlir
// RUN: spyre-run %s --entry rows --size M=96 --integers 2 --random-seed 1 --poison --compare %t.tiled.mlir | FileCheck %s
// RUN: spyre-run %s --entry columns --size N=192 --integers 2 --random-seed 1 --poison --compare %t.tiled.mlir | FileCheck %s
// RUN: spyre-run %s --entry summed --size K=192 --integers 2 --random-seed 1 --poison --compare %t.tiled.mlir | FileCheck %s
// CHECK: result 0: 0 of {{[0-9]+}} elements differ

// One function of several goes all the way.
// RUN: spyre-run %s --entry columns --size N=192 --integers 2 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// CARD: a bundle, same results on the simulated card

func.func @rows(%a: tensor<?x64xf16> {spyre.dims = ["M", "K"]}, %b: tensor<64x128xf16> {spyre.dims = ["K", "N"]}) -> tensor<?x128xf16>
    attributes {spyre.dim_sizes = {K = 64, M = #spyre.dynamic<granularity = 32, max = 128>, N = 128}} {
  %c = spyre.batchmatmul %a, %b tile [0: "M" by 32, 1: "N" by 64] : (tensor<?x64xf16>, tensor<64x128xf16>) -> tensor<?x128xf16>
  %d = spyre.relufwd %c tile [0: "M" by 32, 1: "N" by 64] : tensor<?x128xf16>
  return %d : tensor<?x128xf16>
}

func.func @columns(%a: tensor<48x64xf16> {spyre.dims = ["M", "K"]}, %b: tensor<64x?xf16> {spyre.dims = ["K", "N"]}) -> tensor<48x?xf16>
    attributes {spyre.dim_sizes = {K = 64, M = 48, N = #spyre.dynamic<granularity = 64, max = 256>}} {
  %c = spyre.batchmatmul %a, %b tile [0: "N" by 64] : (tensor<48x64xf16>, tensor<64x?xf16>) -> tensor<48x?xf16>
  %d = spyre.relufwd %c tile [0: "N" by 64] : tensor<48x?xf16>
  return %d : tensor<48x?xf16>
}

func.func @summed(%a: tensor<64x?xf16> {spyre.dims = ["M", "K"]}, %b: tensor<?x128xf16> {spyre.dims = ["K", "N"]}) -> tensor<64x128xf16>
    attributes {spyre.dim_sizes = {K = #spyre.dynamic<granularity = 64, max = 256>, M = 64, N = 128}} {
  %c = spyre.batchmatmul %a, %b tile [0: "M" in 2, 1: "K" by 64] : (tensor<64x?xf16>, tensor<?x128xf16>) -> tensor<64x128xf16>
  %d = spyre.relufwd %c tile [0: "M" in 2, 1: "K" by 64] : tensor<64x128xf16>
  return %d : tensor<64x128xf16>
}
