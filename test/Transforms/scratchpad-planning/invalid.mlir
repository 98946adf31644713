// RUN: spyre-opt %s --spyre-scratchpad-planning --split-input-file --verify-diagnostics

// What the pass refuses.

func.func @planned_in_part(%a: tensor<64x128xf16>) -> tensor<64x128xf16> {
  // expected-error @+1 {{spyre-scratchpad-planning: 1 of 2 operations already have a place; the pass plans whole functions}}
  %0 = spyre.exp %a place pool 0 : tensor<64x128xf16>
  // expected-note @+1 {{this one has none}}
  %1 = spyre.neg %0 : tensor<64x128xf16>
  return %1 : tensor<64x128xf16>
}

// -----

// The loop reads the tensor that it fills as it was before.
func.func @read_in_the_loop(%a: tensor<64x128xf16>) -> tensor<64x128xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = spyre.empty : tensor<64x128xf16>
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%acc = %init) -> tensor<64x128xf16> {
    %y = spyre.exp %a : tensor<64x128xf16>
    // expected-error @+1 {{writes into a tensor that has another use, so it cannot be written in place}}
    %n = tensor.insert_slice %y into %acc[0, 0] [64, 128] [1, 1] : tensor<64x128xf16> into tensor<64x128xf16>
    // expected-note @+1 {{the other use is here}}
    %z = spyre.neg %acc : tensor<64x128xf16>
    %m = tensor.insert_slice %z into %n[0, 0] [64, 128] [1, 1] : tensor<64x128xf16> into tensor<64x128xf16>
    scf.yield %m : tensor<64x128xf16>
  }
  return %r : tensor<64x128xf16>
}

// -----

// The two carried tensors would be one buffer. Both uses are in one operation.
func.func @carried_twice(%a: tensor<64x128xf16>) -> (tensor<64x128xf16>, tensor<64x128xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = spyre.empty : tensor<64x128xf16>
  // expected-error @+2 {{writes into a tensor that has another use, so it cannot be written in place}}
  // expected-note @+1 {{the other use is here}}
  %r:2 = scf.for %i = %c0 to %c1 step %c1 iter_args(%x = %init, %y = %init) -> (tensor<64x128xf16>, tensor<64x128xf16>) {
    %0 = spyre.exp %a : tensor<64x128xf16>
    %n = tensor.insert_slice %0 into %x[0, 0] [64, 128] [1, 1] : tensor<64x128xf16> into tensor<64x128xf16>
    scf.yield %n, %y : tensor<64x128xf16>, tensor<64x128xf16>
  }
  return %r#0, %r#1 : tensor<64x128xf16>, tensor<64x128xf16>
}

// -----

// Each iteration starts from the tensor without what the one before inserted; in place it would find it.
func.func @not_carried(%a: tensor<32x128xf16>) -> tensor<64x128xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %e = spyre.empty : tensor<64x128xf16>
  %y = spyre.exp %a : tensor<32x128xf16>
  // expected-note @+1 {{the tensor is made here}}
  %m = tensor.insert_slice %y into %e[0, 0] [32, 128] [1, 1] : tensor<32x128xf16> into tensor<64x128xf16>
  %init = spyre.empty : tensor<64x128xf16>
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %init) -> tensor<64x128xf16> {
    %z = spyre.neg %a : tensor<32x128xf16>
    // expected-error @+1 {{writes into a tensor from outside the loop, which the loop does not carry}}
    %n = tensor.insert_slice %z into %m[32, 0] [32, 128] [1, 1] : tensor<32x128xf16> into tensor<64x128xf16>
    %w = spyre.abs %n : tensor<64x128xf16>
    %o = tensor.insert_slice %w into %acc[0, 0] [64, 128] [1, 1] : tensor<64x128xf16> into tensor<64x128xf16>
    scf.yield %o : tensor<64x128xf16>
  }
  return %r : tensor<64x128xf16>
}

// -----

func.func @yields_the_other_tensor(%a: tensor<64x128xf16>) -> (tensor<64x128xf16>, tensor<64x128xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e0 = spyre.empty : tensor<64x128xf16>
  %e1 = spyre.empty : tensor<64x128xf16>
  // expected-error @+1 {{loop-carried tensor 0 is not updated in place}}
  %r:2 = scf.for %i = %c0 to %c1 step %c1 iter_args(%x = %e0, %y = %e1) -> (tensor<64x128xf16>, tensor<64x128xf16>) {
    %0 = spyre.exp %a : tensor<64x128xf16>
    %n = tensor.insert_slice %0 into %x[0, 0] [64, 128] [1, 1] : tensor<64x128xf16> into tensor<64x128xf16>
    // expected-note @+1 {{another tensor is yielded here}}
    scf.yield %y, %n : tensor<64x128xf16>, tensor<64x128xf16>
  }
  return %r#0, %r#1 : tensor<64x128xf16>, tensor<64x128xf16>
}

// -----

func.func @result_is_no_tensor(%a: tensor<64x128xf16>, %n: index) -> index {
  %y = spyre.exp %a : tensor<64x128xf16>
  // expected-error @+1 {{result 0 of the function is not a tensor}}
  return %n : index
}

// -----

func.func @dynamic(%a: tensor<?x128xf16>) -> tensor<?x128xf16> {
  // expected-error @+1 {{has a dynamic extent in dimension 0}}
  %y = spyre.exp %a : tensor<?x128xf16>
  return %y : tensor<?x128xf16>
}

// -----

func.func @in_a_branch(%a: tensor<64x128xf16>, %p: i1) -> tensor<64x128xf16> {
  // expected-note @+1 {{the region is here}}
  %r = scf.if %p -> tensor<64x128xf16> {
    // expected-error @+1 {{spyre-scratchpad-planning: operation is in a region that is not the body of a loop}}
    %y = spyre.exp %a : tensor<64x128xf16>
    scf.yield %y : tensor<64x128xf16>
  } else {
    scf.yield %a : tensor<64x128xf16>
  }
  return %r : tensor<64x128xf16>
}

// -----

// 16384 bytes of pool, less 8192: one tensor of 64 x 64 x 2 bytes fits and two do not.
module attributes {spyre.target = #spyre.target<lx_bytes = 256, lx_reserved_bytes = 128, segment_bytes = 16384, segment_reserved_bytes = 8192>} {
  func.func @pool_is_full(%a: tensor<64x64xf16>) -> (tensor<64x64xf16>, tensor<64x64xf16>) {
    // expected-error @+1 {{value of 8192 bytes does not fit into the pool of 8192 bytes: 2 values that are alive at one time with it, itself included, take 16384 bytes}}
    %0 = spyre.exp %a : tensor<64x64xf16>
    %1 = spyre.neg %0 : tensor<64x64xf16>
    %2 = spyre.add %0, %1 : tensor<64x64xf16>
    return %2, %a : tensor<64x64xf16>, tensor<64x64xf16>
  }
}
