// Views between operations of a scope are in the loops, as views of tiles: tiled = untiled, on poisoned memory, with the layouts
// that the passes choose, and as a bundle on the simulated card.

// RUN: spyre-opt %s --spyre-propagate-layouts --spyre-optimize-restickify --spyre-insert-restickify --coarse-tile -o %t.tiled.mlir
// RUN: FileCheck %s --input-file %t.tiled.mlir
// RUN: spyre-run %s --entry permuted --compare %t.tiled.mlir --random-seed 1 --poison --special-values | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry heads --compare %t.tiled.mlir --random-seed 2 --poison --special-values | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry merged --compare %t.tiled.mlir --random-seed 3 --poison --special-values | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry slices --compare %t.tiled.mlir --random-seed 4 --poison --special-values | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry put_together --compare %t.tiled.mlir --random-seed 5 --poison --special-values | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry outside_as_well --compare %t.tiled.mlir --random-seed 6 --poison --special-values | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry ragged --compare %t.tiled.mlir --random-seed 7 --poison --special-values | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry of_a_sum --compare %t.tiled.mlir --random-seed 8 --integers 3 --poison | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry rows --compare %t.tiled.mlir --random-seed 9 --poison --special-values | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry rows --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry permuted --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry slices --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry put_together --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry outside_as_well --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry of_a_sum --integers 3 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER

// Exit codes say the rest.
// SAME: result 0: 0 of
// CARD: a bundle, same results on the simulated card

// CHECK-LABEL: func.func @permuted(
// CHECK:         scf.for
// CHECK:           %[[Y:.+]] = spyre.exp
// CHECK:           %[[P:.+]] = spyre.permute %[[Y]] [1, 0] : tensor<16x256xf16, #{{[a-z0-9]+}}> to tensor<256x16xf16, #{{[a-z0-9]+}}>
// CHECK:           spyre.neg %[[P]]
// CHECK-NOT:     scf.for
func.func @permuted(%x: tensor<64x256xf16> {spyre.dims = ["A", "B"]}) -> tensor<256x64xf16> {
  %y = spyre.exp %x tile [0: "A" in 4] : tensor<64x256xf16>
  %p = spyre.permute %y [1, 0] : tensor<64x256xf16> to tensor<256x64xf16>
  %z = spyre.neg %p tile [0: "A" in 4] : tensor<256x64xf16>
  return %z : tensor<256x64xf16>
}

