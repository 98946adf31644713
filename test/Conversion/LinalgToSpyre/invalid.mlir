// What no device operation computes is refused where it is.

// RUN: spyre-opt %s --spyre-import-linalg --split-input-file --verify-diagnostics
// RUN: not spyre-opt %s --convert-linalg-to-spyre --split-input-file 2>&1 | FileCheck %s
// CHECK: 'linalg.matmul' is converted as a linalg.generic; run --spyre-generalize-named-ops first

func.func @f64(%x: tensor<4x4xf64>) -> tensor<4x4xf64> {
  %0 = tensor.empty() : tensor<4x4xf64>
  // expected-error @+1 {{tensor<4x4xf64> has no format in device memory}}
  %y = linalg.exp ins(%x : tensor<4x4xf64>) outs(%0 : tensor<4x4xf64>) -> tensor<4x4xf64>
  return %y : tensor<4x4xf64>
}

// -----

func.func @dynamic(%x: tensor<?x4xf16>, %0: tensor<?x4xf16>) -> tensor<?x4xf16> {
  // expected-error @+1 {{tensor<?x4xf16> has a dynamic extent in dimension 0; name it in 'spyre.dims' and bound it in 'spyre.dim_sizes' of the function}}
  %y = linalg.exp ins(%x : tensor<?x4xf16>) outs(%0 : tensor<?x4xf16>) -> tensor<?x4xf16>
  return %y : tensor<?x4xf16>
}

// -----

func.func @no_sign(%x: tensor<4xf16>) -> tensor<4xf16> {
  %0 = tensor.empty() : tensor<4xf16>
  // expected-error @+1 {{no device operation computes 'arith.uitofp' of f16}}
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf16>) outs(%0 : tensor<4xf16>) {
  ^bb0(%in: f16, %out: f16):
    %i = arith.fptosi %in : f16 to i32
    %s = arith.uitofp %i : i32 to f16
    linalg.yield %s : f16
  } -> tensor<4xf16>
  return %y : tensor<4xf16>
}

// -----

// A running sum: what there is so far is read as it is.
func.func @reads_the_result(%x: tensor<4xf16>, %0: tensor<f16>) -> tensor<f16> {
  // expected-error @+1 {{result #0 is no combination of the elements}}
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<4xf16>) outs(%0 : tensor<f16>) {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  } -> tensor<f16>
  return %y : tensor<f16>
}

// -----

func.func @diagonal(%x: tensor<4x4xi8>) -> tensor<4xi8> {
  %0 = tensor.empty() : tensor<4xi8>
  // expected-error @+1 {{the device chooses from tables of floats and of integers of 32 bits, and this one has i8}}
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0, d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4x4xi8>) outs(%0 : tensor<4xi8>) {
  ^bb0(%in: i8, %out: i8):
    linalg.yield %in : i8
  } -> tensor<4xi8>
  return %y : tensor<4xi8>
}

// -----

func.func @control(%x: tensor<4xf16>, %n: index) -> tensor<4xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = tensor.empty() : tensor<4xf16>
  // expected-error @+1 {{convert-linalg-to-spyre: the number of iterations of the loop is computed at run time}}
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4xf16> {
    %z = linalg.exp ins(%a : tensor<4xf16>) outs(%0 : tensor<4xf16>) -> tensor<4xf16>
    scf.yield %z : tensor<4xf16>
  }
  %w = linalg.exp ins(%y : tensor<4xf16>) outs(%0 : tensor<4xf16>) -> tensor<4xf16>
  return %w : tensor<4xf16>
}

// -----

func.func @named(%a: tensor<4x4xf16>, %b: tensor<4x4xf16>, %c: tensor<4x4xf16>) -> tensor<4x4xf16> {
  %d = linalg.matmul ins(%a, %b : tensor<4x4xf16>, tensor<4x4xf16>) outs(%c : tensor<4x4xf16>) -> tensor<4x4xf16>
  return %d : tensor<4x4xf16>
}

// -----

func.func @buffers(%a: memref<4xf16>) {
  // expected-error @+1 {{memref<4xf16> is a buffer; run it before bufferization}}
  linalg.exp ins(%a : memref<4xf16>) outs(%a : memref<4xf16>)
  return
}

