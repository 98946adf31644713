// RUN: rm -rf %t && mkdir %t
// RUN: spyre-opt %s --spyre-work-division --spyre-scratchpad-planning -o %t/planned.mlir
// RUN: spyre-opt %t/planned.mlir --spyre-prove='before=%s unknown=error' -o /dev/null
// RUN: spyre-opt %s --spyre-work-division --spyre-scratchpad-planning=cache-arguments=true -o %t/cached.mlir
// RUN: spyre-opt %t/cached.mlir --spyre-prove='before=%s unknown=error' -o /dev/null
// RUN: spyre-opt %t/planned.mlir --spyre-prove=before=%s -o /dev/null 2>&1 | FileCheck %s

// Values that live next to each other, in loops and after them, in a scratchpad without much room: places are handed on
// after the last use. Each function is one that a mistake of planning breaks.

// CHECK-COUNT-8: P4 {{[1-9][0-9]*}}): {{[1-9][0-9]*}} proved, 0 refuted, 0 not decided

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x64xf16, #stick>
!x = tensor<256x64xf16, #stick>
!y = tensor<128x64xf16, #stick>
!r = tensor<64x256xf16, #stick>
module attributes {spyre.target = #spyre.target<cores = 4, lx_bytes = 16384, lx_reserved_bytes = 0, lx_backend_percent = 0>} {

// Three values at once, each read for the last time in another operation.
func.func @lives(%a: !t) -> !t {
  %0 = spyre.exp %a : !t
  %1 = spyre.neg %0 : !t
  %2 = spyre.abs %0 : !t
  %3 = spyre.add %1, %2 : !t
  %4 = spyre.mul %3, %1 : !t
  %5 = spyre.add %4, %0 : !t
  return %5 : !t
}

// A copy of what both read has the slices of one of them: those of the product are on other cores.
func.func @copied(%a: !r, %b: !x) -> (!r, !r, !t) {
  %0 = spyre.exp %a split [2, 2] : !r
  %1 = spyre.neg %a split [2, 2] : !r
  %2 = spyre.batchmatmul %a, %b split [2, 1, 2] : (!r, !x) -> !t
  return %0, %1, %2 : !r, !r, !t
}

// A product reads all of a row for each element, so it cannot write where it reads.
func.func @product(%a: !t, %b: !t) -> !t {
  %0 = spyre.exp %a : !t
  %1 = spyre.batchmatmul %0, %b : (!t, !t) -> !t
  %2 = spyre.neg %1 : !t
  return %2 : !t
}

// A value before the loop, which every iteration reads before it computes others.
func.func @read_in_a_loop(%a: !t, %x: !x) -> !x {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %k = spyre.exp %a : !t
  %full = spyre.empty : !x
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %full) -> !x {
    %at = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %w = tensor.extract_slice %x[%at, 0] [64, 64] [1, 1] : !x to !t
    %s = spyre.add %w, %k : !t
    %n = spyre.neg %s : !t
    %e = spyre.exp %n : !t
    %d = spyre.add %e, %n : !t
    %m = tensor.insert_slice %d into %acc[%at, 0] [64, 64] [1, 1] : !t into !x
    scf.yield %m : !x
  }
  return %r : !x
}

// Two readers, of which one divides the value in another way.
func.func @other_slices(%a: !t) -> (!t, !t) {
  %0 = spyre.exp %a split [4, 1] : !t
  %1 = spyre.neg %0 split [2, 1] : !t
  %2 = spyre.abs %0 split [4, 1] : !t
  return %1, %2 : !t, !t
}

// A carried tensor that is read after the operation that computes the next one.
func.func @carried(%x: !x, %zero: !t) -> (!x, !t) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %full = spyre.empty : !x
  %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%f = %full, %acc = %zero) -> (!x, !t) {
    %at = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %w = tensor.extract_slice %x[%at, 0] [64, 64] [1, 1] : !x to !t
    %n = spyre.add %acc, %w : !t
    %d = spyre.sub %acc, %n : !t
    %m = tensor.insert_slice %d into %f[%at, 0] [64, 64] [1, 1] : !t into !x
    scf.yield %m, %n : !x, !t
  }
  return %r#0, %r#1 : !x, !t
}

// A value in two tensors, and one that is returned twice.
func.func @results(%a: !t, %x: !x) -> (!x, !x, !t, !t) {
  %0 = spyre.exp %a : !t
  %1 = tensor.insert_slice %0 into %x[0, 0] [64, 64] [1, 1] : !t into !x
  %2 = tensor.insert_slice %0 into %x[64, 0] [64, 64] [1, 1] : !t into !x
  return %1, %2, %0, %0 : !x, !x, !t, !t
}

// Two windows of one tensor, of which the first is read after the second is written.
func.func @windows(%a: !t, %b: !t) -> (!y, !t) {
  %full = spyre.empty : !y
  %0 = spyre.exp %a : !t
  %1 = tensor.insert_slice %0 into %full[0, 0] [64, 64] [1, 1] : !t into !y
  %2 = spyre.neg %b : !t
  %3 = tensor.insert_slice %2 into %1[64, 0] [64, 64] [1, 1] : !t into !y
  %w = tensor.extract_slice %1[0, 0] [64, 64] [1, 1] : !y to !t
  %4 = spyre.add %w, %2 : !t
  return %3, %4 : !y, !t
}
}
