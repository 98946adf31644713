// Tiles of a size: all but the last one have it, whatever their number is.

// RUN: spyre-opt %s --coarse-tile | FileCheck %s
// RUN: spyre-run %s --integers 3 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=SAME --implicit-check-not=DIFFER
// SAME: builtin.module(func.func(coarse-tile{{.*}})): same results
// SAME: a bundle, same results on the simulated card

// 250 by 64, which is not 250 in 4; and inside, 64 by 10.
// CHECK-LABEL: func.func @f(
// CHECK:         scf.for %{{.+}} = %{{.+}} to %c3
// CHECK:           scf.for %{{.+}} = %{{.+}} to %c6
// CHECK:             spyre.neg %{{.+}} : tensor<10x64xf16>
// CHECK:           spyre.neg %{{.+}} : tensor<4x64xf16>
// CHECK:         scf.for %{{.+}} = %{{.+}} to %c5
// CHECK:           spyre.neg %{{.+}} : tensor<10x64xf16>
// CHECK:         spyre.neg %{{.+}} : tensor<8x64xf16>
func.func @f(%a: tensor<250x64xf16> {spyre.dims = ["A", "B"]}) -> tensor<250x64xf16> {
  %0 = spyre.neg %a tile [0: "A" by 64, 1: "A" by 10] : tensor<250x64xf16>
  %1 = spyre.abs %0 tile [0: "A" by 64, 1: "A" by 10] : tensor<250x64xf16>
  return %1 : tensor<250x64xf16>
}
