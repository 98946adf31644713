// RUN: spyre-opt %s --spyre-choose-tiles --split-input-file --verify-diagnostics
// RUN: not spyre-opt %s --spyre-choose-tiles=goal=speed --split-input-file 2>&1 | FileCheck %s
// CHECK: error: spyre-choose-tiles: no goal is called 'speed'; there are span and traffic

// expected-error @+1 {{spyre-choose-tiles: the function has 'spyre.tile_scopes', which --spyre-assign-dim-hints has to turn into hints first}}
func.func @scopes(%a: tensor<256x512xf16>) -> tensor<256x512xf16> attributes {spyre.tile_scopes = [#spyre.tile_scope<"A" in 2>]} {
  %y = spyre.exp %a : tensor<256x512xf16>
  return %y : tensor<256x512xf16>
}

// -----

#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
func.func @undecided(%a: tensor<256x512xf16>) -> tensor<256x512xf16> {
  // expected-error @+1 {{spyre-choose-tiles: the layout of this value is not chosen yet; --spyre-insert-restickify comes first}}
  %y = spyre.exp %a {spyre.layout_candidates = [#rows]} : tensor<256x512xf16>
  return %y : tensor<256x512xf16>
}

// -----

#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
func.func @planned(%a: tensor<256x512xf16, #rows>) -> tensor<256x512xf16, #rows> {
  // expected-error @+1 {{spyre-choose-tiles: operation already has a place; tiles come before --spyre-scratchpad-planning}}
  %y = spyre.exp %a place arg 1 : tensor<256x512xf16, #rows>
  return %y : tensor<256x512xf16, #rows>
}

// -----

func.func @in_a_branch(%a: tensor<256x512xf16>, %p: i1) -> tensor<256x512xf16> {
  // expected-note @+1 {{the region is here}}
  %r = scf.if %p -> tensor<256x512xf16> {
    // expected-error @+1 {{spyre-choose-tiles: operation is in a region that is not the body of a loop}}
    %y = spyre.exp %a : tensor<256x512xf16>
    scf.yield %y : tensor<256x512xf16>
  } else {
    scf.yield %a : tensor<256x512xf16>
  }
  return %r : tensor<256x512xf16>
}

// -----

// 8209 is a prime.
func.func @prime(%a: tensor<1x8209x256x64xf16>) -> tensor<1x8209x256x64xf16> {
  // expected-warning @+1 {{spyre-choose-tiles: operand #0 spans 268992512 bytes in memory, but a core reaches 268431360; no tiles make it less}}
  %x = spyre.exp %a : tensor<1x8209x256x64xf16>
  return %x : tensor<1x8209x256x64xf16>
}

// -----

// The sum runs over what is outermost in memory.
func.func @reduced(%a: tensor<8200x256x128xf16>) -> tensor<8200x128xf16> {
  // expected-warning @+1 {{spyre-choose-tiles: operand #0 spans 537395200 bytes in memory, but a core reaches 268431360; no tiles make it less}}
  %x = spyre.sum %a dims [1] : (tensor<8200x256x128xf16>) -> tensor<8200x128xf16>
  return %x : tensor<8200x128xf16>
}

// -----

// 16 tiles of a dimension are the most.
#target = #spyre.target<span_limit_bytes = 256>
module attributes {spyre.target = #target} {
  func.func @many(%a: tensor<4096x64xf16>) -> tensor<4096x64xf16> {
    // expected-warning @+1 {{operand #0 spans 524288 bytes in memory, but a core reaches 256; the smallest span of a tile is 32768, with dimension 0 in 16}}
    %x = spyre.exp %a : tensor<4096x64xf16>
    return %x : tensor<4096x64xf16>
  }
}
