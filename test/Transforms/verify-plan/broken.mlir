// RUN: spyre-opt %s --spyre-verify-plan --split-input-file --verify-diagnostics

// A plan that breaks each of the rules. 2048 bytes of scratchpad on each of 2 cores; a tensor of 16 x 64 takes 1024 of them.

!t = tensor<16x64xf16>
module attributes {spyre.target = #spyre.target<cores = 2, lx_bytes = 2048, lx_reserved_bytes = 0, lx_backend_percent = 0>} {
func.func @p1_no_place(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  // expected-error @below {{P1: operation has no place}}
  %0 = spyre.exp %a split [2, 1] : !t
  return %0 : !t
}
}

// -----

!t = tensor<16x64xf16>
// expected-error @below {{P1: argument 0 has no place among the arguments}}
func.func @p1_argument(%a: !t) -> !t {
  %0 = spyre.exp %a split [2, 1] place arg 1 : !t
  return %0 : !t
}

// -----

!t = tensor<16x64xf16>
func.func @p1_inserted_from_elsewhere(%a: !t {spyre.place = #spyre.place<arg 0>}, %x: tensor<64x64xf16> {spyre.place = #spyre.place<arg 1>}) -> tensor<64x64xf16> {
  %full = spyre.empty place arg 2 : tensor<64x64xf16>
  %0 = spyre.exp %a split [2, 1] place lx 0 : !t
  // expected-error @below {{P1: nothing writes the value into this window}}
  %1 = tensor.insert_slice %0 into %full[0, 0] [16, 64] [1, 1] : !t into tensor<64x64xf16>
  return %1 : tensor<64x64xf16>
}

// -----

!t = tensor<16x64xf16>
module attributes {spyre.target = #spyre.target<cores = 2, lx_bytes = 2048, lx_reserved_bytes = 0, lx_backend_percent = 0>} {
func.func @p3_end(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  // expected-error @below {{P3: value of 1024 bytes at place lx 1152 ends after 2048 bytes}}
  %0 = spyre.exp %a split [2, 1] place lx 1152 : !t
  %1 = spyre.neg %0 split [2, 1] place arg 1 : !t
  return %1 : !t
}
}

// -----

!t = tensor<16x64xf16>
module attributes {spyre.target = #spyre.target<cores = 2, lx_bytes = 2048, lx_reserved_bytes = 0, lx_backend_percent = 0>} {
func.func @p4_written_over(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  // expected-note @below {{the value is defined here}}
  %0 = spyre.exp %a split [2, 1] place lx 0 : !t
  // expected-note @below {{this is written over it}}
  %1 = spyre.neg %a split [2, 1] place lx 128 : !t
  // expected-error @below {{P4: value in bytes 0 to 1024 of LX has been written over}}
  %2 = spyre.add %0, %1 split [2, 1] place arg 1 : !t
  return %2 : !t
}
}

// -----

!t = tensor<16x64xf16>
func.func @p4_pool(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  // expected-note @below {{the value is defined here}}
  %0 = spyre.exp %a split [2, 1] place pool 0 : !t
  // expected-note @below {{this is written over it}}
  %1 = spyre.neg %a split [2, 1] place pool 1920 : !t
  // expected-error @below {{P4: value in bytes 0 to 2048 of the pool has been written over}}
  %2 = spyre.add %0, %1 split [2, 1] place arg 1 : !t
  return %2 : !t
}

// -----

!t = tensor<16x64xf16>
!x = tensor<64x64xf16>
// What is read in each iteration is written over at the end of the one before.
func.func @p4_next_iteration(%a: !t {spyre.place = #spyre.place<arg 0>}, %x: !x {spyre.place = #spyre.place<arg 1>}) -> !x {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-note @below {{the value is defined here}}
  %k = spyre.exp %a split [2, 1] place lx 0 : !t
  %full = spyre.empty place arg 2 : !x
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %full) -> !x {
    %at = affine.apply affine_map<(d0) -> (d0 * 16)>(%i)
    %w = tensor.extract_slice %x[%at, 0] [16, 64] [1, 1] : !x to !t
    // expected-error @below {{P4: value in bytes 0 to 1024 of LX has been written over}}
    %s = spyre.add %w, %k split [2, 1] place lx 1024 : !t
    // expected-note @below {{this is written over it}}
    %n = spyre.neg %s split [2, 1] place lx 0 : !t
    %d = spyre.add %s, %n split [2, 1] place window : !t
    %m = tensor.insert_slice %d into %acc[%at, 0] [16, 64] [1, 1] : !t into !x
    scf.yield %m : !x
  }
  return %r : !x
}

// -----

!t = tensor<16x64xf16>
func.func @p5_other_slice(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  // expected-note @below {{it is defined here}}
  %0 = spyre.exp %a split [2, 1] place lx 0 : !t
  // expected-error @below {{P5: core 0 reads [0..4, 0..64] of operand 0, and has [0..8, 0..64] of it in its LX}}
  %1 = spyre.neg %0 split [4, 1] place arg 1 : !t
  return %1 : !t
}

// -----

!t = tensor<16x64xf16>
!e = tensor<2x8x64xf16>
func.func @p5_through_a_view(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !e {
  // expected-note @below {{it is defined here}}
  %0 = spyre.exp %a split [4, 1] place lx 0 : !t
  %e = tensor.expand_shape %0 [[0, 1], [2]] output_shape [2, 8, 64] : !t into !e
  // expected-error @below {{P5: core 0 reads no box of operand 0, and has [0..4, 0..64] of it in its LX}}
  %1 = spyre.neg %e split [1, 4, 1] place arg 1 : !e
  return %1 : !e
}

// -----

!t = tensor<4x16x64xf16>
!h = tensor<16x64xf16>
func.func @p6_dropped_dimension(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !h {
  %w = tensor.extract_slice %a[1, 0, 0] [1, 16, 64] [1, 1, 1] : !t to !h
  // expected-error @below {{P6: tensor 0 is a window of rank 2 of a tensor of rank 3, and no descriptor drops dimensions}}
  %0 = spyre.exp %w split [16, 1] place arg 1 : !h
  return %0 : !h
}

// -----

!t = tensor<64x64xf16>
module attributes {spyre.target = #spyre.target<cores = 2, span_limit_bytes = 2048>} {
func.func @p6_span(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  // expected-error @below {{P6: each core spans 4096 bytes of tensor #0, and can address 2048}}
  %0 = spyre.exp %a split [2, 1] place arg 1 : !t
  return %0 : !t
}
}

// -----

!t = tensor<16x64xf16>
func.func @p7_yielded_elsewhere(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %s = spyre.exp %a split [2, 1] place lx 0 : !t
  // expected-note @below {{the loop is here}}
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %s) -> !t {
    %n = spyre.add %acc, %a split [2, 1] place lx 2048 : !t
    // expected-error @below {{P7: value 0 of the loop is yielded in bytes 2048 to 3072 of LX, but its initial value is in bytes 0 to 1024 of LX}}
    scf.yield %n : !t
  }
  %o = spyre.copy %r split [2, 1] place arg 1 : (!t) -> !t
  return %o : !t
}

// -----

!t = tensor<16x64xf16>
func.func @p7_result(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  %0 = spyre.exp %a split [2, 1] place pool 0 : !t
  // expected-error @below {{P7: result 0 is in bytes 0 to 2048 of the pool, and not in its argument, 1}}
  return %0 : !t
}

// -----

#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
!t = tensor<64x64xf16, #rows>
!u = tensor<64x64xf16, #cols>
func.func @p8_restickify(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !u {
  // expected-note @below {{it is defined here}}
  %0 = spyre.exp %a split [1, 1] place lx 0 : !t
  // expected-error @below {{P8: operation works in device memory, and operand 0 is in LX}}
  %1 = spyre.restickify %0 split [1, 1] place arg 1 : (!t) -> !u
  return %1 : !u
}

// -----

!t = tensor<16x64xf16>
!h = tensor<8x64xf16>
func.func @p8_window(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !h {
  %0 = spyre.exp %a split [1, 1] place lx 0 : !t
  // expected-note @below {{the window is here}}
  %h = tensor.extract_slice %0[8, 0] [8, 64] [1, 1] : !t to !h
  // expected-error @below {{P8: operand 0 is a window of a tensor in LX}}
  %1 = spyre.neg %h split [1, 1] place arg 1 : !h
  return %1 : !h
}

// -----

!t = tensor<16x64xf16>
module attributes {spyre.target = #spyre.target<cores = 2>} {
func.func @p9_cores(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  // expected-error @below {{P9: split [4, 1] needs 4 cores of 2}}
  %0 = spyre.exp %a split [4, 1] place arg 1 : !t
  return %0 : !t
}
}

// -----

!t = tensor<16x64xf16>
func.func @p9_half_a_stick(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  // expected-error @below {{P9: split [1, 2] cuts dimension 1 of tensor 0, of 64 elements, into parts of 32, which are not whole sticks of 64}}
  %0 = spyre.exp %a split [1, 2] place arg 1 : !t
  return %0 : !t
}

// -----

!t = tensor<16x64xf16>
func.func @p10_shifted(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  %0 = spyre.exp %a split [2, 1] place lx 0 : !t
  // expected-error @below {{P10: operation writes bytes 128 to 1152 of LX while it reads other elements of operand 0 there}}
  %1 = spyre.neg %0 split [2, 1] place lx 128 : !t
  %2 = spyre.neg %1 split [2, 1] place arg 1 : !t
  return %2 : !t
}

// -----

!t = tensor<64x64xf16>
func.func @p10_not_elementwise(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  %0 = spyre.exp %a split [1, 1] place lx 0 : !t
  // expected-error @below {{P10: operation writes bytes 0 to 8192 of LX while it reads other elements of operand 0 there}}
  %1 = spyre.batchmatmul %0, %a split [1, 1, 1] place lx 0 : (!t, !t) -> !t
  %2 = spyre.neg %1 split [1, 1] place arg 1 : !t
  return %2 : !t
}

// -----

!t = tensor<16x64xf16>
!k = tensor<16x256xf16>
module attributes {spyre.target = #spyre.target<cores = 4>} {
func.func @p5_parts_of_a_sum(%a: !k {spyre.place = #spyre.place<arg 0>}, %b: tensor<256x64xf16> {spyre.place = #spyre.place<arg 1>}) -> !t {
  // expected-note @below {{it is defined here}}
  %0 = spyre.batchmatmul %a, %b split [1, 1, 4] place lx 0 : (!k, tensor<256x64xf16>) -> !t
  // expected-error @below {{P5: core 0 reads [0..4, 0..64] of operand 0, and has [0..0, 0..0] of it in its LX}}
  %1 = spyre.neg %0 split [4, 1] place arg 2 : !t
  return %1 : !t
}
}

// -----

!t = tensor<16x64xf16>
!k = tensor<16x256xf16>
module attributes {spyre.target = #spyre.target<cores = 4>} {
func.func @p5_order_of_cores(%a: !k {spyre.place = #spyre.place<arg 0>}, %b: tensor<256x64xf16> {spyre.place = #spyre.place<arg 1>}) -> !t {
  // expected-note @below {{it is defined here}}
  %0 = spyre.neg %a split [2, 2] place lx 0 : !k
  // The summed dimension is the fastest digit of a product's cores.
  // expected-error @below {{P5: core 1 reads [0..8, 128..256] of operand 0, and has [8..16, 0..128] of it in its LX}}
  %1 = spyre.batchmatmul %0, %b split [2, 1, 2] place arg 2 : (!k, tensor<256x64xf16>) -> !t
  return %1 : !t
}
}

// -----

!t = tensor<16x64xf16>
module attributes {spyre.target = #spyre.target<cores = 4>} {
func.func @p9_parts_of_two_sums(%a: tensor<16x8x64xf16> {spyre.place = #spyre.place<arg 0>}) -> tensor<16xf16> {
  // expected-error @below {{P9: split [1, 2, 2] cuts the reduced dimensions 1 and 2, and the parts of one are combined}}
  %0 = spyre.sum %a dims [1, 2] split [1, 2, 2] place arg 1 : (tensor<16x8x64xf16>) -> tensor<16xf16>
  return %0 : tensor<16xf16>
}
}

// -----

!h = tensor<32x64xf16>
!x = tensor<64x64xf16>
// The first value ends up on top, and the program says that the second one does.
func.func @p4_windows_that_meet(%x: !h {spyre.place = #spyre.place<arg 0>}, %b: !h {spyre.place = #spyre.place<arg 1>}) -> !x {
  %full = spyre.empty place arg 2 : !x
  // expected-error @below {{P4: operation writes a window before one that is inserted first, and lies over it, is written}}
  %e = spyre.exp %x split [32, 1] place window : !h
  %n = spyre.neg %b split [32, 1] place window : !h
  // expected-note @below {{that one is inserted here}}
  %a = tensor.insert_slice %n into %full[0, 0] [32, 64] [1, 1] : !h into !x
  %s = tensor.insert_slice %e into %a[31, 0] [32, 64] [1, 1] : !h into !x
  return %s : !x
}

// -----

!h = tensor<32x64xf16>
!x = tensor<64x64xf16>
// What is read in front of an insertion has something of it already.
func.func @p4_read_too_late(%x: !h {spyre.place = #spyre.place<arg 0>}, %b: !h {spyre.place = #spyre.place<arg 1>}) -> (!x, !x) {
  %full = spyre.empty place arg 2 : !x
  %n = spyre.neg %b split [32, 1] place window : !h
  %a = tensor.insert_slice %n into %full[0, 0] [32, 64] [1, 1] : !h into !x
  %e = spyre.exp %x split [32, 1] place window : !h
  // expected-error @below {{P4: value in argument 2 has a window that was written later}}
  %r = spyre.abs %a split [32, 1] place arg 3 : !x
  // expected-note @below {{the window is inserted here}}
  %s = tensor.insert_slice %e into %a[32, 0] [32, 64] [1, 1] : !h into !x
  return %s, %r : !x, !x
}

// -----

!t = tensor<16x64xf16>
func.func @p3_no_argument(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  // expected-error @below {{P3: value of 2048 bytes is in argument 2, and the function has 2 arguments and results}}
  %0 = spyre.exp %a split [16, 1] place arg 2 : !t
  %1 = spyre.neg %0 split [16, 1] place arg 1 : !t
  return %1 : !t
}

// -----

!t = tensor<32x64xf16>
!h = tensor<16x64xf16>
// The second result has room for half of what is put there for a while.
func.func @p3_argument(%a: !t {spyre.place = #spyre.place<arg 0>}, %b: !h {spyre.place = #spyre.place<arg 1>}) -> (!t, !h) {
  // expected-error @below {{P3: value of 4096 bytes is in argument 3, which has 2048 bytes}}
  %0 = spyre.exp %a split [16, 1] place arg 3 : !t
  %1 = spyre.neg %0 split [16, 1] place arg 2 : !t
  %2 = spyre.neg %b split [16, 1] place arg 3 : !h
  return %1, %2 : !t, !h
}

// -----

!t = tensor<64x512xf16>
func.func @p11_in_memory(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  // expected-error @below {{P11: relayout is between scratchpads, and one side is in argument 0}}
  %0 = spyre.copy %a from [0] by [8] to [1] by [8] split [1, 8] place lx 0 : !t
  %1 = spyre.neg %0 split [1, 8] place arg 1 : !t
  return %1 : !t
}

// -----

!t = tensor<64x2048xf16>
func.func @p11_sources(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  %0 = spyre.exp %a split [16, 1] place lx 0 : !t
  // expected-error @below {{P11: cores of the relayout read from 16 to 16 cores and are read by 16 to 16; all must be equal, with reads from at most 8}}
  %1 = spyre.copy %0 from [0] by [16] to [1] by [16] split [1, 16] place lx 65536 : !t
  %2 = spyre.neg %1 split [1, 16] place arg 1 : !t
  return %2 : !t
}

// -----

!t = tensor<64x512xf16>
func.func @p11_cores(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  %0 = spyre.exp %a split [8, 1] place lx 0 : !t
  // expected-error @below {{P11: relayout is from 8 cores to 4 of 32; the latter must be a multiple of the former}}
  %1 = spyre.copy %0 from [0] by [8] to [1] by [4] split [1, 4] place lx 65536 : !t
  %2 = spyre.neg %1 split [1, 4] place arg 1 : !t
  return %2 : !t
}

// -----

!t = tensor<64x512xf16>
// The relayout reads rows, and the cores have columns.
func.func @p5_relayout_reads(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  // expected-note @below {{it is defined here}}
  %0 = spyre.exp %a split [1, 8] place lx 0 : !t
  // expected-error @below {{P5: core 0 reads [0..8, 0..512] of operand 0, and has [0..64, 0..64] of it in its LX}}
  %1 = spyre.copy %0 from [0] by [8] to [1] by [8] split [1, 8] place lx 65536 : !t
  %2 = spyre.neg %1 split [1, 8] place arg 1 : !t
  return %2 : !t
}

// -----

!t = tensor<64x512xf16>
// Neighbours have the same half, and the reader wants halves that alternate.
func.func @p5_relayout_writes(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  %0 = spyre.exp %a split [8, 1] place lx 0 : !t
  // expected-note @below {{it is defined here}}
  %1 = spyre.copy %0 from [0] by [8] to [-1, 0] by [4, 2] split [2, 1] place lx 65536 : !t
  // expected-error @below {{P5: core 1 reads [32..64, 0..512] of operand 0, and has [0..32, 0..512] of it in its LX}}
  %2 = spyre.neg %1 split [2, 1] place arg 1 : !t
  return %2 : !t
}

// -----

!t = tensor<64x512xf16>
func.func @p10_relayout_in_place(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  %0 = spyre.exp %a split [8, 1] place lx 0 : !t
  // expected-error @below {{P10: operation writes bytes 4096 to 12288 of LX while it reads other elements of operand 0 there}}
  %1 = spyre.copy %0 from [0] by [8] to [1] by [8] split [1, 8] place lx 4096 : !t
  %2 = spyre.neg %1 split [1, 8] place arg 1 : !t
  return %2 : !t
}

// -----

!t = tensor<64x512xf16>
func.func @p10_relayout_at_one_place(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  %0 = spyre.exp %a split [8, 1] place lx 0 : !t
  // expected-error @below {{P10: operation writes bytes 0 to 8192 of LX while it reads other elements of operand 0 there}}
  %1 = spyre.copy %0 from [0] by [8] to [1] by [8] split [1, 8] place lx 0 : !t
  %2 = spyre.neg %1 split [1, 8] place arg 1 : !t
  return %2 : !t
}

// -----

!t = tensor<16x128xf16>
!w = tensor<16x32xf16>
func.func @p12_inside_of_a_stick(%a: !w {spyre.place = #spyre.place<arg 0>}) -> !t {
  %full = spyre.empty place arg 1 : !t
  // expected-error @below {{P12: window of 32 positions along dimension 1 of a tensor of 128 ends inside of a stick of 64, and the card overwrites the elements after it}}
  %0 = spyre.exp %a split [2, 1] place window : !w
  // expected-note @below {{the window is here}}
  %1 = tensor.insert_slice %0 into %full[0, 64] [16, 32] [1, 1] : !w into !t
  return %1 : !t
}

// -----

!t = tensor<16x256xf16>
!w = tensor<16x32xf16>
func.func @p12_in_a_loop(%a: !w {spyre.place = #spyre.place<arg 0>}) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %full = spyre.empty place arg 1 : !t
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %full) -> !t {
    %at = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    // expected-error @below {{P12: window of 32 positions along dimension 1 of a tensor of 256 ends inside of a stick of 64}}
    %0 = spyre.exp %a split [2, 1] place window : !w
    // expected-note @below {{the window is here}}
    %1 = tensor.insert_slice %0 into %acc[0, %at] [16, 32] [1, 1] : !w into !t
    scf.yield %1 : !t
  }
  return %r : !t
}

// -----

!t = tensor<16x256xf16>
!v = tensor<16x100xf16>
!w = tensor<16x36xf16>
// A window of a window, which ends with it.
func.func @p12_window_of_a_window(%a: !w {spyre.place = #spyre.place<arg 0>}) -> !t {
  %full = spyre.empty place arg 1 : !t
  // expected-note @below {{the window is here}}
  %v = tensor.extract_slice %full[0, 0] [16, 100] [1, 1] : !t to !v
  // expected-error @below {{P12: window of 100 positions along dimension 1 of a tensor of 256 ends inside of a stick of 64}}
  %0 = spyre.exp %a split [2, 1] place window : !w
  %1 = tensor.insert_slice %0 into %v[0, 64] [16, 36] [1, 1] : !w into !v
  %2 = tensor.insert_slice %1 into %full[0, 0] [16, 100] [1, 1] : !v into !t
  return %2 : !t
}
