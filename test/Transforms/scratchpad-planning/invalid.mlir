// RUN: spyre-opt %s --spyre-scratchpad-planning --split-input-file --verify-diagnostics

// What the pass refuses.

func.func @planned_in_part(%a: tensor<64x128xf16>) -> tensor<64x128xf16> {
  // expected-error @+1 {{spyre-scratchpad-planning: 1 of 2 operations already have a place; the pass plans whole functions}}
  %0 = spyre.exp %a place pool 0 : tensor<64x128xf16>
  // expected-note @+1 {{the first operation without a place is here}}
  %1 = spyre.neg %0 : tensor<64x128xf16>
  return %1 : tensor<64x128xf16>
}

// -----

func.func @carries_a_number(%a: tensor<64x128xf16>) -> tensor<64x128xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = spyre.empty : tensor<64x128xf16>
  // expected-error @+1 {{value 1 that the loop carries is no tensor; a bundle's loops carry nothing}}
  %r:2 = scf.for %i = %c0 to %c1 step %c1 iter_args(%x = %e, %n = %c0) -> (tensor<64x128xf16>, index) {
    %0 = spyre.exp %a : tensor<64x128xf16>
    %y = tensor.insert_slice %0 into %x[0, 0] [64, 128] [1, 1] : tensor<64x128xf16> into tensor<64x128xf16>
    %next = arith.addi %n, %c1 : index
    // expected-note @+1 {{it is yielded here}}
    scf.yield %y, %next : tensor<64x128xf16>, index
  }
  return %r#0 : tensor<64x128xf16>
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
    // expected-error @+1 {{value of 8192 bytes does not fit into the pool of 8192 bytes: 2 values that are live at the same time, itself included, take 16384 bytes}}
    %0 = spyre.exp %a : tensor<64x64xf16>
    %1 = spyre.neg %0 : tensor<64x64xf16>
    %2 = spyre.add %0, %1 : tensor<64x64xf16>
    return %2, %a : tensor<64x64xf16>, tensor<64x64xf16>
  }
}

// -----

func.func @counts_too_far(%a: tensor<64x128xf16>) -> tensor<64x128xf16> {
  %lower = arith.constant -9223372036854775807 : index
  %upper = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %e = spyre.empty : tensor<64x128xf16>
  // expected-error @+1 {{spyre-scratchpad-planning: loop counts from -9223372036854775807 to 2; a bundle's loops count from 0, and the distance is more than 9223372036854775807}}
  %r = scf.for %i = %lower to %upper step %c1 iter_args(%x = %e) -> (tensor<64x128xf16>) {
    %0 = spyre.exp %a : tensor<64x128xf16>
    %y = tensor.insert_slice %0 into %x[0, 0] [64, 128] [1, 1] : tensor<64x128xf16> into tensor<64x128xf16>
    scf.yield %y : tensor<64x128xf16>
  }
  return %r : tensor<64x128xf16>
}
