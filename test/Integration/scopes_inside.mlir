// Operations that share outer scopes share their loops: tiled = untiled, and as a bundle on the simulated card.

// RUN: spyre-opt %s --spyre-assign-dim-hints --coarse-tile -o %t.tiled.mlir 2>&1 | count 0
// RUN: FileCheck %s --input-file %t.tiled.mlir
// RUN: spyre-run %s --entry producer --compare %t.tiled.mlir --random-seed 1 --poison --special-values | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry consumer --compare %t.tiled.mlir --random-seed 2 --poison --special-values | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry siblings --compare %t.tiled.mlir --random-seed 3 --poison --special-values | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry reduced --compare %t.tiled.mlir --random-seed 4 --integers 2 --poison | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry ragged --compare %t.tiled.mlir --random-seed 5 --poison --special-values | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry producer --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry consumer --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry siblings --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry reduced --integers 2 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry ragged --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER

// RUN: spyre-run %s --entry view_in_front --compare %t.tiled.mlir --random-seed 6 --poison --special-values | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry view_behind --compare %t.tiled.mlir --random-seed 7 --poison --special-values | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry view_in_front --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry view_behind --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER

// Exit codes say the rest.
// SAME: result 0: 0 of
// CARD: a bundle, same results on the simulated card

!t = tensor<64x128xf16>

