// Pools and convolutions of each channel on the simulated card: whole, in tiles of the batch and of the channels, with channels that
// end inside of a stick, and with windows that several cores divide.

// RUN: spyre-run %s --entry pools --random-seed 1 --special-values --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=SAME --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry overlapping --random-seed 2 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=SAME --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry tiles --random-seed 3 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=SAME --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry depthwise --random-seed 4 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=SAME --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry rows --random-seed 5 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=SAME --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry part --random-seed 6 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=SAME --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry shared --random-seed 7 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=SAME --implicit-check-not=DIFFER
// SAME: a bundle, same results on the simulated card

// RUN: spyre-opt %s --spyre-pipeline=bundle=false | FileCheck %s

// A pool of the largest elements is not one of the means.
// RUN: not spyre-run %s --entry largest --random-seed 8 --compare %s --compare-entry means 2>&1 | FileCheck %s --check-prefix=DIFFERENT
// DIFFERENT: result 0: {{[1-9][0-9]*}} of 768 elements differ

!x = tensor<2x8x6x80xf16>
!y = tensor<2x4x3x80xf16>

// Windows that follow each other may be on several cores.
// CHECK-LABEL: @pools(
// CHECK:         spyre.maxpoolfwd {{.*}} window [2, 2] strides [2, 2] split [2, 4, 3, 1, 1, 1]
// CHECK:         spyre.avgpoolfwd {{.*}} window [2, 2] strides [2, 2] split
func.func @pools(%x: !x) -> (!y, !y) {
  %0 = spyre.maxpoolfwd %x window [2, 2] strides [2, 2] split [2, 4, 3, 1, 1, 1] : (!x) -> !y
  %1 = spyre.avgpoolfwd %x window [2, 2] strides [2, 2] : (!x) -> !y
  return %0, %1 : !y, !y
}

// Others stay on one core.
// CHECK-LABEL: @overlapping(
// CHECK:         spyre.maxpoolfwd {{.*}} window [3, 3] split [2, 1, 1, 2, 1, 1]
// CHECK:         spyre.avgpoolfwd {{.*}} window [2, 3] strides [2, 1] split [2, {{[14]}}, 1, 2, 1, 1]
func.func @overlapping(%x: tensor<2x8x6x128xf16>) -> (tensor<2x6x4x128xf16>, tensor<2x4x4x128xf16>) {
  %0 = spyre.maxpoolfwd %x window [3, 3] : (tensor<2x8x6x128xf16>) -> tensor<2x6x4x128xf16>
  %1 = spyre.avgpoolfwd %x window [2, 3] strides [2, 1] : (tensor<2x8x6x128xf16>) -> tensor<2x4x4x128xf16>
  return %0, %1 : tensor<2x6x4x128xf16>, tensor<2x4x4x128xf16>
}

// CHECK-LABEL: @tiles(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             spyre.maxpoolfwd {{.*}} : (tensor<1x6x6x64xf16
func.func @tiles(%x: tensor<4x6x6x128xf16> {spyre.dims = ["n", "h", "w", "c"]}) -> tensor<4x3x3x128xf16> {
  %0 = spyre.relufwd %x tile [0: "n" in 4, 1: "c" in 2] : tensor<4x6x6x128xf16>
  %1 = spyre.maxpoolfwd %0 window [2, 2] strides [2, 2] tile [0: "n" in 4, 1: "c" in 2] : (tensor<4x6x6x128xf16>) -> tensor<4x3x3x128xf16>
  %2 = spyre.relufwd %1 tile [0: "n" in 4, 1: "c" in 2] : tensor<4x3x3x128xf16>
  return %2 : tensor<4x3x3x128xf16>
}

