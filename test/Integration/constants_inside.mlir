// Constants of a scope are made in the tile: tiled = untiled, and the bundle's constant is a tile long.

// RUN: spyre-opt %s --coarse-tile -o %t.tiled.mlir
// RUN: FileCheck %s --input-file %t.tiled.mlir
// RUN: spyre-run %s --entry filled --compare %t.tiled.mlir --random-seed 1 --poison --special-values | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry ragged --compare %t.tiled.mlir --random-seed 2 --poison --special-values | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry filled --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry ragged --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER

// Exit codes say the rest.
// SAME: result 0: 0 of
// CARD: a bundle, same results on the simulated card

!t = tensor<64x256xf16>

// CHECK-LABEL: func.func @filled(
// CHECK-NOT:     spyre.fill
// CHECK:         scf.for
// CHECK:           %[[C:.+]] = spyre.fill dense<2.500000e+00> : tensor<16x256xf16>
// CHECK:           spyre.mul %{{.+}}, %[[C]]
// CHECK-NOT:     spyre.fill
// The constant in front of another operation stays as long as that.
// CHECK-LABEL: func.func @ragged(
// CHECK:         %[[F:.+]] = spyre.fill dense<2.500000e+00> : tensor<60x256xf16>
// CHECK:         scf.for
// CHECK:           spyre.fill dense<2.500000e+00> : tensor<16x256xf16>
// CHECK:         spyre.fill dense<2.500000e+00> : tensor<12x256xf16>
// CHECK:         spyre.add %{{.+}}, %[[F]]
func.func @filled(%x: !t {spyre.dims = ["A", "B"]}) -> !t {
  %c = spyre.fill dense<2.5> : !t {spyre.dims = ["A", "B"]}
  %y = spyre.exp %x tile [0: "A" in 4] : !t
  %z = spyre.mul %y, %c tile [0: "A" in 4] : !t
  return %z : !t
}

func.func @ragged(%x: tensor<60x256xf16> {spyre.dims = ["A", "B"]}) -> tensor<60x256xf16> {
  %c = spyre.fill dense<2.5> : tensor<60x256xf16> {spyre.dims = ["A", "B"]}
  %z = spyre.mul %x, %c tile [0: "A" by 16] : tensor<60x256xf16>
  %w = spyre.add %z, %c : tensor<60x256xf16>
  return %w : tensor<60x256xf16>
}
