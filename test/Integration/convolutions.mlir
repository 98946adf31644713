// Convolutions on the simulated card: whole, in tiles of the batch and of the filters, of sums over tiles of the channels, and with
// windows that several cores divide. No tile is a window of a longer tensor, because a convolution's tensors have no gaps.

// RUN: spyre-run %s --entry tiles --random-seed 1 --largest 1 --check-pipeline='builtin.module(spyre-pipeline)' 2>/dev/null | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry rows --random-seed 2 --check-pipeline='builtin.module(spyre-pipeline)' 2>/dev/null | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry channels --random-seed 3 --largest 1 --check-pipeline='builtin.module(spyre-pipeline)' --tolerance 3e-2 2>/dev/null | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry overlapping --random-seed 4 --largest 1 --check-pipeline='builtin.module(spyre-pipeline)' 2>/dev/null | FileCheck %s --check-prefix=SAME
// SAME-NOT: DIFFER
// SAME:     a bundle, same results on the simulated card

// RUN: spyre-opt %s --spyre-pipeline=bundle=false | FileCheck %s

// RUN: spyre-opt %s --coarse-tile --remarks-filter=coarse-tile --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: OverlappingWindows
// REMARK-SAME: Dimension=y
// REMARK-SAME: windows overlap along it

// The value between the two goes through the pool: no core has all rows that the windows of another one reach. The weights are copied
// once, in front of the loop, and two cores have a half of the filters each.
// CHECK-LABEL: @tiles(
// CHECK:         spyre.copy %{{.*}} split [1, 1, 1, 2] place lx
// CHECK:         scf.for
// CHECK:           %[[X:.*]] = spyre.relufwd {{.*}} place pool {{.*}} : tensor<1x6x6x64xf16
// CHECK-NEXT:      %[[Y:.*]] = spyre.conv2d %[[X]], {{.*}} split [1, 1, 1, 2, 1, 1, 1] place lx
// CHECK-NEXT:      spyre.relufwd %[[Y]]
func.func @tiles(%x: tensor<4x6x6x64xf16> {spyre.dims = ["n", "h", "w", "c"]},
                 %w: tensor<3x3x64x128xf16> {spyre.dims = ["i", "j", "c", "f"]}) -> tensor<4x4x4x128xf16> {
  %0 = spyre.relufwd %x tile [0: "n" in 4] : tensor<4x6x6x64xf16>
  %1 = spyre.conv2d %0, %w tile [0: "n" in 4] : (tensor<4x6x6x64xf16>, tensor<3x3x64x128xf16>) -> tensor<4x4x4x128xf16>
  %2 = spyre.relufwd %1 tile [0: "n" in 4] : tensor<4x4x4x128xf16>
  return %2 : tensor<4x4x4x128xf16>
}

// Windows that are more than one element apart stay on one core.
// CHECK-LABEL: @rows(
// CHECK:         spyre.conv2d {{.*}} strides [2, 1] dilations [1, 2] split [1, 1, 4, 2, 1, 1, 1]
func.func @rows(%x: tensor<1x9x8x64xf16>, %w: tensor<3x3x64x128xf16>) -> tensor<1x4x4x128xf16> {
  %0 = spyre.conv2d %x, %w strides [2, 1] dilations [1, 2] : (tensor<1x9x8x64xf16>, tensor<3x3x64x128xf16>) -> tensor<1x4x4x128xf16>
  return %0 : tensor<1x4x4x128xf16>
}

// Parts of the sum are added up.
// CHECK-LABEL: @channels(
// CHECK:         scf.for
// CHECK:           spyre.copy {{.*}} : tensor<2x6x6x64xf16
// CHECK:           spyre.conv2d {{.*}} : (tensor<2x6x6x64xf16
// CHECK:           spyre.add
func.func @channels(%x: tensor<2x6x6x256xf16> {spyre.dims = ["n", "h", "w", "c"]},
                    %w: tensor<3x3x256x64xf16> {spyre.dims = ["i", "j", "c", "f"]}) -> tensor<2x4x4x64xf16> {
  %0 = spyre.conv2d %x, %w tile [0: "c" in 4] : (tensor<2x6x6x256xf16>, tensor<3x3x256x64xf16>) -> tensor<2x4x4x64xf16>
  return %0 : tensor<2x4x4x64xf16>
}

// Windows overlap, so the convolution is whole between two loops.
// CHECK-LABEL: @overlapping(
// CHECK:         scf.for
// CHECK:           spyre.relufwd
// CHECK:         spyre.conv2d {{.*}} : (tensor<4x6x6x64xf16
// CHECK:         scf.for
// CHECK:           spyre.relufwd
func.func @overlapping(%x: tensor<4x6x6x64xf16> {spyre.dims = ["n", "y", "w", "c"]},
                       %w: tensor<3x3x64x128xf16> {spyre.dims = ["i", "j", "c", "f"]}) -> tensor<4x4x4x128xf16> {
  %0 = spyre.relufwd %x tile [0: "y" in 2] : tensor<4x6x6x64xf16>
  %1 = spyre.conv2d %0, %w tile [1: "y" in 2] {spyre.dims = ["n", "y", "x", "f"]} : (tensor<4x6x6x64xf16>, tensor<3x3x64x128xf16>) -> tensor<4x4x4x128xf16>
  %2 = spyre.relufwd %1 tile [1: "y" in 2] : tensor<4x4x4x128xf16>
  return %2 : tensor<4x4x4x128xf16>
}
