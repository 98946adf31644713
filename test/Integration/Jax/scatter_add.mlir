// Updates out of range do nothing, and equal positions add up. The values are JAX's: `lambda x, i: x.at[i].add(1.0)`.
// Made with jax 0.12.0.1 and iree-base-compiler 3.13.0, by `python python/tests/record.py scatter_add`.

// RUN: spyre-run %s --input %S/Inputs/scatter_add_in_0.npy --input %S/Inputs/scatter_add_in_1.npy --expect %S/Inputs/scatter_add_out_0.npy --tolerance 1e-5 | FileCheck %s
// RUN: spyre-run %s --input %S/Inputs/scatter_add_in_0.npy --input %S/Inputs/scatter_add_in_1.npy --expect %S/Inputs/scatter_add_out_0.npy --tolerance 1e-5 --on=card | FileCheck %s
// CHECK: result 0: 0 of 60 elements differ

#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<() -> ()>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
module @jit__lambda {
  func.func public @main(%arg0: tensor<10x6xf32>, %arg1: tensor<4xi32>) -> tensor<10x6xf32> {
    %cst = arith.constant dense<1.000000e+00> : tensor<1x6xf32>
    %c9 = arith.constant 9 : index
    %c9_i32 = arith.constant 9 : i32
    %c3 = arith.constant 3 : index
    %c0 = arith.constant 0 : index
    %c10_i32 = arith.constant 10 : i32
    %c0_i32 = arith.constant 0 : i32
    %c4_i32 = arith.constant 4 : i32
    %c1_i32 = arith.constant 1 : i32
    %0 = tensor.empty() : tensor<4xi1>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg1 : tensor<4xi32>) outs(%0 : tensor<4xi1>) {
    ^bb0(%in: i32, %out: i1):
      %7 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %7 : i1
    } -> tensor<4xi1>
    %2 = tensor.empty() : tensor<4xi32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg1 : tensor<4xi32>) outs(%2 : tensor<4xi32>) {
    ^bb0(%in: i32, %out: i32):
      %7 = arith.addi %in, %c10_i32 : i32
      linalg.yield %7 : i32
    } -> tensor<4xi32>
    %4 = tensor.empty() : tensor<4xi32>
    %5 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel"]} ins(%1, %3, %arg1 : tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) outs(%4 : tensor<4xi32>) {
    ^bb0(%in: i1, %in_0: i32, %in_1: i32, %out: i32):
      %7 = arith.select %in, %in_0, %in_1 : i32
      linalg.yield %7 : i32
    } -> tensor<4xi32>
    %expanded = tensor.expand_shape %5 [[0, 1]] output_shape [4, 1] : tensor<4xi32> into tensor<4x1xi32>
    %6 = scf.for %arg2 = %c0_i32 to %c4_i32 step %c1_i32 iter_args(%arg3 = %arg0) -> (tensor<10x6xf32>)  : i32 {
      %7 = arith.index_cast %arg2 : i32 to index
      %8 = arith.maxsi %7, %c0 : index
      %9 = arith.minsi %8, %c3 : index
      %extracted_slice = tensor.extract_slice %expanded[%9, 0] [1, 1] [1, 1] : tensor<4x1xi32> to tensor<1x1xi32>
      %collapsed = tensor.collapse_shape %extracted_slice [] : tensor<1x1xi32> into tensor<i32>
      %10 = tensor.empty() : tensor<i1>
      %11 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = []} ins(%collapsed : tensor<i32>) outs(%10 : tensor<i1>) {
      ^bb0(%in: i32, %out: i1):
        %26 = arith.cmpi sge, %in, %c0_i32 : i32
        linalg.yield %26 : i1
      } -> tensor<i1>
      %12 = tensor.empty() : tensor<i1>
      %13 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = []} ins(%collapsed : tensor<i32>) outs(%12 : tensor<i1>) {
      ^bb0(%in: i32, %out: i1):
        %26 = arith.cmpi sle, %in, %c9_i32 : i32
        linalg.yield %26 : i1
      } -> tensor<i1>
      %14 = tensor.empty() : tensor<i1>
      %15 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = []} ins(%11, %13 : tensor<i1>, tensor<i1>) outs(%14 : tensor<i1>) {
      ^bb0(%in: i1, %in_3: i1, %out: i1):
        %26 = arith.andi %in, %in_3 : i1
        linalg.yield %26 : i1
      } -> tensor<i1>
      %extracted = tensor.extract %collapsed[] : tensor<i32>
      %16 = arith.index_cast %extracted : i32 to index
      %17 = arith.maxsi %16, %c0 : index
      %18 = arith.minsi %17, %c9 : index
      %extracted_slice_0 = tensor.extract_slice %arg3[%18, 0] [1, 6] [1, 1] : tensor<10x6xf32> to tensor<1x6xf32>
      %19 = tensor.empty() : tensor<1x6xf32>
      %20 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_0, %cst : tensor<1x6xf32>, tensor<1x6xf32>) outs(%19 : tensor<1x6xf32>) {
      ^bb0(%in: f32, %in_3: f32, %out: f32):
        %26 = arith.addf %in, %in_3 : f32
        linalg.yield %26 : f32
      } -> tensor<1x6xf32>
      %21 = tensor.empty() : tensor<1x6xf32>
      %extracted_1 = tensor.extract %15[] : tensor<i1>
      %22 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%20, %extracted_slice_0 : tensor<1x6xf32>, tensor<1x6xf32>) outs(%21 : tensor<1x6xf32>) {
      ^bb0(%in: f32, %in_3: f32, %out: f32):
        %26 = arith.select %extracted_1, %in, %in_3 : f32
        linalg.yield %26 : f32
      } -> tensor<1x6xf32>
      %extracted_2 = tensor.extract %collapsed[] : tensor<i32>
      %23 = arith.index_cast %extracted_2 : i32 to index
      %24 = arith.maxsi %23, %c0 : index
      %25 = arith.minsi %24, %c9 : index
      %inserted_slice = tensor.insert_slice %22 into %arg3[%25, 0] [1, 6] [1, 1] : tensor<1x6xf32> into tensor<10x6xf32>
      scf.yield %inserted_slice : tensor<10x6xf32>
    }
    return %6 : tensor<10x6xf32>
  }
}

