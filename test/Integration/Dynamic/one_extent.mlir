// A dimension with one extent to choose needs no tiles: no element is after the chosen ones.

// RUN: spyre-run %s --size S=4 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --implicit-check-not=DIFFER
// CHECK: a bundle, same results on the simulated card

func.func @rows(%x: tensor<?x64xf16> {spyre.dims = ["S", "E"]}) -> (tensor<?x64xf16>, tensor<64xf16>)
    attributes {spyre.dim_sizes = {E = 64, S = #spyre.dynamic<granularity = 4, max = 4>}} {
  %0 = spyre.abs %x : tensor<?x64xf16>
  %1 = spyre.sum %0 dims [0] : (tensor<?x64xf16>) -> tensor<64xf16>
  return %0, %1 : tensor<?x64xf16>, tensor<64xf16>
}
