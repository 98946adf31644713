// A product of unsigned bytes with a result of bytes, and a class out of range. The values are JAX's: `lambda x, i: jax.nn.one_hot(i, 16, dtype=jnp.uint8) @ x`.
// Made with jax 0.12.0.1 and iree-base-compiler 3.13.0, by `python python/tests/record.py one_hot_bytes`.

// RUN: spyre-run %s --input %S/Inputs/one_hot_bytes_in_0.npy --input %S/Inputs/one_hot_bytes_in_1.npy --expect %S/Inputs/one_hot_bytes_out_0.npy --tolerance 1e-5 | FileCheck %s
// RUN: spyre-run %s --input %S/Inputs/one_hot_bytes_in_0.npy --input %S/Inputs/one_hot_bytes_in_1.npy --expect %S/Inputs/one_hot_bytes_out_0.npy --tolerance 1e-5 --on=card | FileCheck %s
// CHECK: result 0: 0 of 32 elements differ

#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0, d1) -> (0, d1)>
module @jit__lambda {
  func.func public @main(%arg0: tensor<16x8xi8> {iree.abi.encoding = tensor<16x8xui8>}, %arg1: tensor<4xi32>) -> (tensor<4x8xi8> {iree.abi.encoding = tensor<4x8xui8>}) {
    %c0_i8 = arith.constant 0 : i8
    %0 = tensor.empty() : tensor<1x16xi32>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<1x16xi32>) {
    ^bb0(%out: i32):
      %13 = linalg.index 1 : index
      %14 = arith.index_cast %13 : index to i32
      linalg.yield %14 : i32
    } -> tensor<1x16xi32>
    %2 = tensor.empty() : tensor<4x16xi32>
    %3 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<4xi32>) outs(%2 : tensor<4x16xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<4x16xi32>
    %4 = tensor.empty() : tensor<4x16xi32>
    %5 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<1x16xi32>) outs(%4 : tensor<4x16xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<4x16xi32>
    %6 = tensor.empty() : tensor<4x16xi1>
    %7 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %5 : tensor<4x16xi32>, tensor<4x16xi32>) outs(%6 : tensor<4x16xi1>) {
    ^bb0(%in: i32, %in_0: i32, %out: i1):
      %13 = arith.cmpi eq, %in, %in_0 : i32
      linalg.yield %13 : i1
    } -> tensor<4x16xi1>
    %8 = tensor.empty() : tensor<4x16xi8>
    %9 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%7 : tensor<4x16xi1>) outs(%8 : tensor<4x16xi8>) {
    ^bb0(%in: i1, %out: i8):
      %13 = arith.extui %in : i1 to i8
      linalg.yield %13 : i8
    } -> tensor<4x16xi8>
    %10 = tensor.empty() : tensor<4x8xi8>
    %11 = linalg.fill ins(%c0_i8 : i8) outs(%10 : tensor<4x8xi8>) -> tensor<4x8xi8>
    %12 = linalg.matmul ins(%9, %arg0 : tensor<4x16xi8>, tensor<16x8xi8>) outs(%11 : tensor<4x8xi8>) -> tensor<4x8xi8>
    return %12 : tensor<4x8xi8>
  }
}