// CHECK-LABEL: @depthwise(
// CHECK:         scf.for
// CHECK:           spyre.depthwiseconv2dnative {{.*}} strides [1, 2] dilations [2, 1]
func.func @depthwise(%x: tensor<4x9x9x64xf16> {spyre.dims = ["n", "h", "w", "c"]},
                     %w: tensor<3x3x64xf16> {spyre.dims = ["i", "j", "c"]}) -> tensor<4x5x4x64xf16> {
  %0 = spyre.relufwd %x tile [0: "n" in 2] : tensor<4x9x9x64xf16>
  %1 = spyre.depthwiseconv2dnative %0, %w strides [1, 2] dilations [2, 1] tile [0: "n" in 2] : (tensor<4x9x9x64xf16>, tensor<3x3x64xf16>) -> tensor<4x5x4x64xf16>
  %2 = spyre.relufwd %1 tile [0: "n" in 2] : tensor<4x5x4x64xf16>
  return %2 : tensor<4x5x4x64xf16>
}

// Windows along rows only: the file has no entry for the other dimension.
func.func @rows(%x: tensor<1x5x9x80xf16>, %w: tensor<1x3x80xf16>) -> tensor<1x5x7x80xf16> {
  %0 = spyre.depthwiseconv2dnative %x, %w : (tensor<1x5x9x80xf16>, tensor<1x3x80xf16>) -> tensor<1x5x7x80xf16>
  return %0 : tensor<1x5x7x80xf16>
}

// A part of an image along what the windows walk along is copied.
// CHECK-LABEL: @part(
// CHECK:         spyre.copy
// CHECK:         spyre.avgpoolfwd
func.func @part(%x: tensor<2x9x6x64xf16>) -> tensor<2x4x3x64xf16> {
  %0 = tensor.extract_slice %x[0, 1, 0, 0] [2, 8, 6, 64] [1, 1, 1, 1] : tensor<2x9x6x64xf16> to tensor<2x8x6x64xf16>
  %1 = spyre.avgpoolfwd %0 window [2, 2] strides [2, 2] : (tensor<2x8x6x64xf16>) -> tensor<2x4x3x64xf16>
  return %1 : tensor<2x4x3x64xf16>
}

// Tiles of one image: a pool that reads it from device memory reads a copy.
// RUN: spyre-run %s --entry images --random-seed 9 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=SAME --implicit-check-not=DIFFER
// CHECK-LABEL: @images(
// CHECK:         scf.for
// CHECK:           spyre.copy
// CHECK:           spyre.maxpoolfwd
func.func @images(%x: tensor<2x3x6x80xf16> {spyre.dims = ["n", "h", "w", "c"]}) -> tensor<2x2x4x80xf16> {
  %0 = spyre.maxpoolfwd %x window [2, 3] tile [0: "n" in 2] : (tensor<2x3x6x80xf16>) -> tensor<2x2x4x80xf16>
  return %0 : tensor<2x2x4x80xf16>
}

// The format has the channels in front of the rows, and the scratchpads have the parts of the cores in the order of the result.
func.func @shared(%x: tensor<2x6x5x256xf16>, %w: tensor<3x3x256xf16>) -> tensor<2x4x3x256xf16> {
  %0 = spyre.depthwiseconv2dnative %x, %w split [1, 2, 3, 4, 1, 1] : (tensor<2x6x5x256xf16>, tensor<3x3x256xf16>) -> tensor<2x4x3x256xf16>
  %1 = spyre.relufwd %0 split [1, 2, 3, 4] : tensor<2x4x3x256xf16>
  return %1 : tensor<2x4x3x256xf16>
}

func.func @largest(%x: tensor<1x8x6x64xf16>) -> tensor<1x4x3x64xf16> {
  %0 = spyre.maxpoolfwd %x window [2, 2] strides [2, 2] : (tensor<1x8x6x64xf16>) -> tensor<1x4x3x64xf16>
  return %0 : tensor<1x4x3x64xf16>
}

func.func @means(%x: tensor<1x8x6x64xf16>) -> tensor<1x4x3x64xf16> {
  %0 = spyre.avgpoolfwd %x window [2, 2] strides [2, 2] : (tensor<1x8x6x64xf16>) -> tensor<1x4x3x64xf16>
  return %0 : tensor<1x4x3x64xf16>
}
