// Several dynamic dimensions; one that is cut twice; loops of different steps; permuted operands; a static
// dimension with a shorter last tile inside.

// RUN: spyre-opt %s --coarse-tile -o %t.tiled.mlir
// RUN: spyre-run %s --entry two --size S=8 --size T=128 --random-seed 1 --special-values --poison --compare %t.tiled.mlir | FileCheck %s
// RUN: spyre-run %s --entry twice --size S=48 --random-seed 1 --poison --compare %t.tiled.mlir | FileCheck %s
// RUN: spyre-run %s --entry steps --size S=72 --random-seed 1 --poison --compare %t.tiled.mlir | FileCheck %s
// RUN: spyre-run %s --entry permuted --size S=128 --random-seed 1 --poison --compare %t.tiled.mlir | FileCheck %s
// RUN: spyre-run %s --entry ragged --size S=12 --random-seed 1 --poison --compare %t.tiled.mlir | FileCheck %s
// CHECK: result 0: 0 of {{[0-9]+}} elements differ

func.func @two(%a: tensor<?x?xf16> {spyre.dims = ["S", "T"]}, %b: tensor<?xf16> {spyre.dims = ["T"]}) -> (tensor<?x?xf16>, tensor<?xf16>)
    attributes {spyre.dim_sizes = {S = #spyre.dynamic<granularity = 4, max = 12>, T = #spyre.dynamic<granularity = 64, max = 192>}} {
  %y = spyre.add %a, %b tile [0: "S" by 4, 1: "T" by 64] : (tensor<?x?xf16>, tensor<?xf16>) -> tensor<?x?xf16>
  %z = spyre.mul %y, %a tile [0: "S" by 4, 1: "T" by 64] : tensor<?x?xf16>
  %w = spyre.neg %b tile [2: "T" by 64] : tensor<?xf16>
  return %z, %w : tensor<?x?xf16>, tensor<?xf16>
}

func.func @twice(%a: tensor<?x128xf16> {spyre.dims = ["S", "D"]}) -> tensor<?x128xf16>
    attributes {spyre.dim_sizes = {D = 128, S = #spyre.dynamic<granularity = 24, max = 72>}} {
  %y = spyre.exp %a tile [0: "S" by 24, 1: "D" in 2, 2: "S" by 8] : tensor<?x128xf16>
  %z = spyre.add %y, %a tile [0: "S" by 24, 1: "D" in 2, 2: "S" by 8] : tensor<?x128xf16>
  return %z : tensor<?x128xf16>
}

func.func @steps(%a: tensor<?x64xf16> {spyre.dims = ["S", "D"]}) -> tensor<?x64xf16>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 8, max = 96>}} {
  %y = spyre.exp %a tile [0: "S" by 8] : tensor<?x64xf16>
  %z = spyre.add %y, %a tile [1: "S" by 12] : tensor<?x64xf16>
  return %z : tensor<?x64xf16>
}

func.func @permuted(%a: tensor<?x128xf16> {spyre.dims = ["S", "D"]}, %b: tensor<128x?xf16> {spyre.dims = ["D", "S"]}) -> tensor<?x128xf16>
    attributes {spyre.dim_sizes = {D = 128, S = #spyre.dynamic<granularity = 64, max = 192>}} {
  %p = spyre.permute %b [1, 0] : tensor<128x?xf16> to tensor<?x128xf16>
  %z = spyre.add %a, %p tile [0: "S" by 64] : tensor<?x128xf16>
  return %z : tensor<?x128xf16>
}

func.func @ragged(%a: tensor<?x200xf16> {spyre.dims = ["S", "D"]}) -> tensor<?x200xf16>
    attributes {spyre.dim_sizes = {D = 200, S = #spyre.dynamic<granularity = 6, max = 18>}} {
  %y = spyre.exp %a tile [0: "S" by 6, 1: "S" by 4, 2: "D" by 128] : tensor<?x200xf16>
  %z = spyre.add %y, %a tile [0: "S" by 6, 1: "S" by 4, 2: "D" by 128] : tensor<?x200xf16>
  return %z : tensor<?x200xf16>
}
