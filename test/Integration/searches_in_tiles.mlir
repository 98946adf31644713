// A search for elements and one for their positions, in tiles of the dimension that both search: the second takes its choice
// from the first. Positions are numbers of the format of the input.

// RUN: spyre-opt %s --coarse-tile -o %t.tiled.mlir
// RUN: FileCheck %s --input-file %t.tiled.mlir
// RUN: spyre-run %s --compare %t.tiled.mlir --random-seed 1 --poison --special-values | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --compare %t.tiled.mlir --random-seed 2 --integers 2 --poison | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --integers 3 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// SAME-COUNT-2: 0 of 128 elements differ
// CARD: a bundle, same results on the simulated card

// CHECK-LABEL: func.func @elements_and_positions(
// CHECK:         scf.for
// CHECK:           spyre.topkvalue
// CHECK:           spyre.topkindex
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @elements_and_positions(%x: tensor<40x128xf32> {spyre.dims = ["R", "N"]}) -> (tensor<1x128xf32>, tensor<1x128xf32>) {
  %0 = spyre.topkvalue %x dim 0 k 1 tile [0: "R" in 4] : (tensor<40x128xf32>) -> tensor<1x128xf32>
  %1 = spyre.topkindex %x dim 0 k 1 tile [0: "R" in 4] : (tensor<40x128xf32>) -> tensor<1x128xf32>
  return %0, %1 : tensor<1x128xf32>, tensor<1x128xf32>
}