// -----

// expected-error @+1 {{the function has 3 blocks, and programs of the device have no branches; --lift-cf-to-scf before it makes one block of them}}
func.func @branches(%x: tensor<4xf16>, %c: i1) -> tensor<4xf16> {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  %0 = tensor.empty() : tensor<4xf16>
  %y = linalg.exp ins(%x : tensor<4xf16>) outs(%0 : tensor<4xf16>) -> tensor<4xf16>
  return %y : tensor<4xf16>
^bb2:
  return %x : tensor<4xf16>
}

// -----

func.func @one_column(%a: tensor<8xf32>, %c: tensor<8x3xf32>) -> tensor<8x3xf32> {
  // expected-error @+1 {{result #0 is written at one index of a dimension of 3}}
  %g = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0, 0)>], iterator_types = ["parallel"]} ins(%a : tensor<8xf32>) outs(%c : tensor<8x3xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<8x3xf32>
  return %g : tensor<8x3xf32>
}

// -----

func.func @another_order(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<9xf32>) -> (tensor<8xf32>, tensor<9xf32>) {
  // expected-error @+1 {{result #1 is not written in the order of the loops along dimension 0}}
  %g:2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0 + 1)>], iterator_types = ["parallel"]} ins(%a : tensor<8xf32>) outs(%b, %c : tensor<8xf32>, tensor<9xf32>) {
  ^bb0(%x: f32, %o: f32, %p: f32):
    linalg.yield %x, %x : f32, f32
  } -> (tensor<8xf32>, tensor<9xf32>)
  return %g#0, %g#1 : tensor<8xf32>, tensor<9xf32>
}

// -----

func.func @fewer_loops(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>, %c: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>) {
  // expected-error @+1 {{result #1 does not depend on a loop that another result depends on}}
  %g:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<4x8xf32>) outs(%b, %c : tensor<4x8xf32>, tensor<8xf32>) {
  ^bb0(%x: f32, %o: f32, %p: f32):
    linalg.yield %x, %x : f32, f32
  } -> (tensor<4x8xf32>, tensor<8xf32>)
  return %g#0, %g#1 : tensor<4x8xf32>, tensor<8xf32>
}

// -----

func.func @reduced_result(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{result #0 moves along the reduced loop d0}}
  %g = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["reduction"]} ins(%a : tensor<8xf32>) outs(%b : tensor<8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %x, %o : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %g : tensor<8xf32>
}

// -----

func.func @without_the_accumulator(%a: tensor<8xf32>, %b: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{the accumulated value of result #0 is no operand of the combination}}
  %g = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%a : tensor<8xf32>) outs(%b : tensor<f32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %x, %x : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %g : tensor<f32>
}

// -----

func.func @one_row(%a: tensor<5x8xf32>, %c: tensor<3x8xf32>) -> tensor<3x8xf32> {
  // expected-error @+1 {{result #0 is written at one index of a dimension of 3}}
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (0, d1)>], iterator_types = ["reduction", "parallel"]} ins(%a : tensor<5x8xf32>) outs(%c : tensor<3x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %x, %o : f32
    linalg.yield %s : f32
  } -> tensor<3x8xf32>
  return %g : tensor<3x8xf32>
}

// -----

// Integers of 8 bits are widened where the function begins; what says so is at the operation that reads them.
func.func @bytes(%a: tensor<8x5xi8>, %b: tensor<8x3x5xi8>) -> tensor<8x3xi32> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<8x3xi32>
  %c1 = arith.constant 0 : i32
  %c = linalg.fill ins(%c0 : i32) outs(%e : tensor<8x3xi32>) -> tensor<8x3xi32>
  // expected-error @+1 {{'arith.extsi' has no device operation}}
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d0)>, affine_map<(d0, d1, d2) -> (d1, d2, d0)>, affine_map<(d0, d1, d2) -> (d1, d2)>], iterator_types = ["reduction", "parallel", "parallel"]} ins(%a, %b : tensor<8x5xi8>, tensor<8x3x5xi8>) outs(%c : tensor<8x3xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %s = arith.extsi %x : i8 to i32
    %t = arith.extsi %y : i8 to i32
    %p = arith.muli %s, %t : i32
    %q = arith.addi %o, %p : i32
    %r = arith.addi %q, %c1 : i32
    linalg.yield %q : i32
  } -> tensor<8x3xi32>
  return %g : tensor<8x3xi32>
}

