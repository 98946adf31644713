// A loop that collects rows. The values are JAX's: `lambda x: lax.scan(lambda c, a: (c + a, c * a), jnp.zeros(64, jnp.float16), x)`.
// Made with jax 0.12.0.1 and iree-base-compiler 3.13.0, by `python python/tests/record.py scan`.

// RUN: spyre-run %s --input %S/Inputs/scan_in_0.npy --expect %S/Inputs/scan_out_0.npy --expect %S/Inputs/scan_out_1.npy --tolerance 1e-2 | FileCheck %s
// RUN: spyre-run %s --input %S/Inputs/scan_in_0.npy --expect %S/Inputs/scan_out_0.npy --expect %S/Inputs/scan_out_1.npy --tolerance 1e-2 --on=card | FileCheck %s
// CHECK: result 0: 0 of 64 elements differ
// CHECK: result 1: 0 of 256 elements differ

#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1) -> (d1)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
module @jit__lambda {
  func.func public @main(%arg0: tensor<4x64xf16>) -> (tensor<64xf16>, tensor<4x64xf16>) {
    %c3 = arith.constant 3 : index
    %c0 = arith.constant 0 : index
    %cst = arith.constant dense<0.000000e+00> : tensor<64xf16>
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<4x64xf16>
    %c0_i32 = arith.constant 0 : i32
    %c4_i32 = arith.constant 4 : i32
    %c1_i32 = arith.constant 1 : i32
    %0:2 = scf.for %arg1 = %c0_i32 to %c4_i32 step %c1_i32 iter_args(%arg2 = %cst, %arg3 = %cst_0) -> (tensor<64xf16>, tensor<4x64xf16>)  : i32 {
      %1 = arith.index_cast %arg1 : i32 to index
      %2 = arith.maxsi %1, %c0 : index
      %3 = arith.minsi %2, %c3 : index
      %extracted_slice = tensor.extract_slice %arg0[%3, 0] [1, 64] [1, 1] : tensor<4x64xf16> to tensor<1x64xf16>
      %collapsed = tensor.collapse_shape %extracted_slice [[0, 1]] : tensor<1x64xf16> into tensor<64xf16>
      %4 = tensor.empty() : tensor<64xf16>
      %5 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%arg2, %collapsed : tensor<64xf16>, tensor<64xf16>) outs(%4 : tensor<64xf16>) {
      ^bb0(%in: f16, %in_1: f16, %out: f16):
        %13 = arith.addf %in, %in_1 : f16
        linalg.yield %13 : f16
      } -> tensor<64xf16>
      %6 = tensor.empty() : tensor<64xf16>
      %7 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%arg2, %collapsed : tensor<64xf16>, tensor<64xf16>) outs(%6 : tensor<64xf16>) {
      ^bb0(%in: f16, %in_1: f16, %out: f16):
        %13 = arith.mulf %in, %in_1 : f16
        linalg.yield %13 : f16
      } -> tensor<64xf16>
      %8 = tensor.empty() : tensor<1x64xf16>
      %9 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel"]} ins(%7 : tensor<64xf16>) outs(%8 : tensor<1x64xf16>) {
      ^bb0(%in: f16, %out: f16):
        linalg.yield %in : f16
      } -> tensor<1x64xf16>
      %10 = arith.index_cast %arg1 : i32 to index
      %11 = arith.maxsi %10, %c0 : index
      %12 = arith.minsi %11, %c3 : index
      %inserted_slice = tensor.insert_slice %9 into %arg3[%12, 0] [1, 64] [1, 1] : tensor<1x64xf16> into tensor<4x64xf16>
      scf.yield %5, %inserted_slice : tensor<64xf16>, tensor<4x64xf16>
    }
    return %0#0, %0#1 : tensor<64xf16>, tensor<4x64xf16>
  }
}

