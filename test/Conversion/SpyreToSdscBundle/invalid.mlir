// RUN: spyre-opt %s --convert-spyre-to-sdscbundle --split-input-file --verify-diagnostics

func.func @no_place(%x: tensor<64x64xf16>) -> tensor<64x64xf16> {
  // expected-error @below {{value has no place; --spyre-scratchpad-planning gives it one}}
  %y = spyre.exp %x : tensor<64x64xf16>
  return %y : tensor<64x64xf16>
}

// -----

// expected-note @below {{the first is here}}
func.func @one(%x: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %y = spyre.exp %x place arg 1 : tensor<64x64xf16>
  return %y : tensor<64x64xf16>
}
// expected-error @below {{a bundle has one function, but this is the second with device operations}}
func.func @two(%x: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %y = spyre.exp %x place arg 1 : tensor<64x64xf16>
  return %y : tensor<64x64xf16>
}

// -----

func.func private @called(%x: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %y = spyre.exp %x place arg 1 : tensor<64x64xf16>
  return %y : tensor<64x64xf16>
}
func.func @calls(%x: tensor<64x64xf16>) -> tensor<64x64xf16> {
  // expected-error @below {{a bundle has one function, without calls; --inline inlines the calls}}
  %y = call @called(%x) : (tensor<64x64xf16>) -> tensor<64x64xf16>
  return %y : tensor<64x64xf16>
}

// -----

func.func @fill() -> tensor<64x64xf16> {
  // expected-error @below {{spyre.fill has no form in a bundle}}
  %one = spyre.fill dense<1.0> : tensor<64x64xf16>
  %y = spyre.exp %one place arg 0 : tensor<64x64xf16>
  return %y : tensor<64x64xf16>
}

// -----

func.func @bounds(%x: tensor<64x64xf16>, %n: index) -> tensor<64x64xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = spyre.empty place arg 2 : tensor<64x64xf16>
  // expected-error @below {{loop must count from 0 to a constant or to a spyre.dim_size in constant steps, got 0 to ? by 1}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %e) -> (tensor<64x64xf16>) {
    %w = tensor.extract_slice %x[%i, 0] [1, 64] [1, 1] : tensor<64x64xf16> to tensor<1x64xf16>
    %y = spyre.exp %w place window : tensor<1x64xf16>
    %next = tensor.insert_slice %y into %acc[%i, 0] [1, 64] [1, 1] : tensor<1x64xf16> into tensor<64x64xf16>
    scf.yield %next : tensor<64x64xf16>
  }
  return %r : tensor<64x64xf16>
}

// -----

func.func @outside(%x: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %e = spyre.empty place arg 1 : tensor<64x64xf16>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %e) -> (tensor<64x64xf16>) {
    %o = affine.apply affine_map<(d0) -> (d0 * 16 + 8)>(%i)
    // expected-error @below {{window covers [8, 72) of dimension 0, which has extent 64}}
    %w = tensor.extract_slice %x[%o, 0] [16, 64] [1, 1] : tensor<64x64xf16> to tensor<16x64xf16>
    %y = spyre.exp %w place window : tensor<16x64xf16>
    %next = tensor.insert_slice %y into %acc[%o, 0] [16, 64] [1, 1] : tensor<16x64xf16> into tensor<64x64xf16>
    scf.yield %next : tensor<64x64xf16>
  }
  return %r : tensor<64x64xf16>
}

// -----

func.func @backwards(%x: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %e = spyre.empty place arg 1 : tensor<64x64xf16>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %e) -> (tensor<64x64xf16>) {
    %o = affine.apply affine_map<(d0) -> (d0 * -16 + 48)>(%i)
    // expected-note @below {{the window is here}}
    %w = tensor.extract_slice %x[%o, 0] [16, 64] [1, 1] : tensor<64x64xf16> to tensor<16x64xf16>
    // expected-error @below {{window moves by -16 elements along dimension 0, but the windows of a bundle move forwards; --spyre-unroll-loops unrolls the loop before}}
    %y = spyre.exp %w place window : tensor<16x64xf16>
    %next = tensor.insert_slice %y into %acc[%o, 0] [16, 64] [1, 1] : tensor<16x64xf16> into tensor<64x64xf16>
    scf.yield %next : tensor<64x64xf16>
  }
  return %r : tensor<64x64xf16>
}

