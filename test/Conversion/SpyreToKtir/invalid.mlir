// RUN: spyre-opt %s --convert-spyre-to-ktir --split-input-file --verify-diagnostics

// The programs that the pass refuses, each with the operation and the reason.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<256x256xf16, #stick>
func.func @no_place(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  // expected-error @+1 {{convert-spyre-to-ktir: value has no place; --spyre-scratchpad-planning gives it one}}
  %y = spyre.exp %a split [4, 1] : !t
  return %y : !t
}

// -----

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<256x256xf16, #stick>
func.func @other_rows(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  // expected-note @+1 {{the value is made here}}
  %y = spyre.exp %a split [4, 1] place lx 0 : !t
  // expected-error @+1 {{cores read 256 elements of dimension 0 of a value of which their scratchpads have other 64 elements}}
  %z = spyre.neg %y split [1, 4] place arg 1 : !t
  return %z : !t
}

// -----

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<256x256xf16, #stick>
func.func @across_launches(%a: !t {spyre.place = #spyre.place<arg 0>}, %b: !t {spyre.place = #spyre.place<arg 1>}) -> !t {
  // expected-note @+1 {{the value is made here}}
  %x = spyre.neg %b split [4, 1] place lx 0 : !t
  %y = spyre.exp %a split [4, 1] place pool 0 : !t
  // expected-error @+1 {{the value is in a scratchpad, and another launch computes it}}
  %z = spyre.batchmatmul %x, %y split [4, 1, 1] place arg 2 : (!t, !t) -> !t
  return %z : !t
}

// -----

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<256x256xf16, #stick>
func.func @exchange_in_a_loop(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %init = spyre.empty place arg 1 : !t
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %init) -> (!t) {
    // expected-note @+1 {{the other operation on the memory is here}}
    %y = spyre.exp %a split [4, 1] place pool 0 : !t
    // expected-error @+1 {{cores exchange a value through device memory inside of a loop}}
    %z = spyre.neg %y split [1, 4] place arg 1 : !t
    scf.yield %z : !t
  }
  return %r : !t
}
