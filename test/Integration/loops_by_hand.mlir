// A loop over tiles written by hand, as a front end makes it that has tiles in its language: one operand that is cut and one
// that is not, a value that is carried from tile to tile, a result that is put together from tiles, in both directions.

// RUN: split-file %s %t
// RUN: sed 's/(d0 \* 16)/(d0 * -16 + 48)/' %t/loop.mlir > %t/backwards.mlir
// RUN: spyre-run %t/plain.mlir --compare %t/loop.mlir --random-seed 1 --special-values --poison | FileCheck %s
// RUN: spyre-run %t/plain_backwards.mlir --compare %t/backwards.mlir --random-seed 2 --special-values --poison | FileCheck %s
// CHECK: result 0: 0 of 2048 elements differ
// CHECK: result 1: 0 of 8192 elements differ

// What is carried depends on the direction.
// RUN: not spyre-run %t/plain.mlir --compare %t/backwards.mlir --random-seed 1 --poison

// Pass by pass to the bundle. The windows of a bundle move forwards, so the loop that runs backwards is unrolled before.
// RUN: spyre-run %t/loop.mlir --check-pipeline='builtin.module(spyre-pipeline)' --random-seed 3 2>&1 | FileCheck %s --check-prefix=CARD
// RUN: spyre-opt %t/backwards.mlir --spyre-unroll-loops -o %t/unrolled.mlir
// RUN: spyre-run %t/unrolled.mlir --check-pipeline='builtin.module(spyre-pipeline)' --random-seed 4 2>&1 | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %t/plain_backwards.mlir --compare %t/unrolled.mlir --random-seed 5 --poison | FileCheck %s
// RUN: not spyre-opt %t/backwards.mlir --spyre-pipeline 2>&1 | FileCheck %s --check-prefix=BACKWARDS
// CARD-NOT: DIFFER
// CARD: a bundle, same results on the simulated card
// BACKWARDS: error: convert-spyre-to-sdscbundle: window moves by -16 elements along dimension 0, but the windows of a bundle move forwards; --spyre-unroll-loops unrolls the loop before

// In the loop form there is a loop, and what it carries is one buffer.
// RUN: spyre-opt %t/loop.mlir --spyre-pipeline | FileCheck %s --check-prefix=BUNDLE
// BUNDLE: scf.for
// BUNDLE: sdscbundle.sdsc_execute

//--- loop.mlir
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x128xf16, #stick>
!tile = tensor<16x128xf16, #stick>
!row = tensor<1x128xf16, #stick>
func.func @f(%a: !t, %w: !row, %start: !tile) -> (!tile, !t) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %empty = spyre.empty : !t
  %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%sum = %start, %to = %empty) -> (!tile, !t) {
    %at = affine.apply affine_map<(d0) -> (d0 * 16)>(%i)
    %x = tensor.extract_slice %a[%at, 0] [16, 128] [1, 1] : !t to !tile
    %p = spyre.mul %x, %w : (!tile, !row) -> !tile
    %h = spyre.mul %sum, %p : !tile
    %n = spyre.add %h, %p : !tile
    %next = tensor.insert_slice %n into %to[%at, 0] [16, 128] [1, 1] : !tile into !t
    scf.yield %n, %next : !tile, !t
  }
  return %r#0, %r#1 : !tile, !t
}

//--- plain.mlir
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x128xf16, #stick>
!tile = tensor<16x128xf16, #stick>
!row = tensor<1x128xf16, #stick>
func.func @f(%a: !t, %w: !row, %start: !tile) -> (!tile, !t) {
  %empty = spyre.empty : !t
  %p = spyre.mul %a, %w : (!t, !row) -> !t
  %p0 = tensor.extract_slice %p[0, 0] [16, 128] [1, 1] : !t to !tile
  %p1 = tensor.extract_slice %p[16, 0] [16, 128] [1, 1] : !t to !tile
  %p2 = tensor.extract_slice %p[32, 0] [16, 128] [1, 1] : !t to !tile
  %p3 = tensor.extract_slice %p[48, 0] [16, 128] [1, 1] : !t to !tile
  %h0 = spyre.mul %start, %p0 : !tile
  %n0 = spyre.add %h0, %p0 : !tile
  %h1 = spyre.mul %n0, %p1 : !tile
  %n1 = spyre.add %h1, %p1 : !tile
  %h2 = spyre.mul %n1, %p2 : !tile
  %n2 = spyre.add %h2, %p2 : !tile
  %h3 = spyre.mul %n2, %p3 : !tile
  %n3 = spyre.add %h3, %p3 : !tile
  %t0 = tensor.insert_slice %n0 into %empty[0, 0] [16, 128] [1, 1] : !tile into !t
  %t1 = tensor.insert_slice %n1 into %t0[16, 0] [16, 128] [1, 1] : !tile into !t
  %t2 = tensor.insert_slice %n2 into %t1[32, 0] [16, 128] [1, 1] : !tile into !t
  %t3 = tensor.insert_slice %n3 into %t2[48, 0] [16, 128] [1, 1] : !tile into !t
  return %n3, %t3 : !tile, !t
}

//--- plain_backwards.mlir
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x128xf16, #stick>
!tile = tensor<16x128xf16, #stick>
!row = tensor<1x128xf16, #stick>
func.func @f(%a: !t, %w: !row, %start: !tile) -> (!tile, !t) {
  %empty = spyre.empty : !t
  %p = spyre.mul %a, %w : (!t, !row) -> !t
  %p0 = tensor.extract_slice %p[48, 0] [16, 128] [1, 1] : !t to !tile
  %p1 = tensor.extract_slice %p[32, 0] [16, 128] [1, 1] : !t to !tile
  %p2 = tensor.extract_slice %p[16, 0] [16, 128] [1, 1] : !t to !tile
  %p3 = tensor.extract_slice %p[0, 0] [16, 128] [1, 1] : !t to !tile
  %h0 = spyre.mul %start, %p0 : !tile
  %n0 = spyre.add %h0, %p0 : !tile
  %h1 = spyre.mul %n0, %p1 : !tile
  %n1 = spyre.add %h1, %p1 : !tile
  %h2 = spyre.mul %n1, %p2 : !tile
  %n2 = spyre.add %h2, %p2 : !tile
  %h3 = spyre.mul %n2, %p3 : !tile
  %n3 = spyre.add %h3, %p3 : !tile
  %t0 = tensor.insert_slice %n0 into %empty[48, 0] [16, 128] [1, 1] : !tile into !t
  %t1 = tensor.insert_slice %n1 into %t0[32, 0] [16, 128] [1, 1] : !tile into !t
  %t2 = tensor.insert_slice %n2 into %t1[16, 0] [16, 128] [1, 1] : !tile into !t
  %t3 = tensor.insert_slice %n3 into %t2[0, 0] [16, 128] [1, 1] : !tile into !t
  return %n3, %t3 : !tile, !t
}
