// What is not converted, with the reason.

// RUN: spyre-opt %s --convert-uop-to-linalg --split-input-file --verify-diagnostics

func.func @loop() -> tensor<index> {
  // expected-error @+1 {{convert-uop-to-linalg: is in a loop that no End closes}}
  %0 = uop.range 0 to 4 loop : tensor<index>
  return %0 : tensor<index>
}

// -----

func.func @variable() -> tensor<index> {
  // expected-error @+1 {{convert-uop-to-linalg: a symbolic integer has no value}}
  %0 = uop.variable "n" from 0 to 4 : tensor<index>
  return %0 : tensor<index>
}

// -----

// The target of the store is not in a buffer, so that no other operation would read it.
func.func @argument(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = uop.neg %x : tensor<4xf32>
  %1 = call @body(%0) {uop.opaque} : (tensor<4xf32>) -> !uop.effect
  %2 = uop.after %x, %1 : tensor<4xf32>, !uop.effect
  return %2 : tensor<4xf32>
}
func.func private @body(%x: tensor<4xf32>) -> !uop.effect {
  // expected-error @+1 {{convert-uop-to-linalg: the program writes to an argument that is not in a buffer}}
  %0 = uop.store %x into %x : tensor<4xf32>
  return %0 : !uop.effect
}

// -----

func.func @effect(%x: tensor<4xf32>) -> !uop.effect {
  // expected-error @+1 {{convert-uop-to-linalg: an effect is no result; 'uop.after' is how a buffer is after it}}
  %0 = uop.store %x into %x : tensor<4xf32>
  return %0 : !uop.effect
}

// -----

func.func @foreign(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = uop.neg %x : tensor<4xf32>
  // expected-error @+1 {{'arith.negf' is no operation of a tensor program}}
  %1 = arith.negf %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @opts_without_loops(%x: tensor<8x4xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{'uop.opts' applies to loops, but this operation gets no separate loops}}
  %0 = uop.permute %x [1, 0] {uop.opts = [#uop.split<0 by 2 to loop top>]} : tensor<8x4xf32>
  return %0 : tensor<4x8xf32>
}
