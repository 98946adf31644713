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
    %true = arith.constant true
    %c2147483647_i32 = arith.constant 2147483647 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<4x3xi32>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<4x3xi32>) {
    ^bb0(%out: i32):
      %101 = linalg.index 1 : index
      %102 = arith.index_cast %101 : index to i32
      linalg.yield %102 : i32
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
      %101 = linalg.index 1 : index
      %102 = arith.index_cast %101 : index to i32
      linalg.yield %102 : i32
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
      %101 = arith.cmpf oeq, %in, %cst_0 : f32
      %102 = arith.select %101, %cst_0, %in : f32
      %103 = arith.cmpf une, %in, %in : f32
      %104 = arith.select %103, %cst, %102 : f32
      %105 = arith.cmpf oeq, %in_47, %cst_0 : f32
      %106 = arith.select %105, %cst_0, %in_47 : f32
      %107 = arith.cmpf une, %in_47, %in_47 : f32
      %108 = arith.select %107, %cst, %106 : f32
      %109 = arith.bitcast %104 : f32 to i32
      %110 = arith.cmpi slt, %109, %c0_i32 : i32
      %111 = arith.subi %c2147483647_i32, %109 : i32
      %112 = arith.select %110, %111, %109 : i32
      %113 = arith.bitcast %108 : f32 to i32
      %114 = arith.cmpi slt, %113, %c0_i32 : i32
      %115 = arith.subi %c2147483647_i32, %113 : i32
      %116 = arith.select %114, %115, %113 : i32
      %117 = arith.cmpi slt, %112, %116 : i32
      linalg.yield %117 : i1
    } -> tensor<4x2x1x1xi1>
    %6 = tensor.empty() : tensor<4x2x1x1xi1>
    %7 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice, %extracted_slice_2 : tensor<4x2x1x1xf32>, tensor<4x2x1x1xf32>) outs(%6 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: f32, %in_47: f32, %out: i1):
      %101 = arith.cmpf oeq, %in, %cst_0 : f32
      %102 = arith.select %101, %cst_0, %in : f32
      %103 = arith.cmpf une, %in, %in : f32
      %104 = arith.select %103, %cst, %102 : f32
      %105 = arith.cmpf oeq, %in_47, %cst_0 : f32
      %106 = arith.select %105, %cst_0, %in_47 : f32
      %107 = arith.cmpf une, %in_47, %in_47 : f32
      %108 = arith.select %107, %cst, %106 : f32
      %109 = arith.bitcast %104 : f32 to i32
      %110 = arith.cmpi slt, %109, %c0_i32 : i32
      %111 = arith.subi %c2147483647_i32, %109 : i32
      %112 = arith.select %110, %111, %109 : i32
      %113 = arith.bitcast %108 : f32 to i32
      %114 = arith.cmpi slt, %113, %c0_i32 : i32
      %115 = arith.subi %c2147483647_i32, %113 : i32
      %116 = arith.select %114, %115, %113 : i32
      %117 = arith.cmpi slt, %112, %116 : i32
      linalg.yield %117 : i1
    } -> tensor<4x2x1x1xi1>
    %8 = tensor.empty() : tensor<4x2x1x1xi1>
    %9 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7 : tensor<4x2x1x1xi1>) outs(%8 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %101 = arith.xori %in, %true : i1
      linalg.yield %101 : i1
    } -> tensor<4x2x1x1xi1>
    %10 = tensor.empty() : tensor<4x2x1x1xi1>
    %11 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_8, %extracted_slice_7 : tensor<4x2x1x1xi32>, tensor<4x2x1x1xi32>) outs(%10 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: i32, %in_47: i32, %out: i1):
      %101 = arith.cmpi slt, %in, %in_47 : i32
      linalg.yield %101 : i1
    } -> tensor<4x2x1x1xi1>
    %12 = tensor.empty() : tensor<4x2x1x1xi1>
    %13 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9, %11 : tensor<4x2x1x1xi1>, tensor<4x2x1x1xi1>) outs(%12 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: i1, %in_47: i1, %out: i1):
      %101 = arith.andi %in, %in_47 : i1
      linalg.yield %101 : i1
    } -> tensor<4x2x1x1xi1>
    %14 = tensor.empty() : tensor<4x2x1x1xi1>
    %15 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%5, %13 : tensor<4x2x1x1xi1>, tensor<4x2x1x1xi1>) outs(%14 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: i1, %in_47: i1, %out: i1):
      %101 = arith.ori %in, %in_47 : i1
      linalg.yield %101 : i1
    } -> tensor<4x2x1x1xi1>
    %16 = tensor.empty() : tensor<4x2x1x1xi32>
    %17 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_7, %extracted_slice_8 : tensor<4x2x1x1xi32>, tensor<4x2x1x1xi32>) outs(%16 : tensor<4x2x1x1xi32>) {
    ^bb0(%in: i32, %in_47: i32, %out: i32):
      %101 = arith.maxsi %in, %in_47 : i32
      linalg.yield %101 : i32
    } -> tensor<4x2x1x1xi32>
    %18 = tensor.empty() : tensor<4x2x1x1xi1>
    %19 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%17 : tensor<4x2x1x1xi32>) outs(%18 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: i32, %out: i1):
      %101 = arith.cmpi sge, %in, %c3_i32 : i32
      linalg.yield %101 : i1
    } -> tensor<4x2x1x1xi1>
    %20 = tensor.empty() : tensor<4x2x1x1xi1>
    %21 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19, %11, %15 : tensor<4x2x1x1xi1>, tensor<4x2x1x1xi1>, tensor<4x2x1x1xi1>) outs(%20 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: i1, %in_47: i1, %in_48: i1, %out: i1):
      %101 = arith.select %in, %in_47, %in_48 : i1
      linalg.yield %101 : i1
    } -> tensor<4x2x1x1xi1>
    %22 = tensor.empty() : tensor<4x2x1x1xi32>
    %23 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%22 : tensor<4x2x1x1xi32>) {
    ^bb0(%out: i32):
      %101 = linalg.index 1 : index
      %102 = arith.index_cast %101 : index to i32
      linalg.yield %102 : i32
    } -> tensor<4x2x1x1xi32>
    %24 = tensor.empty() : tensor<4x2x1x1xi32>
    %25 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23 : tensor<4x2x1x1xi32>) outs(%24 : tensor<4x2x1x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      %101 = arith.andi %in, %c1_i32 : i32
      linalg.yield %101 : i32
    } -> tensor<4x2x1x1xi32>
    %26 = tensor.empty() : tensor<4x2x1x1xi1>
    %27 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%25 : tensor<4x2x1x1xi32>) outs(%26 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: i32, %out: i1):
      %101 = arith.cmpi ne, %in, %c0_i32 : i32
      linalg.yield %101 : i1
    } -> tensor<4x2x1x1xi1>
    %28 = tensor.empty() : tensor<4x2x1x1xi1>
    %29 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21, %27 : tensor<4x2x1x1xi1>, tensor<4x2x1x1xi1>) outs(%28 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: i1, %in_47: i1, %out: i1):
      %101 = arith.xori %in, %in_47 : i1
      linalg.yield %101 : i1
    } -> tensor<4x2x1x1xi1>
    %30 = tensor.empty() : tensor<4x2x1x1xf32>
    %31 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%29, %extracted_slice_2, %extracted_slice : tensor<4x2x1x1xi1>, tensor<4x2x1x1xf32>, tensor<4x2x1x1xf32>) outs(%30 : tensor<4x2x1x1xf32>) {
    ^bb0(%in: i1, %in_47: f32, %in_48: f32, %out: f32):
      %101 = arith.select %in, %in_47, %in_48 : f32
      linalg.yield %101 : f32
    } -> tensor<4x2x1x1xf32>
    %32 = tensor.empty() : tensor<4x2x1x1xf32>
    %33 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%29, %extracted_slice, %extracted_slice_2 : tensor<4x2x1x1xi1>, tensor<4x2x1x1xf32>, tensor<4x2x1x1xf32>) outs(%32 : tensor<4x2x1x1xf32>) {
    ^bb0(%in: i1, %in_47: f32, %in_48: f32, %out: f32):
      %101 = arith.select %in, %in_47, %in_48 : f32
      linalg.yield %101 : f32
    } -> tensor<4x2x1x1xf32>
    %34 = tensor.empty() : tensor<4x2x2x1xf32>
    %inserted_slice = tensor.insert_slice %31 into %34[0, 0, 0, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x1x1xf32> into tensor<4x2x2x1xf32>
    %inserted_slice_9 = tensor.insert_slice %33 into %inserted_slice[0, 0, 1, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x1x1xf32> into tensor<4x2x2x1xf32>
    %35 = tensor.empty() : tensor<4x2x1x1xi32>
    %36 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%29, %extracted_slice_5, %extracted_slice_4 : tensor<4x2x1x1xi1>, tensor<4x2x1x1xi32>, tensor<4x2x1x1xi32>) outs(%35 : tensor<4x2x1x1xi32>) {
    ^bb0(%in: i1, %in_47: i32, %in_48: i32, %out: i32):
      %101 = arith.select %in, %in_47, %in_48 : i32
      linalg.yield %101 : i32
    } -> tensor<4x2x1x1xi32>
    %37 = tensor.empty() : tensor<4x2x1x1xi32>
    %38 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%29, %extracted_slice_4, %extracted_slice_5 : tensor<4x2x1x1xi1>, tensor<4x2x1x1xi32>, tensor<4x2x1x1xi32>) outs(%37 : tensor<4x2x1x1xi32>) {
    ^bb0(%in: i1, %in_47: i32, %in_48: i32, %out: i32):
      %101 = arith.select %in, %in_47, %in_48 : i32
      linalg.yield %101 : i32
    } -> tensor<4x2x1x1xi32>
    %39 = tensor.empty() : tensor<4x2x2x1xi32>
    %inserted_slice_10 = tensor.insert_slice %36 into %39[0, 0, 0, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x1x1xi32> into tensor<4x2x2x1xi32>
    %inserted_slice_11 = tensor.insert_slice %38 into %inserted_slice_10[0, 0, 1, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x1x1xi32> into tensor<4x2x2x1xi32>
    %40 = tensor.empty() : tensor<4x2x1x1xi32>
    %41 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%29, %extracted_slice_8, %extracted_slice_7 : tensor<4x2x1x1xi1>, tensor<4x2x1x1xi32>, tensor<4x2x1x1xi32>) outs(%40 : tensor<4x2x1x1xi32>) {
    ^bb0(%in: i1, %in_47: i32, %in_48: i32, %out: i32):
      %101 = arith.select %in, %in_47, %in_48 : i32
      linalg.yield %101 : i32
    } -> tensor<4x2x1x1xi32>
    %42 = tensor.empty() : tensor<4x2x1x1xi32>
    %43 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%29, %extracted_slice_7, %extracted_slice_8 : tensor<4x2x1x1xi1>, tensor<4x2x1x1xi32>, tensor<4x2x1x1xi32>) outs(%42 : tensor<4x2x1x1xi32>) {
    ^bb0(%in: i1, %in_47: i32, %in_48: i32, %out: i32):
      %101 = arith.select %in, %in_47, %in_48 : i32
      linalg.yield %101 : i32
    } -> tensor<4x2x1x1xi32>
    %44 = tensor.empty() : tensor<4x2x2x1xi32>
    %inserted_slice_12 = tensor.insert_slice %41 into %44[0, 0, 0, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x1x1xi32> into tensor<4x2x2x1xi32>
    %inserted_slice_13 = tensor.insert_slice %43 into %inserted_slice_12[0, 0, 1, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x1x1xi32> into tensor<4x2x2x1xi32>
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
    %45 = tensor.empty() : tensor<4x1x1x2xi1>
    %46 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_16, %extracted_slice_15 : tensor<4x1x1x2xf32>, tensor<4x1x1x2xf32>) outs(%45 : tensor<4x1x1x2xi1>) {
    ^bb0(%in: f32, %in_47: f32, %out: i1):
      %101 = arith.cmpf oeq, %in, %cst_0 : f32
      %102 = arith.select %101, %cst_0, %in : f32
      %103 = arith.cmpf une, %in, %in : f32
      %104 = arith.select %103, %cst, %102 : f32
      %105 = arith.cmpf oeq, %in_47, %cst_0 : f32
      %106 = arith.select %105, %cst_0, %in_47 : f32
      %107 = arith.cmpf une, %in_47, %in_47 : f32
      %108 = arith.select %107, %cst, %106 : f32
      %109 = arith.bitcast %104 : f32 to i32
      %110 = arith.cmpi slt, %109, %c0_i32 : i32
      %111 = arith.subi %c2147483647_i32, %109 : i32
      %112 = arith.select %110, %111, %109 : i32
      %113 = arith.bitcast %108 : f32 to i32
      %114 = arith.cmpi slt, %113, %c0_i32 : i32
      %115 = arith.subi %c2147483647_i32, %113 : i32
      %116 = arith.select %114, %115, %113 : i32
      %117 = arith.cmpi slt, %112, %116 : i32
      linalg.yield %117 : i1
    } -> tensor<4x1x1x2xi1>
    %47 = tensor.empty() : tensor<4x1x1x2xi1>
    %48 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_15, %extracted_slice_16 : tensor<4x1x1x2xf32>, tensor<4x1x1x2xf32>) outs(%47 : tensor<4x1x1x2xi1>) {
    ^bb0(%in: f32, %in_47: f32, %out: i1):
      %101 = arith.cmpf oeq, %in, %cst_0 : f32
      %102 = arith.select %101, %cst_0, %in : f32
      %103 = arith.cmpf une, %in, %in : f32
      %104 = arith.select %103, %cst, %102 : f32
      %105 = arith.cmpf oeq, %in_47, %cst_0 : f32
      %106 = arith.select %105, %cst_0, %in_47 : f32
      %107 = arith.cmpf une, %in_47, %in_47 : f32
      %108 = arith.select %107, %cst, %106 : f32
      %109 = arith.bitcast %104 : f32 to i32
      %110 = arith.cmpi slt, %109, %c0_i32 : i32
      %111 = arith.subi %c2147483647_i32, %109 : i32
      %112 = arith.select %110, %111, %109 : i32
      %113 = arith.bitcast %108 : f32 to i32
      %114 = arith.cmpi slt, %113, %c0_i32 : i32
      %115 = arith.subi %c2147483647_i32, %113 : i32
      %116 = arith.select %114, %115, %113 : i32
      %117 = arith.cmpi slt, %112, %116 : i32
      linalg.yield %117 : i1
    } -> tensor<4x1x1x2xi1>
    %49 = tensor.empty() : tensor<4x1x1x2xi1>
    %50 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%48 : tensor<4x1x1x2xi1>) outs(%49 : tensor<4x1x1x2xi1>) {
    ^bb0(%in: i1, %out: i1):
      %101 = arith.xori %in, %true : i1
      linalg.yield %101 : i1
    } -> tensor<4x1x1x2xi1>
    %51 = tensor.empty() : tensor<4x1x1x2xi1>
    %52 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_24, %extracted_slice_23 : tensor<4x1x1x2xi32>, tensor<4x1x1x2xi32>) outs(%51 : tensor<4x1x1x2xi1>) {
    ^bb0(%in: i32, %in_47: i32, %out: i1):
      %101 = arith.cmpi slt, %in, %in_47 : i32
      linalg.yield %101 : i1
    } -> tensor<4x1x1x2xi1>
    %53 = tensor.empty() : tensor<4x1x1x2xi1>
    %54 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%50, %52 : tensor<4x1x1x2xi1>, tensor<4x1x1x2xi1>) outs(%53 : tensor<4x1x1x2xi1>) {
    ^bb0(%in: i1, %in_47: i1, %out: i1):
      %101 = arith.andi %in, %in_47 : i1
      linalg.yield %101 : i1
    } -> tensor<4x1x1x2xi1>
    %55 = tensor.empty() : tensor<4x1x1x2xi1>
    %56 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%46, %54 : tensor<4x1x1x2xi1>, tensor<4x1x1x2xi1>) outs(%55 : tensor<4x1x1x2xi1>) {
    ^bb0(%in: i1, %in_47: i1, %out: i1):
      %101 = arith.ori %in, %in_47 : i1
      linalg.yield %101 : i1
    } -> tensor<4x1x1x2xi1>
    %57 = tensor.empty() : tensor<4x1x1x2xi32>
    %58 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_23, %extracted_slice_24 : tensor<4x1x1x2xi32>, tensor<4x1x1x2xi32>) outs(%57 : tensor<4x1x1x2xi32>) {
    ^bb0(%in: i32, %in_47: i32, %out: i32):
      %101 = arith.maxsi %in, %in_47 : i32
      linalg.yield %101 : i32
    } -> tensor<4x1x1x2xi32>
    %59 = tensor.empty() : tensor<4x1x1x2xi1>
    %60 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%58 : tensor<4x1x1x2xi32>) outs(%59 : tensor<4x1x1x2xi1>) {
    ^bb0(%in: i32, %out: i1):
      %101 = arith.cmpi sge, %in, %c3_i32 : i32
      linalg.yield %101 : i1
    } -> tensor<4x1x1x2xi1>
    %61 = tensor.empty() : tensor<4x1x1x2xi1>
    %62 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%60, %52, %56 : tensor<4x1x1x2xi1>, tensor<4x1x1x2xi1>, tensor<4x1x1x2xi1>) outs(%61 : tensor<4x1x1x2xi1>) {
    ^bb0(%in: i1, %in_47: i1, %in_48: i1, %out: i1):
      %101 = arith.select %in, %in_47, %in_48 : i1
      linalg.yield %101 : i1
    } -> tensor<4x1x1x2xi1>
    %63 = tensor.empty() : tensor<4x1x1x2xf32>
    %64 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%62, %extracted_slice_16, %extracted_slice_15 : tensor<4x1x1x2xi1>, tensor<4x1x1x2xf32>, tensor<4x1x1x2xf32>) outs(%63 : tensor<4x1x1x2xf32>) {
    ^bb0(%in: i1, %in_47: f32, %in_48: f32, %out: f32):
      %101 = arith.select %in, %in_47, %in_48 : f32
      linalg.yield %101 : f32
    } -> tensor<4x1x1x2xf32>
    %65 = tensor.empty() : tensor<4x1x1x2xf32>
    %66 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%62, %extracted_slice_15, %extracted_slice_16 : tensor<4x1x1x2xi1>, tensor<4x1x1x2xf32>, tensor<4x1x1x2xf32>) outs(%65 : tensor<4x1x1x2xf32>) {
    ^bb0(%in: i1, %in_47: f32, %in_48: f32, %out: f32):
      %101 = arith.select %in, %in_47, %in_48 : f32
      linalg.yield %101 : f32
    } -> tensor<4x1x1x2xf32>
    %67 = tensor.empty() : tensor<4x1x2x2xf32>
    %inserted_slice_25 = tensor.insert_slice %64 into %67[0, 0, 0, 0] [4, 1, 1, 2] [1, 1, 1, 1] : tensor<4x1x1x2xf32> into tensor<4x1x2x2xf32>
    %inserted_slice_26 = tensor.insert_slice %66 into %inserted_slice_25[0, 0, 1, 0] [4, 1, 1, 2] [1, 1, 1, 1] : tensor<4x1x1x2xf32> into tensor<4x1x2x2xf32>
    %68 = tensor.empty() : tensor<4x1x1x2xi32>
    %69 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%62, %extracted_slice_20, %extracted_slice_19 : tensor<4x1x1x2xi1>, tensor<4x1x1x2xi32>, tensor<4x1x1x2xi32>) outs(%68 : tensor<4x1x1x2xi32>) {
    ^bb0(%in: i1, %in_47: i32, %in_48: i32, %out: i32):
      %101 = arith.select %in, %in_47, %in_48 : i32
      linalg.yield %101 : i32
    } -> tensor<4x1x1x2xi32>
    %70 = tensor.empty() : tensor<4x1x1x2xi32>
    %71 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%62, %extracted_slice_19, %extracted_slice_20 : tensor<4x1x1x2xi1>, tensor<4x1x1x2xi32>, tensor<4x1x1x2xi32>) outs(%70 : tensor<4x1x1x2xi32>) {
    ^bb0(%in: i1, %in_47: i32, %in_48: i32, %out: i32):
      %101 = arith.select %in, %in_47, %in_48 : i32
      linalg.yield %101 : i32
    } -> tensor<4x1x1x2xi32>
    %72 = tensor.empty() : tensor<4x1x2x2xi32>
    %inserted_slice_27 = tensor.insert_slice %69 into %72[0, 0, 0, 0] [4, 1, 1, 2] [1, 1, 1, 1] : tensor<4x1x1x2xi32> into tensor<4x1x2x2xi32>
    %inserted_slice_28 = tensor.insert_slice %71 into %inserted_slice_27[0, 0, 1, 0] [4, 1, 1, 2] [1, 1, 1, 1] : tensor<4x1x1x2xi32> into tensor<4x1x2x2xi32>
    %73 = tensor.empty() : tensor<4x1x1x2xi32>
    %74 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%62, %extracted_slice_24, %extracted_slice_23 : tensor<4x1x1x2xi1>, tensor<4x1x1x2xi32>, tensor<4x1x1x2xi32>) outs(%73 : tensor<4x1x1x2xi32>) {
    ^bb0(%in: i1, %in_47: i32, %in_48: i32, %out: i32):
      %101 = arith.select %in, %in_47, %in_48 : i32
      linalg.yield %101 : i32
    } -> tensor<4x1x1x2xi32>
    %75 = tensor.empty() : tensor<4x1x1x2xi32>
    %76 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%62, %extracted_slice_23, %extracted_slice_24 : tensor<4x1x1x2xi1>, tensor<4x1x1x2xi32>, tensor<4x1x1x2xi32>) outs(%75 : tensor<4x1x1x2xi32>) {
    ^bb0(%in: i1, %in_47: i32, %in_48: i32, %out: i32):
      %101 = arith.select %in, %in_47, %in_48 : i32
      linalg.yield %101 : i32
    } -> tensor<4x1x1x2xi32>
    %77 = tensor.empty() : tensor<4x1x2x2xi32>
    %inserted_slice_29 = tensor.insert_slice %74 into %77[0, 0, 0, 0] [4, 1, 1, 2] [1, 1, 1, 1] : tensor<4x1x1x2xi32> into tensor<4x1x2x2xi32>
    %inserted_slice_30 = tensor.insert_slice %76 into %inserted_slice_29[0, 0, 1, 0] [4, 1, 1, 2] [1, 1, 1, 1] : tensor<4x1x1x2xi32> into tensor<4x1x2x2xi32>
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
    %78 = tensor.empty() : tensor<4x2x1x1xi1>
    %79 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_34, %extracted_slice_33 : tensor<4x2x1x1xf32>, tensor<4x2x1x1xf32>) outs(%78 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: f32, %in_47: f32, %out: i1):
      %101 = arith.cmpf oeq, %in, %cst_0 : f32
      %102 = arith.select %101, %cst_0, %in : f32
      %103 = arith.cmpf une, %in, %in : f32
      %104 = arith.select %103, %cst, %102 : f32
      %105 = arith.cmpf oeq, %in_47, %cst_0 : f32
      %106 = arith.select %105, %cst_0, %in_47 : f32
      %107 = arith.cmpf une, %in_47, %in_47 : f32
      %108 = arith.select %107, %cst, %106 : f32
      %109 = arith.bitcast %104 : f32 to i32
      %110 = arith.cmpi slt, %109, %c0_i32 : i32
      %111 = arith.subi %c2147483647_i32, %109 : i32
      %112 = arith.select %110, %111, %109 : i32
      %113 = arith.bitcast %108 : f32 to i32
      %114 = arith.cmpi slt, %113, %c0_i32 : i32
      %115 = arith.subi %c2147483647_i32, %113 : i32
      %116 = arith.select %114, %115, %113 : i32
      %117 = arith.cmpi slt, %112, %116 : i32
      linalg.yield %117 : i1
    } -> tensor<4x2x1x1xi1>
    %80 = tensor.empty() : tensor<4x2x1x1xi1>
    %81 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_33, %extracted_slice_34 : tensor<4x2x1x1xf32>, tensor<4x2x1x1xf32>) outs(%80 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: f32, %in_47: f32, %out: i1):
      %101 = arith.cmpf oeq, %in, %cst_0 : f32
      %102 = arith.select %101, %cst_0, %in : f32
      %103 = arith.cmpf une, %in, %in : f32
      %104 = arith.select %103, %cst, %102 : f32
      %105 = arith.cmpf oeq, %in_47, %cst_0 : f32
      %106 = arith.select %105, %cst_0, %in_47 : f32
      %107 = arith.cmpf une, %in_47, %in_47 : f32
      %108 = arith.select %107, %cst, %106 : f32
      %109 = arith.bitcast %104 : f32 to i32
      %110 = arith.cmpi slt, %109, %c0_i32 : i32
      %111 = arith.subi %c2147483647_i32, %109 : i32
      %112 = arith.select %110, %111, %109 : i32
      %113 = arith.bitcast %108 : f32 to i32
      %114 = arith.cmpi slt, %113, %c0_i32 : i32
      %115 = arith.subi %c2147483647_i32, %113 : i32
      %116 = arith.select %114, %115, %113 : i32
      %117 = arith.cmpi slt, %112, %116 : i32
      linalg.yield %117 : i1
    } -> tensor<4x2x1x1xi1>
    %82 = tensor.empty() : tensor<4x2x1x1xi1>
    %83 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%81 : tensor<4x2x1x1xi1>) outs(%82 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %101 = arith.xori %in, %true : i1
      linalg.yield %101 : i1
    } -> tensor<4x2x1x1xi1>
    %84 = tensor.empty() : tensor<4x2x1x1xi1>
    %85 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_42, %extracted_slice_41 : tensor<4x2x1x1xi32>, tensor<4x2x1x1xi32>) outs(%84 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: i32, %in_47: i32, %out: i1):
      %101 = arith.cmpi slt, %in, %in_47 : i32
      linalg.yield %101 : i1
    } -> tensor<4x2x1x1xi1>
    %86 = tensor.empty() : tensor<4x2x1x1xi1>
    %87 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%83, %85 : tensor<4x2x1x1xi1>, tensor<4x2x1x1xi1>) outs(%86 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: i1, %in_47: i1, %out: i1):
      %101 = arith.andi %in, %in_47 : i1
      linalg.yield %101 : i1
    } -> tensor<4x2x1x1xi1>
    %88 = tensor.empty() : tensor<4x2x1x1xi1>
    %89 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%79, %87 : tensor<4x2x1x1xi1>, tensor<4x2x1x1xi1>) outs(%88 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: i1, %in_47: i1, %out: i1):
      %101 = arith.ori %in, %in_47 : i1
      linalg.yield %101 : i1
    } -> tensor<4x2x1x1xi1>
    %90 = tensor.empty() : tensor<4x2x1x1xi32>
    %91 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_41, %extracted_slice_42 : tensor<4x2x1x1xi32>, tensor<4x2x1x1xi32>) outs(%90 : tensor<4x2x1x1xi32>) {
    ^bb0(%in: i32, %in_47: i32, %out: i32):
      %101 = arith.maxsi %in, %in_47 : i32
      linalg.yield %101 : i32
    } -> tensor<4x2x1x1xi32>
    %92 = tensor.empty() : tensor<4x2x1x1xi1>
    %93 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%91 : tensor<4x2x1x1xi32>) outs(%92 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: i32, %out: i1):
      %101 = arith.cmpi sge, %in, %c3_i32 : i32
      linalg.yield %101 : i1
    } -> tensor<4x2x1x1xi1>
    %94 = tensor.empty() : tensor<4x2x1x1xi1>
    %95 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%93, %85, %89 : tensor<4x2x1x1xi1>, tensor<4x2x1x1xi1>, tensor<4x2x1x1xi1>) outs(%94 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: i1, %in_47: i1, %in_48: i1, %out: i1):
      %101 = arith.select %in, %in_47, %in_48 : i1
      linalg.yield %101 : i1
    } -> tensor<4x2x1x1xi1>
    %96 = tensor.empty() : tensor<4x2x1x1xi32>
    %97 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%95, %extracted_slice_38, %extracted_slice_37 : tensor<4x2x1x1xi1>, tensor<4x2x1x1xi32>, tensor<4x2x1x1xi32>) outs(%96 : tensor<4x2x1x1xi32>) {
    ^bb0(%in: i1, %in_47: i32, %in_48: i32, %out: i32):
      %101 = arith.select %in, %in_47, %in_48 : i32
      linalg.yield %101 : i32
    } -> tensor<4x2x1x1xi32>
    %98 = tensor.empty() : tensor<4x2x1x1xi32>
    %99 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%95, %extracted_slice_37, %extracted_slice_38 : tensor<4x2x1x1xi1>, tensor<4x2x1x1xi32>, tensor<4x2x1x1xi32>) outs(%98 : tensor<4x2x1x1xi32>) {
    ^bb0(%in: i1, %in_47: i32, %in_48: i32, %out: i32):
      %101 = arith.select %in, %in_47, %in_48 : i32
      linalg.yield %101 : i32
    } -> tensor<4x2x1x1xi32>
    %100 = tensor.empty() : tensor<4x2x2x1xi32>
    %inserted_slice_43 = tensor.insert_slice %97 into %100[0, 0, 0, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x1x1xi32> into tensor<4x2x2x1xi32>
    %inserted_slice_44 = tensor.insert_slice %99 into %inserted_slice_43[0, 0, 1, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x1x1xi32> into tensor<4x2x2x1xi32>
    %collapsed_45 = tensor.collapse_shape %inserted_slice_44 [[0], [1, 2, 3]] : tensor<4x2x2x1xi32> into tensor<4x4xi32>
    %extracted_slice_46 = tensor.extract_slice %collapsed_45[0, 0] [4, 3] [1, 1] : tensor<4x4xi32> to tensor<4x3xi32>
    return %extracted_slice_46 : tensor<4x3xi32>
  }
}

