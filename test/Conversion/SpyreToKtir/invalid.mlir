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
  // expected-note @+1 {{the value is defined here}}
  %y = spyre.exp %a split [4, 1] place lx 0 : !t
  // expected-error @+1 {{cores read 256 elements of dimension 0 of a value of which their scratchpads have other 64 elements}}
  %z = spyre.neg %y split [1, 4] place arg 1 : !t
  return %z : !t
}

// -----

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<256x256xf16, #stick>
func.func @across_launches(%a: !t {spyre.place = #spyre.place<arg 0>}, %b: !t {spyre.place = #spyre.place<arg 1>}) -> !t {
  // expected-note @+1 {{the value is defined here}}
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

// -----

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<256x256xf16, #stick>
func.func @in_a_branch(%a: !t {spyre.place = #spyre.place<arg 0>}, %c: i1) -> !t {
  %r = scf.if %c -> (!t) {
    // expected-error @+1 {{'spyre.exp' is in 'scf.if'; device operations of a planned program are in functions and in scf.for}}
    %y = spyre.exp %a split [4, 1] place arg 1 : !t
    scf.yield %y : !t
  } else {
    %z = spyre.neg %a split [4, 1] place arg 1 : !t
    scf.yield %z : !t
  }
  return %r : !t
}

// -----

// One core starts with a value, and two read it.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<256x256xf16, #stick>
func.func @fewer_cores(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %init = spyre.exp %a split [1, 1] place lx 0 : !t
  // expected-note @+1 {{the value is defined here}}
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %init) -> (!t) {
    // expected-error @+1 {{2 cores read a value that the scratchpads of 1 cores have}}
    %n = spyre.add %acc, %acc split [2, 1] place lx 0 : !t
    scf.yield %n : !t
  }
  %y = spyre.copy %r split [1, 1] place arg 1 : !t
  return %y : !t
}

// -----

// A dynamic extent that no argument has.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x256xf16, #stick>
!w = tensor<16x256xf16, #stick>
func.func @no_argument(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t
    attributes {spyre.dim_sizes = {S = #spyre.dynamic<granularity = 16, max = 64>}} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %n = spyre.dim_size "S"
  %init = spyre.empty place arg 1 : !t
  // expected-error @+1 {{loop runs up to the extent of "S", but 'spyre.dims' of no argument has that name}}
  %r = scf.for %i = %c0 to %n step %c16 iter_args(%acc = %init) -> (!t) {
    %x = tensor.extract_slice %a[%i, 0] [16, 256] [1, 1] : !t to !w
    %y = spyre.exp %x split [4, 1] place window : !w
    %z = tensor.insert_slice %y into %acc[%i, 0] [16, 256] [1, 1] : !w into !t
    scf.yield %z : !t
  }
  return %r : !t
}

// -----

// Tiles that do not divide the granularity.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x256xf16, #stick>
!w = tensor<32x256xf16, #stick>
func.func @ragged(%a: !t {spyre.place = #spyre.place<arg 0>, spyre.dims = ["S", "E"]}) -> !t
    attributes {spyre.dim_sizes = {E = 256, S = #spyre.dynamic<granularity = 16, max = 64>}} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %n = spyre.dim_size "S"
  %init = spyre.empty place arg 1 : !t
  // expected-error @+1 {{loop visits "S" in steps of 32, but its extent is any multiple of 16 up to 64}}
  %r = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %init) -> (!t) {
    %x = tensor.extract_slice %a[%i, 0] [32, 256] [1, 1] : !t to !w
    %y = spyre.exp %x split [4, 1] place window : !w
    %z = tensor.insert_slice %y into %acc[%i, 0] [32, 256] [1, 1] : !w into !t
    scf.yield %z : !t
  }
  return %r : !t
}
