// A strided convolution with padding. The values are JAX's: `lambda x, w: lax.conv_general_dilated(x, w, (2, 2), 'SAME', dimension_numbers=('NHWC', 'HWIO', 'NHWC'))`.
// Made with jax 0.12.0.1 and iree-base-compiler 3.13.0, by `python python/tests/record.py convolution`.

// RUN: spyre-run %s --input %S/Inputs/convolution_in_0.npy --input %S/Inputs/convolution_in_1.npy --expect %S/Inputs/convolution_out_0.npy --tolerance 1e-5 | FileCheck %s
// RUN: spyre-run %s --input %S/Inputs/convolution_in_0.npy --input %S/Inputs/convolution_in_1.npy --expect %S/Inputs/convolution_out_0.npy --tolerance 1e-5 --on=card | FileCheck %s
// CHECK: result 0: 0 of 128 elements differ

module @jit__lambda {
  func.func public @main(%arg0: tensor<1x8x8x4xf32>, %arg1: tensor<3x3x4x8xf32>) -> tensor<1x4x4x8xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<1x4x4x8xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
    %padded = tensor.pad %arg0 low[0, 0, 0, 0] high[0, 1, 1, 0] {
    ^bb0(%arg2: index, %arg3: index, %arg4: index, %arg5: index):
      tensor.yield %cst : f32
    } : tensor<1x8x8x4xf32> to tensor<1x9x9x4xf32>
    %2 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%padded, %arg1 : tensor<1x9x9x4xf32>, tensor<3x3x4x8xf32>) outs(%1 : tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
    return %2 : tensor<1x4x4x8xf32>
  }
}

