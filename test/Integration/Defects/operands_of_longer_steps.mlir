// Each operand moves by the distances of its own layout, also where those of the result would stay inside all tensors: then
// nothing but the numbers shows that a tile was read in the wrong place.

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
// TILED: tensor.extract_slice %arg1[%{{.+}}, 0, %{{.+}}] [16, 8, 64]
#middle = #spyre.layout<(d0, d1, d2) -> (d1, d2 floordiv 64, d0, d2 mod 64)>
#outer = #spyre.layout<(d0, d1, d2) -> (d2 floordiv 64, d0, d1, d2 mod 64)>
!m = tensor<32x8x128xf16, #middle>
!o = tensor<32x8x128xf16, #outer>
func.func @f(%a: !m {spyre.dims = ["X", "Y", "Z"]}, %b: !o {spyre.dims = ["X", "Y", "Z"]}) -> !m {
  %y = spyre.add %a, %b tile [0: "X" in 2, 1: "Z" in 2] : (!m, !o) -> !m
  return %y : !m
}
