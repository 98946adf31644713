// RUN: spyre-opt %s --spyre-assign-dim-hints --split-input-file --verify-diagnostics

// expected-error @+1 {{spyre-assign-dim-hints: scope is around operations 0 to 1, but there are 1 device operations}}
func.func @not_there(%a: tensor<256x512xf16>) -> tensor<256x512xf16> attributes {spyre.tile_scopes = [#spyre.tile_scope<"A" in 2, ops 0 to 1>]} {
  %y = spyre.exp %a : tensor<256x512xf16>
  return %y : tensor<256x512xf16>
}

// -----

func.func @too_large(%a: tensor<256x512xf16>) -> tensor<256x512xf16> attributes {spyre.tile_scopes = [#spyre.tile_scope<"A" in 2>]} {
  // expected-error @+1 {{spyre-assign-dim-hints: the number of scope 9223372036854775807 overflows when the 1 scopes around it are added}}
  %y = spyre.exp %a tile [9223372036854775807: "B" in 2] : tensor<256x512xf16>
  return %y : tensor<256x512xf16>
}

// -----

func.func @in_a_branch(%a: tensor<256x512xf16>, %p: i1) -> tensor<256x512xf16> attributes {spyre.tile_scopes = [#spyre.tile_scope<"A" in 2>]} {
  // expected-note @+1 {{the region is here}}
  %r = scf.if %p -> tensor<256x512xf16> {
    // expected-error @+1 {{operation is in a region that is not the body of a loop}}
    %y = spyre.exp %a : tensor<256x512xf16>
    scf.yield %y : tensor<256x512xf16>
  } else {
    scf.yield %a : tensor<256x512xf16>
  }
  return %r : tensor<256x512xf16>
}

// -----

// expected-note @+1 {{the function is here}}
func.func @several_blocks(%a: tensor<256x512xf16>) -> tensor<256x512xf16> attributes {spyre.tile_scopes = [#spyre.tile_scope<"A" in 2>]} {
  cf.br ^next
^next:
  // expected-error @+1 {{operation is in a function of several blocks}}
  %y = spyre.exp %a : tensor<256x512xf16>
  return %y : tensor<256x512xf16>
}
