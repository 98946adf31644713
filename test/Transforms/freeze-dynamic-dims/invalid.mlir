// RUN: spyre-opt %s --split-input-file --spyre-freeze-dynamic-dims --spyre-thaw-dynamic-dims --verify-diagnostics -o /dev/null

#all = affine_map<(d0, d1) -> (d0, d1)>
func.func @counted(%a: tensor<?x64xf32> {spyre.dims = ["S", "D"]}, %b: tensor<128x64xf32>, %e: tensor<?x64xf32> {spyre.dims = ["S", "D"]}) -> tensor<?x64xf32>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  // expected-error @+1 {{spyre-freeze-dynamic-dims: loop d0 is along "S", whose extent is chosen at run time, but has 128 iterations in an operand}}
  %r = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<?x64xf32>, tensor<128x64xf32>) outs(%e : tensor<?x64xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}

// -----

// What stands behind the conversion is checked as well: a constant along a dimension, as an operation and as an argument.
func.func @constant(%a: tensor<101x64xf32> {spyre.dims = ["S", "D"]}) -> tensor<101x64xf32>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}, spyre.stand_ins = {S = 101}} {
  // expected-error @+1 {{spyre-thaw-dynamic-dims: 'arith.constant' is along "S", whose extent is chosen at run time}}
  %c = arith.constant dense<1.0> : tensor<101x64xf32>
  %0 = spyre.add %a, %c : tensor<101x64xf32>
  return %0 : tensor<101x64xf32>
}

// -----

// expected-error @+1 {{spyre-thaw-dynamic-dims: a constant along "S", whose extent is chosen at run time}}
func.func @argument(%a: tensor<101x64xf32> {spyre.dims = ["S", "D"]}, %c: tensor<101x1xf32> {spyre.constant = dense<1.0> : tensor<101x1xf32>}) -> tensor<101x64xf32>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}, spyre.stand_ins = {S = 101}} {
  %0 = spyre.add %a, %c : (tensor<101x64xf32>, tensor<101x1xf32>) -> tensor<101x64xf32>
  return %0 : tensor<101x64xf32>
}

// -----

// An extent that something has added to.
func.func @padded(%a: tensor<101x64xf32> {spyre.dims = ["S", "D"]}, %b: tensor<102x64xf32>) -> tensor<102x64xf32>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}, spyre.stand_ins = {S = 101}} {
  // expected-error @+1 {{spyre-thaw-dynamic-dims: 'tensor.insert_slice' adds to "S", whose extent is chosen at run time}}
  %0 = tensor.insert_slice %a into %b[1, 0] [101, 64] [1, 1] : tensor<101x64xf32> into tensor<102x64xf32>
  return %0 : tensor<102x64xf32>
}

// -----

// A window beside it that is neither all of it nor one that the smallest extent has.
func.func @beside(%a: tensor<101x64xf32> {spyre.dims = ["S", "D"]}) -> tensor<65x32xf32>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}, spyre.stand_ins = {S = 101}} {
  // expected-error @+1 {{spyre-thaw-dynamic-dims: 'tensor.extract_slice' cuts "S", whose extent is chosen at run time}}
  %0 = tensor.extract_slice %a[0, 32] [65, 32] [1, 1] : tensor<101x64xf32> to tensor<65x32xf32>
  return %0 : tensor<65x32xf32>
}

// -----

// A merged one has another number.
func.func @merged(%a: tensor<101x64xf32> {spyre.dims = ["S", "D"]}) -> tensor<6464xf32>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}, spyre.stand_ins = {S = 101}} {
  // expected-error @+1 {{spyre-thaw-dynamic-dims: 'tensor.collapse_shape' merges with others, or splits, "S", whose extent is chosen at run time}}
  %0 = tensor.collapse_shape %a [[0, 1]] : tensor<101x64xf32> into tensor<6464xf32>
  return %0 : tensor<6464xf32>
}

// -----

// A number of elements depends on no input, so the compiler would compute it, for the stand-in.
#a = affine_map<(d0, d1) -> (d0, d1)>
#c = affine_map<(d0, d1) -> (d1)>
func.func @count(%a: tensor<?x64xf32> {spyre.dims = ["S", "D"]}) -> tensor<64xf32>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %s = tensor.dim %a, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%s) : tensor<?x64xf32>
  %ones = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> ()>, #a], iterator_types = ["parallel", "parallel"]} ins(%one : f32) outs(%e : tensor<?x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<?x64xf32>
  %r = tensor.empty() : tensor<64xf32>
  %i = linalg.fill ins(%zero : f32) outs(%r : tensor<64xf32>) -> tensor<64xf32>
  // expected-error @+1 {{spyre-freeze-dynamic-dims: what depends on no input is reduced along "S", whose extent is chosen at run time; give the function the result, or a tensor to reduce}}
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
  // expected-error @+1 {{spyre-freeze-dynamic-dims: what depends on no input is reduced along "S"}}
  %y = linalg.generic {indexing_maps = [#a, #c], iterator_types = ["reduction", "parallel"]} ins(%a : tensor<?x64xf32>) outs(%b : tensor<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %one, %out : f32
    linalg.yield %v : f32
  } -> tensor<64xf32>
  return %y : tensor<64xf32>
}
