// Rows of several sticks, cut along both dimensions: a tile is far in device memory, and the sticks of a row are as far apart
// as in the whole tensor.

// RUN: spyre-opt %s --coarse-tile | FileCheck %s --check-prefix=TILED
// RUN: spyre-run %s --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s
// CHECK: coarse-tile{{.*}}: same results
// CHECK: a bundle, same results on the simulated card
// RUN: rm -rf %t && spyre-translate --spyre-to-bundle %s --address-mode=concrete -o %t
// RUN: not grep scf.for %t/bundle.mlir
// RUN: spyre-run %s --bundle %t --compare %s --random-seed 1 | FileCheck %s --check-prefix=UNROLLED
// UNROLLED: result 0: 0 of 32768 elements differ

// TILED: scf.for
// TILED: scf.for
// TILED: tensor.extract_slice %arg0[%{{.+}}, %{{.+}}] [32, 128]
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x512xf16, #stick>
func.func @f(%a: !t {spyre.dims = ["A", "B"]}, %b: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.add %a, %b tile [0: "A" in 2, 1: "B" in 4] : !t
  %z = spyre.mul %y, %b tile [0: "A" in 2, 1: "B" in 4] : !t
  return %z : !t
}
