// What is not converted, with the reason.

// RUN: spyre-opt %s --convert-uop-to-linalg --split-input-file --verify-diagnostics

func.func @loop() -> tensor<index> {
  // expected-error @+1 {{convert-uop-to-linalg: loops are not converted}}
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

func.func @part(%x: tensor<4xf32>, %v: tensor<2xf32>) -> tensor<4xf32> {
  %0 = uop.shrink %x at [0] to [2] : tensor<4xf32>
  %1 = uop.store %v into %0 : tensor<2xf32>
  // expected-error @+1 {{convert-uop-to-linalg: a write to a view of a buffer is not converted}}
  %2 = uop.after %x, %1 : tensor<4xf32>, !uop.effect
  return %2 : tensor<4xf32>
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
  // expected-error @+1 {{'uop.opts' is of loops, and this operation becomes none of its own}}
  %0 = uop.permute %x [1, 0] {uop.opts = [#uop.split<0 by 2 to loop top>]} : tensor<8x4xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// The window reads the buffer when its own turn comes, behind the second write.
func.func @late(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>) -> (tensor<2xf32>, tensor<4xf32>) {
  %0 = uop.store %y into %x : tensor<4xf32>
  %1 = uop.after %x, %0 : tensor<4xf32>, !uop.effect
  %2 = uop.store %z into %x : tensor<4xf32>
  // expected-error @+1 {{convert-uop-to-linalg: a view of a buffer is read behind a later write to it, and is not converted}}
  %3 = uop.shrink %1 at [0] to [2] : tensor<4xf32>
  %4 = uop.after %x, %2 : tensor<4xf32>, !uop.effect
  return %3, %4 : tensor<2xf32>, tensor<4xf32>
}
