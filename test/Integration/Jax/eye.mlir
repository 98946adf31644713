// A product with truth values that are cast: true is 1, and not -1. The values are JAX's: `lambda x: x @ jnp.eye(4)`.
// Made with jax 0.12.0.1 and iree-base-compiler 3.13.0, by `python python/tests/record.py eye`.

// RUN: spyre-run %s --input %S/Inputs/eye_in_0.npy --expect %S/Inputs/eye_out_0.npy --tolerance 1e-5 | FileCheck %s
// RUN: spyre-run %s --input %S/Inputs/eye_in_0.npy --expect %S/Inputs/eye_out_0.npy --tolerance 1e-5 --on=card | FileCheck %s
// CHECK: result 0: 0 of 20 elements differ

#map = affine_map<(d0, d1) -> (d0, d1)>
module @jit__lambda {
  func.func public @main(%arg0: tensor<5x4xf32>) -> tensor<5x4xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<4x4xi32>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<4x4xi32>) {
    ^bb0(%out: i32):
      %11 = linalg.index 0 : index
      %12 = arith.index_cast %11 : index to i32
      linalg.yield %12 : i32
    } -> tensor<4x4xi32>
    %2 = tensor.empty() : tensor<4x4xi32>
    %3 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%2 : tensor<4x4xi32>) {
    ^bb0(%out: i32):
      %11 = linalg.index 1 : index
      %12 = arith.index_cast %11 : index to i32
      linalg.yield %12 : i32
    } -> tensor<4x4xi32>
    %4 = tensor.empty() : tensor<4x4xi1>
    %5 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%1, %3 : tensor<4x4xi32>, tensor<4x4xi32>) outs(%4 : tensor<4x4xi1>) {
    ^bb0(%in: i32, %in_0: i32, %out: i1):
      %11 = arith.cmpi eq, %in, %in_0 : i32
      linalg.yield %11 : i1
    } -> tensor<4x4xi1>
    %6 = tensor.empty() : tensor<4x4xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<4x4xi1>) outs(%6 : tensor<4x4xf32>) {
    ^bb0(%in: i1, %out: f32):
      %11 = arith.uitofp %in : i1 to f32
      linalg.yield %11 : f32
    } -> tensor<4x4xf32>
    %8 = tensor.empty() : tensor<5x4xf32>
    %9 = linalg.fill ins(%cst : f32) outs(%8 : tensor<5x4xf32>) -> tensor<5x4xf32>
    %10 = linalg.matmul ins(%arg0, %7 : tensor<5x4xf32>, tensor<4x4xf32>) outs(%9 : tensor<5x4xf32>) -> tensor<5x4xf32>
    return %10 : tensor<5x4xf32>
  }
}

