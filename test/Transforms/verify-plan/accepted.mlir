// RUN: spyre-opt %s --spyre-verify-plan -o %t.mlir
// RUN: spyre-opt %s | diff - %t.mlir
// RUN: spyre-run %s --entry hand_made --check-pipeline='builtin.module(func.func(spyre-verify-plan),convert-spyre-to-sdscbundle)' | FileCheck %s
// RUN: spyre-run %s --entry last_window --check-pipeline='builtin.module(func.func(spyre-verify-plan),convert-spyre-to-sdscbundle)' | FileCheck %s
// RUN: spyre-run %s --entry whole_in_a_loop --check-pipeline='builtin.module(func.func(spyre-verify-plan),convert-spyre-to-sdscbundle)' | FileCheck %s
// RUN: spyre-run %s --entry windows_in_any_order --check-pipeline='builtin.module(func.func(spyre-verify-plan),convert-spyre-to-sdscbundle)' | FileCheck %s

// A plan made by hand, with values written over those that they are made of. It is accepted, runs, and is left as it is.

// CHECK: a bundle, same results on the simulated card

!t = tensor<16x64xf16>
!x = tensor<64x64xf16>
func.func @hand_made(%x: !x {spyre.place = #spyre.place<arg 0>}, %b: !t {spyre.place = #spyre.place<arg 1>}) -> !x {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %k = spyre.copy %b split [4, 1] place lx 0 : (!t) -> !t
  %full = spyre.empty place arg 2 : !x
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %full) -> !x {
    %at = affine.apply affine_map<(d0) -> (d0 * 16)>(%i)
    %w = tensor.extract_slice %x[%at, 0] [16, 64] [1, 1] : !x to !t
    %s = spyre.add %w, %k split [4, 1] place lx 512 : !t
    %n = spyre.neg %s split [4, 1] place lx 512 : !t
    %e = spyre.mul %n, %k split [4, 1] place lx 512 : !t
    %d = spyre.abs %e split [4, 1] place window : !t
    %m = tensor.insert_slice %d into %acc[%at, 0] [16, 64] [1, 1] : !t into !x
    scf.yield %m : !x
  }
  return %r : !x
}

// Windows that do not meet are written in any order: the second one is inserted first, and the pool holds both before they are read.
!h = tensor<32x64xf16>
func.func @windows_in_any_order(%x: !h {spyre.place = #spyre.place<arg 0>}, %b: !h {spyre.place = #spyre.place<arg 1>}) -> !x {
  %full = spyre.empty place pool 0 : !x
  %e = spyre.exp %x split [32, 1] place window : !h
  %n = spyre.neg %b split [32, 1] place window : !h
  %a = tensor.insert_slice %n into %full[0, 0] [32, 64] [1, 1] : !h into !x
  %s = tensor.insert_slice %e into %a[32, 0] [32, 64] [1, 1] : !h into !x
  %r = spyre.abs %s split [32, 1] place arg 2 : !x
  return %r : !x
}

// The last window ends inside of a stick, with its tensor.
!r = tensor<16x100xf16>
!l = tensor<16x64xf16>
!e = tensor<16x36xf16>
func.func @last_window(%x: !r {spyre.place = #spyre.place<arg 0>}) -> !r {
  %full = spyre.empty place arg 1 : !r
  %a = tensor.extract_slice %x[0, 0] [16, 64] [1, 1] : !r to !l
  %b = tensor.extract_slice %x[0, 64] [16, 36] [1, 1] : !r to !e
  %0 = spyre.exp %a split [2, 1] place window : !l
  %1 = tensor.insert_slice %0 into %full[0, 0] [16, 64] [1, 1] : !l into !r
  %2 = spyre.neg %b split [2, 1] place window : !e
  %3 = tensor.insert_slice %2 into %1[0, 64] [16, 36] [1, 1] : !e into !r
  return %3 : !r
}

// A window of all 24 columns is whole, also where a loop of one iteration computes its offset.
!p = tensor<16x24xf16>
func.func @whole_in_a_loop(%a: !p {spyre.place = #spyre.place<arg 0>}) -> !p {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %full = spyre.empty place arg 1 : !p
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%acc = %full) -> !p {
    %at = affine.apply affine_map<(d0) -> (d0 * 24)>(%i)
    %0 = spyre.exp %a split [2, 1] place window : !p
    %1 = tensor.insert_slice %0 into %acc[0, %at] [16, 24] [1, 1] : !p into !p
    scf.yield %1 : !p
  }
  return %r : !p
}