// -----

func.func @not_affine(%x: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %e = spyre.empty place arg 1 : tensor<64x64xf16>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %e) -> (tensor<64x64xf16>) {
    // expected-note @below {{the offset is defined here}}
    %o = affine.apply affine_map<(d0) -> (d0 mod 2)>(%i)
    // expected-error @below {{offset along dimension 0 is not affine in the enclosing loops}}
    %w = tensor.extract_slice %x[%o, 0] [16, 64] [1, 1] : tensor<64x64xf16> to tensor<16x64xf16>
    %y = spyre.exp %w place window : tensor<16x64xf16>
    %next = tensor.insert_slice %y into %acc[%o, 0] [16, 64] [1, 1] : tensor<16x64xf16> into tensor<64x64xf16>
    scf.yield %next : tensor<64x64xf16>
  }
  return %r : tensor<64x64xf16>
}

// -----

func.func @half_stick(%x: tensor<64x128xf16>) -> tensor<64x64xf16> {
  // expected-note @below {{the window is here}}
  %w = tensor.extract_slice %x[0, 32] [64, 64] [1, 1] : tensor<64x128xf16> to tensor<64x64xf16>
  // expected-error @below {{the view starts 32 elements into d1, inside a stick of 64 elements (remainder 32)}}
  %y = spyre.exp %w place arg 1 : tensor<64x64xf16>
  return %y : tensor<64x64xf16>
}

// -----

module attributes {spyre.target = #spyre.target<formats = [f16]>} {
  func.func @format(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    // expected-error @below {{operand #0 has element type f32, which the target does not support}}
    %y = spyre.exp %x place arg 1 : tensor<64x64xf32>
    return %y : tensor<64x64xf32>
  }
}

// -----

// expected-note @below {{the value is defined here}}
func.func @returned_input(%x: tensor<64x64xf16>) -> (tensor<64x64xf16>, tensor<64x64xf16>) {
  %y = spyre.exp %x place arg 1 : tensor<64x64xf16>
  // expected-error @below {{result 1 must be the whole of arg 2, but is in arg 0; --spyre-scratchpad-planning places it}}
  return %y, %x : tensor<64x64xf16>, tensor<64x64xf16>
}

// -----

func.func @lost(%x: tensor<64x64xf16>) -> tensor<64x64xf16> {
  // expected-note @below {{the value is defined here}}
  %y = spyre.exp %x place lx 0 : tensor<64x64xf16>
  // expected-error @below {{result 0 must be the whole of arg 1, but is in lx 0; --spyre-scratchpad-planning places it}}
  return %y : tensor<64x64xf16>
}

// -----

func.func @returned_window(%x: tensor<64x64xf16>) -> tensor<32x64xf16> {
  %y = spyre.exp %x place arg 1 : tensor<64x64xf16>
  // expected-note @below {{the value is defined here}}
  %w = tensor.extract_slice %y[32, 0] [32, 64] [1, 1] : tensor<64x64xf16> to tensor<32x64xf16>
  // expected-error @below {{result 0 must be the whole of arg 1, but is a window of it: [32, 64] of [64, 64], from byte 4096; --spyre-scratchpad-planning places it}}
  return %w : tensor<32x64xf16>
}

// -----

func.func @returned_view(%x: tensor<64x128xf16>) -> tensor<128x64xf16> {
  %y = spyre.exp %x place arg 1 : tensor<64x128xf16>
  // expected-note @below {{the value is defined here}}
  %t = spyre.permute %y [1, 0] : tensor<64x128xf16> to tensor<128x64xf16>
  // expected-error @below {{result 0 must be the whole of arg 1, but is a view of it with layout (d0, d1) -> (d0 floordiv 64, d1, d0 mod 64) and device size [2, 64, 64], expected layout (d0, d1) -> (d1 floordiv 64, d0, d1 mod 64) and device size [1, 128, 64]; --spyre-scratchpad-planning places it}}
  return %t : tensor<128x64xf16>
}

// -----

