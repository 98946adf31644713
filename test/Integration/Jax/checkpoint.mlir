// A gradient whose forward part is computed anew: a barrier of StableHLO is dropped. The values are JAX's: `jax.grad(jax.checkpoint(lambda x: jnp.tanh(jnp.tanh(x)).sum()))`.
// Made with jax 0.12.0.1 and iree-base-compiler 3.13.0, by `python python/tests/record.py checkpoint`.

// RUN: spyre-run %s --input %S/Inputs/checkpoint_in_0.npy --expect %S/Inputs/checkpoint_out_0.npy --tolerance 1e-5 | FileCheck %s
// RUN: spyre-run %s --input %S/Inputs/checkpoint_in_0.npy --expect %S/Inputs/checkpoint_out_0.npy --tolerance 1e-5 --on=card | FileCheck %s
// CHECK: result 0: 0 of 30 elements differ

#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> ()>
module @jit__lambda {
  func.func public @main(%arg0: tensor<6x5xf32>) -> tensor<6x5xf32> {
    %cst = arith.constant 1.000000e+00 : f32
    %cst_0 = arith.constant dense<1.000000e+00> : tensor<f32>
    %0 = tensor.empty() : tensor<6x5xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<6x5xf32>) outs(%0 : tensor<6x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %22 = math.tanh %in : f32
      linalg.yield %22 : f32
    } -> tensor<6x5xf32>
    %2 = tensor.empty() : tensor<6x5xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<6x5xf32>) outs(%2 : tensor<6x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %22 = arith.addf %in, %cst : f32
      linalg.yield %22 : f32
    } -> tensor<6x5xf32>
    %4 = tensor.empty() : tensor<6x5xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<6x5xf32>) outs(%4 : tensor<6x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %22 = arith.subf %cst, %in : f32
      linalg.yield %22 : f32
    } -> tensor<6x5xf32>
    %6 = tensor.empty() : tensor<6x5xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %5 : tensor<6x5xf32>, tensor<6x5xf32>) outs(%6 : tensor<6x5xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %22 = arith.mulf %in, %in_1 : f32
      linalg.yield %22 : f32
    } -> tensor<6x5xf32>
    %8 = tensor.empty() : tensor<6x5xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<6x5xf32>) outs(%8 : tensor<6x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %22 = math.tanh %in : f32
      linalg.yield %22 : f32
    } -> tensor<6x5xf32>
    %10 = tensor.empty() : tensor<6x5xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<6x5xf32>) outs(%10 : tensor<6x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %22 = arith.addf %in, %cst : f32
      linalg.yield %22 : f32
    } -> tensor<6x5xf32>
    %12 = tensor.empty() : tensor<6x5xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<6x5xf32>) outs(%12 : tensor<6x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %22 = arith.subf %cst, %in : f32
      linalg.yield %22 : f32
    } -> tensor<6x5xf32>
    %14 = tensor.empty() : tensor<6x5xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%11, %13 : tensor<6x5xf32>, tensor<6x5xf32>) outs(%14 : tensor<6x5xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %22 = arith.mulf %in, %in_1 : f32
      linalg.yield %22 : f32
    } -> tensor<6x5xf32>
    %16 = tensor.empty() : tensor<6x5xf32>
    %17 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%cst_0 : tensor<f32>) outs(%16 : tensor<6x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<6x5xf32>
    %18 = tensor.empty() : tensor<6x5xf32>
    %19 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%17, %15 : tensor<6x5xf32>, tensor<6x5xf32>) outs(%18 : tensor<6x5xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %22 = arith.mulf %in, %in_1 : f32
      linalg.yield %22 : f32
    } -> tensor<6x5xf32>
    %20 = tensor.empty() : tensor<6x5xf32>
    %21 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%19, %7 : tensor<6x5xf32>, tensor<6x5xf32>) outs(%20 : tensor<6x5xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %22 = arith.mulf %in, %in_1 : f32
      linalg.yield %22 : f32
    } -> tensor<6x5xf32>
    return %21 : tensor<6x5xf32>
  }
}

