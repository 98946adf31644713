// Elements of tables that indices choose, in loops: tiled = untiled, on poisoned memory, and on the simulated card.

// RUN: spyre-opt %s --coarse-tile -o %t.tiled.mlir
// RUN: FileCheck %s --input-file %t.tiled.mlir
// RUN: spyre-run %s --entry rows --compare %t.tiled.mlir --random-seed 1 --poison --special-values | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry beside_the_stick --compare %t.tiled.mlir --random-seed 2 --poison --special-values | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry columns --compare %t.tiled.mlir --random-seed 3 --poison --special-values | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry two_loops --compare %t.tiled.mlir --random-seed 4 --integers 2 --poison | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry embedding --compare %t.tiled.mlir --random-seed 5 --poison --special-values | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry ragged --compare %t.tiled.mlir --random-seed 6 --poison --special-values | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry made_in_the_group --compare %t.tiled.mlir --random-seed 7 --integers 3 --poison | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry searched --compare %t.tiled.mlir --random-seed 8 --integers 3 --poison | FileCheck %s --check-prefix=SAME
// SAME: result 0: 0 of {{[0-9]+}} elements differ

// As bundles, in loops.
// RUN: spyre-run %s --entry rows --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry some_rows --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry beside_the_stick --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry columns --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry two_loops --integers 2 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry embedding --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry ragged --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry made_in_the_group --integers 3 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: not spyre-run %s --entry searched --integers 3 --check-pipeline='builtin.module(spyre-pipeline)' 2>&1 | FileCheck %s --check-prefix=SEARCHED --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry found --integers 3 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry found --compare %t.tiled.mlir --random-seed 9 --integers 3 --poison | FileCheck %s --check-prefix=SAME
// CARD: a bundle, same results on the simulated card

// And unrolled.
// RUN: spyre-run %s --entry two_loops --integers 2 --check-pipeline='builtin.module(func.func(spyre-propagate-layouts,spyre-optimize-restickify,spyre-insert-restickify,coarse-tile,spyre-unroll-loops,spyre-constants-to-arguments,spyre-work-division,spyre-scratchpad-planning),convert-spyre-to-sdscbundle)' \
// RUN:   | FileCheck %s --check-prefix=UNROLLED --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry ragged --check-pipeline='builtin.module(func.func(spyre-propagate-layouts,spyre-optimize-restickify,spyre-insert-restickify,coarse-tile,spyre-unroll-loops,spyre-constants-to-arguments,spyre-work-division,spyre-scratchpad-planning),convert-spyre-to-sdscbundle)' \
// RUN:   | FileCheck %s --check-prefix=UNROLLED --implicit-check-not=DIFFER
// UNROLLED: spyre-unroll-loops{{.*}}: same results
// UNROLLED: a bundle, same results on the simulated card

// Rows: a tile of the indices, and the whole table.
// CHECK-LABEL: func.func @rows(
// CHECK:         scf.for
// CHECK:           %[[I:.+]] = tensor.extract_slice %{{.+}}[%{{.+}}] [32] [1] : tensor<96xi32> to tensor<32xi32>
// CHECK:           spyre.gather %[[I]], %arg1 dim 0 : (tensor<32xi32>, tensor<50x128xf16>) -> tensor<32x128xf16>
func.func @rows(%i: tensor<96xi32> {spyre.dims = ["N"]}, %t: tensor<50x128xf16> {spyre.dims = ["R", "E"]}) -> tensor<96x128xf16> {
  %0 = spyre.gather %i, %t dim 0 tile [0: "N" in 3] : (tensor<96xi32>, tensor<50x128xf16>) -> tensor<96x128xf16>
  %1 = spyre.neg %0 tile [0: "N" in 3] : tensor<96x128xf16>
  return %1 : tensor<96x128xf16>
}

// The dimension beside the stick, of three: windows of the table along the other ones.
// CHECK-LABEL: func.func @beside_the_stick(
// CHECK:         scf.for
// CHECK:           spyre.gather %{{.+}}, %{{.+}} dim 1 : (tensor<40xi32>, tensor<2x20x128xf32>) -> tensor<2x40x128xf32>
func.func @beside_the_stick(%i: tensor<40xi32> {spyre.dims = ["N"]}, %t: tensor<6x20x128xf32> {spyre.dims = ["H", "R", "E"]}) -> tensor<6x40xf32> {
  %0 = spyre.gather %i, %t dim 1 tile [0: "H" by 2] : (tensor<40xi32>, tensor<6x20x128xf32>) -> tensor<6x40x128xf32>
  %1 = spyre.max %0 dims [2] tile [0: "H" by 2] : (tensor<6x40x128xf32>) -> tensor<6x40xf32>
  return %1 : tensor<6x40xf32>
}