// K of 100 is two sticks of the left operand, and so 128 rows of the right one.
func.func @ragged_k(%a: tensor<64x100xf16>, %b: tensor<100x128xf16>) -> tensor<64x128xf16> {
  // expected-error @below {{runs over 128 elements of iteration dimension 2, whole sticks of 64, but tensor #1 has 100 there; --spyre-pad-matmul adds zeros}}
  %y = spyre.batchmatmul %a, %b split [1, 1, 1] place arg 2 : (tensor<64x100xf16>, tensor<100x128xf16>) -> tensor<64x128xf16>
  return %y : tensor<64x128xf16>
}

// -----

// A permuted view of a tensor without a layout has K of the product on no stick.
func.func @matmul_sticks(%a: tensor<128x64xf16>, %b: tensor<128x64xf16>) -> tensor<64x64xf16> {
  %t = spyre.permute %a [1, 0] : tensor<128x64xf16> to tensor<64x128xf16>
  // expected-error @+1 {{operand #0 has dimension 0 of the iteration space on its stick, but a matrix product needs dimension 2; --spyre-propagate-layouts, --spyre-optimize-restickify and --spyre-insert-restickify choose layouts that agree}}
  %y = spyre.batchmatmul %t, %b place arg 2 : (tensor<64x128xf16>, tensor<128x64xf16>) -> tensor<64x64xf16>
  return %y : tensor<64x64xf16>
}

// -----

// One element per stick, beside whole sticks.
func.func @sparse_stick(%a: tensor<128xf16, #spyre.layout<(d0) -> (0, d0, 0)>>, %b: tensor<128xf16>) -> tensor<128xf16> {
  // expected-error @+1 {{operand #0 has no dimension of the iteration space on its stick, but the result has dimension 0}}
  %y = spyre.add %a, %b place arg 2 : (tensor<128xf16, #spyre.layout<(d0) -> (0, d0, 0)>>, tensor<128xf16>) -> tensor<128xf16>
  return %y : tensor<128xf16>
}

// -----

// Loops of a bundle carry nothing: the next iteration would find the first tensor again.
func.func @yields_another_place(%x: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %start = spyre.copy %x place arg 1 : tensor<64x64xf16>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %start) -> (tensor<64x64xf16>) {
    // expected-note @below {{the value is defined here}}
    %y = spyre.exp %acc place pool 0 : tensor<64x64xf16>
    // expected-error @below {{loop-carried tensor 0 is in arg 1, but another tensor in pool 0 is yielded; --spyre-scratchpad-planning gives them one place}}
    scf.yield %y : tensor<64x64xf16>
  }
  return %r : tensor<64x64xf16>
}

// -----

func.func @yields_another_window(%x: tensor<128x64xf16>) -> tensor<64x64xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %first = tensor.extract_slice %x[0, 0] [64, 64] [1, 1] : tensor<128x64xf16> to tensor<64x64xf16>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %first) -> (tensor<64x64xf16>) {
    // expected-note @below {{the value is defined here}}
    %second = tensor.extract_slice %x[64, 0] [64, 64] [1, 1] : tensor<128x64xf16> to tensor<64x64xf16>
    // expected-error @below {{loop-carried tensor 0 starts at byte 0 of arg 0, but the yielded tensor at byte 8192; --spyre-scratchpad-planning gives them one place}}
    scf.yield %second : tensor<64x64xf16>
  }
  %y = spyre.exp %r place arg 1 : tensor<64x64xf16>
  return %y : tensor<64x64xf16>
}

// -----

func.func @yields_moving_windows(%x: tensor<128x64xf16>) -> tensor<64x64xf16> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %first = tensor.extract_slice %x[0, 0] [64, 64] [1, 1] : tensor<128x64xf16> to tensor<64x64xf16>
  %r = scf.for %i = %c0 to %c128 step %c64 iter_args(%acc = %first) -> (tensor<64x64xf16>) {
    // expected-note @below {{the value is defined here}}
    %window = tensor.extract_slice %x[%i, 0] [64, 64] [1, 1] : tensor<128x64xf16> to tensor<64x64xf16>
    // expected-error @below {{loop-carried tensor 0 moves by [0] elements along the loops, outermost first, but the yielded tensor by [4096]; --spyre-scratchpad-planning gives them one place}}
    scf.yield %window : tensor<64x64xf16>
  }
  %y = spyre.exp %r place arg 1 : tensor<64x64xf16>
  return %y : tensor<64x64xf16>
}

