// An accumulator inside loops that its operation does not depend on: a part that is computed again must not be added again.

// RUN: spyre-opt %s --coarse-tile | FileCheck %s
// RUN: spyre-run %s --integers 3 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=SAME --implicit-check-not=DIFFER
// SAME: builtin.module(func.func(coarse-tile{{.*}})): same results
// SAME: a bundle, same results on the simulated card

// CHECK-LABEL: func.func @f(
// CHECK:         scf.for %{{.+}} = %{{.+}} to %c2
// CHECK:           scf.for %{{.+}} = %{{.+}} to %c4
// CHECK:             scf.for %{{.+}} = %{{.+}} to %c2
// CHECK:               spyre.neg
// CHECK:           scf.for %{{.+}} = %{{.+}} to %c2
// CHECK-NOT:         scf.for
// CHECK:             spyre.sum {{.*}} (tensor<2x64xf16>) -> tensor<2x1xf16>
func.func @f(%a: tensor<2x256xf16> {spyre.dims = ["M", "K"]}, %b: tensor<4x256xf16> {spyre.dims = ["N", "K"]}) -> (tensor<4x256xf16>, tensor<2x1xf16>) {
  %0 = spyre.neg %b tile [0: "K" in 2, 1: "N" in 4, 2: "K" in 2] : tensor<4x256xf16>
  %1 = spyre.sum %a dims [1] keepdim tile [0: "K" in 2, 1: "N" in 4, 2: "K" in 2] : (tensor<2x256xf16>) -> tensor<2x1xf16>
  return %0, %1 : tensor<4x256xf16>, tensor<2x1xf16>
}
