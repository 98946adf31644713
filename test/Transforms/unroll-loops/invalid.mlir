// RUN: spyre-opt %s --pass-pipeline='builtin.module(func.func(spyre-unroll-loops{max-operations=1000}))' --split-input-file --verify-diagnostics

func.func @bound(%a: tensor<64x64xf16>, %n: index) -> tensor<64x64xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{spyre-unroll-loops: the bounds and the step of the loop must be constants, the step positive, got 0 to ? by 1}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%so_far = %a) -> (tensor<64x64xf16>) {
    %y = spyre.exp %so_far : tensor<64x64xf16>
    scf.yield %y : tensor<64x64xf16>
  }
  return %r : tensor<64x64xf16>
}

// -----

func.func @step(%a: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  // expected-error @+1 {{spyre-unroll-loops: the bounds and the step of the loop must be constants, the step positive, got 0 to 8 by 0}}
  %r = scf.for %i = %c0 to %c8 step %c0 iter_args(%so_far = %a) -> (tensor<64x64xf16>) {
    %y = spyre.exp %so_far : tensor<64x64xf16>
    scf.yield %y : tensor<64x64xf16>
  }
  return %r : tensor<64x64xf16>
}

// -----

// Five operations outside, two in each of 1,000 x 1,000,000,000 iterations, and 1,000 yields.
// expected-error @+1 {{spyre-unroll-loops: the function would have 2000000001005 operations, more than the 1000 of max-operations}}
func.func @many(%a: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1000 = arith.constant 1000 : index
  %huge = arith.constant 1000000000 : index
  // expected-note @+1 {{the last loop is here}}
  %r = scf.for %i = %c0 to %c1000 step %c1 iter_args(%outer = %a) -> (tensor<64x64xf16>) {
    %s = scf.for %j = %c0 to %huge step %c1 iter_args(%inner = %outer) -> (tensor<64x64xf16>) {
      %y = spyre.exp %inner : tensor<64x64xf16>
      scf.yield %y : tensor<64x64xf16>
    }
    scf.yield %s : tensor<64x64xf16>
  }
  return %r : tensor<64x64xf16>
}

// -----

// 0, 2^62, and then more than 64 bits hold.
func.func @overflow(%a: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %c0 = arith.constant 0 : index
  %upper = arith.constant 9223372036854775807 : index
  %step = arith.constant 4611686018427387904 : index
  // expected-error @+1 {{spyre-unroll-loops: the induction variable of the loop, from 0 to 9223372036854775807 by 4611686018427387904, becomes 9223372036854775808, which is more than 64 bits hold; the loop would never end}}
  %r = scf.for %i = %c0 to %upper step %step iter_args(%so_far = %a) -> (tensor<64x64xf16>) {
    %y = spyre.exp %so_far : tensor<64x64xf16>
    scf.yield %y : tensor<64x64xf16>
  }
  return %r : tensor<64x64xf16>
}
