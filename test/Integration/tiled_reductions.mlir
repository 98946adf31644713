// Reductions whose reduced dimension is cut: tiled = untiled, bit for bit, on sums of integers that are exact.

// RUN: spyre-opt %s --coarse-tile -o %t.tiled.mlir
// RUN: FileCheck %s --input-file %t.tiled.mlir
// RUN: spyre-run %s --entry kinds --compare %t.tiled.mlir --random-seed 1 --poison | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry orders --compare %t.tiled.mlir --random-seed 2 --poison | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry both_dimensions --compare %t.tiled.mlir --random-seed 3 --poison | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry normalize --compare %t.tiled.mlir --random-seed 4 --poison | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry matmul --compare %t.tiled.mlir --random-seed 5 --poison | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry batches --compare %t.tiled.mlir --random-seed 6 --poison | FileCheck %s --check-prefix=SAME

// Without loops it is the same. (`orders` has so many iterations that MLIR bufferizes them for minutes; crates/spyre-fuzz runs its
// unrolled bundle.)
// RUN: spyre-opt %t.tiled.mlir --spyre-unroll-loops -o %t.unrolled.mlir
// RUN: spyre-run %t.tiled.mlir --entry both_dimensions --compare %t.unrolled.mlir --random-seed 7 --poison | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t.tiled.mlir --entry matmul --compare %t.unrolled.mlir --random-seed 8 --poison | FileCheck %s --check-prefix=SAME

// Planned, values are the same as well.
// RUN: spyre-opt %t.tiled.mlir --spyre-work-division --spyre-scratchpad-planning -o %t.planned.mlir
// RUN: spyre-run %t.tiled.mlir --entry orders --compare %t.planned.mlir --random-seed 9 --poison | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t.tiled.mlir --entry normalize --compare %t.planned.mlir --random-seed 10 --poison | FileCheck %s --check-prefix=SAME

// Exit codes say the rest.
// SAME: result 0: 0 of

!t = tensor<16x256xf16>
!row = tensor<256xf16>
!column = tensor<16x1xf16>

// Every kind, with its identity and its combination.
// CHECK-LABEL: func.func @kinds(
// CHECK:         spyre.fill dense<0.0
// CHECK:         spyre.fill dense<1.0
// CHECK:         spyre.fill dense<0xFC00>
// CHECK:         spyre.fill dense<0x7C00>
// CHECK:         spyre.fill dense<0.0
// CHECK:         scf.for
// CHECK-DAG:       spyre.add
// CHECK-DAG:       spyre.mul
// CHECK-DAG:       spyre.maximum
// CHECK-DAG:       spyre.minimum
// CHECK:         spyre.mean
// CHECK:         spyre.fill dense<2.5
func.func @kinds(%x: !t {spyre.dims = ["A", "B"]}) -> (!row, !row, !row, !row, !row) {
  %i = spyre.floor %x : !t
  %0 = spyre.sum %i dims [0] tile [0: "A" in 4] : (!t) -> !row
  %1 = spyre.prod %i dims [0] tile [0: "A" in 4] : (!t) -> !row
  %2 = spyre.max %i dims [0] tile [0: "A" in 4] : (!t) -> !row
  %3 = spyre.min %i dims [0] tile [0: "A" in 4] : (!t) -> !row
  %4 = spyre.mean %i dims [0] tile [0: "A" in 4] : (!t) -> !row
  return %0, %1, %2, %3, %4 : !row, !row, !row, !row, !row
}

// Output levels outside the reduction, inside it, and on both sides of it.
// CHECK-LABEL: func.func @orders(
func.func @orders(%x: !t {spyre.dims = ["A", "B"]}, %q: tensor<8x16x128xf16> {spyre.dims = ["P", "Q", "R"]})
    -> (!column, !column, !column, tensor<8x128xf16>, tensor<8x1x128xf16>) {
  %i = spyre.floor %x : !t
  %j = spyre.floor %q : tensor<8x16x128xf16>
  %0 = spyre.sum %i dims [1] keepdim tile [0: "A" in 4, 1: "B" in 2] : (!t) -> !column
  %1 = spyre.sum %i dims [1] keepdim tile [2: "B" in 2, 3: "A" in 4] : (!t) -> !column
  %2 = spyre.mean %i dims [1] keepdim tile [4: "A" in 2, 5: "B" in 4, 6: "A" in 4] : (!t) -> !column
  %3 = spyre.max %j dims [1] tile [7: "P" in 4, 8: "Q" in 4, 9: "R" in 2, 10: "Q" in 2] : (tensor<8x16x128xf16>) -> tensor<8x128xf16>
  %4 = spyre.sum %j dims [1] keepdim tile [11: "Q" in 2, 12: "P" in 8, 13: "Q" in 8, 14: "R" in 2] : (tensor<8x16x128xf16>) -> tensor<8x1x128xf16>
  return %0, %1, %2, %3, %4 : !column, !column, !column, tensor<8x128xf16>, tensor<8x1x128xf16>
}

