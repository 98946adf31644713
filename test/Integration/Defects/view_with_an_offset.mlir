// A view starts behind the beginning of its tensor, and its tiles too.

// RUN: spyre-opt %s --coarse-tile | FileCheck %s --check-prefix=TILED
// RUN: spyre-run %s --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s
// CHECK: coarse-tile{{.*}}: same results
// CHECK: a bundle, same results on the simulated card
// RUN: rm -rf %t && spyre-translate --spyre-to-bundle %s --address-mode=concrete -o %t
// RUN: not grep scf.for %t/bundle.mlir
// RUN: spyre-run %s --bundle %t --compare %s --random-seed 1 | FileCheck %s --check-prefix=UNROLLED
// UNROLLED: result 0: 0 of 512 elements differ

// TILED: tensor.extract_slice %arg0[2, 128] [4, 128]
// TILED: scf.for
// TILED: tensor.extract_slice %{{.+}}[%{{.+}}, 0] [2, 128]
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<8x256xf16, #stick>
!v = tensor<4x128xf16, #stick>
func.func @f(%a: !t {spyre.dims = ["A", "B"]}, %b: !v {spyre.dims = ["A", "B"]}) -> !v {
  %v = tensor.extract_slice %a[2, 128] [4, 128] [1, 1] : !t to !v
  %y = spyre.add %v, %b tile [0: "A" in 2] : !v
  %z = spyre.mul %y, %v tile [0: "A" in 2] : !v
  return %z : !v
}
