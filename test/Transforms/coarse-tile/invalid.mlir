// RUN: spyre-opt %s --coarse-tile --split-input-file --verify-diagnostics

// What the pass refuses, with the numbers and the other end.

// What is found is found together.
func.func @found(%a: tensor<16x64xf16> {spyre.dims = ["A", "B"]}) -> tensor<4x64xf16> {
  // expected-error @+1 {{coarse-tile: dimension "K" has the elements that this operation finds, which it finds together; tile another dimension}}
  %v = spyre.topkvalue %a dim 0 k 4 tile [0: "K" in 2] {spyre.dims = ["K", "B"]} : (tensor<16x64xf16>) -> tensor<4x64xf16>
  return %v : tensor<4x64xf16>
}

// -----

// Of several elements, no operation puts parts together; of one, they are carried.
func.func @positions_of_parts(%a: tensor<256x512xf16> {spyre.dims = ["A", "B"]}) -> tensor<256x64xi32> {
  // expected-error @+1 {{dimension "B" is reduced by this operation, and no operation combines the parts of a topkindex of several elements; search for one (k 1), or tile another dimension}}
  %y = spyre.topkindex %a dim 1 k 64 tile [0: "B" in 2] : (tensor<256x512xf16>) -> tensor<256x64xi32>
  return %y : tensor<256x64xi32>
}

// -----

func.func @search_without_infinity(%a: tensor<256x512xf8E4M3FN> {spyre.dims = ["A", "B"]}) -> tensor<1x512xi32> {
  // expected-error @+1 {{the parts of a reduction start from -inf, which f8E4M3FN does not have}}
  %y = spyre.topkindex %a dim 0 k 1 tile [0: "A" in 2] : (tensor<256x512xf8E4M3FN>) -> tensor<1x512xi32>
  return %y : tensor<1x512xi32>
}

// -----

// The mean of two is one more than a power of 2, which 16-bit floats do not have on the device.
func.func @mean_of_too_many(%a: tensor<1025x64xf16> {spyre.dims = ["A", "B"]}) -> tensor<64xf16> {
  // expected-error @+1 {{a mean in parts is a sum divided by the number of elements, 1025, which f16 cannot hold exactly; tile another dimension}}
  %y = spyre.mean %a dims [0] tile [0: "A" in 5] : (tensor<1025x64xf16>) -> tensor<64xf16>
  return %y : tensor<64xf16>
}

// -----

func.func @no_infinity(%a: tensor<256x512xf8E4M3FN> {spyre.dims = ["A", "B"]}) -> tensor<512xf8E4M3FN> {
  // expected-error @+1 {{the parts of a reduction start from -inf, which f8E4M3FN does not have}}
  %y = spyre.max %a dims [0] tile [0: "A" in 2] : (tensor<256x512xf8E4M3FN>) -> tensor<512xf8E4M3FN>
  return %y : tensor<512xf8E4M3FN>
}

// -----

// 250 rows in 4 tiles are 63, 63, 63 and 61; 4 rows are 1, 1, 1 and 1. The last tiles differ.
func.func @other_last_tiles(%a: tensor<250x512xf16> {spyre.dims = ["A", "B"]}, %b: tensor<4x512xf16> {spyre.dims = ["A", "B"]}) -> (tensor<250x512xf16>, tensor<4x512xf16>) {
  // expected-note @+1 {{the other operation}}
  %y = spyre.exp %a tile [0: "A" in 4] : tensor<250x512xf16>
  // expected-error @+1 {{dimension "A" of extent 4 is 4 tiles here, but of extent 250 4 tiles at another operation of the group, or with another last tile}}
  %z = spyre.exp %b tile [0: "A" in 4] : tensor<4x512xf16>
  return %y, %z : tensor<250x512xf16>, tensor<4x512xf16>
}

// -----

