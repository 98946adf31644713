// An operand that is broadcast along the tiled dimension, and is a row of a larger tensor: the next rows are there, and are
// the wrong ones.

// RUN: spyre-opt %s --coarse-tile | FileCheck %s --check-prefix=TILED
// RUN: spyre-run %s --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s
// CHECK: coarse-tile{{.*}}: same results
// CHECK: a bundle, same results on the simulated card
// RUN: rm -rf %t && spyre-translate --spyre-to-bundle %s --address-mode=concrete -o %t
// RUN: not grep scf.for %t/bundle.mlir
// RUN: spyre-run %s --bundle %t --compare %s --random-seed 1 | FileCheck %s --check-prefix=UNROLLED
// UNROLLED: result 0: 0 of 2048 elements differ

// TILED: scf.for %{{.+}} = %{{.+}} to %c4
// TILED: spyre.add
// TILED-SAME: (tensor<2x256xf16, #{{.*}}>, tensor<1x256xf16, #{{.*}}>)
#stick = #spyre.layout<(d0, d1) -> (d0, d1 floordiv 64, d1 mod 64)>
!t = tensor<8x256xf16, #stick>
!row = tensor<1x256xf16, #stick>
func.func @f(%a: !t {spyre.dims = ["A", "B"]}, %rows: tensor<16x256xf16, #stick>) -> !t {
  %b = tensor.extract_slice %rows[1, 0] [1, 256] [1, 1] : tensor<16x256xf16, #stick> to !row
  %y = spyre.add %a, %b tile [0: "A" in 4] : (!t, !row) -> !t
  %z = spyre.mul %y, %a tile [0: "A" in 4] : !t
  return %z : !t
}