// -----

func.func @large_table(%i: tensor<64xi32>, %j: tensor<64xi32>, %table: tensor<65536x65536xf16>, %0: tensor<64xf16>) -> tensor<64xf16> {
  // expected-error @+1 {{indices choose from dimensions 0 and 1 of 65536 and 65536 elements, together more than 2147483647}}
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%i, %j : tensor<64xi32>, tensor<64xi32>) outs(%0 : tensor<64xf16>) {
  ^bb0(%a: i32, %b: i32, %out: f16):
    %r = arith.index_cast %a : i32 to index
    %c = arith.index_cast %b : i32 to index
    %e = tensor.extract %table[%r, %c] : tensor<65536x65536xf16>
    linalg.yield %e : f16
  } -> tensor<64xf16>
  return %y : tensor<64xf16>
}

// -----

func.func @long_table(%i: tensor<64xi32>, %table: tensor<4294967296xf16>, %0: tensor<64xf16>) -> tensor<64xf16> {
  // expected-error @+1 {{indices choose from dimension 0 of 4294967296 elements, more than 2147483647}}
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%i : tensor<64xi32>) outs(%0 : tensor<64xf16>) {
  ^bb0(%a: i32, %out: f16):
    %r = arith.index_cast %a : i32 to index
    %e = tensor.extract %table[%r] : tensor<4294967296xf16>
    linalg.yield %e : f16
  } -> tensor<64xf16>
  return %y : tensor<64xf16>
}

// -----

func.func @negative_pad(%x: tensor<8x64xf16>) -> tensor<7x64xf16> {
  %c = arith.constant 0.0 : f16
  // expected-error @+1 {{a low pad of -2 and a high pad of 1 remove elements in dimension 0}}
  %y = tensor.pad %x low[-2, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : f16
  } : tensor<8x64xf16> to tensor<7x64xf16>
  return %y : tensor<7x64xf16>
}

// -----

func.func @computed_pad(%x: tensor<8x64xf16>, %n: index) -> tensor<10x64xf16> {
  %c = arith.constant 0.0 : f16
  // expected-error @+1 {{the low pad of dimension 1 is computed at run time}}
  %y = tensor.pad %x low[0, %n] high[2, %n] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : f16
  } : tensor<8x64xf16> to tensor<10x64xf16>
  return %y : tensor<10x64xf16>
}

// -----

func.func @computed_offset(%x: tensor<8x64xf16>, %n: index) -> tensor<4x64xf16> {
  // expected-error @+1 {{a window with steps, or of a dynamic size, has an offset along dimension 0 that is computed at run time}}
  %y = tensor.extract_slice %x[%n, 0] [4, 64] [2, 1] : tensor<8x64xf16> to tensor<4x64xf16>
  return %y : tensor<4x64xf16>
}

// -----

func.func @computed_step(%x: tensor<8x64xf16>, %n: index) -> tensor<4x64xf16> {
  // expected-error @+1 {{a window with steps, or of a dynamic size, has a step along dimension 0 that is computed at run time}}
  %y = tensor.extract_slice %x[0, 0] [4, 64] [%n, 1] : tensor<8x64xf16> to tensor<4x64xf16>
  return %y : tensor<4x64xf16>
}

// -----

func.func @inserted_at_a_computed_offset(%x: tensor<8x64xf16>, %t: tensor<4x64xf16>, %n: index) -> tensor<8x64xf16> {
  // expected-error @+1 {{elements are inserted at a distance, or in a dynamic number, with an offset along dimension 0 that is computed at run time}}
  %y = tensor.insert_slice %t into %x[%n, 0] [4, 64] [2, 1] : tensor<4x64xf16> into tensor<8x64xf16>
  return %y : tensor<8x64xf16>
}