// Rows are stored in blocks of 96: every other window of 64 would straddle two.
#blocks = #spyre.layout<(d0, d1) -> (d0 floordiv 96, d1 floordiv 64, d0 mod 96, d1 mod 64)>
// expected-note @+1 {{comes from here}}
func.func @not_at_equal_distances(%a: tensor<384x512xf16, #blocks> {spyre.dims = ["A", "B"]}) -> tensor<384x512xf16, #blocks> {
  // expected-error @+1 {{operand #0 cannot be cut into tiles of 64 along its dimension 0: windows of 64 elements along d0 do not fit the layout, which breaks d0 every 96 elements: they are not at equal distances in memory}}
  %y = spyre.exp %a tile [0: "A" in 6] : tensor<384x512xf16, #blocks>
  return %y : tensor<384x512xf16, #blocks>
}

// -----

func.func @counts_disagree(%a: tensor<256x512xf16> {spyre.dims = ["A", "B"]}) -> tensor<256x512xf16> {
  // expected-note @+1 {{the group starts here}}
  %y = spyre.exp %a tile [0: "A" in 2] : tensor<256x512xf16>
  // expected-error @+1 {{scope 0 asks for "A" in 4 tiles here, but for "A" in 2 at the start of the group}}
  %z = spyre.neg %y tile [0: "A" in 4] : tensor<256x512xf16>
  return %z : tensor<256x512xf16>
}

// -----

func.func @dimensions_disagree(%a: tensor<256x512xf16> {spyre.dims = ["A", "B"]}) -> tensor<256x512xf16> {
  // expected-note @+1 {{the group starts here}}
  %y = spyre.exp %a tile [0: "A" in 2] : tensor<256x512xf16>
  // expected-error @+1 {{scope 0 asks for "B" in 2 tiles here, but for "A" in 2 at the start of the group}}
  %z = spyre.neg %y tile [0: "B" in 2] : tensor<256x512xf16>
  return %z : tensor<256x512xf16>
}

// -----

func.func @ambiguous(%a: tensor<256x256xf16> {spyre.dims = ["A", "B"]}) -> tensor<256x256xf16> {
  // expected-error @+1 {{"A" names both dimension 0 and dimension 2 of this operation}}
  %y = spyre.batchmatmul %a, %a tile [0: "A" in 2] : (tensor<256x256xf16>, tensor<256x256xf16>) -> tensor<256x256xf16>
  return %y : tensor<256x256xf16>
}

// -----

func.func @dynamic(%a: tensor<?x512xf16> {spyre.dims = ["A", "B"]}) -> tensor<?x512xf16> {
  // expected-error @+1 {{dimension 0 has a dynamic extent}}
  %y = spyre.exp %a tile [0: "B" in 2] : tensor<?x512xf16>
  return %y : tensor<?x512xf16>
}

// -----

func.func @already_placed(%a: tensor<256x512xf16> {spyre.dims = ["A", "B"]}) -> tensor<256x512xf16> {
  // expected-error @+1 {{operation already has a place; --coarse-tile comes before --spyre-scratchpad-planning}}
  %y = spyre.exp %a tile [0: "A" in 2] place pool 0 : tensor<256x512xf16>
  return %y : tensor<256x512xf16>
}

// -----

func.func @split_does_not_fit(%a: tensor<256x512xf16> {spyre.dims = ["A", "B"]}) -> tensor<256x512xf16> {
  // expected-error @+1 {{split of dimension 0 over 32 cores does not divide the tile's extent 16; without a split, --spyre-work-division chooses one after --coarse-tile}}
  %y = spyre.exp %a tile [0: "A" in 16] split [32, 1] : tensor<256x512xf16>
  return %y : tensor<256x512xf16>
}

// -----

func.func @divided_by_name(%a: tensor<256x512xf16> {spyre.dims = ["A", "B"]}) -> tensor<256x512xf16> {
  // expected-error @+1 {{coarse-tile: 'divide' names dimensions, which --spyre-assign-dim-hints has to find first}}
  %y = spyre.exp %a tile [0: "A" in 16] divide ["A" over 2] : tensor<256x512xf16>
  return %y : tensor<256x512xf16>
}

// -----

func.func @split_does_not_fit_sticks(%a: tensor<256x512xf16> {spyre.dims = ["A", "B"]}) -> tensor<256x512xf16> {
  // expected-error @+1 {{split of dimension 1 over 8 cores does not divide the tile's extent 256 in sticks of 64}}
  %y = spyre.exp %a tile [0: "B" in 2] split [1, 8] : tensor<256x512xf16>
  return %y : tensor<256x512xf16>
}

// -----