// Columns are on the stick by default: the table is restickified first.
// CHECK-LABEL: func.func @columns(
// CHECK:           spyre.gather %{{.+}}, %{{.+}} dim 1 : (tensor<33xi32>, tensor<64x70xbf16>) -> tensor<64x33xbf16>
func.func @columns(%i: tensor<33xi32> {spyre.dims = ["N"]}, %t: tensor<128x70xbf16> {spyre.dims = ["A", "C"]}) -> tensor<128x33xbf16> {
  %0 = spyre.gather %i, %t dim 1 tile [0: "A" in 2] : (tensor<33xi32>, tensor<128x70xbf16>) -> tensor<128x33xbf16>
  %1 = spyre.abs %0 tile [0: "A" in 2] : tensor<128x33xbf16>
  return %1 : tensor<128x33xbf16>
}

// The indices in the outer loop, along the stick of the table in the inner one; the tiles go on to a product that adds up over
// the inner loop.
// CHECK-LABEL: func.func @two_loops(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             spyre.gather %{{.+}}, %{{.+}} dim 0 : (tensor<32xi32>, tensor<50x64xf16>) -> tensor<32x64xf16>
// CHECK:             spyre.batchmatmul
// CHECK:             spyre.add
func.func @two_loops(%i: tensor<64xi32> {spyre.dims = ["N"]}, %t: tensor<50x128xf16> {spyre.dims = ["R", "E"]},
                     %w: tensor<128x64xf16> {spyre.dims = ["E", "M"]}) -> (tensor<64x64xf16>, tensor<64x128xf16>) {
  %0 = spyre.gather %i, %t dim 0 tile [0: "N" in 2, 1: "E" in 2] : (tensor<64xi32>, tensor<50x128xf16>) -> tensor<64x128xf16>
  %1 = spyre.batchmatmul %0, %w tile [0: "N" in 2, 1: "E" in 2] : (tensor<64x128xf16>, tensor<128x64xf16>) -> tensor<64x64xf16>
  %2 = spyre.exp %0 tile [0: "N" in 2, 1: "E" in 2] : tensor<64x128xf16>
  return %1, %2 : tensor<64x64xf16>, tensor<64x128xf16>
}

// Indices of two dimensions: tokens of several sentences.
// CHECK-LABEL: func.func @embedding(
// CHECK:             spyre.gather %{{.+}}, %arg1 dim 0 : (tensor<1x32xi32>, tensor<30x64xf16>) -> tensor<1x32x64xf16>
func.func @embedding(%i: tensor<3x64xi32> {spyre.dims = ["B", "S"]}, %t: tensor<30x64xf16> {spyre.dims = ["R", "E"]}) -> tensor<3x64x64xf16> {
  %0 = spyre.gather %i, %t dim 0 tile [0: "B" by 1, 1: "S" in 2] : (tensor<3x64xi32>, tensor<30x64xf16>) -> tensor<3x64x64xf16>
  %1 = spyre.neg %0 tile [0: "B" by 1, 1: "S" in 2] : tensor<3x64x64xf16>
  return %1 : tensor<3x64x64xf16>
}

// The last tiles are shorter: 6 of 70 indices, and a third stick of five.
// CHECK-LABEL: func.func @ragged(
// CHECK:             spyre.gather {{.*}} : (tensor<32xi32>, tensor<9x128xf16>) -> tensor<32x128xf16>
// CHECK:             spyre.gather {{.*}} : (tensor<32xi32>, tensor<9x64xf16>) -> tensor<32x64xf16>
// CHECK:             spyre.gather {{.*}} : (tensor<6xi32>, tensor<9x128xf16>) -> tensor<6x128xf16>
// CHECK:             spyre.gather {{.*}} : (tensor<6xi32>, tensor<9x64xf16>) -> tensor<6x64xf16>
func.func @ragged(%i: tensor<70xi32> {spyre.dims = ["N"]}, %t: tensor<9x320xf16> {spyre.dims = ["R", "E"]}) -> tensor<70x320xf16> {
  %0 = spyre.gather %i, %t dim 0 tile [0: "N" by 32, 1: "E" by 128] : (tensor<70xi32>, tensor<9x320xf16>) -> tensor<70x320xf16>
  %1 = spyre.neg %0 tile [0: "N" by 32, 1: "E" by 128] : tensor<70x320xf16>
  return %1 : tensor<70x320xf16>
}

