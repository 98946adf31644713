// What cannot be cut of dimensions with dynamic extents.

// RUN: spyre-opt %s --coarse-tile --split-input-file --verify-diagnostics
// RUN: not spyre-opt %s --coarse-tile=groups=@by_position:0:2@0 --split-input-file 2>&1 | FileCheck %s --check-prefix=GROUPS

!t = tensor<?x64xf16>
func.func @count(%a: !t {spyre.dims = ["S", "D"]}) -> !t
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 512>}} {
  // expected-error @+1 {{"S" is dynamic, so 2 tiles of it have no fixed extent; give the extent of a tile, a divisor of 512, as in "S" by 64}}
  %y = spyre.exp %a tile [0: "S" in 2] : !t
  return %y : !t
}

// -----

func.func @table(%i: tensor<64xi32> {spyre.dims = ["N"]}, %t: tensor<?x256xf16> {spyre.dims = ["R", "E"]}) -> tensor<64x256xf16>
    attributes {spyre.dim_sizes = {E = 256, N = 64, R = #spyre.dynamic<granularity = 32, max = 128>}} {
  // expected-error @+1 {{coarse-tile: operand #1 has dimension 0, which the indices choose from, and its extent is dynamic; only a fixed one has a form in a bundle}}
  %y = spyre.gather %i, %t dim 0 tile [0: "E" in 2] : (tensor<64xi32>, tensor<?x256xf16>) -> tensor<64x256xf16>
  return %y : tensor<64x256xf16>
}

// -----

!t = tensor<?x256xf16>
func.func @other_dimension(%a: !t {spyre.dims = ["S", "D"]}) -> !t
    attributes {spyre.dim_sizes = {D = 256, S = #spyre.dynamic<granularity = 64, max = 512>}} {
  // expected-error @+1 {{dimension 0 is "S", which is dynamic, but no loop cuts it}}
  %y = spyre.exp %a tile [0: "D" in 2] : !t
  return %y : !t
}

// -----

!t = tensor<?x64xf16>
func.func @no_divisor(%a: !t {spyre.dims = ["S", "D"]}) -> !t
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 512>}} {
  // expected-error @+1 {{dimension "S" is dynamic, with an extent of at most 512, which is no multiple of a tile of 96}}
  %y = spyre.exp %a tile [0: "S" by 96] : !t
  return %y : !t
}

// -----

// On sticks, tiles are whole sticks.
!t = tensor<64x?xf16>
func.func @sticks(%a: !t {spyre.dims = ["D", "S"]}) -> !t
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 32, max = 96>}} {
  // expected-error @+1 {{dimension "S" is dynamic, with an extent of at most 96, which is no multiple of a tile of 64 in whole sticks of 64}}
  %y = spyre.exp %a tile [0: "S" by 32] : !t
  return %y : !t
}

// -----

func.func @mean(%a: tensor<?x64xf16> {spyre.dims = ["S", "D"]}) -> tensor<64xf16>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 512>}} {
  // expected-error @+1 {{a mean over a dynamic dimension divides by a number that no bundle has; a sum can be tiled}}
  %y = spyre.mean %a dims [0] tile [0: "S" by 64] : (tensor<?x64xf16>) -> tensor<64xf16>
  return %y : tensor<64xf16>
}

// -----

func.func @position(%a: tensor<?x64xf16> {spyre.dims = ["S", "D"]}) -> tensor<1x64xi32>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 512>}} {
  // expected-error @+1 {{positions in tiles are counted from the end of the dimension, which is dynamic; the element itself can be searched in tiles}}
  %y = spyre.topkindex %a dim 0 k 1 tile [0: "S" by 64] : (tensor<?x64xf16>) -> tensor<1x64xi32>
  return %y : tensor<1x64xi32>
}

// -----