// Several reduced dimensions, cut together or one of them.
func.func @both_dimensions(%q: tensor<8x16x128xf16> {spyre.dims = ["P", "Q", "R"]}) -> (tensor<16xf16>, tensor<16xf16>, tensor<16xf16>) {
  %j = spyre.floor %q : tensor<8x16x128xf16>
  %0 = spyre.sum %j dims [0, 2] tile [0: "P" in 4, 1: "R" in 2] : (tensor<8x16x128xf16>) -> tensor<16xf16>
  %1 = spyre.mean %j dims [0, 2] tile [2: "R" in 2] : (tensor<8x16x128xf16>) -> tensor<16xf16>
  %2 = spyre.min %j dims [0, 2] tile [3: "R" in 2, 4: "P" in 8] : (tensor<8x16x128xf16>) -> tensor<16xf16>
  return %0, %1, %2 : tensor<16xf16>, tensor<16xf16>, tensor<16xf16>
}

// What reads a reduction is behind the loop that completes it: here in two more loops inside that over the rows.
// CHECK-LABEL: func.func @normalize(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             spyre.max
// CHECK:           scf.for
// CHECK:             spyre.sub
// CHECK:             spyre.sum
// CHECK:           scf.for
// CHECK:             spyre.minimum
// CHECK:         return
func.func @normalize(%x: !t {spyre.dims = ["A", "B"]}) -> (!t, !column) {
  %i = spyre.floor %x : !t
  %m = spyre.max %i dims [1] keepdim tile [0: "A" in 4, 1: "B" in 4] : (!t) -> !column
  %d = spyre.sub %i, %m tile [0: "A" in 4, 1: "B" in 4] : (!t, !column) -> !t
  %e = spyre.abs %d tile [0: "A" in 4, 1: "B" in 4] : !t
  %s = spyre.sum %e dims [1] keepdim tile [0: "A" in 4, 1: "B" in 4] : (!t) -> !column
  %n = spyre.neg %s tile [0: "A" in 4, 1: "B" in 4] : !column
  %q = spyre.minimum %e, %n tile [0: "A" in 4, 1: "B" in 4] : (!t, !column) -> !t
  return %q, %n : !t, !column
}

// A product cut along K, with a bias and a function of it behind the loop over K; and all of it once more with K outside.
// CHECK-LABEL: func.func @matmul(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK:               spyre.batchmatmul {{.*}} (tensor<8x64xf16>, tensor<64x64xf16>) -> tensor<8x64xf16>
// CHECK-NEXT:          spyre.add
// CHECK:             }
// CHECK:             spyre.add
// CHECK-NEXT:        spyre.relufwd
func.func @matmul(%x: !t {spyre.dims = ["M", "K"]}, %y: tensor<256x128xf16> {spyre.dims = ["K", "N"]},
                  %b: tensor<128xf16> {spyre.dims = ["N"]}) -> (tensor<16x128xf16>, tensor<16x128xf16>) {
  %i = spyre.floor %x : !t
  %j = spyre.floor %y : tensor<256x128xf16>
  %p = spyre.batchmatmul %i, %j tile [0: "M" in 2, 1: "N" in 2, 2: "K" in 4] : (!t, tensor<256x128xf16>) -> tensor<16x128xf16>
  %q = spyre.add %p, %b tile [0: "M" in 2, 1: "N" in 2, 2: "K" in 4] : (tensor<16x128xf16>, tensor<128xf16>) -> tensor<16x128xf16>
  %r = spyre.relufwd %q tile [0: "M" in 2, 1: "N" in 2, 2: "K" in 4] : tensor<16x128xf16>
  %s = spyre.batchmatmul %i, %j tile [3: "K" in 2, 4: "M" in 4, 5: "K" in 2, 6: "N" in 2] : (!t, tensor<256x128xf16>) -> tensor<16x128xf16>
  %t = spyre.add %s, %b tile [3: "K" in 2, 4: "M" in 4, 5: "K" in 2, 6: "N" in 2] : (tensor<16x128xf16>, tensor<128xf16>) -> tensor<16x128xf16>
  return %r, %t : tensor<16x128xf16>, tensor<16x128xf16>
}

// Batch dimensions, of which the right operand has none.
func.func @batches(%x: tensor<4x16x128xf16> {spyre.dims = ["B", "M", "K"]}, %y: tensor<128x64xf16> {spyre.dims = ["K", "N"]}) -> tensor<4x16x64xf16> {
  %i = spyre.floor %x : tensor<4x16x128xf16>
  %j = spyre.floor %y : tensor<128x64xf16>
  %p = spyre.batchmatmul %i, %j tile [0: "K" in 2, 1: "B" in 4] : (tensor<4x16x128xf16>, tensor<128x64xf16>) -> tensor<4x16x64xf16>
  return %p : tensor<4x16x64xf16>
}
