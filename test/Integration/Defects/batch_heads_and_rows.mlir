// Three dimensions together, of a layout that has them in another order: each level moves its own.

// RUN: spyre-opt %s --coarse-tile | FileCheck %s --check-prefix=TILED
// RUN: spyre-run %s --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s
// CHECK: coarse-tile{{.*}}: same results
// CHECK: a bundle, same results on the simulated card
// RUN: rm -rf %t && spyre-translate --spyre-to-bundle %s --address-mode=concrete -o %t
// RUN: not grep scf.for %t/bundle.mlir
// RUN: spyre-run %s --bundle %t --compare %s --random-seed 1 | FileCheck %s --check-prefix=UNROLLED
// UNROLLED: result 0: 0 of 8192 elements differ

// TILED: scf.for %{{.+}} = %{{.+}} to %c2
// TILED: scf.for %{{.+}} = %{{.+}} to %c4
// TILED: scf.for %{{.+}} = %{{.+}} to %c4
#bhsd = #spyre.layout<(d0, d1, d2, d3) -> (d1, d3 floordiv 64, d0, d2, d3 mod 64)>
!t = tensor<2x4x8x128xf16, #bhsd>
func.func @f(%a: !t {spyre.dims = ["B", "H", "S", "D"]}, %b: !t {spyre.dims = ["B", "H", "S", "D"]}) -> !t {
  %y = spyre.add %a, %b tile [0: "B" in 2, 1: "H" in 4, 2: "S" in 4] : !t
  %z = spyre.mul %y, %b tile [0: "B" in 2, 1: "H" in 4, 2: "S" in 4] : !t
  return %z : !t
}