// CHECK-LABEL: func.func @heads(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             %[[Y:.+]] = spyre.exp %{{.+}} : tensor<16x128xf16, #{{[a-z0-9]+}}>
// CHECK:             %[[E:.+]] = tensor.expand_shape %[[Y]] {{\[}}[0], [1, 2]] output_shape [16, 2, 64]
// CHECK:             %[[P:.+]] = spyre.permute %[[E]] [1, 0, 2] : tensor<16x2x64xf16, #{{[a-z0-9]+}}> to tensor<2x16x64xf16, #{{[a-z0-9]+}}>
// CHECK:             spyre.neg %[[P]]
// CHECK-NOT:     scf.for
func.func @heads(%x: tensor<64x512xf16> {spyre.dims = ["S", #spyre.merged<"H" of 8, "D" of 64>]}) -> tensor<8x64x64xf16> {
  %y = spyre.exp %x tile [0: "S" in 4, 1: "H" in 4] : tensor<64x512xf16>
  %e = tensor.expand_shape %y [[0], [1, 2]] output_shape [64, 8, 64] : tensor<64x512xf16> into tensor<64x8x64xf16>
  %p = spyre.permute %e [1, 0, 2] : tensor<64x8x64xf16> to tensor<8x64x64xf16>
  %z = spyre.neg %p tile [0: "S" in 4, 1: "H" in 4] : tensor<8x64x64xf16>
  return %z : tensor<8x64x64xf16>
}

// CHECK-LABEL: func.func @rows(
// CHECK:         scf.for
// CHECK:           %[[Y:.+]] = spyre.exp
// CHECK:           %[[E:.+]] = tensor.expand_shape %[[Y]] {{\[}}[0, 1], [2]] output_shape [2, 8, 128]
// CHECK:           spyre.neg %[[E]]
// CHECK-NOT:     scf.for
func.func @rows(%x: tensor<64x128xf16> {spyre.dims = [#spyre.merged<"S" of 8, "T" of 8>, "E"]}) -> tensor<8x8x128xf16> {
  %y = spyre.exp %x tile [0: "S" in 4] : tensor<64x128xf16>
  %e = tensor.expand_shape %y [[0, 1], [2]] output_shape [8, 8, 128] : tensor<64x128xf16> into tensor<8x8x128xf16>
  %z = spyre.neg %e tile [0: "S" in 4] : tensor<8x8x128xf16>
  return %z : tensor<8x8x128xf16>
}

// CHECK-LABEL: func.func @merged(
// CHECK:         scf.for
// CHECK:           %[[Y:.+]] = spyre.exp
// CHECK:           %[[K:.+]] = spyre.copy %[[Y]]
// CHECK:           %[[C:.+]] = tensor.collapse_shape %[[K]] {{\[}}[0, 1], [2]] : tensor<2x16x128xf16, #{{[a-z0-9]+}}> into tensor<32x128xf16, #{{[a-z0-9]+}}>
// CHECK:           spyre.neg %[[C]]
// CHECK-NOT:     scf.for
func.func @merged(%x: tensor<8x16x128xf16> {spyre.dims = ["B", "S", "E"]}) -> tensor<128x128xf16> {
  %y = spyre.exp %x tile [0: "B" in 4] : tensor<8x16x128xf16>
  %c = tensor.collapse_shape %y [[0, 1], [2]] : tensor<8x16x128xf16> into tensor<128x128xf16>
  %z = spyre.neg %c tile [0: "B" in 4] : tensor<128x128xf16>
  return %z : tensor<128x128xf16>
}

// CHECK-LABEL: func.func @slices(
// CHECK:         scf.for
// CHECK:           %[[Y:.+]] = spyre.exp
// CHECK:           %[[L:.+]] = tensor.extract_slice %[[Y]][0, 64] [16, 128] [1, 1] : tensor<16x256xf16, #{{[a-z0-9]+}}> to tensor<16x128xf16, #{{[a-z0-9]+}}>
// CHECK:           %[[R:.+]] = tensor.extract_slice %[[Y]][0, 128] [16, 128] [1, 1] : tensor<16x256xf16, #{{[a-z0-9]+}}> to tensor<16x128xf16, #{{[a-z0-9]+}}>
// CHECK:           spyre.mul %[[L]], %[[R]]
// CHECK-NOT:     scf.for
func.func @slices(%x: tensor<64x256xf16> {spyre.dims = ["A", "B"]}) -> tensor<64x128xf16> {
  %y = spyre.exp %x tile [0: "A" in 4] : tensor<64x256xf16>
  %l = tensor.extract_slice %y[0, 64] [64, 128] [1, 1] : tensor<64x256xf16> to tensor<64x128xf16>
  %r = tensor.extract_slice %y[0, 128] [64, 128] [1, 1] : tensor<64x256xf16> to tensor<64x128xf16>
  %z = spyre.mul %l, %r tile [0: "A" in 4] : tensor<64x128xf16>
  return %z : tensor<64x128xf16>
}

// CHECK-LABEL: func.func @put_together(
// CHECK:         scf.for
// CHECK:           %[[N:.+]] = spyre.empty : tensor<16x256xf16, #{{[a-z0-9]+}}>
// CHECK:           %[[I:.+]] = tensor.insert_slice %{{.+}} into %[[N]][0, 0] [16, 128] [1, 1]
// CHECK:           %[[J:.+]] = tensor.insert_slice %{{.+}} into %[[I]][0, 128] [16, 128] [1, 1]
// CHECK:           spyre.abs %[[J]]
// CHECK-NOT:     scf.for
func.func @put_together(%x: tensor<64x128xf16> {spyre.dims = ["A", "B"]}) -> tensor<64x256xf16> {
  %n = spyre.empty {spyre.dims = ["A", "C"]} : tensor<64x256xf16>
  %y = spyre.exp %x tile [0: "A" in 4] : tensor<64x128xf16>
  %w = spyre.neg %x tile [0: "A" in 4] : tensor<64x128xf16>
  %i = tensor.insert_slice %y into %n[0, 0] [64, 128] [1, 1] : tensor<64x128xf16> into tensor<64x256xf16>
  %j = tensor.insert_slice %w into %i[0, 128] [64, 128] [1, 1] : tensor<64x128xf16> into tensor<64x256xf16>
  %z = spyre.abs %j tile [0: "A" in 4] : tensor<64x256xf16>
  return %z : tensor<64x256xf16>
}

// What is outside views the full tensor.
// CHECK-LABEL: func.func @outside_as_well(
// CHECK:         %[[R:.+]]:2 = scf.for
// CHECK:           %[[Y:.+]] = spyre.exp
// CHECK:           %[[P:.+]] = spyre.permute %[[Y]] [1, 0]
// CHECK:           spyre.neg %[[P]]
// CHECK:         %[[F:.+]] = spyre.permute %[[R]]#0 [1, 0] : tensor<64x256xf16, #{{[a-z0-9]+}}> to tensor<256x64xf16, #{{[a-z0-9]+}}>
// CHECK:         spyre.abs %[[F]]
func.func @outside_as_well(%x: tensor<64x256xf16> {spyre.dims = ["A", "B"]}) -> (tensor<256x64xf16>, tensor<256x64xf16>) {
  %y = spyre.exp %x tile [0: "A" in 4] : tensor<64x256xf16>
  %p = spyre.permute %y [1, 0] : tensor<64x256xf16> to tensor<256x64xf16>
  %w = spyre.abs %p : tensor<256x64xf16>
  %z = spyre.neg %p tile [0: "A" in 4] : tensor<256x64xf16>
  return %z, %w : tensor<256x64xf16>, tensor<256x64xf16>
}

// The last tile is shorter.
// CHECK-LABEL: func.func @ragged(
// CHECK:         scf.for
// CHECK:           tensor.expand_shape %{{.+}} {{\[}}[0], [1, 2]] output_shape [64, 3, 64]
// CHECK:         tensor.expand_shape %{{.+}} {{\[}}[0], [1, 2]] output_shape [64, 2, 64]
func.func @ragged(%x: tensor<64x512xf16> {spyre.dims = ["S", #spyre.merged<"H" of 8, "D" of 64>]}) -> tensor<64x8x64xf16> {
  %y = spyre.exp %x tile [0: "H" by 3] : tensor<64x512xf16>
  %e = tensor.expand_shape %y [[0], [1, 2]] output_shape [64, 8, 64] : tensor<64x512xf16> into tensor<64x8x64xf16>
  %z = spyre.neg %e tile [0: "H" by 3] : tensor<64x8x64xf16>
  return %z : tensor<64x8x64xf16>
}

// A view of what is complete only behind a loop is behind it as well.
// CHECK-LABEL: func.func @of_a_sum(
// CHECK:         scf.for
// CHECK:           %[[S:.+]] = scf.for
// CHECK:             spyre.sum
// CHECK:           %[[P:.+]] = spyre.permute %[[S]] [1, 0] : tensor<16x1xf16, #{{[a-z0-9]+}}> to tensor<1x16xf16, #{{[a-z0-9]+}}>
// CHECK:           spyre.neg %[[P]]
func.func @of_a_sum(%x: tensor<64x256xf16> {spyre.dims = ["A", "B"]}) -> tensor<1x64xf16> {
  %y = spyre.sum %x dims [1] keepdim tile [0: "A" in 4, 1: "B" in 2] : (tensor<64x256xf16>) -> tensor<64x1xf16>
  %p = spyre.permute %y [1, 0] : tensor<64x1xf16> to tensor<1x64xf16>
  %z = spyre.neg %p tile [0: "A" in 4, 1: "B" in 2] : tensor<1x64xf16>
  return %z : tensor<1x64xf16>
}