func.func @in_a_branch(%a: tensor<256x512xf16> {spyre.dims = ["A", "B"]}, %p: i1) -> tensor<256x512xf16> {
  // expected-note @+1 {{the region is here}}
  %r = scf.if %p -> tensor<256x512xf16> {
    // expected-error @+1 {{operation is in a region that is not the body of a loop, but a bundle has no branches}}
    %y = spyre.exp %a tile [0: "A" in 2] : tensor<256x512xf16>
    scf.yield %y : tensor<256x512xf16>
  } else {
    scf.yield %a : tensor<256x512xf16>
  }
  return %r : tensor<256x512xf16>
}

// -----

// expected-note @+1 {{the function is here}}
func.func @several_blocks(%a: tensor<256x512xf16> {spyre.dims = ["A", "B"]}) -> tensor<256x512xf16> {
  cf.br ^next
^next:
  // expected-error @+1 {{operation is in a function of several blocks, but a bundle has no branches}}
  %y = spyre.exp %a tile [0: "A" in 2] : tensor<256x512xf16>
  return %y : tensor<256x512xf16>
}

// -----

// A placeholder is no name.
func.func @placeholder(%a: tensor<64x128xf16> {spyre.dims = ["A", "B"]}, %b: tensor<64x128xf16>) -> tensor<64x128xf16> {
  // expected-warning @+2 {{"_untracked_64" is a placeholder for dimensions without a name, which spyre.dims can give; hint scope 0 is ignored}}
  // expected-note @+1 {{no dimension of the group has a name}}
  %0 = spyre.neg %b tile [0: "_untracked_64" in 4] : tensor<64x128xf16>
  %1 = spyre.add %0, %a : tensor<64x128xf16>
  return %1 : tensor<64x128xf16>
}

// -----

// A name that nothing has: the hint is ignored, with a warning, and the others are honoured.
func.func @unknown_name(%a: tensor<256x512xf16> {spyre.dims = ["A", "B"]}) -> tensor<256x512xf16> {
  // expected-warning @+2 {{no operation of this group has a dimension named "C" of more than one element; hint scope 0 is ignored}}
  // expected-note @+1 {{dimensions of the group: "A" of 256, "B" of 512}}
  %y = spyre.exp %a tile [0: "C" in 2, 1: "A" in 2] : tensor<256x512xf16>
  return %y : tensor<256x512xf16>
}

// -----

// One row cannot be cut.
func.func @extent_of_one(%a: tensor<1x512xf16> {spyre.dims = ["A", "B"]}) -> tensor<1x512xf16> {
  // expected-warning @+2 {{no operation of this group has a dimension named "A" of more than one element; hint scope 0 is ignored}}
  // expected-note @+1 {{dimensions of the group: "B" of 512}}
  %y = spyre.exp %a tile [0: "A" in 2] : tensor<1x512xf16>
  return %y : tensor<1x512xf16>
}

// -----

// A name that a hint asks for goes through reshapes as a whole.
// expected-note @+1 {{dimension 0 of this value becomes 32 x 8}}
func.func @split_name(%a: tensor<256x512xf16> {spyre.dims = ["A", "B"]}) -> tensor<32x8x512xf16> {
  // expected-error @+1 {{this reshape splits dimension "A" into several; call it the #spyre.merged of its parts where it is declared, or name the parts here with 'spyre.dims'}}
  %e = tensor.expand_shape %a [[0, 1], [2]] output_shape [32, 8, 512] : tensor<256x512xf16> into tensor<32x8x512xf16>
  // expected-warning @+2 {{no operation of this group has a dimension named "A"}}
  // expected-note @+1 {{dimensions of the group: "B" of 512}}
  %y = spyre.neg %e tile [0: "A" in 2, 1: "B" in 2] : tensor<32x8x512xf16>
  return %y : tensor<32x8x512xf16>
}

// -----

func.func @no_elements(%a: tensor<0x512xf16> {spyre.dims = ["A", "B"]}) -> tensor<0x512xf16> {
  // expected-error @+1 {{d0 has extent 0: an empty tensor has no place in device memory}}
  %y = spyre.exp %a tile [0: "A" in 2] : tensor<0x512xf16>
  return %y : tensor<0x512xf16>
}

