// Upstream's integer range analysis knows the bounds of loops, of symbolic integers and of sums, which have no values by themselves.

// RUN: spyre-opt %s --int-range-optimizations --canonicalize | FileCheck %s

// A loop of one iteration stays: an `uop.end` closes it.
// CHECK-LABEL: func.func @once(
// CHECK:         %[[I:.+]] = uop.range 0 to 1 loop
// CHECK:         uop.end %{{.+}}, %[[I]]
func.func @once(%b: tensor<4xi32>) -> tensor<4xi32> {
  %i = uop.range 0 to 1 loop : tensor<index>
  %v = uop.cast %i : tensor<index> to tensor<i32>
  %o = uop.reshape %v to [1] : tensor<i32>
  %w = uop.expand %o to [4] : tensor<1xi32>
  %e = uop.store %w into %b : tensor<4xi32>
  %f = uop.end %e, %i : tensor<index>
  %r = uop.after %b, %f : tensor<4xi32>, !uop.effect
  return %r : tensor<4xi32>
}

// CHECK-LABEL: func.func @loops(
// CHECK-DAG:     %[[TRUE:.+]] = uop.const dense<true> : tensor<i1>
// CHECK-DAG:     %[[ONE:.+]] = uop.const dense<true> : tensor<1xi1>
// CHECK:         return %[[TRUE]], %[[ONE]]
func.func @loops(%x: tensor<16xi1>) -> (tensor<i1>, tensor<1xi1>) {
  %i = uop.range 0 to 16 loop : tensor<index>
  %n = uop.variable "n" from 16 to 64 : tensor<index>
  %below = uop.cmplt %i, %n : tensor<index>
  %w = uop.cast %x : tensor<16xi1> to tensor<16xi32>
  %count = uop.reduce add %w axes [0] : tensor<16xi32>
  %most = uop.const dense<17> : tensor<1xi32>
  %few = uop.cmplt %count, %most : tensor<1xi32>
  return %below, %few : tensor<i1>, tensor<1xi1>
}
