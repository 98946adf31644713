// RUN: spyre-opt %s --split-input-file --spyre-import-linalg --verify-diagnostics -o /dev/null

// What a program computes from an extent or a position that is chosen at run time is not computed at compile time.

func.func @mean(%a: tensor<?x64xf32> {spyre.dims = ["S", "D"]}) -> tensor<f32>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  // expected-note @+1 {{the extent is read here}}
  %s = tensor.dim %a, %c0 : tensor<?x64xf32>
  // expected-error @+1 {{convert-linalg-to-spyre: 'arith.index_cast' computes with the extent of "S", which is dynamic}}
  %n = arith.index_cast %s : index to i64
  // expected-error @+1 {{convert-linalg-to-spyre: 'arith.sitofp' has no device operation}}
  %count = arith.sitofp %n : i64 to f32
  %e = tensor.empty() : tensor<f32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  // expected-error @+1 {{convert-linalg-to-spyre: the body computes with the extent of "S", which is dynamic}}
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%a : tensor<?x64xf32>) outs(%i : tensor<f32>) {
  ^bb0(%in: f32, %sum: f32):
    %d = arith.divf %in, %count : f32
    %x = arith.addf %d, %sum : f32
    linalg.yield %x : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// The position of the largest element, along a dimension that is reduced: how exact it is depends on the extent.
func.func @positions(%a: tensor<?x64xf32> {spyre.dims = ["S", "D"]}) -> tensor<64xi64>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %low = arith.constant dense<0xFF800000> : tensor<64xf32>
  %zero = arith.constant dense<0> : tensor<64xi64>
  // expected-error @+1 {{convert-linalg-to-spyre: the position of an element is searched for along "S", whose extent is dynamic; give the function a tensor of positions}}
  %r:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]} ins(%a : tensor<?x64xf32>) outs(%low, %zero : tensor<64xf32>, tensor<64xi64>) {
  ^bb0(%in: f32, %most: f32, %at: i64):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    %c = arith.cmpf ogt, %in, %most : f32
    %x = arith.select %c, %in, %most : f32
    %y = arith.select %c, %n, %at : i64
    linalg.yield %x, %y : f32, i64
  } -> (tensor<64xf32>, tensor<64xi64>)
  return %r#1 : tensor<64xi64>
}

// -----

// expected-note @+1 {{it comes from here}}
func.func @behind(%a: tensor<?x64xf32> {spyre.dims = ["S", "D"]}) -> tensor<?x64xf32>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  // expected-error @+1 {{this concatenates tensors along "S", whose extent is dynamic}}
  %r = tensor.concat dim(0) %a, %a : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}

// -----

// expected-note @+2 {{"S" comes from here}}
// expected-note @+1 {{"T" comes from here}}
func.func @chosen_apart(%a: tensor<?x64xf32> {spyre.dims = ["S", "D"]}, %b: tensor<?x64xf32> {spyre.dims = ["T", "D"]}) -> tensor<?x128xf32>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>, T = #spyre.dynamic<granularity = 64, max = 256>}} {
  // expected-error @+1 {{dimension 0 is both "S" and "T", whose extents are independent}}
  %r = tensor.concat dim(1) %a, %b : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x128xf32>
  return %r : tensor<?x128xf32>
}

// -----

func.func @shifted(%a: tensor<?x64xf32> {spyre.dims = ["S", "D"]}, %b: tensor<2x64xf32>) -> tensor<2x64xf32>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  // expected-error @+1 {{convert-linalg-to-spyre: a slice takes only a part of "S", whose extent is dynamic}}
  %x = tensor.extract_slice %a[63, 0] [2, 64] [1, 1] : tensor<?x64xf32> to tensor<2x64xf32>
  %e = tensor.empty() : tensor<2x64xf32>
  %r = linalg.add ins(%x, %b : tensor<2x64xf32>, tensor<2x64xf32>) outs(%e : tensor<2x64xf32>) -> tensor<2x64xf32>
  return %r : tensor<2x64xf32>
}

// -----

