// A product of unsigned bytes with a wider result: 200 stays 200. The values are JAX's: `lambda x, y: lax.dot(x, y, preferred_element_type=jnp.int32)`.
// Made with jax 0.12.0.1 and iree-base-compiler 3.13.0, by `python python/tests/record.py wide_product_of_bytes`.

// RUN: spyre-run %s --input %S/Inputs/wide_product_of_bytes_in_0.npy --input %S/Inputs/wide_product_of_bytes_in_1.npy --expect %S/Inputs/wide_product_of_bytes_out_0.npy --tolerance 1e-5 | FileCheck %s
// RUN: spyre-run %s --input %S/Inputs/wide_product_of_bytes_in_0.npy --input %S/Inputs/wide_product_of_bytes_in_1.npy --expect %S/Inputs/wide_product_of_bytes_out_0.npy --tolerance 1e-5 --on=card | FileCheck %s
// CHECK: result 0: 0 of 32 elements differ

#map = affine_map<(d0, d1) -> (d0, d1)>
module @jit__lambda {
  func.func public @main(%arg0: tensor<4x16xi8> {iree.abi.encoding = tensor<4x16xui8>}, %arg1: tensor<16x8xi8> {iree.abi.encoding = tensor<16x8xui8>}) -> tensor<4x8xi32> {
    %c0_i32 = arith.constant 0 : i32
    %0 = tensor.empty() : tensor<4x16xi32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<4x16xi8>) outs(%0 : tensor<4x16xi32>) {
    ^bb0(%in: i8, %out: i32):
      %7 = arith.extui %in : i8 to i32
      linalg.yield %7 : i32
    } -> tensor<4x16xi32>
    %2 = tensor.empty() : tensor<16x8xi32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<16x8xi8>) outs(%2 : tensor<16x8xi32>) {
    ^bb0(%in: i8, %out: i32):
      %7 = arith.extui %in : i8 to i32
      linalg.yield %7 : i32
    } -> tensor<16x8xi32>
    %4 = tensor.empty() : tensor<4x8xi32>
    %5 = linalg.fill ins(%c0_i32 : i32) outs(%4 : tensor<4x8xi32>) -> tensor<4x8xi32>
    %6 = linalg.matmul ins(%1, %3 : tensor<4x16xi32>, tensor<16x8xi32>) outs(%5 : tensor<4x8xi32>) -> tensor<4x8xi32>
    return %6 : tensor<4x8xi32>
  }
}