// The inner loop reads windows of the outer loop's tile.
// CHECK-LABEL: func.func @producer(
// CHECK:         scf.for {{.+}} to %c4
// CHECK:           %[[P:.+]] = spyre.add %{{.+}} : tensor<16x128xf16>
// CHECK:           scf.for {{.+}} to %c2
// CHECK:             %[[W:.+]] = tensor.extract_slice %[[P]][0, %{{.+}}] [16, 64] [1, 1]
// CHECK:             %[[M:.+]] = spyre.mul %[[W]]
// CHECK:             spyre.sub %[[M]]
// CHECK-NOT:     scf.for
func.func @producer(%a: !t {spyre.dims = ["S", "E"]}, %b: !t {spyre.dims = ["S", "E"]}) -> !t
    attributes {spyre.tile_scopes = [#spyre.tile_scope<"S" in 4>, #spyre.tile_scope<"E" in 2, ops 1 to 2>]} {
  %p = spyre.add %a, %b : !t
  %g1 = spyre.mul %p, %b : !t
  %g2 = spyre.sub %g1, %a : !t
  return %g2 : !t
}

// What the inner loop makes is put together in the outer loop's tile.
// CHECK-LABEL: func.func @consumer(
// CHECK:         scf.for {{.+}} to %c4
// CHECK:           %[[R:.+]] = scf.for {{.+}} to %c2
// CHECK:             spyre.mul
// CHECK:           spyre.sub %[[R]], %{{.+}} : tensor<16x128xf16>
// CHECK-NOT:     scf.for
func.func @consumer(%a: !t {spyre.dims = ["S", "E"]}, %b: !t {spyre.dims = ["S", "E"]}) -> !t {
  %p = spyre.add %a, %b tile [0: "S" in 4, 1: "E" in 2] : !t
  %g1 = spyre.mul %p, %b tile [0: "S" in 4, 1: "E" in 2] : !t
  %g2 = spyre.sub %g1, %a tile [0: "S" in 4] : !t
  return %g2 : !t
}

// Two inner scopes are two loops, one after the other, in one outer loop.
// CHECK-LABEL: func.func @siblings(
// CHECK:         scf.for {{.+}} to %c4
// CHECK:           %[[R:.+]] = scf.for {{.+}} to %c2
// CHECK:             spyre.add %{{.+}} : tensor<16x64xf16>
// CHECK:           scf.for {{.+}} to %c16
// CHECK:             tensor.extract_slice %[[R]][%{{.+}}, 0] [1, 128] [1, 1]
// CHECK:             spyre.mul %{{.+}} : tensor<1x128xf16>
// CHECK-NOT:     scf.for
func.func @siblings(%a: !t {spyre.dims = ["S", "E"]}, %b: !t {spyre.dims = ["S", "E"]}) -> !t {
  %p = spyre.add %a, %b tile [0: "S" in 4, 1: "E" in 2] : !t
  %g = spyre.mul %p, %b tile [0: "S" in 4, 2: "S" in 16] : !t
  return %g : !t
}

// A reduction in the inner loop, whose reader is in the outer one.
// CHECK-LABEL: func.func @reduced(
// CHECK:         scf.for {{.+}} to %c4
// CHECK:           %[[S:.+]] = scf.for {{.+}} to %c2
// CHECK:             spyre.sum
// CHECK:           spyre.sub %{{.+}}, %[[S]] : (tensor<16x128xf16>, tensor<16x1xf16>) -> tensor<16x128xf16>
// CHECK-NOT:     scf.for
func.func @reduced(%a: !t {spyre.dims = ["S", "E"]}) -> !t {
  %s = spyre.sum %a dims [1] keepdim tile [0: "S" in 4, 1: "E" in 2] : (!t) -> tensor<64x1xf16>
  %d = spyre.sub %a, %s tile [0: "S" in 4] : (!t, tensor<64x1xf16>) -> !t
  return %d : !t
}

// Shorter last tiles in both loops.
// CHECK-LABEL: func.func @ragged(
func.func @ragged(%a: tensor<60x320xf16> {spyre.dims = ["S", "E"]}, %b: tensor<60x320xf16> {spyre.dims = ["S", "E"]}) -> tensor<60x320xf16> {
  %p = spyre.add %a, %b tile [0: "S" by 16] : tensor<60x320xf16>
  %g = spyre.mul %p, %b tile [0: "S" by 16, 1: "E" by 128] : tensor<60x320xf16>
  %r = spyre.sub %g, %p tile [0: "S" by 16] : tensor<60x320xf16>
  return %r : tensor<60x320xf16>
}

// A view of what the outer loop makes is taken there, and the inner loop reads windows of it.
// CHECK-LABEL: func.func @view_in_front(
// CHECK:         scf.for {{.+}} to %c4
// CHECK:           %[[P:.+]] = spyre.add %{{.+}} : tensor<16x128xf16>
// CHECK:           %[[V:.+]] = tensor.expand_shape %[[P]] {{\[}}[0, 1], [2]] output_shape [4, 4, 128]
// CHECK:           scf.for {{.+}} to %c2
// CHECK:             tensor.extract_slice %[[V]][0, 0, %{{.+}}] [4, 4, 64] [1, 1, 1]
// CHECK-NOT:     scf.for
func.func @view_in_front(%a: !t {spyre.dims = [#spyre.merged<"S" of 16, "T" of 4>, "E"]}, %b: !t) -> tensor<16x4x128xf16> {
  %p = spyre.add %a, %b tile [0: "S" in 4] : !t
  %e = tensor.expand_shape %p [[0, 1], [2]] output_shape [16, 4, 128] : !t into tensor<16x4x128xf16>
  %z = spyre.neg %e tile [0: "S" in 4, 1: "E" in 2] : tensor<16x4x128xf16>
  return %z : tensor<16x4x128xf16>
}

// A view for the outer loop is one of what the inner loop has put together.
// CHECK-LABEL: func.func @view_behind(
// CHECK:         scf.for {{.+}} to %c4
// CHECK:           %[[P:.+]] = scf.for {{.+}} to %c2
// CHECK:             spyre.add %{{.+}} : tensor<16x64xf16>
// CHECK:           %[[V:.+]] = tensor.expand_shape %[[P]] {{\[}}[0, 1], [2]] output_shape [4, 4, 128]
// CHECK:           spyre.neg %[[V]]
// CHECK-NOT:     scf.for
func.func @view_behind(%a: !t {spyre.dims = [#spyre.merged<"S" of 16, "T" of 4>, "E"]}, %b: !t) -> tensor<16x4x128xf16> {
  %p = spyre.add %a, %b tile [0: "S" in 4, 1: "E" in 2] : !t
  %e = tensor.expand_shape %p [[0, 1], [2]] output_shape [16, 4, 128] : !t into tensor<16x4x128xf16>
  %z = spyre.neg %e tile [0: "S" in 4] : tensor<16x4x128xf16>
  return %z : tensor<16x4x128xf16>
}
