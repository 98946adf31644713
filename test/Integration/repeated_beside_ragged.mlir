// An operation that lacks the dimension of an outer loop is not computed again for the shorter last tile, if nobody reads it there:
// the whole tiles have left it behind their loop.

// RUN: spyre-opt %s --coarse-tile | FileCheck %s
// RUN: spyre-run %s --integers 2 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=SAME --implicit-check-not=DIFFER
// SAME: builtin.module(func.func(coarse-tile{{.*}})): same results
// SAME: a bundle, same results on the simulated card

// Whole tiles of B: in the second iteration the sum is what it was.
// CHECK-LABEL: func.func @f(
// CHECK:         scf.for %{{.+}} = %c0 to %c2 step %c1 iter_args(%{{.+}}, %{{.+}}) -> (tensor<8x200x64xf32>, tensor<64xf32>)
// CHECK:           scf.for %{{.+}} = %c0 to %c2 step %c1
// CHECK:             spyre.neg %{{.+}} : tensor<4x80x64xf32>
// CHECK:             spyre.sum %{{.+}} : (tensor<4x64xf32>) -> tensor<64xf32>
// The shorter one goes without.
// CHECK:         scf.for %{{.+}} = %c0 to %c2 step %c1 iter_args(%{{.+}}) -> (tensor<8x200x64xf32>)
// CHECK:           spyre.neg %{{.+}} : tensor<4x40x64xf32>
// CHECK-NOT:       spyre.sum
// CHECK:         return
func.func @f(%a: tensor<8x200x64xf32> {spyre.dims = ["A", "B", "C"]},
             %b: tensor<8x64xf32> {spyre.dims = ["A", "C"]}) -> (tensor<8x200x64xf32>, tensor<64xf32>) {
  %0 = spyre.neg %a tile [0: "B" by 80, 1: "A" in 2] : tensor<8x200x64xf32>
  %1 = spyre.sum %b dims [0] tile [0: "B" by 80, 1: "A" in 2] : (tensor<8x64xf32>) -> tensor<64xf32>
  return %0, %1 : tensor<8x200x64xf32>, tensor<64xf32>
}