func.func @merged(%a: tensor<?x64xf32> {spyre.dims = ["S", "D"]}) -> tensor<?xf32>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  // expected-error @+1 {{this reshape splits "S" or merges it with others, but its extent is dynamic}}
  %c = tensor.collapse_shape %a [[0, 1]] : tensor<?x64xf32> into tensor<?xf32>
  %c0 = arith.constant 0 : index
  %s = tensor.dim %c, %c0 : tensor<?xf32>
  %e = tensor.empty(%s) : tensor<?xf32>
  %r = linalg.exp ins(%c : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @undeclared(%a: tensor<?x64xf32> {spyre.dims = ["S", "D"]}, %b: tensor<?x64xf32>) -> tensor<?x64xf32>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %c0 = arith.constant 0 : index
  %s = tensor.dim %b, %c0 : tensor<?x64xf32>
  // expected-error @+1 {{dimension 0 of the result has a dynamic extent, but 'spyre.dims' gives it no name that 'spyre.dim_sizes' of the function declares #spyre.dynamic}}
  %e = tensor.empty(%s) : tensor<?x64xf32>
  %r = linalg.exp ins(%b : tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}

// -----

// Two that are chosen apart are not added.
// expected-note @+2 {{"S" comes from here}}
// expected-note @+1 {{"T" comes from here}}
func.func @apart(%a: tensor<?x64xf32> {spyre.dims = ["S", "D"]}, %b: tensor<?x64xf32> {spyre.dims = ["T", "D"]}) -> tensor<?x64xf32>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>, T = #spyre.dynamic<granularity = 64, max = 256>}} {
  %c0 = arith.constant 0 : index
  %s = tensor.dim %b, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%s) : tensor<?x64xf32>
  // expected-error @+1 {{convert-linalg-to-spyre: loop d0 is along both "S" and "T", whose extents are independent}}
  %r = linalg.add ins(%a, %b : tensor<?x64xf32>, tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}

// -----

// A window of rows, as a convolution reads it.
func.func @window(%a: tensor<?x64xf32> {spyre.dims = ["S", "D"]}, %w: tensor<3xf32>, %e: tensor<64xf32>) -> tensor<64xf32>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  // expected-error @+1 {{convert-linalg-to-spyre: a slice takes only a part of "S", whose extent is dynamic}}
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1 + 62, d0)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%a, %w : tensor<?x64xf32>, tensor<3xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%in: f32, %f: f32, %sum: f32):
    %p = arith.mulf %in, %f : f32
    %x = arith.addf %p, %sum : f32
    linalg.yield %x : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

// The result alone is along it.
func.func @filled(%a: tensor<?x64xf32> {spyre.dims = ["S", "D"]}) -> tensor<?x64xf32>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %s = tensor.dim %a, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%s) : tensor<?x64xf32>
  // expected-error @+1 {{spyre-copy-joined-parts: a tensor with one value everywhere is along "S", whose extent is dynamic}}
  %r = linalg.fill ins(%one : f32) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  // expected-note @+1 {{it is read here}}
  return %r : tensor<?x64xf32>
}

// -----

// An extent that is read inside of a body.
func.func @dim_in_body(%a: tensor<?x64xf16> {spyre.dims = ["S", "D"]}) -> tensor<?x64xf16> attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %c0 = arith.constant 0 : index
  %s = tensor.dim %a, %c0 : tensor<?x64xf16>
  %e = tensor.empty(%s) : tensor<?x64xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<?x64xf16>) outs(%e : tensor<?x64xf16>) {
  ^bb0(%x: f16, %o: f16):
    %n = tensor.dim %a, %c0 : tensor<?x64xf16>
    %i = arith.index_cast %n : index to i32
    // expected-error @+1 {{convert-linalg-to-spyre: the body computes with the extent of "S", which is dynamic}}
    %f = arith.sitofp %i : i32 to f16
    %y = arith.addf %x, %f : f16
    linalg.yield %y : f16
  } -> tensor<?x64xf16>
  return %r : tensor<?x64xf16>
}

// -----

