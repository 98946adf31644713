// Counts that do not divide: shorter last tiles, exact to the last element.

// RUN: spyre-opt %s --coarse-tile -o %t.tiled.mlir
// RUN: FileCheck %s --input-file %t.tiled.mlir
// RUN: spyre-run %s --entry rows --compare %t.tiled.mlir --random-seed 1 --poison --special-values | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry sticks --compare %t.tiled.mlir --random-seed 2 --poison --special-values | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry nested --compare %t.tiled.mlir --random-seed 3 --poison --special-values | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry one_dimension_twice --compare %t.tiled.mlir --random-seed 4 --poison --special-values | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry reduced --compare %t.tiled.mlir --random-seed 5 --poison | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry matmul --compare %t.tiled.mlir --random-seed 6 --poison | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry one_tile_is_all --compare %t.tiled.mlir --random-seed 9 --poison | FileCheck %s --check-prefix=SAME

// Without loops, and planned, it is the same.
// RUN: spyre-opt %t.tiled.mlir --spyre-unroll-loops -o %t.unrolled.mlir
// RUN: spyre-run %t.tiled.mlir --entry nested --compare %t.unrolled.mlir --random-seed 7 --poison | FileCheck %s --check-prefix=SAME
// RUN: spyre-opt %t.tiled.mlir --spyre-work-division --spyre-scratchpad-planning -o %t.planned.mlir
// RUN: spyre-run %t.tiled.mlir --entry reduced --compare %t.planned.mlir --random-seed 8 --poison | FileCheck %s --check-prefix=SAME

// The comparison sees a shorter tile in the wrong place.
// RUN: sed 's/%arg0\[6, 0\] \[1, 100\]/%arg0[5, 0] [1, 100]/' %t.tiled.mlir > %t.wrong.mlir
// RUN: not spyre-run %s --entry rows --compare %t.wrong.mlir --random-seed 1 --poison | FileCheck %s --check-prefix=DIFFERENT

// Exit codes say the rest.
// SAME: result 0: 0 of
// DIFFERENT: result 0: {{[1-9]}}

!rows = tensor<7x100xf16>

// A prime extent: three tiles of 2 and one of 1.
// CHECK-LABEL: func.func @rows(
// CHECK:         scf.for %{{.+}} = %{{.+}} to %c3
// CHECK:           spyre.exp %{{.+}} : tensor<2x100xf16>
// CHECK:         }
// CHECK:         tensor.extract_slice %arg0[6, 0] [1, 100]
// CHECK-NEXT:    spyre.exp %{{.+}} : tensor<1x100xf16>
// CHECK:         tensor.insert_slice %{{.+}} into %{{.+}}[6, 0] [1, 100]
// CHECK-NOT:     tile [
func.func @rows(%x: !rows {spyre.dims = ["A", "B"]}, %y: !rows) -> (!rows, !rows) {
  %e = spyre.exp %x tile [0: "A" in 4] : !rows
  %s = spyre.add %e, %y tile [0: "A" in 4] : !rows
  %n = spyre.neg %e : !rows
  return %s, %n : !rows, !rows
}

// 200 columns are four sticks, the last of 8: two tiles of 64 and one of 72 would cut a stick, so it is 128 and 72. A tile
// that makes a loop of one iteration is no loop.
// CHECK-LABEL: func.func @sticks(
// CHECK-NOT:     scf.for
// CHECK:         spyre.abs %{{.+}} : tensor<4x128xf16>
// CHECK:         spyre.abs %{{.+}} : tensor<4x72xf16>
// CHECK:         return
func.func @sticks(%x: tensor<4x200xf16> {spyre.dims = ["A", "B"]}) -> tensor<4x200xf16> {
  %y = spyre.abs %x tile [0: "B" in 3] : tensor<4x200xf16>
  return %y : tensor<4x200xf16>
}

// Two ragged levels: four bodies.
// CHECK-LABEL: func.func @nested(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             spyre.sub %{{.+}} -> tensor<3x64xf16>
// CHECK:           }
// CHECK:           spyre.sub %{{.+}} -> tensor<3x36xf16>
// CHECK:         }
// CHECK:         scf.for
// CHECK:           spyre.sub %{{.+}} -> tensor<1x64xf16>
// CHECK:         }
// CHECK:         spyre.sub %{{.+}} -> tensor<1x36xf16>
func.func @nested(%y: tensor<13x164xf16> {spyre.dims = ["A", "B"]}, %v: tensor<164xf16>) -> tensor<13x164xf16> {
  %a = spyre.sub %y, %v tile [0: "A" in 5, 1: "B" in 3] : (tensor<13x164xf16>, tensor<164xf16>) -> tensor<13x164xf16>
  %b = spyre.mul %a, %y tile [0: "A" in 5, 1: "B" in 3] : tensor<13x164xf16>
  return %b : tensor<13x164xf16>
}

// 250 by 4 is 63, 63, 63, 61. Both are cut by 32: 32 and 31, 32 and 29.
// CHECK-LABEL: func.func @one_dimension_twice(
// CHECK:         scf.for %{{.+}} = %{{.+}} to %c3
// CHECK:           spyre.neg %{{.+}} : tensor<32x64xf16>
// CHECK:           spyre.neg %{{.+}} : tensor<31x64xf16>
// CHECK:         }
// CHECK:         tensor.extract_slice %{{.+}}[189, 0] [32, 64]
// CHECK:         tensor.extract_slice %{{.+}}[221, 0] [29, 64]
func.func @one_dimension_twice(%x: tensor<250x64xf16> {spyre.dims = ["A", "B"]}) -> tensor<250x64xf16> {
  %y = spyre.neg %x tile [0: "A" in 4, 1: "A" in 2] : tensor<250x64xf16>
  return %y : tensor<250x64xf16>
}