// -----

// Where a function declares its names, a hint asks for one of them.
func.func @undeclared_name(%a: tensor<256x512xf16> {spyre.dims = ["A", "B"]}) -> tensor<256x512xf16>
    attributes {spyre.dim_sizes = {A = 256, B = 512}} {
  // expected-error @+3 {{hint asks for "C", which is no name that 'spyre.dim_sizes' of the function declares (it declares "A" of 256, "B" of 512)}}
  // expected-warning @+2 {{hint scope 0 is ignored}}
  // expected-note @+1 {{dimensions of the group: "A" of 256, "B" of 512}}
  %y = spyre.exp %a tile [0: "C" in 2] : tensor<256x512xf16>
  return %y : tensor<256x512xf16>
}

// -----

// Names that are expected are checked here too.
func.func @expected(%a: tensor<256x512xf16> {spyre.dims = ["A", "B"]}) -> tensor<256x512xf16> {
  // expected-error @+1 {{dimensions of the result are expected to be ["B", "A"], but are ["A", "B"]}}
  %y = spyre.exp %a tile [0: "A" in 2] {spyre.expected_dims = ["B", "A"]} : tensor<256x512xf16>
  return %y : tensor<256x512xf16>
}

// -----

func.func @dynamic_by_size(%a: tensor<?x512xf16> {spyre.dims = ["A", "B"]}) -> tensor<?x512xf16> {
  // expected-error @+1 {{dimension 0 has a dynamic extent, but 'spyre.dims' of the arguments gives it no name that 'spyre.dim_sizes' of the function declares #spyre.dynamic}}
  %y = spyre.exp %a tile [0: "A" by 64] : tensor<?x512xf16>
  return %y : tensor<?x512xf16>
}

// -----

// Sizes and counts agree when they make as many tiles.
func.func @sizes_disagree(%a: tensor<256x512xf16> {spyre.dims = ["A", "B"]}) -> tensor<256x512xf16> {
  // expected-note @+1 {{the group starts here}}
  %y = spyre.exp %a tile [0: "A" in 4] : tensor<256x512xf16>
  %x = spyre.abs %y tile [0: "A" by 64] : tensor<256x512xf16>
  // expected-error @+1 {{scope 0 asks for "A" in 8 tiles here, but for "A" in 4 at the start of the group}}
  %z = spyre.neg %x tile [0: "A" by 32] : tensor<256x512xf16>
  return %z : tensor<256x512xf16>
}

// -----

func.func @best_hints_disagree(%a: tensor<256x512xf16> {spyre.dims = ["A", "B"]}, %v: tensor<512xf16> {spyre.dims = ["B"]}) -> (tensor<256x512xf16>, tensor<512xf16>) {
  %r = spyre.exp %v tile [0: "A" in 2] : tensor<512xf16>
  // expected-note @+1 {{the group takes the hint from here}}
  %y = spyre.exp %a tile [0: "A" in 2] : tensor<256x512xf16>
  // expected-error @+1 {{scope 0 asks for "A" in 4 tiles here, but for "A" in 2 where the group takes it from}}
  %z = spyre.neg %y tile [0: "A" in 4] : tensor<256x512xf16>
  return %z, %r : tensor<256x512xf16>, tensor<512xf16>
}

// -----

