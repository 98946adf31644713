// Gradients of convolutions. The numbers are those of a program in Python that adds up what each element of the result was made of.

// RUN: spyre-opt %s --convert-inductor-to-linalg -o %t
// RUN: FileCheck %s --check-prefix=IR --input-file %t
// RUN: spyre-run %t --entry square --compare %t --compare-entry square_expected --max-ulps 0
// RUN: spyre-run %t --entry grouped --compare %t --compare-entry grouped_expected --max-ulps 0
// RUN: spyre-run %t --entry cube | FileCheck %s --check-prefix=CUBE
// RUN: spyre-run %t --entry each --compare %t --compare-entry each_expected --max-ulps 0

// Two contractions and a sum; the gradient of the result is spread, as windows are two rows apart.
// IR-LABEL: func.func @square
// IR: tensor.pad
// IR-COUNT-2: arith.mulf
// IR-NOT: arith.mulf
// IR: return
// Gradients that the graph does not ask for are not computed.
// IR-LABEL: func.func @cube
// IR: arith.mulf
// IR-NOT: linalg.generic
// IR: return

// Strides, padding, and a row of the image that no window reaches.
inductor.graph @square {
  %g = inductor.constant "g" value dense<[[[[2.0, 1.0, 1.0, 0.5, -0.5, -1.5], [1.0, -2.0, -1.0, -1.5, 0.5, -1.5], [-0.5, 1.0, 1.5, 1.5, -1.0, 0.5]], [[1.0, 0.0, -1.0, -2.0, -1.0, -1.0], [-0.5, 1.0, -0.5, -1.5, 1.0, 1.0], [0.5, -0.5, 2.0, -1.5, 1.0, 1.5]], [[2.0, -0.5, -1.0, 0.5, 2.0, -0.5], [2.0, 2.0, 1.5, -1.0, -1.5, -0.5], [1.0, 1.5, 1.0, 1.5, 0.0, -1.0]]]]> : tensor<1x3x3x6xf32> : tensor<1x3x3x6xf32, #inductor.layout<fixed, [54, 18, 6, 1]>>
  %x = inductor.constant "x" value dense<[[[[2.0, 1.5, 1.0, -1.5, -1.5], [-1.0, 1.0, -0.5, -0.5, -2.0], [0.0, 0.5, -0.5, -2.0, 0.5], [-1.0, 1.0, 1.0, -2.0, 1.0], [-1.0, -1.5, -1.0, 1.0, -2.0], [-0.5, -0.5, 0.5, -1.5, 0.5]], [[0.5, -1.0, 2.0, 1.5, -1.0], [0.5, -1.5, 1.5, -2.0, 1.0], [-1.0, 0.5, -2.0, -0.5, -1.5], [0.5, -2.0, -1.0, -1.0, -0.5], [1.0, -1.0, 0.0, 2.0, 1.0], [0.0, -2.0, 1.5, 2.0, -1.5]]]]> : tensor<1x2x6x5xf32> : tensor<1x2x6x5xf32, #inductor.layout<fixed, [60, 30, 5, 1]>>
  %w = inductor.constant "w" value dense<[[[[2.0, -1.0], [1.0, 2.0], [1.5, 0.5]], [[1.0, -1.5], [1.5, 0.5], [0.0, -0.5]]], [[[1.5, 2.0], [-1.0, 0.5], [-2.0, 1.0]], [[2.0, -1.5], [-1.0, -1.5], [1.5, 0.0]]], [[[0.5, -2.0], [2.0, 2.0], [-0.5, -1.5]], [[-2.0, -1.0], [2.0, 0.0], [-2.0, -1.5]]]]> : tensor<3x2x3x2xf32> : tensor<3x2x3x2xf32, #inductor.layout<fixed, [12, 6, 2, 1]>>
  %r = inductor.extern "op0" as "buf0" "FallbackKernel" "aten.convolution_backward.default"(%g, %x, %w) {call = {args = [#inductor.operand<0>, #inductor.operand<1>, #inductor.operand<2>, [3], [2, 1], [1, 1], [1, 1], false, [0, 0], 1, [true, true, true]], kwargs = {}}} : (tensor<1x3x3x6xf32, #inductor.layout<fixed, [54, 18, 6, 1]>>, tensor<1x2x6x5xf32, #inductor.layout<fixed, [60, 30, 5, 1]>>, tensor<3x2x3x2xf32, #inductor.layout<fixed, [12, 6, 2, 1]>>) -> !inductor.results
  %0 = inductor.multi_output "op1" as "buf1" %r [["tuple", 0]] : !inductor.results -> tensor<1x2x6x5xf32, #inductor.layout<fixed, [60, 30, 5, 1]>>
  %1 = inductor.multi_output "op2" as "buf2" %r [["tuple", 1]] : !inductor.results -> tensor<3x2x3x2xf32, #inductor.layout<fixed, [12, 6, 2, 1]>>
  %2 = inductor.multi_output "op3" as "buf3" %r [["tuple", 2]] : !inductor.results -> tensor<3xf32, #inductor.layout<fixed, [1]>>
  inductor.return %0, %1, %2 : tensor<1x2x6x5xf32, #inductor.layout<fixed, [60, 30, 5, 1]>>, tensor<3x2x3x2xf32, #inductor.layout<fixed, [12, 6, 2, 1]>>, tensor<3xf32, #inductor.layout<fixed, [1]>>
}
inductor.graph @square_expected {
  %e0 = inductor.constant "e0" value dense<[[[[8.5, 1.0, 3.0, 5.5, 1.0], [-6.75, 3.25, -3.25, 0.0, -1.5], [6.75, 3.0, -1.25, -9.25, -5.0], [-7.5, -2.75, 0.0, -9.25, 5.25], [5.75, 6.25, 12.0, 3.25, -4.5], [0.5, -4.5, 5.75, -6.5, -1.25]], [[0.0, 1.0, 5.75, 7.5, -1.0], [-9.75, -4.75, -4.75, 4.5, -2.5], [1.25, -0.5, -2.5, -1.75, -5.5], [-10.0, -4.5, -12.75, 6.25, 10.0], [4.0, 3.5, 4.5, 0.5, -4.75], [-5.0, -1.75, -7.5, -1.5, 4.75]]]]> : tensor<1x2x6x5xf32> : tensor<1x2x6x5xf32, #inductor.layout<fixed, [60, 30, 5, 1]>>
  %e1 = inductor.constant "e1" value dense<[[[[9.0, -3.75], [-1.25, 10.25], [1.25, -3.5]], [[-7.5, 0.75], [5.75, 3.75], [-1.5, 11.0]]], [[[-2.75, 5.5], [-4.5, 4.5], [-3.75, 11.25]], [[-6.5, 1.75], [-2.75, -3.25], [-5.5, 0.75]]], [[[1.75, 1.25], [-2.75, -2.75], [-0.75, -7.25]], [[-2.5, -4.25], [7.0, -0.5], [0.0, 0.0]]]]> : tensor<3x2x3x2xf32> : tensor<3x2x3x2xf32, #inductor.layout<fixed, [12, 6, 2, 1]>>
  %e2 = inductor.constant "e2" value dense<[1.0, -0.5, 9.0]> : tensor<3xf32> : tensor<3xf32, #inductor.layout<fixed, [1]>>
  inductor.return %e0, %e1, %e2 : tensor<1x2x6x5xf32, #inductor.layout<fixed, [60, 30, 5, 1]>>, tensor<3x2x3x2xf32, #inductor.layout<fixed, [12, 6, 2, 1]>>, tensor<3xf32, #inductor.layout<fixed, [1]>>
}

// Groups, and dilated windows; no gradient of the bias.
inductor.graph @grouped {
  %g = inductor.constant "g" value dense<[[[2.0], [1.0], [1.0], [0.5]], [[-0.5], [-1.5], [1.0], [-2.0]]]> : tensor<2x4x1xf32> : tensor<2x4x1xf32, #inductor.layout<fixed, [4, 1, 1]>>
  %x = inductor.constant "x" value dense<[[[2.0, 1.5, 1.0, -1.5, -1.5], [-1.0, 1.0, -0.5, -0.5, -2.0], [0.0, 0.5, -0.5, -2.0, 0.5], [-1.0, 1.0, 1.0, -2.0, 1.0]], [[-1.0, -1.5, -1.0, 1.0, -2.0], [-0.5, -0.5, 0.5, -1.5, 0.5], [0.5, -1.0, 2.0, 1.5, -1.0], [0.5, -1.5, 1.5, -2.0, 1.0]]]> : tensor<2x4x5xf32> : tensor<2x4x5xf32, #inductor.layout<fixed, [20, 5, 1]>>
  %w = inductor.constant "w" value dense<[[[2.0, -1.0], [1.0, 2.0]], [[1.5, 0.5], [1.0, -1.5]], [[1.5, 0.5], [0.0, -0.5]], [[1.5, 2.0], [-1.0, 0.5]]]> : tensor<4x2x2xf32> : tensor<4x2x2xf32, #inductor.layout<fixed, [4, 2, 1]>>
  %r = inductor.extern "op0" as "buf0" "FallbackKernel" "aten.convolution_backward.default"(%g, %x, %w) {call = {args = [#inductor.operand<0>, #inductor.operand<1>, #inductor.operand<2>, [4], [3], [0], [2], false, [0], 2, [true, true, false]], kwargs = {}}} : (tensor<2x4x1xf32, #inductor.layout<fixed, [4, 1, 1]>>, tensor<2x4x5xf32, #inductor.layout<fixed, [20, 5, 1]>>, tensor<4x2x2xf32, #inductor.layout<fixed, [4, 2, 1]>>) -> !inductor.results
  %0 = inductor.multi_output "op1" as "buf1" %r [["tuple", 0]] : !inductor.results -> tensor<2x4x5xf32, #inductor.layout<fixed, [20, 5, 1]>>
  %1 = inductor.multi_output "op2" as "buf2" %r [["tuple", 1]] : !inductor.results -> tensor<4x2x2xf32, #inductor.layout<fixed, [4, 2, 1]>>
  inductor.return %0, %1 : tensor<2x4x5xf32, #inductor.layout<fixed, [20, 5, 1]>>, tensor<4x2x2xf32, #inductor.layout<fixed, [4, 2, 1]>>
}
inductor.graph @grouped_expected {
  %e0 = inductor.constant "e0" value dense<[[[5.5, 0.0, -1.5, 0.0, 0.0], [3.0, 0.0, 2.5, 0.0, 0.0], [2.25, 0.0, 1.5, 0.0, 0.0], [-0.5, 0.0, -0.25, 0.0, 0.0]], [[-3.25, 0.0, -0.25, 0.0, 0.0], [-2.0, 0.0, 1.25, 0.0, 0.0], [-1.5, 0.0, -3.5, 0.0, 0.0], [2.0, 0.0, -1.5, 0.0, 0.0]]]> : tensor<2x4x5xf32> : tensor<2x4x5xf32, #inductor.layout<fixed, [20, 5, 1]>>
  %e1 = inductor.constant "e1" value dense<[[[4.5, 2.5], [-1.75, -1.25]], [[3.5, 2.5], [-0.25, -1.25]], [[0.5, 1.5], [-0.5, 2.5]], [[-1.0, -4.25], [-1.5, -2.5]]]> : tensor<4x2x2xf32> : tensor<4x2x2xf32, #inductor.layout<fixed, [4, 2, 1]>>
  inductor.return %e0, %e1 : tensor<2x4x5xf32, #inductor.layout<fixed, [20, 5, 1]>>, tensor<4x2x2xf32, #inductor.layout<fixed, [4, 2, 1]>>
}

// Three dimensions, and more padding than the kernel reaches; the gradient of the image alone.
// CUBE{LITERAL}: result 0: tensor<1x1x2x3x2xf32> [2.0, 1.0, -1.0, -0.5, 0.0, 0.0, -1.0, -3.0, 0.5, 1.5, 0.0, 0.0]
inductor.graph @cube {
  %g = inductor.constant "g" value dense<[[[[[2.0, 1.0]], [[1.0, 0.5]], [[-0.5, -1.5]], [[1.0, -2.0]]]]]> : tensor<1x1x4x1x2xf32> : tensor<1x1x4x1x2xf32, #inductor.layout<fixed, [8, 8, 2, 2, 1]>>
  %x = inductor.constant "x" value dense<[[[[[2.0, 1.5], [1.0, -1.5], [-1.5, -1.0]], [[1.0, -0.5], [-0.5, -2.0], [0.0, 0.5]]]]]> : tensor<1x1x2x3x2xf32> : tensor<1x1x2x3x2xf32, #inductor.layout<fixed, [12, 12, 6, 2, 1]>>
  %w = inductor.constant "w" value dense<[[[[[2.0], [-1.0]]]]]> : tensor<1x1x1x2x1xf32> : tensor<1x1x1x2x1xf32, #inductor.layout<fixed, [2, 2, 2, 1, 1]>>
  %r = inductor.extern "op0" as "buf0" "FallbackKernel" "aten.convolution_backward.default"(%g, %x, %w) {call = {args = [#inductor.operand<0>, #inductor.operand<1>, #inductor.operand<2>, [1], [1, 2, 1], [1, 0, 0], [1, 1, 1], false, [0, 0, 0], 1, [true, false, false]], kwargs = {}}} : (tensor<1x1x4x1x2xf32, #inductor.layout<fixed, [8, 8, 2, 2, 1]>>, tensor<1x1x2x3x2xf32, #inductor.layout<fixed, [12, 12, 6, 2, 1]>>, tensor<1x1x1x2x1xf32, #inductor.layout<fixed, [2, 2, 2, 1, 1]>>) -> !inductor.results
  %0 = inductor.multi_output "op1" as "buf1" %r [["tuple", 0]] : !inductor.results -> tensor<1x1x2x3x2xf32, #inductor.layout<fixed, [12, 12, 6, 2, 1]>>
  inductor.return %0 : tensor<1x1x2x3x2xf32, #inductor.layout<fixed, [12, 12, 6, 2, 1]>>
}

// A kernel for each channel; the gradients of the kernel and of the bias.
inductor.graph @each {
  %g = inductor.constant "g" value dense<[[[[2.0, 1.0, 1.0, 0.5], [-0.5, -1.5, 1.0, -2.0], [-1.0, -1.5, 0.5, -1.5], [-0.5, 1.0, 1.5, 1.5]], [[-1.0, 0.5, 1.0, 0.0], [-1.0, -2.0, -1.0, -1.0], [-0.5, 1.0, -0.5, -1.5], [1.0, 1.0, 0.5, -0.5]]]]> : tensor<1x2x4x4xf32> : tensor<1x2x4x4xf32, #inductor.layout<fixed, [32, 16, 4, 1]>>
  %x = inductor.constant "x" value dense<[[[[2.0, 1.5, 1.0, -1.5], [-1.5, -1.0, 1.0, -0.5], [-0.5, -2.0, 0.0, 0.5], [-0.5, -2.0, 0.5, -1.0]], [[1.0, 1.0, -2.0, 1.0], [-1.0, -1.5, -1.0, 1.0], [-2.0, -0.5, -0.5, 0.5], [-1.5, 0.5, 0.5, -1.0]]]]> : tensor<1x2x4x4xf32> : tensor<1x2x4x4xf32, #inductor.layout<fixed, [32, 16, 4, 1]>>
  %w = inductor.constant "w" value dense<[[[[2.0, -1.0, 1.0], [2.0, 1.5, 0.5], [1.0, -1.5, 1.5]]], [[[0.5, 0.0, -0.5], [1.5, 2.0, -1.0], [0.5, -2.0, 1.0]]]]> : tensor<2x1x3x3xf32> : tensor<2x1x3x3xf32, #inductor.layout<fixed, [9, 9, 3, 1]>>
  %r = inductor.extern "op0" as "buf0" "FallbackKernel" "aten.convolution_backward.default"(%g, %x, %w) {call = {args = [#inductor.operand<0>, #inductor.operand<1>, #inductor.operand<2>, [2], [1, 1], [1, 1], [1, 1], false, [0, 0], 2, [false, true, true]], kwargs = {}}} : (tensor<1x2x4x4xf32, #inductor.layout<fixed, [32, 16, 4, 1]>>, tensor<1x2x4x4xf32, #inductor.layout<fixed, [32, 16, 4, 1]>>, tensor<2x1x3x3xf32, #inductor.layout<fixed, [9, 9, 3, 1]>>) -> !inductor.results
  %0 = inductor.multi_output "op1" as "buf1" %r [["tuple", 1]] : !inductor.results -> tensor<2x1x3x3xf32, #inductor.layout<fixed, [9, 9, 3, 1]>>
  %1 = inductor.multi_output "op2" as "buf2" %r [["tuple", 2]] : !inductor.results -> tensor<2xf32, #inductor.layout<fixed, [1]>>
  inductor.return %0, %1 : tensor<2x1x3x3xf32, #inductor.layout<fixed, [9, 9, 3, 1]>>, tensor<2xf32, #inductor.layout<fixed, [1]>>
}
inductor.graph @each_expected {
  %e0 = inductor.constant "e0" value dense<[[[[-6.75, 4.0, -2.75], [0.25, 10.25, 3.25], [-4.25, 4.25, 0.75]]], [[[-1.75, -7.0, 0.5], [3.5, 1.25, 1.5], [0.5, 4.75, 3.75]]]]> : tensor<2x1x3x3xf32> : tensor<2x1x3x3xf32, #inductor.layout<fixed, [9, 9, 3, 1]>>
  %e1 = inductor.constant "e1" value dense<[1.5, -4.0]> : tensor<2xf32> : tensor<2xf32, #inductor.layout<fixed, [1]>>
  inductor.return %e0, %e1 : tensor<2x1x3x3xf32, #inductor.layout<fixed, [9, 9, 3, 1]>>, tensor<2xf32, #inductor.layout<fixed, [1]>>
}