// The dimension that is reduced, and then others; what reads the result has ragged tiles of its own.
// CHECK-LABEL: func.func @reduced(
func.func @reduced(%x: tensor<13x164xf16> {spyre.dims = ["A", "B"]}) -> (tensor<164xf16>, tensor<13x1xf16>, tensor<13x164xf16>, tensor<13xf16>) {
  %i = spyre.floor %x : tensor<13x164xf16>
  %0 = spyre.sum %i dims [0] tile [0: "A" in 4, 1: "B" in 2] : (tensor<13x164xf16>) -> tensor<164xf16>
  %1 = spyre.max %i dims [1] keepdim tile [2: "A" in 3, 3: "B" in 2] : (tensor<13x164xf16>) -> tensor<13x1xf16>
  %2 = spyre.sub %i, %1 tile [2: "A" in 3, 3: "B" in 2] : (tensor<13x164xf16>, tensor<13x1xf16>) -> tensor<13x164xf16>
  %3 = spyre.mean %i dims [1] tile [4: "B" in 2] : (tensor<13x164xf16>) -> tensor<13xf16>
  return %0, %1, %2, %3 : tensor<164xf16>, tensor<13x1xf16>, tensor<13x164xf16>, tensor<13xf16>
}

// All three dimensions of a product.
// CHECK-LABEL: func.func @matmul(
func.func @matmul(%x: tensor<11x200xf16> {spyre.dims = ["M", "K"]}, %y: tensor<200x100xf16> {spyre.dims = ["K", "N"]}) -> tensor<11x100xf16> {
  %i = spyre.floor %x : tensor<11x200xf16>
  %j = spyre.floor %y : tensor<200x100xf16>
  %p = spyre.batchmatmul %i, %j tile [0: "M" in 2, 1: "N" in 2, 2: "K" in 3] : (tensor<11x200xf16>, tensor<200x100xf16>) -> tensor<11x100xf16>
  %q = spyre.relufwd %p tile [0: "M" in 2, 1: "N" in 2, 2: "K" in 3] : tensor<11x100xf16>
  %r = spyre.batchmatmul %i, %j tile [3: "K" in 3, 4: "N" in 2, 5: "M" in 2] : (tensor<11x200xf16>, tensor<200x100xf16>) -> tensor<11x100xf16>
  %s = spyre.sub %q, %r : tensor<11x100xf16>
  return %s : tensor<11x100xf16>
}

// In the last tile, of one row, the inner level has one tile: all of the accumulator is updated there, and none is inserted
// into what it started from, which would be a store that nobody reads.
// CHECK-LABEL: func.func @one_tile_is_all(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:           tensor.insert_slice
// CHECK:         }
// CHECK:         %[[LOWEST:.+]] = spyre.fill dense<0xFC00> : tensor<1x5x8xf16>
// CHECK-NOT:     tensor<1x5x8xf16> into tensor<1x5x8xf16>
// CHECK:         %[[THREE:.+]] = spyre.max %{{.+}} dims [0] : (tensor<3x1x5x8xf16>) -> tensor<1x5x8xf16>
// CHECK-NEXT:    %[[SUM:.+]] = spyre.maximum %[[LOWEST]], %[[THREE]] : tensor<1x5x8xf16>
// CHECK-NOT:     tensor<1x5x8xf16> into tensor<1x5x8xf16>
// CHECK:         %[[TWO:.+]] = spyre.max %{{.+}} dims [0] : (tensor<2x1x5x8xf16>) -> tensor<1x5x8xf16>
// CHECK-NEXT:    %[[ALL:.+]] = spyre.maximum %[[SUM]], %[[TWO]] : tensor<1x5x8xf16>
// CHECK:         tensor.insert_slice %[[ALL]] into %{{.+}}[4, 0, 0] [1, 5, 8]
func.func @one_tile_is_all(%x: tensor<5x5x5x8xf16> {spyre.dims = ["A", "B", "C", "D"]}, %y: tensor<5x5x8xf16>)
    -> (tensor<5x5x8xf16>, tensor<5x5x8xf16>) {
  %0 = spyre.add %x, %y tile [0: "B" in 4, 1: "A" by 3, 2: "B" in 2] : (tensor<5x5x5x8xf16>, tensor<5x5x8xf16>) -> tensor<5x5x5x8xf16>
  %1 = spyre.max %0 dims [0] tile [0: "B" in 4, 1: "A" by 3, 2: "B" in 2] : (tensor<5x5x5x8xf16>) -> tensor<5x5x8xf16>
  %2 = spyre.neg %y tile [0: "B" in 4, 1: "A" by 3, 2: "B" in 2] : tensor<5x5x8xf16>
  return %1, %2 : tensor<5x5x8xf16>, tensor<5x5x8xf16>
}

// A tile of one row, written into a window of more: its row is a dimension of the result alone, like what is found.
// CHECK-LABEL: func.func @rows_of_searches(
// CHECK:         spyre.topkindex %{{.+}} dim 1 k 7 : (tensor<9x128xf16>) -> tensor<9x7xi32>
// CHECK:         spyre.topkindex %{{.+}} dim 1 k 7 : (tensor<1x128xf16>) -> tensor<1x7xi32>
func.func @rows_of_searches(%x: tensor<19x128xf16> {spyre.dims = ["A", "B"]}) -> tensor<19x7xi32> {
  %n = spyre.neg %x tile [0: "A" by 9] : tensor<19x128xf16>
  %i = spyre.topkindex %n dim 1 k 7 tile [0: "A" by 9] : (tensor<19x128xf16>) -> tensor<19x7xi32>
  return %i : tensor<19x7xi32>
}