// -----

// An operation writes each element once.
#repeated = #spyre.layout<(d0, d1) -> (0, d1 floordiv 64, d0, d1 mod 64), size = [4, 8, 256, 64], expanded = [0]>
func.func @repeated(%a: tensor<256x512xf16>) -> tensor<256x512xf16, #repeated> {
  // expected-error @+1 {{the result: the layout (d0, d1) -> (0, d1 floordiv 64, d0, d1 mod 64) stores each element 4 times, and an operation writes it once; give the result a layout without repetitions}}
  %y = spyre.exp %a place arg 1 : (tensor<256x512xf16>) -> tensor<256x512xf16, #repeated>
  return %y : tensor<256x512xf16, #repeated>
}

// -----

#two_strides = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0 mod 4, d0 floordiv 4, d1 mod 64)>
func.func @two_strides(%a: tensor<8x128xf16>, %b: tensor<8x128xf16, #two_strides>) -> tensor<8x128xf16> {
  // expected-error @+1 {{operand #1: dimension 0 runs along 2 device dimensions of the layout (d0, d1) -> (d1 floordiv 64, d0 mod 4, d0 floordiv 4, d1 mod 64), and an OpSpec has one stride for a dimension; use an operation over the dimensions before the reshape}}
  %y = spyre.add %a, %b place arg 2 : (tensor<8x128xf16>, tensor<8x128xf16, #two_strides>) -> tensor<8x128xf16>
  return %y : tensor<8x128xf16>
}

// -----

func.func @windows_of_lx(%x: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = spyre.neg %x place lx 0 : tensor<64x64xf16>
  %e = spyre.empty place arg 1 : tensor<64x64xf16>
  %r = scf.for %i = %c0 to %c64 step %c16 iter_args(%acc = %e) -> (tensor<64x64xf16>) {
    %w = tensor.extract_slice %a[%i, 0] [16, 64] [1, 1] : tensor<64x64xf16> to tensor<16x64xf16>
    // expected-error @below {{operand #0: a value in lx cannot be visited in windows}}
    %y = spyre.exp %w place window : tensor<16x64xf16>
    %next = tensor.insert_slice %y into %acc[%i, 0] [16, 64] [1, 1] : tensor<16x64xf16> into tensor<64x64xf16>
    scf.yield %next : tensor<64x64xf16>
  }
  return %r : tensor<64x64xf16>
}

// -----

// What follows the last element would be found as well.
func.func @search_to_the_middle_of_a_stick(%a: tensor<64x100xf16>) -> tensor<64x4xi32> {
  // expected-error @+1 {{searches an extent of 100 along the stick, not whole sticks of 64, and would find the padding after them; insert the operand into a tensor of -inf of 128 elements there first}}
  %i = spyre.topkindex %a dim 1 k 4 place arg 1 : (tensor<64x100xf16>) -> tensor<64x4xi32>
  return %i : tensor<64x4xi32>
}

// -----

// Sticks of 64 run over two sticks of the wider format, which here has one.
func.func @cast_to_the_middle_of_a_stick(%a: tensor<64x70xf16>) -> tensor<64x70xf32> {
  // expected-error @+1 {{runs over 128 elements along the stick, whole sticks of 64, but tensor #1 has room for 96; a layout with an explicit size has more}}
  %y = spyre.dl16tofp32 %a place arg 1 : (tensor<64x70xf16>) -> tensor<64x70xf32>
  return %y : tensor<64x70xf32>
}

// -----

func.func @positions_to_the_middle_of_a_stick(%a: tensor<64x70xf16>) -> tensor<1x70xi32> {
  // expected-error @+1 {{runs over 128 elements along the stick, whole sticks of 64, but tensor #1 has room for 96; a layout with an explicit size has more}}
  %y = spyre.topkindex %a dim 0 k 1 place arg 1 : (tensor<64x70xf16>) -> tensor<1x70xi32>
  return %y : tensor<1x70xi32>
}

// -----

// 40 rows become 40 columns: a stick of 64, of which 24 would be rows that follow the window. Planning copies it first.

#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
func.func @ragged_window(%a: tensor<100x128xf16, #rows> {spyre.place = #spyre.place<arg 0>}) -> tensor<40x128xf16, #cols> {
  %w = tensor.extract_slice %a[10, 0] [40, 128] [1, 1] : tensor<100x128xf16, #rows> to tensor<40x128xf16, #rows>
  // expected-error @below {{runs over 64 elements of iteration dimension 0, whole sticks of 64, but tensor #0 is 40 of 100 elements there}}
  %y = spyre.restickify %w split [1, 2] place arg 1 : (tensor<40x128xf16, #rows>) -> tensor<40x128xf16, #cols>
  return %y : tensor<40x128xf16, #cols>
}

// -----

func.func @single_index(%i: tensor<1xi32>, %t: tensor<100x64xf16>) -> tensor<1x64xf16> {
  // expected-error @below {{chooses by a single index, and the SDSC bundle specification does not define the form of a single index; a tile of one index out of several has a form}}
  %y = spyre.gather %i, %t dim 0 place arg 2 : (tensor<1xi32>, tensor<100x64xf16>) -> tensor<1x64xf16>
  return %y : tensor<1x64xf16>
}

// -----

func.func @some_rows(%i: tensor<32xi32>, %t: tensor<100x64xf16>) -> tensor<32x64xf16> {
  %w = tensor.extract_slice %t[20, 0] [50, 64] [1, 1] : tensor<100x64xf16> to tensor<50x64xf16>
  // expected-error @below {{operand #1 is a window along dimension 0, which the indices choose from, and no descriptor has its start and its end; copy it to a separate tensor first}}
  %y = spyre.gather %i, %w dim 0 place arg 2 : (tensor<32xi32>, tensor<50x64xf16>) -> tensor<32x64xf16>
  return %y : tensor<32x64xf16>
}

// -----

func.func @indices_in_lx(%i: tensor<32xi32>, %t: tensor<100x64xf16>) -> tensor<32x64xf16> {
  %j = spyre.copy %i place lx 0 : tensor<32xi32>
  // expected-error @below {{operand #0 is in lx 0, but indices and the table that they select from are read from device memory}}
  %y = spyre.gather %j, %t dim 0 place arg 2 : (tensor<32xi32>, tensor<100x64xf16>) -> tensor<32x64xf16>
  return %y : tensor<32x64xf16>
}

// -----

func.func @table_in_lx(%i: tensor<32xi32>, %t: tensor<100x64xf16>) -> tensor<32x64xf16> {
  %u = spyre.neg %t place lx 0 : tensor<100x64xf16>
  // expected-error @below {{operand #1 is in lx 0, but indices and the table that they select from are read from device memory}}
  %y = spyre.gather %i, %u dim 0 place arg 2 : (tensor<32xi32>, tensor<100x64xf16>) -> tensor<32x64xf16>
  return %y : tensor<32x64xf16>
}

// -----

func.func @split_rows(%i: tensor<32xi32>, %t: tensor<4x25x64xf16>) -> tensor<32x64xf16> {
  %c = tensor.collapse_shape %t [[0, 1], [2]] : tensor<4x25x64xf16> into tensor<100x64xf16>
  // expected-error @below {{has dimension 0, which the indices choose from, in no device dimension of its own}}
  %y = spyre.gather %i, %c dim 0 place arg 2 : (tensor<32xi32>, tensor<100x64xf16>) -> tensor<32x64xf16>
  return %y : tensor<32x64xf16>
}

// -----

func.func @columns_without_a_layout(%i: tensor<32xi32>, %t: tensor<64x100xf16>) -> tensor<64x32xf16> {
  // expected-error @below {{has dimension 1, which the indices choose from, in no device dimension of its own}}
  %y = spyre.gather %i, %t dim 1 place arg 2 : (tensor<32xi32>, tensor<64x100xf16>) -> tensor<64x32xf16>
  return %y : tensor<64x32xf16>
}
