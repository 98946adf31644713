// RUN: spyre-opt %s --spyre-work-division --split-input-file --verify-diagnostics

// What the pass refuses.

func.func @too_many_cores(%a: tensor<64x128xf16>) -> tensor<64x128xf16> {
  // expected-error @+1 {{spyre-work-division: split [32, 2] needs 64 cores, but the target has 32}}
  %0 = spyre.exp %a split [32, 2] : tensor<64x128xf16>
  return %0 : tensor<64x128xf16>
}

// -----

func.func @names(%a: tensor<64x128xf16> {spyre.dims = ["A", "B"]}) -> tensor<64x128xf16> {
  // expected-error @+1 {{spyre-work-division: 'divide' names dimensions; --spyre-assign-dim-hints comes first and finds them}}
  %0 = spyre.exp %a divide ["A" over 4] : tensor<64x128xf16>
  return %0 : tensor<64x128xf16>
}

// -----

func.func @parts_of_two_sums(%a: tensor<64x32x128xf16>) -> tensor<64xf16> {
  // expected-error @+1 {{spyre-work-division: the reduced dimensions 1 and 2 are both split, and the card combines the parts of one}}
  %0 = spyre.sum %a dims [1, 2] split [1, 2, 2] : (tensor<64x32x128xf16>) -> tensor<64xf16>
  return %0 : tensor<64xf16>
}

// -----

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
func.func @parts_of_a_stick(%a: tensor<64x100xf16, #stick>) -> tensor<64xf16> {
  // expected-error @+1 {{split of dimension 1 over 2 cores gives them unequal parts: extent 100 is no whole number of sticks of 64}}
  %0 = spyre.sum %a dims [1] split [1, 2] : (tensor<64x100xf16, #stick>) -> tensor<64xf16>
  return %0 : tensor<64xf16>
}

// -----

func.func @parts_of_a_search(%a: tensor<64x128xf16>) -> tensor<64x1xf16> {
  // expected-error @+1 {{split of the reduced dimension 2 leaves each core a part of the result, and parts of 'spyre.topkvalue' are not combined}}
  %0 = spyre.topkvalue %a dim 1 k 1 split [4, 1, 2] : (tensor<64x128xf16>) -> tensor<64x1xf16>
  return %0 : tensor<64x1xf16>
}

// -----

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
func.func @unequal_parts(%a: tensor<4x100xf16, #stick>) -> tensor<4x100xf16, #stick> {
  // expected-error @+1 {{split of dimension 1 over 2 cores gives them unequal parts: extent 100 is no whole number of sticks of 64}}
  %0 = spyre.exp %a split [4, 2] : tensor<4x100xf16, #stick>
  return %0 : tensor<4x100xf16, #stick>
}

// -----

// Without a layout the default one holds, and 32 of its elements are half a stick.
func.func @cuts_sticks(%a: tensor<4x128xf16>) -> tensor<4x128xf16> {
  // expected-error @+1 {{split of dimension 1 over 4 cores does not divide its 2 sticks}}
  %0 = spyre.exp %a split [1, 4] : tensor<4x128xf16>
  return %0 : tensor<4x128xf16>
}

// -----

func.func @dynamic(%a: tensor<?x128xf16>) -> tensor<?x128xf16> {
  // expected-error @+1 {{has a dynamic extent in dimension 0}}
  %0 = spyre.exp %a : tensor<?x128xf16>
  return %0 : tensor<?x128xf16>
}

// -----

func.func @in_a_branch(%a: tensor<64x128xf16>, %p: i1) -> tensor<64x128xf16> {
  // expected-note @+1 {{the region is here}}
  %r = scf.if %p -> tensor<64x128xf16> {
    // expected-error @+1 {{spyre-work-division: operation is in a region that is not the body of a loop}}
    %y = spyre.exp %a : tensor<64x128xf16>
    scf.yield %y : tensor<64x128xf16>
  } else {
    scf.yield %a : tensor<64x128xf16>
  }
  return %r : tensor<64x128xf16>
}

// -----

// expected-note @+1 {{the function is here}}
func.func @several_blocks(%a: tensor<64x128xf16>) -> tensor<64x128xf16> {
  cf.br ^next
^next:
  // expected-error @+1 {{operation is in a function of several blocks}}
  %y = spyre.exp %a : tensor<64x128xf16>
  return %y : tensor<64x128xf16>
}
