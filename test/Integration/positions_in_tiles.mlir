// A search for positions alone, in tiles of the dimension that it searches: it carries the elements that it has found beside them,
// which start before every number, so that a row of negative ones has its largest.

// RUN: spyre-opt %s --coarse-tile -o %t.tiled.mlir
// RUN: FileCheck %s --input-file %t.tiled.mlir
// RUN: spyre-run %s --entry floats --compare %t.tiled.mlir --random-seed 1 --integers 2 --poison | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry integers --compare %t.tiled.mlir --random-seed 1 --integers 2 --poison | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry floats --random-seed 1 --integers 2 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// SAME: result 0: 0 of 64 elements differ
// CARD: a bundle, same results on the simulated card

// CHECK-LABEL: func.func @floats(
// CHECK-DAG:     %[[POSITIONS:.+]] = spyre.fill dense<0.000000e+00>
// CHECK-DAG:     %[[ELEMENTS:.+]] = spyre.fill dense<0xFC00>
// CHECK:         scf.for {{.*}}iter_args
// CHECK:           spyre.topkindex
func.func @floats(%x: tensor<5x64xf16> {spyre.dims = ["R", "N"]}) -> tensor<1x64xf16> {
  %y = spyre.abs %x : tensor<5x64xf16>
  %z = spyre.neg %y : tensor<5x64xf16>
  %0 = spyre.topkindex %z dim 0 k 1 tile [0: "R" in 5] : (tensor<5x64xf16>) -> tensor<1x64xf16>
  return %0 : tensor<1x64xf16>
}

// CHECK-LABEL: func.func @integers(
// CHECK-DAG:     spyre.fill dense<0> : tensor<1x64xi32
// CHECK-DAG:     spyre.fill dense<0xFC00>
// CHECK:         scf.for
func.func @integers(%x: tensor<5x64xf16> {spyre.dims = ["R", "N"]}) -> tensor<1x64xi32> {
  %y = spyre.abs %x : tensor<5x64xf16>
  %z = spyre.neg %y : tensor<5x64xf16>
  %0 = spyre.topkindex %z dim 0 k 1 tile [0: "R" in 5] : (tensor<5x64xf16>) -> tensor<1x64xi32>
  return %0 : tensor<1x64xi32>
}
