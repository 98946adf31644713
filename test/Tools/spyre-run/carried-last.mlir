// A search with the searched dimension at two levels, with shorter last tiles: what the innermost loops carry last is read by nobody,
// and is no lost value. Positions are numbers of the format of the input.

// RUN: spyre-run %s --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --implicit-check-not=DIFFER
// CHECK: builtin.module(func.func(coarse-tile{{.*}})): same results
// CHECK: a bundle, same results on the simulated card
module attributes {spyre.target = #spyre.target<cores = 1>} {
func.func @search(%a: tensor<320x2x2xf32> {spyre.dims = ["A", "B", "C"]}) -> tensor<1x2x2xf32> {
  %0 = spyre.topkindex %a dim 0 k 1 tile [0: "B" in 2, 1: "A" in 5, 2: "A" in 7] : (tensor<320x2x2xf32>) -> tensor<1x2x2xf32>
  return %0 : tensor<1x2x2xf32>
}
}
