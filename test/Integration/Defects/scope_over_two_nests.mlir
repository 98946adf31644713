// What is between the operations of a scope needs the first one whole, so the scope goes on in a second nest.

// RUN: spyre-opt %s --coarse-tile | FileCheck %s --check-prefix=TILED
// RUN: spyre-run %s --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s
// CHECK: coarse-tile{{.*}}: same results
// CHECK: a bundle, same results on the simulated card
// RUN: rm -rf %t && spyre-translate --spyre-to-bundle %s --address-mode=concrete -o %t
// RUN: not grep scf.for %t/bundle.mlir
// RUN: spyre-run %s --bundle %t --compare %s --random-seed 1 | FileCheck %s --check-prefix=UNROLLED
// UNROLLED: result 0: 0 of 2048 elements differ

// TILED: scf.for
// TILED:     spyre.add
// TILED: }
// TILED: spyre.max
// TILED: scf.for
// TILED:     spyre.sub
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<8x256xf16, #stick>
!row = tensor<1x256xf16, #stick>
func.func @f(%a: !t {spyre.dims = ["A", "B"]}, %b: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.add %a, %b tile [0: "A" in 4] : !t
  %m = spyre.max %y dims [0] keepdim : (!t) -> !row
  %z = spyre.sub %y, %m tile [0: "A" in 4] : (!t, !row) -> !t
  return %z : !t
}
