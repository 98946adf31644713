// RUN: spyre-opt %s --convert-spyre-to-sdscbundle --split-input-file --verify-diagnostics

// The extent must be whole steps of the loop.
func.func @step(%a: tensor<512x64xf16> {spyre.place = #spyre.place<arg 0>, spyre.dims = ["S", "D"]}) -> tensor<512x64xf16>
    attributes {spyre.dim_sizes = {S = #spyre.dynamic<granularity = 64, max = 512>, D = 64}} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %s = spyre.dim_size "S"
  %init = spyre.empty place arg 1 : tensor<512x64xf16>
  // expected-error @+1 {{loop visits "S" in steps of 128, but its extent is any multiple of 64 up to 512}}
  %r = scf.for %i = %c0 to %s step %c128 iter_args(%acc = %init) -> (tensor<512x64xf16>) {
    %t = tensor.extract_slice %a[%i, 0] [128, 64] [1, 1] : tensor<512x64xf16> to tensor<128x64xf16>
    %y = spyre.exp %t place window : tensor<128x64xf16>
    %n = tensor.insert_slice %y into %acc[%i, 0] [128, 64] [1, 1] : tensor<128x64xf16> into tensor<512x64xf16>
    scf.yield %n : tensor<512x64xf16>
  }
  return %r : tensor<512x64xf16>
}

// -----

// The launcher finds the extent in an argument.
func.func @nameless(%a: tensor<512x64xf16> {spyre.place = #spyre.place<arg 0>}) -> tensor<512x64xf16>
    attributes {spyre.dim_sizes = {S = #spyre.dynamic<granularity = 64, max = 512>}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %s = spyre.dim_size "S"
  %init = spyre.empty place arg 1 : tensor<512x64xf16>
  // expected-error @+1 {{loop runs up to the extent of "S", but 'spyre.dims' of no argument has that name, so the launcher does not know it}}
  %r = scf.for %i = %c0 to %s step %c64 iter_args(%acc = %init) -> (tensor<512x64xf16>) {
    %t = tensor.extract_slice %a[%i, 0] [64, 64] [1, 1] : tensor<512x64xf16> to tensor<64x64xf16>
    %y = spyre.exp %t place window : tensor<64x64xf16>
    %n = tensor.insert_slice %y into %acc[%i, 0] [64, 64] [1, 1] : tensor<64x64xf16> into tensor<512x64xf16>
    scf.yield %n : tensor<512x64xf16>
  }
  return %r : tensor<512x64xf16>
}

// -----

// A window that is still inside in the last iteration of the longest loop.
func.func @outside(%a: tensor<512x64xf16> {spyre.place = #spyre.place<arg 0>, spyre.dims = ["S", "D"]}) -> tensor<512x64xf16>
    attributes {spyre.dim_sizes = {S = #spyre.dynamic<granularity = 64, max = 512>, D = 64}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %s = spyre.dim_size "S"
  %init = spyre.empty place arg 1 : tensor<512x64xf16>
  %r = scf.for %i = %c0 to %s step %c64 iter_args(%acc = %init) -> (tensor<512x64xf16>) {
    // expected-error @+1 {{window covers [0, 576) of dimension 0, which has extent 512}}
    %t = tensor.extract_slice %a[%i, 0] [128, 64] [1, 1] : tensor<512x64xf16> to tensor<128x64xf16>
    %y = spyre.exp %t place window : tensor<128x64xf16>
    %n = tensor.insert_slice %y into %acc[%i, 0] [128, 64] [1, 1] : tensor<128x64xf16> into tensor<512x64xf16>
    scf.yield %n : tensor<512x64xf16>
  }
  return %r : tensor<512x64xf16>
}

// -----

// A copy of all the room that there is.
func.func @whole(%a: tensor<512x64xf16> {spyre.place = #spyre.place<arg 0>, spyre.dims = ["S", "D"]}) -> tensor<512x64xf16>
    attributes {spyre.dim_sizes = {S = #spyre.dynamic<granularity = 64, max = 512>, D = 64}} {
  // expected-error @+1 {{works on all 512 elements of "S" that there may be, but the extent of a run may be smaller}}
  %y = spyre.copy %a place arg 1 : tensor<512x64xf16>
  return %y : tensor<512x64xf16>
}
