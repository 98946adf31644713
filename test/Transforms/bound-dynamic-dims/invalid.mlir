// RUN: spyre-opt %s --spyre-bound-dynamic-dims --split-input-file --verify-diagnostics

func.func @not_tiled(%a: tensor<?x64xf16> {spyre.dims = ["S", "D"]}) -> tensor<?x64xf16>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 512>}} {
  // expected-error @+1 {{spyre-bound-dynamic-dims: dimension 0 is "S", which is dynamic, but no loop cuts it into tiles of a fixed extent; --coarse-tile does, with a hint such as "S" by 64}}
  %y = spyre.exp %a : tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// -----

func.func @not_declared(%a: tensor<?x?xf16> {spyre.dims = ["S", "D"]}) -> tensor<?x?xf16>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 8, max = 8>}} {
  // expected-error @+1 {{dimension 1 of the result has a dynamic extent, but 'spyre.dims' gives it no name that 'spyre.dim_sizes' of the function declares #spyre.dynamic}}
  %y = spyre.exp %a : tensor<?x?xf16>
  return %y : tensor<?x?xf16>
}

// -----

// A size that is no extent of a dimension.
func.func @other_size(%a: tensor<?x64xf16> {spyre.dims = ["S", "D"]}, %n: index) -> tensor<?x64xf16>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 512>}} {
  // expected-error @+1 {{dimension 0 of the result has a dynamic extent, but 'spyre.dims' gives it no name that 'spyre.dim_sizes' of the function declares #spyre.dynamic}}
  %y = spyre.empty(%n) : tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// -----

func.func @in_a_branch(%a: tensor<?x64xf16> {spyre.dims = ["S", "D"]}, %c: i1) -> tensor<?x64xf16>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 512>}} {
  // expected-error @+1 {{scf.if has a result with a dynamic extent, which is not supported}}
  %r = scf.if %c -> tensor<?x64xf16> {
    scf.yield %a : tensor<?x64xf16>
  } else {
    scf.yield %a : tensor<?x64xf16>
  }
  return %r : tensor<?x64xf16>
}

// -----

func.func @table(%i: tensor<64xi32> {spyre.dims = ["N"]}, %t: tensor<?x256xf16> {spyre.dims = ["R", "E"]}) -> tensor<64x256xf16>
    attributes {spyre.dim_sizes = {E = 256, N = 64, R = #spyre.dynamic<granularity = 32, max = 128>}} {
  // expected-error @+1 {{spyre-bound-dynamic-dims: operand #1 has dimension 0, which the indices choose from, and its extent is dynamic; only a fixed one has a form in a bundle}}
  %y = spyre.gather %i, %t dim 0 : (tensor<64xi32>, tensor<?x256xf16>) -> tensor<64x256xf16>
  return %y : tensor<64x256xf16>
}

// -----

func.func @turned(%a: tensor<?x?xf16> {spyre.dims = ["R", "C"]}) -> tensor<?x?xf16>
    attributes {spyre.dim_sizes = {C = #spyre.dynamic<granularity = 64, max = 128>, R = #spyre.dynamic<granularity = 32, max = 128>}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tensor.dim %a, %c0 : tensor<?x?xf16>
  %c = tensor.dim %a, %c1 : tensor<?x?xf16>
  %s = tensor.from_elements %c, %r : tensor<2xindex>
  // expected-error @+1 {{a reshape to dynamic extents is of a part of the largest tensor, which is not contiguous in device memory; only the host can reshape it}}
  %y = tensor.reshape %a(%s) : (tensor<?x?xf16>, tensor<2xindex>) -> tensor<?x?xf16>
  return %y : tensor<?x?xf16>
}
