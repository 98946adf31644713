// RUN: spyre-opt %s --split-input-file --convert-spyre-to-sdscbundle --verify-diagnostics -o /dev/null

// Places that were written by hand may not overlap while both values are needed.

#s = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x64xf16, #s>
func.func @pool(%a: !t) -> !t {
  // expected-note @+1 {{the value is defined here}}
  %0 = spyre.exp %a place pool 0 : !t
  // expected-error @+1 {{is written to pool 4096, 8192 bytes, over a value in pool 0, 8192 bytes, that is read later; --spyre-scratchpad-planning finds places apart}}
  %1 = spyre.neg %a place pool 4096 : !t
  %2 = spyre.add %0, %1 place arg 1 : !t
  return %2 : !t
}

// -----

// Each core has a half of the tensor.
#s = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x64xf16, #s>
func.func @lx(%a: !t) -> !t {
  // expected-note @+1 {{the value is defined here}}
  %0 = spyre.exp %a split [2, 1] place lx 0 : !t
  // expected-error @+1 {{is written to lx 3968, 4096 bytes, over a value in lx 0, 4096 bytes, that is read later}}
  %1 = spyre.neg %a split [2, 1] place lx 3968 : !t
  %2 = spyre.add %0, %1 split [2, 1] place arg 1 : !t
  return %2 : !t
}

// -----

// An argument is read after something else was written there.
#s = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x64xf16, #s>
// expected-note @+1 {{the value is defined here}}
func.func @argument(%a: !t) -> !t {
  // expected-error @+1 {{is written to arg 0, over a value that is read later}}
  %0 = spyre.exp %a place arg 0 : !t
  %1 = spyre.add %0, %a place arg 1 : !t
  return %1 : !t
}

// -----

// What is made in front of a loop and read in it is needed to the end of the loop.
#s = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x64xf16, #s>
!tile = tensor<32x64xf16, #s>
func.func @loop(%a: !t, %b: !tile) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  // expected-note @+1 {{the value is defined here}}
  %half = spyre.exp %b place pool 0 : !tile
  %into = spyre.empty place arg 2 : !t
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %into) -> (!t) {
    %row = affine.apply affine_map<(d0) -> (d0 * 32)>(%i)
    %ta = tensor.extract_slice %a[%row, 0] [32, 64] [1, 1] : !t to !tile
    %0 = spyre.add %ta, %half place lx 0 : !tile
    // expected-error @+1 {{is written to pool 0, 4096 bytes, over a value in pool 0, 4096 bytes, that is read later}}
    %1 = spyre.neg %0 place pool 0 : !tile
    %2 = spyre.exp %1 place window : !tile
    %n = tensor.insert_slice %2 into %acc[%row, 0] [32, 64] [1, 1] : !tile into !t
    scf.yield %n : !t
  }
  return %r : !t
}

// -----

// Accepted: one after the other, in place over an operand that nobody reads later, and what a loop carries.
#s = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x64xf16, #s>
func.func @apart(%a: !t) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %0 = spyre.exp %a place pool 0 : !t
  %1 = spyre.neg %0 place pool 0 : !t
  %2 = spyre.tanh %1 place pool 8192 : !t
  %3 = spyre.exp %2 place pool 0 : !t
  %start = spyre.copy %3 place lx 0 : !t
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %start) -> (!t) {
    %next = spyre.add %acc, %a place lx 0 : !t
    scf.yield %next : !t
  }
  %4 = spyre.neg %r place arg 1 : !t
  return %4 : !t
}
