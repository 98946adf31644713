// A tile of one column of what a cast to 32 bits has left in pairs of sticks runs over the pair. A column of its own beside it has one
// stick, whose element counts for the whole pair. It was walked along, beyond its end.

// RUN: spyre-opt %s --coarse-tile | FileCheck %s --check-prefix=TILED
// TILED-COUNT-2: spyre.sub
// RUN: spyre-run %s --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --implicit-check-not=DIFFER
// CHECK: a bundle, same results on the simulated card

func.func @f(%a: tensor<15x8x65xf16> {spyre.dims = ["A", "B", "C"]}, %c: tensor<15x8x1xf32> {spyre.dims = ["A", "B", "One"]}) -> tensor<15x8x65xf16> {
  %w = spyre.dl16tofp32 %a : (tensor<15x8x65xf16>) -> tensor<15x8x65xf32>
  %s = spyre.sub %w, %c tile [0: "C" by 64] : (tensor<15x8x65xf32>, tensor<15x8x1xf32>) -> tensor<15x8x65xf32>
  %n = spyre.fp32todl16 %s : (tensor<15x8x65xf32>) -> tensor<15x8x65xf16>
  return %n : tensor<15x8x65xf16>
}