// expected-error @+1 {{the function has 'spyre.tile_scopes', which --spyre-assign-dim-hints has to turn into hints first}}
func.func @scopes(%a: tensor<256x512xf16> {spyre.dims = ["A", "B"]}) -> tensor<256x512xf16> attributes {spyre.tile_scopes = [#spyre.tile_scope<"A" in 2>]} {
  %y = spyre.exp %a : tensor<256x512xf16>
  return %y : tensor<256x512xf16>
}

// -----

func.func @scopes_of_a_loop(%a: tensor<256x512xf16> {spyre.dims = ["A", "B"]}) -> tensor<256x512xf16> {
  %lb = arith.constant 0 : index
  %ub = arith.constant 4 : index
  %step = arith.constant 1 : index
  // expected-error @+1 {{the loop has 'spyre.tile_scopes', which --spyre-assign-dim-hints has to turn into hints first}}
  %r = scf.for %i = %lb to %ub step %step iter_args(%acc = %a) -> tensor<256x512xf16> {
    %y = spyre.exp %acc : tensor<256x512xf16>
    scf.yield %y : tensor<256x512xf16>
  } {spyre.tile_scopes = [#spyre.tile_scope<"A" in 2>]}
  return %r : tensor<256x512xf16>
}

// -----

func.func @too_many_levels(%a: tensor<256x512xf16> {spyre.dims = ["A", "B"]}) -> tensor<256x512xf16> {
  // expected-error @+1 {{65 loop levels, but at most 64}}
  %y = spyre.exp %a tile [0: "A" in 2, 1: "A" in 2, 2: "A" in 2, 3: "A" in 2, 4: "A" in 2, 5: "A" in 2, 6: "A" in 2, 7: "A" in 2, 8: "A" in 2, 9: "A" in 2, 10: "A" in 2, 11: "A" in 2, 12: "A" in 2, 13: "A" in 2, 14: "A" in 2, 15: "A" in 2, 16: "A" in 2, 17: "A" in 2, 18: "A" in 2, 19: "A" in 2, 20: "A" in 2, 21: "A" in 2, 22: "A" in 2, 23: "A" in 2, 24: "A" in 2, 25: "A" in 2, 26: "A" in 2, 27: "A" in 2, 28: "A" in 2, 29: "A" in 2, 30: "A" in 2, 31: "A" in 2, 32: "A" in 2, 33: "A" in 2, 34: "A" in 2, 35: "A" in 2, 36: "A" in 2, 37: "A" in 2, 38: "A" in 2, 39: "A" in 2, 40: "A" in 2, 41: "A" in 2, 42: "A" in 2, 43: "A" in 2, 44: "A" in 2, 45: "A" in 2, 46: "A" in 2, 47: "A" in 2, 48: "A" in 2, 49: "A" in 2, 50: "A" in 2, 51: "A" in 2, 52: "A" in 2, 53: "A" in 2, 54: "A" in 2, 55: "A" in 2, 56: "A" in 2, 57: "A" in 2, 58: "A" in 2, 59: "A" in 2, 60: "A" in 2, 61: "A" in 2, 62: "A" in 2, 63: "A" in 2, 64: "A" in 2] : tensor<256x512xf16>
  return %y : tensor<256x512xf16>
}

// -----

// Rows of 65 elements in tiles of 64: the last tile has one.
func.func @rows_of_one_element(%a: tensor<5x65xf16> {spyre.dims = ["A", "B"]}) -> tensor<5xf16> {
  // expected-error@+1 {{a tile of dimension "B" would have one element, but this operation reads rows of several elements on the stick; use another size of tiles, or another dimension}}
  %0 = spyre.quantscalepertokenfp8 %a dims [1] min 0.5 max 4.0 factor 0.125 tile [0: "B" by 64] : (tensor<5x65xf16>) -> tensor<5xf16>
  return %0 : tensor<5xf16>
}

// -----

// Two tiles are whole sticks where they can be, which leaves one element for the last.
func.func @last_row_of_one_element(%a: tensor<5x65xf16> {spyre.dims = ["A", "B"]}) -> tensor<5xf16> {
  // expected-error@+1 {{a tile of dimension "B" would have one element, but this operation reads rows of several elements on the stick; use another size of tiles, or another dimension}}
  %0 = spyre.quantscalepertokenfp8 %a dims [1] min 0.5 max 4.0 factor 0.125 tile [0: "B" in 2] : (tensor<5x65xf16>) -> tensor<5xf16>
  return %0 : tensor<5xf16>
}

// -----

func.func @single_channel(%a: tensor<1x8x8x65xf16> {spyre.dims = ["N", "H", "W", "C"]}) -> tensor<1x4x4x65xf16> {
  // expected-error@+1 {{a tile of dimension "C" would have one element, but this operation reads rows of several elements on the stick; use another size of tiles, or another dimension}}
  %0 = spyre.maxpoolfwd %a window [2, 2] strides [2, 2] tile [0: "C" by 64] {spyre.dims = ["N", "OH", "OW", "C"]} : (tensor<1x8x8x65xf16>) -> tensor<1x4x4x65xf16>
  return %0 : tensor<1x4x4x65xf16>
}
