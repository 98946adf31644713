// Splits of all operations together, seen through views and loops. A split of the program stays.

// RUN: spyre-opt %s --spyre-propagate-layouts --spyre-insert-restickify --spyre-work-division=modelled --spyre-scratchpad-planning --spyre-verify-plan | FileCheck %s

// 8 heads of 64 columns each, which are a stick.
// CHECK-LABEL: @heads
// CHECK:         spyre.neg {{.*}} split [3, 8] place lx
// CHECK:         spyre.exp {{.*}} split [3, 8, 1]
func.func @heads(%x: tensor<3x512xf16>) -> tensor<3x8x64xf16> {
  %0 = spyre.neg %x : tensor<3x512xf16>
  %1 = tensor.expand_shape %0 [[0], [1, 2]] output_shape [3, 8, 64] : tensor<3x512xf16> into tensor<3x8x64xf16>
  %2 = spyre.exp %1 : tensor<3x8x64xf16>
  return %2 : tensor<3x8x64xf16>
}

// CHECK-LABEL: @stated
// CHECK:         spyre.neg {{.*}} split [1, 16] place lx
// CHECK:         spyre.exp {{.*}} split [1, 16] place lx
// CHECK:         spyre.tanh {{.*}} split [1, 16] place arg 1
func.func @stated(%x: tensor<512x1024xf16>) -> tensor<512x1024xf16> {
  %0 = spyre.neg %x : tensor<512x1024xf16>
  %1 = spyre.exp %0 split [1, 16] : tensor<512x1024xf16>
  %2 = spyre.tanh %1 : tensor<512x1024xf16>
  return %2 : tensor<512x1024xf16>
}

// What a loop carries is made, updated and read with the same slices.
// CHECK-LABEL: @carried
// CHECK:         spyre.neg {{.*}} split [1, 32] place lx
// CHECK:         scf.for
// CHECK:           spyre.exp {{.*}} split [1, 32] place lx
// CHECK:         spyre.sum {{.*}} split [1, 32, 1] place arg 1
func.func @carried(%x: tensor<512x2048xf16>) -> tensor<1x2048xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = spyre.neg %x : tensor<512x2048xf16>
  %1 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %0) -> (tensor<512x2048xf16>) {
    %3 = spyre.exp %a : tensor<512x2048xf16>
    scf.yield %3 : tensor<512x2048xf16>
  }
  %2 = spyre.sum %1 dims [0] keepdim : (tensor<512x2048xf16>) -> tensor<1x2048xf16>
  return %2 : tensor<1x2048xf16>
}