// A table that is computed in tiles of the dimension that is chosen from is complete behind its loop. What does not have that
// dimension is in the same tiles along the other one.
// CHECK-LABEL: func.func @made_in_the_group(
// CHECK:         %[[T:.+]] = scf.for
// CHECK:             spyre.neg %{{.+}} : tensor<20x64xf16>
// CHECK:         scf.for
// CHECK:           tensor.extract_slice %[[T]][0, %{{.+}}] [40, 64] [1, 1]
// CHECK:           spyre.gather
// CHECK:           spyre.exp
func.func @made_in_the_group(%i: tensor<64xi32> {spyre.dims = ["N"]}, %t: tensor<40x128xf16> {spyre.dims = ["R", "E"]}) -> tensor<64x128xf16> {
  %0 = spyre.neg %t tile [0: "R" in 2, 1: "E" in 2] : tensor<40x128xf16>
  %1 = spyre.gather %i, %0 dim 0 tile [0: "R" in 2, 1: "E" in 2] : (tensor<64xi32>, tensor<40x128xf16>) -> tensor<64x128xf16>
  %2 = spyre.exp %1 tile [0: "R" in 2, 1: "E" in 2] : tensor<64x128xf16>
  return %2 : tensor<64x128xf16>
}

// By positions that a search has found in the same tile. The card finds positions as floats (K27), and has no integers of them for a
// gather to read (K4).
// SEARCHED: 'topkindex' computes in SEN169_FP16 or IEEE_FP32, but tensor 1 is IEEE_INT32
// SEARCHED: compute it in a format that the card has, or on the host
// CHECK-LABEL: func.func @searched(
// CHECK:         scf.for
// CHECK:           %[[I:.+]] = spyre.topkindex
// CHECK:           spyre.gather %[[I]], %arg1 dim 0 : (tensor<1x64xi32>, tensor<40x64xf32>) -> tensor<1x64x64xf32>
func.func @searched(%x: tensor<40x128xf32> {spyre.dims = ["R", "N"]}, %t: tensor<40x64xf32> {spyre.dims = ["K", "E"]}) -> tensor<1x128x64xf32> {
  %0 = spyre.topkindex %x dim 0 k 1 tile [0: "N" in 2] : (tensor<40x128xf32>) -> tensor<1x128xi32>
  %1 = spyre.gather %0, %t dim 0 tile [0: "N" in 2] : (tensor<1x128xi32>, tensor<40x64xf32>) -> tensor<1x128x64xf32>
  return %1 : tensor<1x128x64xf32>
}

// Positions as floats, beside rows that given indices choose in the same tile.
// CHECK-LABEL: func.func @found(
// CHECK:         scf.for
// CHECK:           %[[P:.+]] = spyre.topkindex {{.*}} : (tensor<32x64xf16>) -> tensor<1x64xf16>
// CHECK:           %[[G:.+]] = spyre.gather {{.*}} dim 0 : (tensor<32xi32>, tensor<40x64xf16>) -> tensor<32x64xf16>
// CHECK:           spyre.add %[[G]], %[[P]]
func.func @found(%x: tensor<32x128xf16> {spyre.dims = ["R", "N"]}, %i: tensor<32xi32> {spyre.dims = ["R"]}, %t: tensor<40x128xf16> {spyre.dims = ["K", "N"]}) -> tensor<32x128xf16> {
  %0 = spyre.topkindex %x dim 0 k 1 tile [0: "N" in 2] : (tensor<32x128xf16>) -> tensor<1x128xf16>
  %1 = spyre.gather %i, %t dim 0 tile [0: "N" in 2] : (tensor<32xi32>, tensor<40x128xf16>) -> tensor<32x128xf16>
  %2 = spyre.add %1, %0 tile [0: "N" in 2] : (tensor<32x128xf16>, tensor<1x128xf16>) -> tensor<32x128xf16>
  return %2 : tensor<32x128xf16>
}

// From some of the rows of a table, of which planning makes a copy, because no descriptor says where they start and end.
// CHECK-LABEL: func.func @some_rows(
// CHECK:         %[[W:.+]] = tensor.extract_slice %arg1[20, 0] [50, 128] [1, 1]
// CHECK:         scf.for
// CHECK:           tensor.extract_slice %[[W]][0, %{{.+}}] [50, 64] [1, 1]
func.func @some_rows(%i: tensor<32xi32> {spyre.dims = ["N"]}, %t: tensor<100x128xf16> {spyre.dims = ["R", "E"]}) -> tensor<32x128xf16> {
  %w = tensor.extract_slice %t[20, 0] [50, 128] [1, 1] : tensor<100x128xf16> to tensor<50x128xf16>
  %0 = spyre.gather %i, %w dim 0 tile [0: "E" in 2] : (tensor<32xi32>, tensor<50x128xf16>) -> tensor<32x128xf16>
  return %0 : tensor<32x128xf16>
}
