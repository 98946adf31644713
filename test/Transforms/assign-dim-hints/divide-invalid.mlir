// RUN: spyre-opt %s --spyre-assign-dim-hints --split-input-file --verify-diagnostics

// Cores for dimensions by name that are not possible, and those that are not met.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<256x512xf16, #stick>

func.func @rows(%a: !t {spyre.dims = ["A", "B"]}) -> !t {
  // expected-error @+1 {{spyre-assign-dim-hints: "A" over 3 gives cores unequal parts of dimension 0: 3 does not divide its extent 256}}
  %y = spyre.exp %a divide ["A" over 3] : !t
  return %y : !t
}

// -----

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<256x512xf16, #stick>

// 512 columns are 8 sticks.
func.func @sticks(%a: !t {spyre.dims = ["A", "B"]}) -> !t {
  // expected-error @+1 {{"B" over 16 gives cores unequal parts of dimension 1: 16 does not divide its 8 sticks of 64}}
  %y = spyre.exp %a divide ["B" over 16] : !t
  return %y : !t
}

// -----

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>

func.func @ragged_stick(%a: tensor<8x200xf16, #stick> {spyre.dims = ["A", "B"]}) -> tensor<8x200xf16, #stick> {
  // expected-error @+1 {{"B" over 2 gives cores unequal parts of dimension 1: its extent 200 is no whole number of sticks of 64}}
  %y = spyre.exp %a divide ["B" over 2] : tensor<8x200xf16, #stick>
  return %y : tensor<8x200xf16, #stick>
}

// -----

func.func @reduced_twice(%a: tensor<64x32x128xf16> {spyre.dims = ["A", "B", "C"]}) -> tensor<64xf16> {
  // expected-error @+1 {{"C" over 2: the reduced dimensions 1 and 2 are both split, and the card combines the parts of one}}
  %y = spyre.sum %a dims [1, 2] divide ["A" over 4, "B" over 2, "C" over 2] : (tensor<64x32x128xf16>) -> tensor<64xf16>
  return %y : tensor<64xf16>
}

// -----

func.func @searched(%a: tensor<64x128xf16> {spyre.dims = ["A", "B"]}) -> tensor<64x1xf16> {
  // expected-error @+1 {{"B" over 2: split of the reduced dimension 2 leaves each core a part of the result, and parts of 'spyre.topkvalue' are not combined}}
  %y = spyre.topkvalue %a dim 1 k 1 divide ["A" over 4, "B" over 2] : (tensor<64x128xf16>) -> tensor<64x1xf16>
  return %y : tensor<64x1xf16>
}

// -----

func.func @two_names(%a: tensor<64x128xf16> {spyre.dims = ["A", "B"]}, %b: tensor<64x128xf16> {spyre.dims = ["C", "B"]}) -> tensor<64x128xf16> {
  // expected-error @+1 {{"A" over 4 and "C" over 2 both divide dimension 0}}
  %y = spyre.add %a, %b divide ["A" over 4, "C" over 2] : tensor<64x128xf16>
  return %y : tensor<64x128xf16>
}

// -----

func.func @two_dimensions(%a: tensor<64x64xf16> {spyre.dims = ["A", "B"]}) -> tensor<64x64xf16> {
  %p = spyre.permute %a [1, 0] : tensor<64x64xf16> to tensor<64x64xf16>
  // expected-error @+1 {{"A" names both dimension 0 and dimension 1 of this operation}}
  %y = spyre.add %a, %p divide ["A" over 4] : tensor<64x64xf16>
  return %y : tensor<64x64xf16>
}

// -----