// What is around ones is no input.
func.func @pad_of_ones(%a: tensor<?x64xf16> {spyre.dims = ["S", "D"]}) -> tensor<64xf16> attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %c0 = arith.constant 0 : index
  %s = tensor.dim %a, %c0 : tensor<?x64xf16>
  %one = arith.constant 1.0 : f16
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty(%s) : tensor<?x60xf16>
  %e1 = tensor.empty() : tensor<64xf16>
  %z = linalg.fill ins(%zero : f16) outs(%e1 : tensor<64xf16>) -> tensor<64xf16>
  %o = linalg.fill ins(%one : f16) outs(%e : tensor<?x60xf16>) -> tensor<?x60xf16>
  // expected-error @+1 {{a tensor with one value everywhere is concatenated with others along a dynamic dimension, but all others are computed later}}
  %p = tensor.pad %o low[0, 0] high[0, 4] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f16
  } : tensor<?x60xf16> to tensor<?x64xf16>
  %r = linalg.reduce {arith.addf} ins(%p : tensor<?x64xf16>) outs(%z : tensor<64xf16>) dimensions = [0]
  return %r : tensor<64xf16>
}

// -----

// A cut inside of a loop.
func.func @sum_in_a_loop(%a: tensor<64x?xi32> {spyre.dims = ["D", "S"]}, %w: tensor<3x64xi32>) -> tensor<64xi32> attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %e = tensor.empty() : tensor<64xi32>
  %z = arith.constant 0 : i32
  %f = linalg.fill ins(%z : i32) outs(%e : tensor<64xi32>) -> tensor<64xi32>
  %l = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %f) -> (tensor<64xi32>) {
    %row = tensor.extract_slice %w[%i, 0] [1, 64] [1, 1] : tensor<3x64xi32> to tensor<64xi32>
    // expected-error @+1 {{convert-linalg-to-spyre: integers are added up or compared in halves, which cuts "S", whose extent is dynamic}}
    %r = linalg.reduce {arith.addi} ins(%a : tensor<64x?xi32>) outs(%row : tensor<64xi32>) dimensions = [1]
    %s = linalg.add ins(%r, %acc : tensor<64xi32>, tensor<64xi32>) outs(%e : tensor<64xi32>) -> tensor<64xi32>
    scf.yield %s : tensor<64xi32>
  }
  return %l : tensor<64xi32>
}

// -----

// The elements of a diagonal are chosen by a mask, which would have the extent.
// expected-note @+1 {{the operand comes from here}}
func.func @diagonal(%x: tensor<?x?xf32> {spyre.dims = ["S", "T"]}) -> tensor<?xf32>
    attributes {spyre.dim_sizes = {S = #spyre.dynamic<granularity = 64, max = 512>, T = "S"}} {
  %c0 = arith.constant 0 : index
  %s = tensor.dim %x, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%s) : tensor<?xf32>
  // expected-error @+1 {{loop d0 is along two dimensions of operand #0; the diagonal of "S", whose extent is dynamic, is not supported}}
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0, d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<?x?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %out: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// A number of elements depends on no input and on the extent alone.
#a = affine_map<(d0, d1) -> (d0, d1)>
#c = affine_map<(d0, d1) -> (d1)>
func.func @count(%a: tensor<?x64xf32> {spyre.dims = ["S", "D"]}) -> tensor<64xf32>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %s = tensor.dim %a, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%s) : tensor<?x64xf32>
  %ones = linalg.fill ins(%one : f32) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  %r = tensor.empty() : tensor<64xf32>
  %i = linalg.fill ins(%zero : f32) outs(%r : tensor<64xf32>) -> tensor<64xf32>
  // expected-error @+2 {{spyre-copy-joined-parts: a tensor with one value everywhere is along "S", whose extent is dynamic}}
  // expected-note @+1 {{it is read here}}
  %y = linalg.generic {indexing_maps = [#a, #c], iterator_types = ["reduction", "parallel"]} ins(%ones : tensor<?x64xf32>) outs(%i : tensor<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %in, %out : f32
    linalg.yield %v : f32
  } -> tensor<64xf32>
  return %y : tensor<64xf32>
}

// -----

