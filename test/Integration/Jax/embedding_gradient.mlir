// The gradient of a gather is a scatter. The values are JAX's: `lambda w, i: jax.grad(lambda w: (w[i] ** 2).sum())(w)`.
// Made with jax 0.12.0.1 and iree-base-compiler 3.13.0, by `python python/tests/record.py embedding_gradient`.

// RUN: spyre-run %s --input %S/Inputs/embedding_gradient_in_0.npy --input %S/Inputs/embedding_gradient_in_1.npy --expect %S/Inputs/embedding_gradient_out_0.npy --tolerance 1e-5 | FileCheck %s
// RUN: spyre-run %s --input %S/Inputs/embedding_gradient_in_0.npy --input %S/Inputs/embedding_gradient_in_1.npy --expect %S/Inputs/embedding_gradient_out_0.npy --tolerance 1e-5 --on=card | FileCheck %s
// CHECK: result 0: 0 of 60 elements differ

#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<() -> ()>
module @jit__lambda {
  func.func public @main(%arg0: tensor<10x6xf32>, %arg1: tensor<2x3xi32>) -> tensor<10x6xf32> {
    %c9_i32 = arith.constant 9 : i32
    %c5 = arith.constant 5 : index
    %cst = arith.constant 2.000000e+00 : f32
    %c9 = arith.constant 9 : index
    %c0 = arith.constant 0 : index
    %c10_i32 = arith.constant 10 : i32
    %c0_i32 = arith.constant 0 : i32
    %c6_i32 = arith.constant 6 : i32
    %c1_i32 = arith.constant 1 : i32
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<10x6xf32>
    %0 = tensor.empty() : tensor<2x3xi1>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<2x3xi32>) outs(%0 : tensor<2x3xi1>) {
    ^bb0(%in: i32, %out: i1):
      %11 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %11 : i1
    } -> tensor<2x3xi1>
    %2 = tensor.empty() : tensor<2x3xi32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<2x3xi32>) outs(%2 : tensor<2x3xi32>) {
    ^bb0(%in: i32, %out: i32):
      %11 = arith.addi %in, %c10_i32 : i32
      linalg.yield %11 : i32
    } -> tensor<2x3xi32>
    %4 = tensor.empty() : tensor<2x3xi32>
    %5 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%1, %3, %arg1 : tensor<2x3xi1>, tensor<2x3xi32>, tensor<2x3xi32>) outs(%4 : tensor<2x3xi32>) {
    ^bb0(%in: i1, %in_4: i32, %in_5: i32, %out: i32):
      %11 = arith.select %in, %in_4, %in_5 : i32
      linalg.yield %11 : i32
    } -> tensor<2x3xi32>
    %expanded = tensor.expand_shape %5 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xi32> into tensor<2x3x1xi32>
    %6 = tensor.empty() : tensor<2x3x6xf32>
    %7 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel", "parallel", "parallel"]} outs(%6 : tensor<2x3x6xf32>) {
    ^bb0(%out: f32):
      %11 = linalg.index 0 : index
      %12 = linalg.index 1 : index
      %13 = linalg.index 2 : index
      %extracted = tensor.extract %expanded[%11, %12, %c0] : tensor<2x3x1xi32>
      %14 = arith.index_cast %extracted : i32 to index
      %15 = arith.maxsi %14, %c0 : index
      %16 = arith.minsi %15, %c9 : index
      %extracted_4 = tensor.extract %arg0[%16, %13] : tensor<10x6xf32>
      linalg.yield %extracted_4 : f32
    } -> tensor<2x3x6xf32>
    %8 = tensor.empty() : tensor<2x3x6xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7 : tensor<2x3x6xf32>) outs(%8 : tensor<2x3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %11 = arith.mulf %in, %cst : f32
      linalg.yield %11 : f32
    } -> tensor<2x3x6xf32>
    %collapsed = tensor.collapse_shape %5 [[0, 1]] : tensor<2x3xi32> into tensor<6xi32>
    %expanded_1 = tensor.expand_shape %collapsed [[0, 1]] output_shape [6, 1] : tensor<6xi32> into tensor<6x1xi32>
    %collapsed_2 = tensor.collapse_shape %9 [[0, 1, 2]] : tensor<2x3x6xf32> into tensor<36xf32>
    %expanded_3 = tensor.expand_shape %collapsed_2 [[0, 1, 2]] output_shape [6, 1, 6] : tensor<36xf32> into tensor<6x1x6xf32>
    %10 = scf.for %arg2 = %c0_i32 to %c6_i32 step %c1_i32 iter_args(%arg3 = %cst_0) -> (tensor<10x6xf32>)  : i32 {
      %11 = arith.index_cast %arg2 : i32 to index
      %12 = arith.maxsi %11, %c0 : index
      %13 = arith.minsi %12, %c5 : index
      %extracted_slice = tensor.extract_slice %expanded_1[%13, 0] [1, 1] [1, 1] : tensor<6x1xi32> to tensor<1x1xi32>
      %collapsed_4 = tensor.collapse_shape %extracted_slice [] : tensor<1x1xi32> into tensor<i32>
      %14 = tensor.empty() : tensor<i1>
      %15 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%collapsed_4 : tensor<i32>) outs(%14 : tensor<i1>) {
      ^bb0(%in: i32, %out: i1):
        %33 = arith.cmpi sge, %in, %c0_i32 : i32
        linalg.yield %33 : i1
      } -> tensor<i1>
      %16 = tensor.empty() : tensor<i1>
      %17 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%collapsed_4 : tensor<i32>) outs(%16 : tensor<i1>) {
      ^bb0(%in: i32, %out: i1):
        %33 = arith.cmpi sle, %in, %c9_i32 : i32
        linalg.yield %33 : i1
      } -> tensor<i1>
      %18 = tensor.empty() : tensor<i1>
      %19 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = []} ins(%15, %17 : tensor<i1>, tensor<i1>) outs(%18 : tensor<i1>) {
      ^bb0(%in: i1, %in_10: i1, %out: i1):
        %33 = arith.andi %in, %in_10 : i1
        linalg.yield %33 : i1
      } -> tensor<i1>
      %extracted = tensor.extract %collapsed_4[] : tensor<i32>
      %20 = arith.index_cast %extracted : i32 to index
      %21 = arith.maxsi %20, %c0 : index
      %22 = arith.minsi %21, %c9 : index
      %extracted_slice_5 = tensor.extract_slice %arg3[%22, 0] [1, 6] [1, 1] : tensor<10x6xf32> to tensor<1x6xf32>
      %23 = arith.index_cast %arg2 : i32 to index
      %24 = arith.maxsi %23, %c0 : index
      %25 = arith.minsi %24, %c5 : index
      %extracted_slice_6 = tensor.extract_slice %expanded_3[%25, 0, 0] [1, 1, 6] [1, 1, 1] : tensor<6x1x6xf32> to tensor<1x1x6xf32>
      %collapsed_7 = tensor.collapse_shape %extracted_slice_6 [[0], [1, 2]] : tensor<1x1x6xf32> into tensor<1x6xf32>
      %26 = tensor.empty() : tensor<1x6xf32>
      %27 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_5, %collapsed_7 : tensor<1x6xf32>, tensor<1x6xf32>) outs(%26 : tensor<1x6xf32>) {
      ^bb0(%in: f32, %in_10: f32, %out: f32):
        %33 = arith.addf %in, %in_10 : f32
        linalg.yield %33 : f32
      } -> tensor<1x6xf32>
      %28 = tensor.empty() : tensor<1x6xf32>
      %extracted_8 = tensor.extract %19[] : tensor<i1>
      %29 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%27, %extracted_slice_5 : tensor<1x6xf32>, tensor<1x6xf32>) outs(%28 : tensor<1x6xf32>) {
      ^bb0(%in: f32, %in_10: f32, %out: f32):
        %33 = arith.select %extracted_8, %in, %in_10 : f32
        linalg.yield %33 : f32
      } -> tensor<1x6xf32>
      %extracted_9 = tensor.extract %collapsed_4[] : tensor<i32>
      %30 = arith.index_cast %extracted_9 : i32 to index
      %31 = arith.maxsi %30, %c0 : index
      %32 = arith.minsi %31, %c9 : index
      %inserted_slice = tensor.insert_slice %29 into %arg3[%32, 0] [1, 6] [1, 1] : tensor<1x6xf32> into tensor<10x6xf32>
      scf.yield %inserted_slice : tensor<10x6xf32>
    }
    return %10 : tensor<10x6xf32>
  }
}