func.func @split(%a: tensor<64x128xf16> {spyre.dims = ["A", "B"]}) -> tensor<64x128xf16> attributes {spyre.tile_scopes = [#spyre.tile_scope<"A" over 4>]} {
  // expected-error @+1 {{operation has split [8, 1], but a scope around it divides dimensions by name, "A" over 4; remove one of them}}
  %y = spyre.exp %a split [8, 1] : tensor<64x128xf16>
  return %y : tensor<64x128xf16>
}

// -----

func.func @too_many_cores(%a: tensor<64x128xf16> {spyre.dims = ["A", "B"]}) -> tensor<64x128xf16> {
  // expected-warning @+1 {{spyre-assign-dim-hints: "A" over 64 is skipped: it needs 64 cores, but the target has 32}}
  %y = spyre.exp %a divide ["A" over 64] : tensor<64x128xf16>
  return %y : tensor<64x128xf16>
}

// -----

module attributes {spyre.target = #spyre.target<cores = 4>} {
  func.func @small_target(%a: tensor<64x128xf16> {spyre.dims = ["A", "B"]}) -> tensor<64x128xf16> {
    // expected-warning @+1 {{"A" over 8 is skipped: it needs 8 cores, but the target has 4}}
    %y = spyre.exp %a divide ["A" over 8, "B" over 2] : tensor<64x128xf16>
    return %y : tensor<64x128xf16>
  }
}

// -----

// Warned about once.
func.func @later_ones(%a: tensor<64x512xf16> {spyre.dims = ["A", "B"]}) -> tensor<64x512xf16>
    attributes {spyre.tile_scopes = [#spyre.tile_scope<"A" over 16>, #spyre.tile_scope<"B" over 4>]} {
  // expected-warning @+1 {{spyre-assign-dim-hints: "B" over 4 is skipped: it needs 64 cores after the division into 16 parts by other requests, but the target has 32}}
  %y = spyre.exp %a : tensor<64x512xf16>
  %z = spyre.neg %y : tensor<64x512xf16>
  return %z : tensor<64x512xf16>
}

// -----

func.func @no_such_name(%a: tensor<64x512xf16> {spyre.dims = ["A", "B"]}) -> tensor<64x512xf16> {
  %x = spyre.neg %a divide ["A" over 2] : tensor<64x512xf16>
  // expected-warning @+1 {{spyre-assign-dim-hints: no operation to be divided has a dimension named "Q" of more than one element; "Q" over 2 is ignored}}
  %y = spyre.exp %x divide ["A" over 2, "Q" over 2] : tensor<64x512xf16>
  return %y : tensor<64x512xf16>
}

// -----

func.func @undeclared(%a: tensor<64x512xf16> {spyre.dims = ["A", "B"]}) -> tensor<64x512xf16> attributes {spyre.dim_sizes = {A = 64, B = 512}} {
  // expected-error @+1 {{hint asks for "Q", which is no name that 'spyre.dim_sizes' of the function declares}}
  %y = spyre.exp %a divide ["Q" over 2] : tensor<64x512xf16>
  return %y : tensor<64x512xf16>
}

// -----

func.func @lost(%a: tensor<256x512xf16> {spyre.dims = ["A", "B"]}) -> tensor<32x8x512xf16> {
  // expected-note @-1 {{dimension 0 of this value becomes 32 x 8}}
  // expected-error @+1 {{this reshape splits dimension "A" into several}}
  %e = tensor.expand_shape %a [[0, 1], [2]] output_shape [32, 8, 512] : tensor<256x512xf16> into tensor<32x8x512xf16>
  %y = spyre.exp %e divide ["A" over 2] : tensor<32x8x512xf16>
  return %y : tensor<32x8x512xf16>
}

// -----

func.func @in_a_branch(%a: tensor<256x512xf16>, %p: i1) -> tensor<256x512xf16> {
  // expected-note @+1 {{the region is here}}
  %r = scf.if %p -> tensor<256x512xf16> {
    // expected-error @+1 {{operation is in a region that is not the body of a loop}}
    %y = spyre.exp %a divide ["A" over 2] : tensor<256x512xf16>
    scf.yield %y : tensor<256x512xf16>
  } else {
    scf.yield %a : tensor<256x512xf16>
  }
  return %r : tensor<256x512xf16>
}

// -----

func.func @gather(%i: tensor<64xi32> {spyre.dims = ["N"]}, %t: tensor<128x256xf16> {spyre.dims = ["R", "E"]}) -> tensor<64x256xf16> {
  // expected-error @+1 {{spyre-assign-dim-hints: "N" over 4 divides a gather over 4 cores, but an operation that takes coordinates from a tensor runs on one core}}
  %y = spyre.gather %i, %t dim 0 divide ["N" over 4] : (tensor<64xi32>, tensor<128x256xf16>) -> tensor<64x256xf16>
  return %y : tensor<64x256xf16>
}

// -----

// The result has no layout yet; the operand's has two sticks.
#l = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
func.func @operand(%a: tensor<8x128xf16, #l> {spyre.dims = ["A", "B"]}) -> tensor<8x128xf16> {
  // expected-error @below {{"B" over 4 gives cores unequal parts of dimension 1: 4 does not divide its 2 sticks of 64}}
  %y = spyre.abs %a divide ["B" over 4] : (tensor<8x128xf16, #l>) -> tensor<8x128xf16>
  return %y : tensor<8x128xf16>
}