// So does one that only looks at an input.
#a = affine_map<(d0, d1) -> (d0, d1)>
#c = affine_map<(d0, d1) -> (d1)>
func.func @looks(%a: tensor<?x64xf32> {spyre.dims = ["S", "D"]}, %b: tensor<64xf32>) -> tensor<64xf32>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %one = arith.constant 1.0 : f32
  // expected-error @+2 {{spyre-copy-joined-parts: a tensor with one value everywhere is along "S", whose extent is dynamic}}
  // expected-note @+1 {{it is read here}}
  %y = linalg.generic {indexing_maps = [#a, #c], iterator_types = ["reduction", "parallel"]} ins(%a : tensor<?x64xf32>) outs(%b : tensor<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %one, %out : f32
    linalg.yield %v : f32
  } -> tensor<64xf32>
  return %y : tensor<64xf32>
}

// -----

// A row that repeats along the dimension, as a result.
func.func @repeated(%a: tensor<?x64xf16> {spyre.dims = ["S", "D"]}, %b: tensor<64xf16>) -> tensor<?x64xf16>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %c0 = arith.constant 0 : index
  %s = tensor.dim %a, %c0 : tensor<?x64xf16>
  %e = tensor.empty(%s) : tensor<?x64xf16>
  // expected-error @+1 {{spyre-copy-joined-parts: a tensor that repeats is along "S", whose extent is dynamic}}
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<64xf16>) outs(%e : tensor<?x64xf16>) {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  } -> tensor<?x64xf16>
  // expected-note @+1 {{it is read here}}
  return %r : tensor<?x64xf16>
}

// -----

// An extent that something is added to.
func.func @padded(%a: tensor<?x64xf32> {spyre.dims = ["S", "D"]}, %b: tensor<320x64xf32>) -> (tensor<160x64xf32>, tensor<320x64xf32>)
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %c0 = arith.constant 0 : index
  %s = tensor.dim %a, %c0 : tensor<?x64xf32>
  // A tile in steps, so that there is something to convert.
  %x = tensor.extract_slice %b[0, 0] [160, 64] [2, 1] : tensor<320x64xf32> to tensor<160x64xf32>
  // expected-error @+1 {{convert-linalg-to-spyre: a slice of a larger tensor has "S", whose extent is dynamic}}
  %0 = tensor.insert_slice %a into %b[1, 0] [%s, 64] [1, 1] : tensor<?x64xf32> into tensor<320x64xf32>
  return %x, %0 : tensor<160x64xf32>, tensor<320x64xf32>
}

// -----

// A part of it next to a part of another dimension, which the smallest extent does not have.
func.func @beside(%a: tensor<?x64xf32> {spyre.dims = ["S", "D"]}) -> tensor<65x32xf32>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %e = tensor.empty() : tensor<65x32xf32>
  // expected-error @+1 {{convert-linalg-to-spyre: a slice takes only a part of "S", whose extent is dynamic}}
  %0 = tensor.extract_slice %a[0, 32] [65, 32] [1, 1] : tensor<?x64xf32> to tensor<65x32xf32>
  %r = linalg.exp ins(%0 : tensor<65x32xf32>) outs(%e : tensor<65x32xf32>) -> tensor<65x32xf32>
  return %r : tensor<65x32xf32>
}

// -----

func.func @chosen(%i: tensor<64xi32>, %j: tensor<64xi32>, %table: tensor<?x64xf16> {spyre.dims = ["S", "D"]}, %0: tensor<64xf16>) -> tensor<64xf16>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  // expected-error @+1 {{convert-linalg-to-spyre: indices choose along several dimensions, one of which is "S", whose extent is dynamic}}
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%i, %j : tensor<64xi32>, tensor<64xi32>) outs(%0 : tensor<64xf16>) {
  ^bb0(%a: i32, %b: i32, %out: f16):
    %r = arith.index_cast %a : i32 to index
    %c = arith.index_cast %b : i32 to index
    %e = tensor.extract %table[%r, %c] : tensor<?x64xf16>
    linalg.yield %e : f16
  } -> tensor<64xf16>
  return %y : tensor<64xf16>
}
