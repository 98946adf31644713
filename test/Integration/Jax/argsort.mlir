// A stable sort of rows that are no power of two, with NaN, infinities, and zeros of both signs. The values are JAX's: `lambda x: jnp.argsort(x, axis=-1)`.
// Made with jax 0.12.0.1 and iree-base-compiler 3.13.0, by `python python/tests/record.py argsort`.

// RUN: spyre-run %s --input %S/Inputs/argsort_in_0.npy --expect %S/Inputs/argsort_out_0.npy --tolerance 1e-5 | FileCheck %s
// RUN: spyre-run %s --input %S/Inputs/argsort_in_0.npy --expect %S/Inputs/argsort_out_0.npy --tolerance 1e-5 --on=card | FileCheck %s
// CHECK: result 0: 0 of 12 elements differ

#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
module @jit__lambda {
  func.func public @main(%arg0: tensor<4x3xf32>) -> tensor<4x3xi32> {
    %cst = arith.constant 0x7FC00000 : f32
    %c1_i32 = arith.constant 1 : i32
    %c3_i32 = arith.constant 3 : i32
    %c2147483647_i32 = arith.constant 2147483647 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<4x3xi32>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<4x3xi32>) {
    ^bb0(%out: i32):
      %95 = linalg.index 1 : index
      %96 = arith.index_cast %95 : index to i32
      linalg.yield %96 : i32
    } -> tensor<4x3xi32>
    %padded = tensor.pad %arg0 low[0, 0] high[0, 1] {
    ^bb0(%arg1: index, %arg2: index):
      tensor.yield %cst_0 : f32
    } : tensor<4x3xf32> to tensor<4x4xf32>
    %padded_1 = tensor.pad %1 low[0, 0] high[0, 1] {
    ^bb0(%arg1: index, %arg2: index):
      tensor.yield %c0_i32 : i32
    } : tensor<4x3xi32> to tensor<4x4xi32>
    %2 = tensor.empty() : tensor<4x4xi32>
    %3 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%2 : tensor<4x4xi32>) {
    ^bb0(%out: i32):
      %95 = linalg.index 1 : index
      %96 = arith.index_cast %95 : index to i32
      linalg.yield %96 : i32
    } -> tensor<4x4xi32>
    %expanded = tensor.expand_shape %padded [[0], [1, 2, 3]] output_shape [4, 2, 2, 1] : tensor<4x4xf32> into tensor<4x2x2x1xf32>
    %extracted_slice = tensor.extract_slice %expanded[0, 0, 0, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x2x1xf32> to tensor<4x2x1x1xf32>
    %extracted_slice_2 = tensor.extract_slice %expanded[0, 0, 1, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x2x1xf32> to tensor<4x2x1x1xf32>
    %expanded_3 = tensor.expand_shape %padded_1 [[0], [1, 2, 3]] output_shape [4, 2, 2, 1] : tensor<4x4xi32> into tensor<4x2x2x1xi32>
    %extracted_slice_4 = tensor.extract_slice %expanded_3[0, 0, 0, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x2x1xi32> to tensor<4x2x1x1xi32>
    %extracted_slice_5 = tensor.extract_slice %expanded_3[0, 0, 1, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x2x1xi32> to tensor<4x2x1x1xi32>
    %expanded_6 = tensor.expand_shape %3 [[0], [1, 2, 3]] output_shape [4, 2, 2, 1] : tensor<4x4xi32> into tensor<4x2x2x1xi32>
    %extracted_slice_7 = tensor.extract_slice %expanded_6[0, 0, 0, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x2x1xi32> to tensor<4x2x1x1xi32>
    %extracted_slice_8 = tensor.extract_slice %expanded_6[0, 0, 1, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x2x1xi32> to tensor<4x2x1x1xi32>
    %4 = tensor.empty() : tensor<4x2x1x1xi1>
    %5 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_2, %extracted_slice : tensor<4x2x1x1xf32>, tensor<4x2x1x1xf32>) outs(%4 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: f32, %in_47: f32, %out: i1):
      %95 = arith.cmpf oeq, %in, %cst_0 : f32
      %96 = arith.select %95, %cst_0, %in : f32
      %97 = arith.cmpf une, %in, %in : f32
      %98 = arith.select %97, %cst, %96 : f32
      %99 = arith.cmpf oeq, %in_47, %cst_0 : f32
      %100 = arith.select %99, %cst_0, %in_47 : f32
      %101 = arith.cmpf une, %in_47, %in_47 : f32
      %102 = arith.select %101, %cst, %100 : f32
      %103 = arith.bitcast %98 : f32 to i32
      %104 = arith.cmpi slt, %103, %c0_i32 : i32
      %105 = arith.subi %c2147483647_i32, %103 : i32
      %106 = arith.select %104, %105, %103 : i32
      %107 = arith.bitcast %102 : f32 to i32
      %108 = arith.cmpi slt, %107, %c0_i32 : i32
      %109 = arith.subi %c2147483647_i32, %107 : i32
      %110 = arith.select %108, %109, %107 : i32
      %111 = arith.cmpi slt, %106, %110 : i32
      linalg.yield %111 : i1
    } -> tensor<4x2x1x1xi1>
    %6 = tensor.empty() : tensor<4x2x1x1xi1>
    %7 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice, %extracted_slice_2 : tensor<4x2x1x1xf32>, tensor<4x2x1x1xf32>) outs(%6 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: f32, %in_47: f32, %out: i1):
      %95 = arith.cmpf oeq, %in, %cst_0 : f32
      %96 = arith.select %95, %cst_0, %in : f32
      %97 = arith.cmpf une, %in, %in : f32
      %98 = arith.select %97, %cst, %96 : f32
      %99 = arith.cmpf oeq, %in_47, %cst_0 : f32
      %100 = arith.select %99, %cst_0, %in_47 : f32
      %101 = arith.cmpf une, %in_47, %in_47 : f32
      %102 = arith.select %101, %cst, %100 : f32
      %103 = arith.bitcast %98 : f32 to i32
      %104 = arith.cmpi slt, %103, %c0_i32 : i32
      %105 = arith.subi %c2147483647_i32, %103 : i32
      %106 = arith.select %104, %105, %103 : i32
      %107 = arith.bitcast %102 : f32 to i32
      %108 = arith.cmpi slt, %107, %c0_i32 : i32
      %109 = arith.subi %c2147483647_i32, %107 : i32
      %110 = arith.select %108, %109, %107 : i32
      %111 = arith.cmpi slt, %106, %110 : i32
      linalg.yield %111 : i1
    } -> tensor<4x2x1x1xi1>
    %8 = tensor.empty() : tensor<4x2x1x1xi1>
    %9 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_8, %extracted_slice_7 : tensor<4x2x1x1xi32>, tensor<4x2x1x1xi32>) outs(%8 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: i32, %in_47: i32, %out: i1):
      %95 = arith.cmpi slt, %in, %in_47 : i32
      linalg.yield %95 : i1
    } -> tensor<4x2x1x1xi1>
    %10 = tensor.empty() : tensor<4x2x1x1xi1>
    %11 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%5, %7 : tensor<4x2x1x1xi1>, tensor<4x2x1x1xi1>) outs(%10 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: i1, %in_47: i1, %out: i1):
      %95 = arith.xori %in, %in_47 : i1
      linalg.yield %95 : i1
    } -> tensor<4x2x1x1xi1>
    %12 = tensor.empty() : tensor<4x2x1x1xi1>
    %13 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11, %5, %9 : tensor<4x2x1x1xi1>, tensor<4x2x1x1xi1>, tensor<4x2x1x1xi1>) outs(%12 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: i1, %in_47: i1, %in_48: i1, %out: i1):
      %95 = arith.select %in, %in_47, %in_48 : i1
      linalg.yield %95 : i1
    } -> tensor<4x2x1x1xi1>
    %14 = tensor.empty() : tensor<4x2x1x1xi32>
    %15 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_7, %extracted_slice_8 : tensor<4x2x1x1xi32>, tensor<4x2x1x1xi32>) outs(%14 : tensor<4x2x1x1xi32>) {
    ^bb0(%in: i32, %in_47: i32, %out: i32):
      %95 = arith.maxsi %in, %in_47 : i32
      linalg.yield %95 : i32
    } -> tensor<4x2x1x1xi32>
    %16 = tensor.empty() : tensor<4x2x1x1xi1>
    %17 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15 : tensor<4x2x1x1xi32>) outs(%16 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: i32, %out: i1):
      %95 = arith.cmpi sge, %in, %c3_i32 : i32
      linalg.yield %95 : i1
    } -> tensor<4x2x1x1xi1>
    %18 = tensor.empty() : tensor<4x2x1x1xi1>
    %19 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%17, %9, %13 : tensor<4x2x1x1xi1>, tensor<4x2x1x1xi1>, tensor<4x2x1x1xi1>) outs(%18 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: i1, %in_47: i1, %in_48: i1, %out: i1):
      %95 = arith.select %in, %in_47, %in_48 : i1
      linalg.yield %95 : i1
    } -> tensor<4x2x1x1xi1>
    %20 = tensor.empty() : tensor<4x2x1x1xi32>
    %21 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%20 : tensor<4x2x1x1xi32>) {
    ^bb0(%out: i32):
      %95 = linalg.index 1 : index
      %96 = arith.index_cast %95 : index to i32
      linalg.yield %96 : i32
    } -> tensor<4x2x1x1xi32>
    %22 = tensor.empty() : tensor<4x2x1x1xi32>
    %23 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21 : tensor<4x2x1x1xi32>) outs(%22 : tensor<4x2x1x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      %95 = arith.andi %in, %c1_i32 : i32
      linalg.yield %95 : i32
    } -> tensor<4x2x1x1xi32>
    %24 = tensor.empty() : tensor<4x2x1x1xi1>
    %25 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23 : tensor<4x2x1x1xi32>) outs(%24 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: i32, %out: i1):
      %95 = arith.cmpi ne, %in, %c0_i32 : i32
      linalg.yield %95 : i1
    } -> tensor<4x2x1x1xi1>
    %26 = tensor.empty() : tensor<4x2x1x1xi1>
    %27 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19, %25 : tensor<4x2x1x1xi1>, tensor<4x2x1x1xi1>) outs(%26 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: i1, %in_47: i1, %out: i1):
      %95 = arith.xori %in, %in_47 : i1
      linalg.yield %95 : i1
    } -> tensor<4x2x1x1xi1>
    %28 = tensor.empty() : tensor<4x2x1x1xf32>
    %29 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%27, %extracted_slice_2, %extracted_slice : tensor<4x2x1x1xi1>, tensor<4x2x1x1xf32>, tensor<4x2x1x1xf32>) outs(%28 : tensor<4x2x1x1xf32>) {
    ^bb0(%in: i1, %in_47: f32, %in_48: f32, %out: f32):
      %95 = arith.select %in, %in_47, %in_48 : f32
      linalg.yield %95 : f32
    } -> tensor<4x2x1x1xf32>
    %30 = tensor.empty() : tensor<4x2x1x1xf32>
    %31 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%27, %extracted_slice, %extracted_slice_2 : tensor<4x2x1x1xi1>, tensor<4x2x1x1xf32>, tensor<4x2x1x1xf32>) outs(%30 : tensor<4x2x1x1xf32>) {
    ^bb0(%in: i1, %in_47: f32, %in_48: f32, %out: f32):
      %95 = arith.select %in, %in_47, %in_48 : f32
      linalg.yield %95 : f32
    } -> tensor<4x2x1x1xf32>
    %32 = tensor.empty() : tensor<4x2x2x1xf32>
    %inserted_slice = tensor.insert_slice %29 into %32[0, 0, 0, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x1x1xf32> into tensor<4x2x2x1xf32>
    %inserted_slice_9 = tensor.insert_slice %31 into %inserted_slice[0, 0, 1, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x1x1xf32> into tensor<4x2x2x1xf32>
    %33 = tensor.empty() : tensor<4x2x1x1xi32>
    %34 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%27, %extracted_slice_5, %extracted_slice_4 : tensor<4x2x1x1xi1>, tensor<4x2x1x1xi32>, tensor<4x2x1x1xi32>) outs(%33 : tensor<4x2x1x1xi32>) {
    ^bb0(%in: i1, %in_47: i32, %in_48: i32, %out: i32):
      %95 = arith.select %in, %in_47, %in_48 : i32
      linalg.yield %95 : i32
    } -> tensor<4x2x1x1xi32>
    %35 = tensor.empty() : tensor<4x2x1x1xi32>
    %36 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%27, %extracted_slice_4, %extracted_slice_5 : tensor<4x2x1x1xi1>, tensor<4x2x1x1xi32>, tensor<4x2x1x1xi32>) outs(%35 : tensor<4x2x1x1xi32>) {
    ^bb0(%in: i1, %in_47: i32, %in_48: i32, %out: i32):
      %95 = arith.select %in, %in_47, %in_48 : i32
      linalg.yield %95 : i32
    } -> tensor<4x2x1x1xi32>
    %37 = tensor.empty() : tensor<4x2x2x1xi32>
    %inserted_slice_10 = tensor.insert_slice %34 into %37[0, 0, 0, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x1x1xi32> into tensor<4x2x2x1xi32>
    %inserted_slice_11 = tensor.insert_slice %36 into %inserted_slice_10[0, 0, 1, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x1x1xi32> into tensor<4x2x2x1xi32>
    %38 = tensor.empty() : tensor<4x2x1x1xi32>
    %39 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%27, %extracted_slice_8, %extracted_slice_7 : tensor<4x2x1x1xi1>, tensor<4x2x1x1xi32>, tensor<4x2x1x1xi32>) outs(%38 : tensor<4x2x1x1xi32>) {
    ^bb0(%in: i1, %in_47: i32, %in_48: i32, %out: i32):
      %95 = arith.select %in, %in_47, %in_48 : i32
      linalg.yield %95 : i32
    } -> tensor<4x2x1x1xi32>
    %40 = tensor.empty() : tensor<4x2x1x1xi32>
    %41 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%27, %extracted_slice_7, %extracted_slice_8 : tensor<4x2x1x1xi1>, tensor<4x2x1x1xi32>, tensor<4x2x1x1xi32>) outs(%40 : tensor<4x2x1x1xi32>) {
    ^bb0(%in: i1, %in_47: i32, %in_48: i32, %out: i32):
      %95 = arith.select %in, %in_47, %in_48 : i32
      linalg.yield %95 : i32
    } -> tensor<4x2x1x1xi32>
    %42 = tensor.empty() : tensor<4x2x2x1xi32>
    %inserted_slice_12 = tensor.insert_slice %39 into %42[0, 0, 0, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x1x1xi32> into tensor<4x2x2x1xi32>
    %inserted_slice_13 = tensor.insert_slice %41 into %inserted_slice_12[0, 0, 1, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x1x1xi32> into tensor<4x2x2x1xi32>
    %collapsed = tensor.collapse_shape %inserted_slice_9 [[0, 1, 2, 3]] : tensor<4x2x2x1xf32> into tensor<16xf32>
    %expanded_14 = tensor.expand_shape %collapsed [[0, 1, 2, 3]] output_shape [4, 1, 2, 2] : tensor<16xf32> into tensor<4x1x2x2xf32>
    %extracted_slice_15 = tensor.extract_slice %expanded_14[0, 0, 0, 0] [4, 1, 1, 2] [1, 1, 1, 1] : tensor<4x1x2x2xf32> to tensor<4x1x1x2xf32>
    %extracted_slice_16 = tensor.extract_slice %expanded_14[0, 0, 1, 0] [4, 1, 1, 2] [1, 1, 1, 1] : tensor<4x1x2x2xf32> to tensor<4x1x1x2xf32>
    %collapsed_17 = tensor.collapse_shape %inserted_slice_11 [[0, 1, 2, 3]] : tensor<4x2x2x1xi32> into tensor<16xi32>
    %expanded_18 = tensor.expand_shape %collapsed_17 [[0, 1, 2, 3]] output_shape [4, 1, 2, 2] : tensor<16xi32> into tensor<4x1x2x2xi32>
    %extracted_slice_19 = tensor.extract_slice %expanded_18[0, 0, 0, 0] [4, 1, 1, 2] [1, 1, 1, 1] : tensor<4x1x2x2xi32> to tensor<4x1x1x2xi32>
    %extracted_slice_20 = tensor.extract_slice %expanded_18[0, 0, 1, 0] [4, 1, 1, 2] [1, 1, 1, 1] : tensor<4x1x2x2xi32> to tensor<4x1x1x2xi32>
    %collapsed_21 = tensor.collapse_shape %inserted_slice_13 [[0, 1, 2, 3]] : tensor<4x2x2x1xi32> into tensor<16xi32>
    %expanded_22 = tensor.expand_shape %collapsed_21 [[0, 1, 2, 3]] output_shape [4, 1, 2, 2] : tensor<16xi32> into tensor<4x1x2x2xi32>
    %extracted_slice_23 = tensor.extract_slice %expanded_22[0, 0, 0, 0] [4, 1, 1, 2] [1, 1, 1, 1] : tensor<4x1x2x2xi32> to tensor<4x1x1x2xi32>
    %extracted_slice_24 = tensor.extract_slice %expanded_22[0, 0, 1, 0] [4, 1, 1, 2] [1, 1, 1, 1] : tensor<4x1x2x2xi32> to tensor<4x1x1x2xi32>
    %43 = tensor.empty() : tensor<4x1x1x2xi1>
    %44 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_16, %extracted_slice_15 : tensor<4x1x1x2xf32>, tensor<4x1x1x2xf32>) outs(%43 : tensor<4x1x1x2xi1>) {
    ^bb0(%in: f32, %in_47: f32, %out: i1):
      %95 = arith.cmpf oeq, %in, %cst_0 : f32
      %96 = arith.select %95, %cst_0, %in : f32
      %97 = arith.cmpf une, %in, %in : f32
      %98 = arith.select %97, %cst, %96 : f32
      %99 = arith.cmpf oeq, %in_47, %cst_0 : f32
      %100 = arith.select %99, %cst_0, %in_47 : f32
      %101 = arith.cmpf une, %in_47, %in_47 : f32
      %102 = arith.select %101, %cst, %100 : f32
      %103 = arith.bitcast %98 : f32 to i32
      %104 = arith.cmpi slt, %103, %c0_i32 : i32
      %105 = arith.subi %c2147483647_i32, %103 : i32
      %106 = arith.select %104, %105, %103 : i32
      %107 = arith.bitcast %102 : f32 to i32
      %108 = arith.cmpi slt, %107, %c0_i32 : i32
      %109 = arith.subi %c2147483647_i32, %107 : i32
      %110 = arith.select %108, %109, %107 : i32
      %111 = arith.cmpi slt, %106, %110 : i32
      linalg.yield %111 : i1
    } -> tensor<4x1x1x2xi1>
    %45 = tensor.empty() : tensor<4x1x1x2xi1>
    %46 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_15, %extracted_slice_16 : tensor<4x1x1x2xf32>, tensor<4x1x1x2xf32>) outs(%45 : tensor<4x1x1x2xi1>) {
    ^bb0(%in: f32, %in_47: f32, %out: i1):
      %95 = arith.cmpf oeq, %in, %cst_0 : f32
      %96 = arith.select %95, %cst_0, %in : f32
      %97 = arith.cmpf une, %in, %in : f32
      %98 = arith.select %97, %cst, %96 : f32
      %99 = arith.cmpf oeq, %in_47, %cst_0 : f32
      %100 = arith.select %99, %cst_0, %in_47 : f32
      %101 = arith.cmpf une, %in_47, %in_47 : f32
      %102 = arith.select %101, %cst, %100 : f32
      %103 = arith.bitcast %98 : f32 to i32
      %104 = arith.cmpi slt, %103, %c0_i32 : i32
      %105 = arith.subi %c2147483647_i32, %103 : i32
      %106 = arith.select %104, %105, %103 : i32
      %107 = arith.bitcast %102 : f32 to i32
      %108 = arith.cmpi slt, %107, %c0_i32 : i32
      %109 = arith.subi %c2147483647_i32, %107 : i32
      %110 = arith.select %108, %109, %107 : i32
      %111 = arith.cmpi slt, %106, %110 : i32
      linalg.yield %111 : i1
    } -> tensor<4x1x1x2xi1>
    %47 = tensor.empty() : tensor<4x1x1x2xi1>
    %48 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_24, %extracted_slice_23 : tensor<4x1x1x2xi32>, tensor<4x1x1x2xi32>) outs(%47 : tensor<4x1x1x2xi1>) {
    ^bb0(%in: i32, %in_47: i32, %out: i1):
      %95 = arith.cmpi slt, %in, %in_47 : i32
      linalg.yield %95 : i1
    } -> tensor<4x1x1x2xi1>
    %49 = tensor.empty() : tensor<4x1x1x2xi1>
    %50 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%44, %46 : tensor<4x1x1x2xi1>, tensor<4x1x1x2xi1>) outs(%49 : tensor<4x1x1x2xi1>) {
    ^bb0(%in: i1, %in_47: i1, %out: i1):
      %95 = arith.xori %in, %in_47 : i1
      linalg.yield %95 : i1
    } -> tensor<4x1x1x2xi1>
    %51 = tensor.empty() : tensor<4x1x1x2xi1>
    %52 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%50, %44, %48 : tensor<4x1x1x2xi1>, tensor<4x1x1x2xi1>, tensor<4x1x1x2xi1>) outs(%51 : tensor<4x1x1x2xi1>) {
    ^bb0(%in: i1, %in_47: i1, %in_48: i1, %out: i1):
      %95 = arith.select %in, %in_47, %in_48 : i1
      linalg.yield %95 : i1
    } -> tensor<4x1x1x2xi1>
    %53 = tensor.empty() : tensor<4x1x1x2xi32>
    %54 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_23, %extracted_slice_24 : tensor<4x1x1x2xi32>, tensor<4x1x1x2xi32>) outs(%53 : tensor<4x1x1x2xi32>) {
    ^bb0(%in: i32, %in_47: i32, %out: i32):
      %95 = arith.maxsi %in, %in_47 : i32
      linalg.yield %95 : i32
    } -> tensor<4x1x1x2xi32>
    %55 = tensor.empty() : tensor<4x1x1x2xi1>
    %56 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%54 : tensor<4x1x1x2xi32>) outs(%55 : tensor<4x1x1x2xi1>) {
    ^bb0(%in: i32, %out: i1):
      %95 = arith.cmpi sge, %in, %c3_i32 : i32
      linalg.yield %95 : i1
    } -> tensor<4x1x1x2xi1>
    %57 = tensor.empty() : tensor<4x1x1x2xi1>
    %58 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%56, %48, %52 : tensor<4x1x1x2xi1>, tensor<4x1x1x2xi1>, tensor<4x1x1x2xi1>) outs(%57 : tensor<4x1x1x2xi1>) {
    ^bb0(%in: i1, %in_47: i1, %in_48: i1, %out: i1):
      %95 = arith.select %in, %in_47, %in_48 : i1
      linalg.yield %95 : i1
    } -> tensor<4x1x1x2xi1>
    %59 = tensor.empty() : tensor<4x1x1x2xf32>
    %60 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%58, %extracted_slice_16, %extracted_slice_15 : tensor<4x1x1x2xi1>, tensor<4x1x1x2xf32>, tensor<4x1x1x2xf32>) outs(%59 : tensor<4x1x1x2xf32>) {
    ^bb0(%in: i1, %in_47: f32, %in_48: f32, %out: f32):
      %95 = arith.select %in, %in_47, %in_48 : f32
      linalg.yield %95 : f32
    } -> tensor<4x1x1x2xf32>
    %61 = tensor.empty() : tensor<4x1x1x2xf32>
    %62 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%58, %extracted_slice_15, %extracted_slice_16 : tensor<4x1x1x2xi1>, tensor<4x1x1x2xf32>, tensor<4x1x1x2xf32>) outs(%61 : tensor<4x1x1x2xf32>) {
    ^bb0(%in: i1, %in_47: f32, %in_48: f32, %out: f32):
      %95 = arith.select %in, %in_47, %in_48 : f32
      linalg.yield %95 : f32
    } -> tensor<4x1x1x2xf32>
    %63 = tensor.empty() : tensor<4x1x2x2xf32>
    %inserted_slice_25 = tensor.insert_slice %60 into %63[0, 0, 0, 0] [4, 1, 1, 2] [1, 1, 1, 1] : tensor<4x1x1x2xf32> into tensor<4x1x2x2xf32>
    %inserted_slice_26 = tensor.insert_slice %62 into %inserted_slice_25[0, 0, 1, 0] [4, 1, 1, 2] [1, 1, 1, 1] : tensor<4x1x1x2xf32> into tensor<4x1x2x2xf32>
    %64 = tensor.empty() : tensor<4x1x1x2xi32>
    %65 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%58, %extracted_slice_20, %extracted_slice_19 : tensor<4x1x1x2xi1>, tensor<4x1x1x2xi32>, tensor<4x1x1x2xi32>) outs(%64 : tensor<4x1x1x2xi32>) {
    ^bb0(%in: i1, %in_47: i32, %in_48: i32, %out: i32):
      %95 = arith.select %in, %in_47, %in_48 : i32
      linalg.yield %95 : i32
    } -> tensor<4x1x1x2xi32>
    %66 = tensor.empty() : tensor<4x1x1x2xi32>
    %67 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%58, %extracted_slice_19, %extracted_slice_20 : tensor<4x1x1x2xi1>, tensor<4x1x1x2xi32>, tensor<4x1x1x2xi32>) outs(%66 : tensor<4x1x1x2xi32>) {
    ^bb0(%in: i1, %in_47: i32, %in_48: i32, %out: i32):
      %95 = arith.select %in, %in_47, %in_48 : i32
      linalg.yield %95 : i32
    } -> tensor<4x1x1x2xi32>
    %68 = tensor.empty() : tensor<4x1x2x2xi32>
    %inserted_slice_27 = tensor.insert_slice %65 into %68[0, 0, 0, 0] [4, 1, 1, 2] [1, 1, 1, 1] : tensor<4x1x1x2xi32> into tensor<4x1x2x2xi32>
    %inserted_slice_28 = tensor.insert_slice %67 into %inserted_slice_27[0, 0, 1, 0] [4, 1, 1, 2] [1, 1, 1, 1] : tensor<4x1x1x2xi32> into tensor<4x1x2x2xi32>
    %69 = tensor.empty() : tensor<4x1x1x2xi32>
    %70 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%58, %extracted_slice_24, %extracted_slice_23 : tensor<4x1x1x2xi1>, tensor<4x1x1x2xi32>, tensor<4x1x1x2xi32>) outs(%69 : tensor<4x1x1x2xi32>) {
    ^bb0(%in: i1, %in_47: i32, %in_48: i32, %out: i32):
      %95 = arith.select %in, %in_47, %in_48 : i32
      linalg.yield %95 : i32
    } -> tensor<4x1x1x2xi32>
    %71 = tensor.empty() : tensor<4x1x1x2xi32>
    %72 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%58, %extracted_slice_23, %extracted_slice_24 : tensor<4x1x1x2xi1>, tensor<4x1x1x2xi32>, tensor<4x1x1x2xi32>) outs(%71 : tensor<4x1x1x2xi32>) {
    ^bb0(%in: i1, %in_47: i32, %in_48: i32, %out: i32):
      %95 = arith.select %in, %in_47, %in_48 : i32
      linalg.yield %95 : i32
    } -> tensor<4x1x1x2xi32>
    %73 = tensor.empty() : tensor<4x1x2x2xi32>
    %inserted_slice_29 = tensor.insert_slice %70 into %73[0, 0, 0, 0] [4, 1, 1, 2] [1, 1, 1, 1] : tensor<4x1x1x2xi32> into tensor<4x1x2x2xi32>
    %inserted_slice_30 = tensor.insert_slice %72 into %inserted_slice_29[0, 0, 1, 0] [4, 1, 1, 2] [1, 1, 1, 1] : tensor<4x1x1x2xi32> into tensor<4x1x2x2xi32>
    %collapsed_31 = tensor.collapse_shape %inserted_slice_26 [[0, 1, 2, 3]] : tensor<4x1x2x2xf32> into tensor<16xf32>
    %expanded_32 = tensor.expand_shape %collapsed_31 [[0, 1, 2, 3]] output_shape [4, 2, 2, 1] : tensor<16xf32> into tensor<4x2x2x1xf32>
    %extracted_slice_33 = tensor.extract_slice %expanded_32[0, 0, 0, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x2x1xf32> to tensor<4x2x1x1xf32>
    %extracted_slice_34 = tensor.extract_slice %expanded_32[0, 0, 1, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x2x1xf32> to tensor<4x2x1x1xf32>
    %collapsed_35 = tensor.collapse_shape %inserted_slice_28 [[0, 1, 2, 3]] : tensor<4x1x2x2xi32> into tensor<16xi32>
    %expanded_36 = tensor.expand_shape %collapsed_35 [[0, 1, 2, 3]] output_shape [4, 2, 2, 1] : tensor<16xi32> into tensor<4x2x2x1xi32>
    %extracted_slice_37 = tensor.extract_slice %expanded_36[0, 0, 0, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x2x1xi32> to tensor<4x2x1x1xi32>
    %extracted_slice_38 = tensor.extract_slice %expanded_36[0, 0, 1, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x2x1xi32> to tensor<4x2x1x1xi32>
    %collapsed_39 = tensor.collapse_shape %inserted_slice_30 [[0, 1, 2, 3]] : tensor<4x1x2x2xi32> into tensor<16xi32>
    %expanded_40 = tensor.expand_shape %collapsed_39 [[0, 1, 2, 3]] output_shape [4, 2, 2, 1] : tensor<16xi32> into tensor<4x2x2x1xi32>
    %extracted_slice_41 = tensor.extract_slice %expanded_40[0, 0, 0, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x2x1xi32> to tensor<4x2x1x1xi32>
    %extracted_slice_42 = tensor.extract_slice %expanded_40[0, 0, 1, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x2x1xi32> to tensor<4x2x1x1xi32>
    %74 = tensor.empty() : tensor<4x2x1x1xi1>
    %75 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_34, %extracted_slice_33 : tensor<4x2x1x1xf32>, tensor<4x2x1x1xf32>) outs(%74 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: f32, %in_47: f32, %out: i1):
      %95 = arith.cmpf oeq, %in, %cst_0 : f32
      %96 = arith.select %95, %cst_0, %in : f32
      %97 = arith.cmpf une, %in, %in : f32
      %98 = arith.select %97, %cst, %96 : f32
      %99 = arith.cmpf oeq, %in_47, %cst_0 : f32
      %100 = arith.select %99, %cst_0, %in_47 : f32
      %101 = arith.cmpf une, %in_47, %in_47 : f32
      %102 = arith.select %101, %cst, %100 : f32
      %103 = arith.bitcast %98 : f32 to i32
      %104 = arith.cmpi slt, %103, %c0_i32 : i32
      %105 = arith.subi %c2147483647_i32, %103 : i32
      %106 = arith.select %104, %105, %103 : i32
      %107 = arith.bitcast %102 : f32 to i32
      %108 = arith.cmpi slt, %107, %c0_i32 : i32
      %109 = arith.subi %c2147483647_i32, %107 : i32
      %110 = arith.select %108, %109, %107 : i32
      %111 = arith.cmpi slt, %106, %110 : i32
      linalg.yield %111 : i1
    } -> tensor<4x2x1x1xi1>
    %76 = tensor.empty() : tensor<4x2x1x1xi1>
    %77 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_33, %extracted_slice_34 : tensor<4x2x1x1xf32>, tensor<4x2x1x1xf32>) outs(%76 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: f32, %in_47: f32, %out: i1):
      %95 = arith.cmpf oeq, %in, %cst_0 : f32
      %96 = arith.select %95, %cst_0, %in : f32
      %97 = arith.cmpf une, %in, %in : f32
      %98 = arith.select %97, %cst, %96 : f32
      %99 = arith.cmpf oeq, %in_47, %cst_0 : f32
      %100 = arith.select %99, %cst_0, %in_47 : f32
      %101 = arith.cmpf une, %in_47, %in_47 : f32
      %102 = arith.select %101, %cst, %100 : f32
      %103 = arith.bitcast %98 : f32 to i32
      %104 = arith.cmpi slt, %103, %c0_i32 : i32
      %105 = arith.subi %c2147483647_i32, %103 : i32
      %106 = arith.select %104, %105, %103 : i32
      %107 = arith.bitcast %102 : f32 to i32
      %108 = arith.cmpi slt, %107, %c0_i32 : i32
      %109 = arith.subi %c2147483647_i32, %107 : i32
      %110 = arith.select %108, %109, %107 : i32
      %111 = arith.cmpi slt, %106, %110 : i32
      linalg.yield %111 : i1
    } -> tensor<4x2x1x1xi1>
    %78 = tensor.empty() : tensor<4x2x1x1xi1>
    %79 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_42, %extracted_slice_41 : tensor<4x2x1x1xi32>, tensor<4x2x1x1xi32>) outs(%78 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: i32, %in_47: i32, %out: i1):
      %95 = arith.cmpi slt, %in, %in_47 : i32
      linalg.yield %95 : i1
    } -> tensor<4x2x1x1xi1>
    %80 = tensor.empty() : tensor<4x2x1x1xi1>
    %81 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%75, %77 : tensor<4x2x1x1xi1>, tensor<4x2x1x1xi1>) outs(%80 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: i1, %in_47: i1, %out: i1):
      %95 = arith.xori %in, %in_47 : i1
      linalg.yield %95 : i1
    } -> tensor<4x2x1x1xi1>
    %82 = tensor.empty() : tensor<4x2x1x1xi1>
    %83 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%81, %75, %79 : tensor<4x2x1x1xi1>, tensor<4x2x1x1xi1>, tensor<4x2x1x1xi1>) outs(%82 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: i1, %in_47: i1, %in_48: i1, %out: i1):
      %95 = arith.select %in, %in_47, %in_48 : i1
      linalg.yield %95 : i1
    } -> tensor<4x2x1x1xi1>
    %84 = tensor.empty() : tensor<4x2x1x1xi32>
    %85 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_41, %extracted_slice_42 : tensor<4x2x1x1xi32>, tensor<4x2x1x1xi32>) outs(%84 : tensor<4x2x1x1xi32>) {
    ^bb0(%in: i32, %in_47: i32, %out: i32):
      %95 = arith.maxsi %in, %in_47 : i32
      linalg.yield %95 : i32
    } -> tensor<4x2x1x1xi32>
    %86 = tensor.empty() : tensor<4x2x1x1xi1>
    %87 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%85 : tensor<4x2x1x1xi32>) outs(%86 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: i32, %out: i1):
      %95 = arith.cmpi sge, %in, %c3_i32 : i32
      linalg.yield %95 : i1
    } -> tensor<4x2x1x1xi1>
    %88 = tensor.empty() : tensor<4x2x1x1xi1>
    %89 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%87, %79, %83 : tensor<4x2x1x1xi1>, tensor<4x2x1x1xi1>, tensor<4x2x1x1xi1>) outs(%88 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: i1, %in_47: i1, %in_48: i1, %out: i1):
      %95 = arith.select %in, %in_47, %in_48 : i1
      linalg.yield %95 : i1
    } -> tensor<4x2x1x1xi1>
    %90 = tensor.empty() : tensor<4x2x1x1xi32>
    %91 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%89, %extracted_slice_38, %extracted_slice_37 : tensor<4x2x1x1xi1>, tensor<4x2x1x1xi32>, tensor<4x2x1x1xi32>) outs(%90 : tensor<4x2x1x1xi32>) {
    ^bb0(%in: i1, %in_47: i32, %in_48: i32, %out: i32):
      %95 = arith.select %in, %in_47, %in_48 : i32
      linalg.yield %95 : i32
    } -> tensor<4x2x1x1xi32>
    %92 = tensor.empty() : tensor<4x2x1x1xi32>
    %93 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%89, %extracted_slice_37, %extracted_slice_38 : tensor<4x2x1x1xi1>, tensor<4x2x1x1xi32>, tensor<4x2x1x1xi32>) outs(%92 : tensor<4x2x1x1xi32>) {
    ^bb0(%in: i1, %in_47: i32, %in_48: i32, %out: i32):
      %95 = arith.select %in, %in_47, %in_48 : i32
      linalg.yield %95 : i32
    } -> tensor<4x2x1x1xi32>
    %94 = tensor.empty() : tensor<4x2x2x1xi32>
    %inserted_slice_43 = tensor.insert_slice %91 into %94[0, 0, 0, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x1x1xi32> into tensor<4x2x2x1xi32>
    %inserted_slice_44 = tensor.insert_slice %93 into %inserted_slice_43[0, 0, 1, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x1x1xi32> into tensor<4x2x2x1xi32>
    %collapsed_45 = tensor.collapse_shape %inserted_slice_44 [[0], [1, 2, 3]] : tensor<4x2x2x1xi32> into tensor<4x4xi32>
    %extracted_slice_46 = tensor.extract_slice %collapsed_45[0, 0] [4, 3] [1, 1] : tensor<4x4xi32> to tensor<4x3xi32>
    return %extracted_slice_46 : tensor<4x3xi32>
  }
}

