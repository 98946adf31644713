// Attention over a long sequence in tiles, with the maximum, the sum and the output so far carried by the loop, written by
// hand. It is the plain program but for rounding, and everything that it carries is in the scratchpad.

// RUN: spyre-run %s --entry attention --compare %s --compare-entry flash --random-seed 1 --poison --max-ulps 32 | FileCheck %s
// RUN: spyre-opt %s --spyre-propagate-layouts --spyre-optimize-restickify --spyre-insert-restickify --coarse-tile \
// RUN:   --spyre-work-division --spyre-scratchpad-planning -o %t.planned.mlir
// RUN: FileCheck %s --input-file %t.planned.mlir --check-prefix=PLANNED
// RUN: spyre-run %t.planned.mlir --entry flash --compare %s --compare-entry flash --random-seed 2 --poison | FileCheck %s --check-prefix=SAME

// The comparison is no formality: without the correction of the sum it fails.
// RUN: sed 's/spyre.mul %%l, %%a/spyre.mul %%l, %%l/' %s > %t.wrong.mlir
// RUN: not spyre-run %s --entry attention --compare %t.wrong.mlir --compare-entry flash --random-seed 1 --poison --max-ulps 32

// CHECK: result 0:
// SAME: result 0: 0 of

!q = tensor<64x64xf32>
!k = tensor<64x512xf32>
!v = tensor<512x64xf32>
!s = tensor<64x512xf32>
!c = tensor<64x1xf32>
!tile = tensor<64x64xf32>
!column = tensor<64x1xf32>

func.func @attention(%q: !q, %k: !k, %x: !v) -> !q {
  %v = spyre.abs %x : !v
  %s = spyre.batchmatmul %q, %k : (!q, !k) -> !s
  %m = spyre.max %s dims [1] keepdim : (!s) -> !c
  %d = spyre.sub %s, %m : (!s, !c) -> !s
  %p = spyre.exp %d : !s
  %l = spyre.sum %p dims [1] keepdim : (!s) -> !c
  %o = spyre.batchmatmul %p, %v : (!s, !v) -> !q
  %y = spyre.realdiv %o, %l : (!q, !c) -> !q
  return %y : !q
}

// PLANNED-LABEL: func.func @flash(
// PLANNED:         %[[M:.+]] = spyre.copy {{.*}} place lx [[MAX:[0-9]+]]
// PLANNED:         %[[L:.+]] = spyre.copy {{.*}} place lx [[SUM:[0-9]+]]
// PLANNED:         %[[O:.+]] = spyre.copy {{.*}} place lx [[OUT:[0-9]+]]
// PLANNED:         scf.for
// PLANNED:           spyre.maximum
// PLANNED:           %[[LN:.+]] = spyre.add {{.*}} place lx [[SUM]]
// PLANNED:           %[[ON:.+]] = spyre.add {{.*}} place lx [[OUT]]
// PLANNED:           %[[MN:.+]] = spyre.copy {{.*}} place lx [[MAX]]
// PLANNED-NEXT:      scf.yield %[[MN]], %[[LN]], %[[ON]]
func.func @flash(%q: !q, %k: !k, %x: !v) -> !q {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %start = spyre.fill dense<0xFF800000> : !column
  %nothing = spyre.fill dense<0.0> : !column
  %empty = spyre.fill dense<0.0> : !q
  %r:3 = scf.for %j = %c0 to %c8 step %c1 iter_args(%m = %start, %l = %nothing, %o = %empty) -> (!column, !column, !q) {
    %at = affine.apply affine_map<(d0) -> (d0 * 64)>(%j)
    %kj = tensor.extract_slice %k[0, %at] [64, 64] [1, 1] : !k to !tile
    %xj = tensor.extract_slice %x[%at, 0] [64, 64] [1, 1] : !v to !tile
    %vj = spyre.abs %xj : !tile
    %s = spyre.batchmatmul %q, %kj : (!q, !tile) -> !tile
    %sm = spyre.max %s dims [1] keepdim : (!tile) -> !column
    %mn = spyre.maximum %m, %sm : !column
    %d = spyre.sub %m, %mn : !column
    %a = spyre.exp %d : !column
    %e = spyre.sub %s, %mn : (!tile, !column) -> !tile
    %p = spyre.exp %e : !tile
    %ps = spyre.sum %p dims [1] keepdim : (!tile) -> !column
    %la = spyre.mul %l, %a : !column
    %ln = spyre.add %la, %ps : !column
    %oa = spyre.mul %o, %a : (!q, !column) -> !q
    %pv = spyre.batchmatmul %p, %vj : (!tile, !tile) -> !q
    %on = spyre.add %oa, %pv : !q
    scf.yield %mn, %ln, %on : !column, !column, !q
  }
  %y = spyre.realdiv %r#2, %r#1 : (!q, !column) -> !q
  return %y : !q
}
