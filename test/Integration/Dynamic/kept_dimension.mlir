// A reduction that keeps its dimension, in tiles of one that is chosen at run time.

// RUN: spyre-run %s --size S=64 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --implicit-check-not=DIFFER
// RUN: spyre-run %s --size S=192 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --implicit-check-not=DIFFER
// CHECK: a bundle, same results on the simulated card

func.func @column(%a1: tensor<?x64xf16> {spyre.dims = ["S", "E"]}) -> tensor<?x1xf16>
    attributes {spyre.dim_sizes = {E = 64, S = #spyre.dynamic<granularity = 64, max = 192>}} {
  %v4 = spyre.min %a1 dims [1] keepdim tile [0: "S" by 64] : (tensor<?x64xf16>) -> tensor<?x1xf16>
  return %v4 : tensor<?x1xf16>
}