// An accumulator has a fixed extent.
func.func @accumulator(%a: tensor<?x64xf32> {spyre.dims = ["S", "D"]}) -> tensor<?xf32>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 512>}} {
  // expected-error @+1 {{the parts of this reduction are put together in a tensor with dimension 0 of the operation, whose extent "S" is dynamic; a scope for it outside of that for the reduced dimension makes tiles of it}}
  %y = spyre.sum %a dims [1] tile [0: "D" in 2, 1: "S" by 64] : (tensor<?x64xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @undeclared(%a: tensor<?x64xf16> {spyre.dims = ["S", "D"]}) -> tensor<?x64xf16> {
  // expected-error @+1 {{dimension 0 has a dynamic extent, but 'spyre.dims' of the arguments gives it no name that 'spyre.dim_sizes' of the function declares #spyre.dynamic}}
  %y = spyre.exp %a tile [0: "S" by 64] : tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// -----

func.func @two_at_once(%a: tensor<?x64xf16> {spyre.dims = ["S", "D"]},
                       // expected-note @+1 {{"T" comes from here}}
                       %b: tensor<?x64xf16> {spyre.dims = ["T", "D"]}) -> tensor<?x64xf16>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 512>, T = #spyre.dynamic<granularity = 64, max = 512>}} {
  // expected-error @+1 {{dimension 0 is both "S" and "T", whose extents are independent}}
  %y = spyre.add %a, %b : tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// -----

func.func @fixed_beside(%a: tensor<?x64xf16> {spyre.dims = ["S", "D"]}, %b: tensor<512x64xf16>) -> tensor<?x64xf16>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 512>}} {
  // expected-error @+1 {{dimension 0 is "S", which is dynamic, but has extent 512 in operand #1}}
  %y = spyre.add %a, %b : (tensor<?x64xf16>, tensor<512x64xf16>) -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// -----

func.func @fixed_result(%a: tensor<?x64xf16> {spyre.dims = ["S", "D"]}) -> tensor<512x64xf16>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 512>}} {
  // expected-error @+1 {{dimension 0 of the result has extent 512, but it is "S", which is dynamic}}
  %y = spyre.exp %a : (tensor<?x64xf16>) -> tensor<512x64xf16>
  return %y : tensor<512x64xf16>
}

// -----

func.func @reshaped(%a: tensor<?x64xf16> {spyre.dims = ["S", "D"]}) -> tensor<?xf16>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 512>}} {
  // expected-error @+1 {{this reshape splits "S" or merges it with others, but its extent is dynamic}}
  %y = tensor.collapse_shape %a [[0, 1]] : tensor<?x64xf16> into tensor<?xf16>
  return %y : tensor<?xf16>
}

// -----

func.func @split(%a: tensor<?x64xf16> {spyre.dims = ["S", "D"]}, %n: index) -> tensor<?x2x64xf16>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 512>}} {
  // expected-error @+1 {{this reshape splits "S" or merges it with others, but its extent is dynamic}}
  %y = tensor.expand_shape %a [[0, 1], [2]] output_shape [%n, 2, 64] : tensor<?x64xf16> into tensor<?x2x64xf16>
  return %y : tensor<?x2x64xf16>
}

// -----

// expected-error @+1 {{dimension "S" is declared dynamic with at most 512 elements, but has extent 256 here}}
func.func @other_extent(%a: tensor<256x64xf16> {spyre.dims = ["S", "D"]}) -> tensor<256x64xf16>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 512>}} {
  %y = spyre.exp %a tile [0: "S" by 64] : tensor<256x64xf16>
  return %y : tensor<256x64xf16>
}

// -----

// GROUPS: error: coarse-tile: dimension 0 is "S", which is dynamic, so tiles of it are requested by their extent, with a hint such as "S" by 64
func.func @by_position(%a: tensor<?x64xf16> {spyre.dims = ["S", "D"]}) -> tensor<?x64xf16>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 512>}} {
  %y = spyre.exp %a : tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}
