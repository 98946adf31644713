// The largest elements and their positions. The values are JAX's: `lambda x: lax.top_k(x, 2)`.
// Made with jax 0.12.0.1 and iree-base-compiler 3.13.0, by `python python/tests/record.py top_k`.

// RUN: spyre-run %s --input %S/Inputs/top_k_in_0.npy --expect %S/Inputs/top_k_out_0.npy --expect %S/Inputs/top_k_out_1.npy --tolerance 1e-2 | FileCheck %s
// RUN: spyre-run %s --input %S/Inputs/top_k_in_0.npy --expect %S/Inputs/top_k_out_0.npy --expect %S/Inputs/top_k_out_1.npy --tolerance 1e-2 --on=card | FileCheck %s
// CHECK: result 0: 0 of 8 elements differ
// CHECK: result 1: 0 of 8 elements differ

#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
module @jit__lambda {
  func.func public @main(%arg0: tensor<4x4xf16>) -> (tensor<4x2xf16>, tensor<4x2xi32>) {
    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %c32767_i16 = arith.constant 32767 : i16
    %c0_i16 = arith.constant 0 : i16
    %0 = tensor.empty() : tensor<4x4xi32>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<4x4xi32>) {
    ^bb0(%out: i32):
      %70 = linalg.index 1 : index
      %71 = arith.index_cast %70 : index to i32
      linalg.yield %71 : i32
    } -> tensor<4x4xi32>
    %expanded = tensor.expand_shape %arg0 [[0], [1, 2, 3]] output_shape [4, 2, 2, 1] : tensor<4x4xf16> into tensor<4x2x2x1xf16>
    %extracted_slice = tensor.extract_slice %expanded[0, 0, 0, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x2x1xf16> to tensor<4x2x1x1xf16>
    %extracted_slice_0 = tensor.extract_slice %expanded[0, 0, 1, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x2x1xf16> to tensor<4x2x1x1xf16>
    %expanded_1 = tensor.expand_shape %1 [[0], [1, 2, 3]] output_shape [4, 2, 2, 1] : tensor<4x4xi32> into tensor<4x2x2x1xi32>
    %extracted_slice_2 = tensor.extract_slice %expanded_1[0, 0, 0, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x2x1xi32> to tensor<4x2x1x1xi32>
    %extracted_slice_3 = tensor.extract_slice %expanded_1[0, 0, 1, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x2x1xi32> to tensor<4x2x1x1xi32>
    %2 = tensor.empty() : tensor<4x2x1x1xi1>
    %3 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_0, %extracted_slice : tensor<4x2x1x1xf16>, tensor<4x2x1x1xf16>) outs(%2 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: f16, %in_34: f16, %out: i1):
      %70 = arith.bitcast %in : f16 to i16
      %71 = arith.cmpi slt, %70, %c0_i16 : i16
      %72 = arith.subi %c32767_i16, %70 : i16
      %73 = arith.select %71, %72, %70 : i16
      %74 = arith.bitcast %in_34 : f16 to i16
      %75 = arith.cmpi slt, %74, %c0_i16 : i16
      %76 = arith.subi %c32767_i16, %74 : i16
      %77 = arith.select %75, %76, %74 : i16
      %78 = arith.cmpi sgt, %73, %77 : i16
      linalg.yield %78 : i1
    } -> tensor<4x2x1x1xi1>
    %4 = tensor.empty() : tensor<4x2x1x1xi1>
    %5 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice, %extracted_slice_0 : tensor<4x2x1x1xf16>, tensor<4x2x1x1xf16>) outs(%4 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: f16, %in_34: f16, %out: i1):
      %70 = arith.bitcast %in : f16 to i16
      %71 = arith.cmpi slt, %70, %c0_i16 : i16
      %72 = arith.subi %c32767_i16, %70 : i16
      %73 = arith.select %71, %72, %70 : i16
      %74 = arith.bitcast %in_34 : f16 to i16
      %75 = arith.cmpi slt, %74, %c0_i16 : i16
      %76 = arith.subi %c32767_i16, %74 : i16
      %77 = arith.select %75, %76, %74 : i16
      %78 = arith.cmpi sgt, %73, %77 : i16
      linalg.yield %78 : i1
    } -> tensor<4x2x1x1xi1>
    %6 = tensor.empty() : tensor<4x2x1x1xi1>
    %7 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_3, %extracted_slice_2 : tensor<4x2x1x1xi32>, tensor<4x2x1x1xi32>) outs(%6 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: i32, %in_34: i32, %out: i1):
      %70 = arith.cmpi slt, %in, %in_34 : i32
      linalg.yield %70 : i1
    } -> tensor<4x2x1x1xi1>
    %8 = tensor.empty() : tensor<4x2x1x1xi1>
    %9 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%3, %5 : tensor<4x2x1x1xi1>, tensor<4x2x1x1xi1>) outs(%8 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: i1, %in_34: i1, %out: i1):
      %70 = arith.xori %in, %in_34 : i1
      linalg.yield %70 : i1
    } -> tensor<4x2x1x1xi1>
    %10 = tensor.empty() : tensor<4x2x1x1xi1>
    %11 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9, %3, %7 : tensor<4x2x1x1xi1>, tensor<4x2x1x1xi1>, tensor<4x2x1x1xi1>) outs(%10 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: i1, %in_34: i1, %in_35: i1, %out: i1):
      %70 = arith.select %in, %in_34, %in_35 : i1
      linalg.yield %70 : i1
    } -> tensor<4x2x1x1xi1>
    %12 = tensor.empty() : tensor<4x2x1x1xi32>
    %13 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%12 : tensor<4x2x1x1xi32>) {
    ^bb0(%out: i32):
      %70 = linalg.index 1 : index
      %71 = arith.index_cast %70 : index to i32
      linalg.yield %71 : i32
    } -> tensor<4x2x1x1xi32>
    %14 = tensor.empty() : tensor<4x2x1x1xi32>
    %15 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13 : tensor<4x2x1x1xi32>) outs(%14 : tensor<4x2x1x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      %70 = arith.andi %in, %c1_i32 : i32
      linalg.yield %70 : i32
    } -> tensor<4x2x1x1xi32>
    %16 = tensor.empty() : tensor<4x2x1x1xi1>
    %17 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15 : tensor<4x2x1x1xi32>) outs(%16 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: i32, %out: i1):
      %70 = arith.cmpi ne, %in, %c0_i32 : i32
      linalg.yield %70 : i1
    } -> tensor<4x2x1x1xi1>
    %18 = tensor.empty() : tensor<4x2x1x1xi1>
    %19 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11, %17 : tensor<4x2x1x1xi1>, tensor<4x2x1x1xi1>) outs(%18 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: i1, %in_34: i1, %out: i1):
      %70 = arith.xori %in, %in_34 : i1
      linalg.yield %70 : i1
    } -> tensor<4x2x1x1xi1>
    %20 = tensor.empty() : tensor<4x2x1x1xf16>
    %21 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19, %extracted_slice_0, %extracted_slice : tensor<4x2x1x1xi1>, tensor<4x2x1x1xf16>, tensor<4x2x1x1xf16>) outs(%20 : tensor<4x2x1x1xf16>) {
    ^bb0(%in: i1, %in_34: f16, %in_35: f16, %out: f16):
      %70 = arith.select %in, %in_34, %in_35 : f16
      linalg.yield %70 : f16
    } -> tensor<4x2x1x1xf16>
    %22 = tensor.empty() : tensor<4x2x1x1xf16>
    %23 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19, %extracted_slice, %extracted_slice_0 : tensor<4x2x1x1xi1>, tensor<4x2x1x1xf16>, tensor<4x2x1x1xf16>) outs(%22 : tensor<4x2x1x1xf16>) {
    ^bb0(%in: i1, %in_34: f16, %in_35: f16, %out: f16):
      %70 = arith.select %in, %in_34, %in_35 : f16
      linalg.yield %70 : f16
    } -> tensor<4x2x1x1xf16>
    %24 = tensor.empty() : tensor<4x2x2x1xf16>
    %inserted_slice = tensor.insert_slice %21 into %24[0, 0, 0, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x1x1xf16> into tensor<4x2x2x1xf16>
    %inserted_slice_4 = tensor.insert_slice %23 into %inserted_slice[0, 0, 1, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x1x1xf16> into tensor<4x2x2x1xf16>
    %25 = tensor.empty() : tensor<4x2x1x1xi32>
    %26 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19, %extracted_slice_3, %extracted_slice_2 : tensor<4x2x1x1xi1>, tensor<4x2x1x1xi32>, tensor<4x2x1x1xi32>) outs(%25 : tensor<4x2x1x1xi32>) {
    ^bb0(%in: i1, %in_34: i32, %in_35: i32, %out: i32):
      %70 = arith.select %in, %in_34, %in_35 : i32
      linalg.yield %70 : i32
    } -> tensor<4x2x1x1xi32>
    %27 = tensor.empty() : tensor<4x2x1x1xi32>
    %28 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19, %extracted_slice_2, %extracted_slice_3 : tensor<4x2x1x1xi1>, tensor<4x2x1x1xi32>, tensor<4x2x1x1xi32>) outs(%27 : tensor<4x2x1x1xi32>) {
    ^bb0(%in: i1, %in_34: i32, %in_35: i32, %out: i32):
      %70 = arith.select %in, %in_34, %in_35 : i32
      linalg.yield %70 : i32
    } -> tensor<4x2x1x1xi32>
    %29 = tensor.empty() : tensor<4x2x2x1xi32>
    %inserted_slice_5 = tensor.insert_slice %26 into %29[0, 0, 0, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x1x1xi32> into tensor<4x2x2x1xi32>
    %inserted_slice_6 = tensor.insert_slice %28 into %inserted_slice_5[0, 0, 1, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x1x1xi32> into tensor<4x2x2x1xi32>
    %collapsed = tensor.collapse_shape %inserted_slice_4 [[0, 1, 2, 3]] : tensor<4x2x2x1xf16> into tensor<16xf16>
    %expanded_7 = tensor.expand_shape %collapsed [[0, 1, 2, 3]] output_shape [4, 1, 2, 2] : tensor<16xf16> into tensor<4x1x2x2xf16>
    %extracted_slice_8 = tensor.extract_slice %expanded_7[0, 0, 0, 0] [4, 1, 1, 2] [1, 1, 1, 1] : tensor<4x1x2x2xf16> to tensor<4x1x1x2xf16>
    %extracted_slice_9 = tensor.extract_slice %expanded_7[0, 0, 1, 0] [4, 1, 1, 2] [1, 1, 1, 1] : tensor<4x1x2x2xf16> to tensor<4x1x1x2xf16>
    %collapsed_10 = tensor.collapse_shape %inserted_slice_6 [[0, 1, 2, 3]] : tensor<4x2x2x1xi32> into tensor<16xi32>
    %expanded_11 = tensor.expand_shape %collapsed_10 [[0, 1, 2, 3]] output_shape [4, 1, 2, 2] : tensor<16xi32> into tensor<4x1x2x2xi32>
    %extracted_slice_12 = tensor.extract_slice %expanded_11[0, 0, 0, 0] [4, 1, 1, 2] [1, 1, 1, 1] : tensor<4x1x2x2xi32> to tensor<4x1x1x2xi32>
    %extracted_slice_13 = tensor.extract_slice %expanded_11[0, 0, 1, 0] [4, 1, 1, 2] [1, 1, 1, 1] : tensor<4x1x2x2xi32> to tensor<4x1x1x2xi32>
    %30 = tensor.empty() : tensor<4x1x1x2xi1>
    %31 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_9, %extracted_slice_8 : tensor<4x1x1x2xf16>, tensor<4x1x1x2xf16>) outs(%30 : tensor<4x1x1x2xi1>) {
    ^bb0(%in: f16, %in_34: f16, %out: i1):
      %70 = arith.bitcast %in : f16 to i16
      %71 = arith.cmpi slt, %70, %c0_i16 : i16
      %72 = arith.subi %c32767_i16, %70 : i16
      %73 = arith.select %71, %72, %70 : i16
      %74 = arith.bitcast %in_34 : f16 to i16
      %75 = arith.cmpi slt, %74, %c0_i16 : i16
      %76 = arith.subi %c32767_i16, %74 : i16
      %77 = arith.select %75, %76, %74 : i16
      %78 = arith.cmpi sgt, %73, %77 : i16
      linalg.yield %78 : i1
    } -> tensor<4x1x1x2xi1>
    %32 = tensor.empty() : tensor<4x1x1x2xi1>
    %33 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_8, %extracted_slice_9 : tensor<4x1x1x2xf16>, tensor<4x1x1x2xf16>) outs(%32 : tensor<4x1x1x2xi1>) {
    ^bb0(%in: f16, %in_34: f16, %out: i1):
      %70 = arith.bitcast %in : f16 to i16
      %71 = arith.cmpi slt, %70, %c0_i16 : i16
      %72 = arith.subi %c32767_i16, %70 : i16
      %73 = arith.select %71, %72, %70 : i16
      %74 = arith.bitcast %in_34 : f16 to i16
      %75 = arith.cmpi slt, %74, %c0_i16 : i16
      %76 = arith.subi %c32767_i16, %74 : i16
      %77 = arith.select %75, %76, %74 : i16
      %78 = arith.cmpi sgt, %73, %77 : i16
      linalg.yield %78 : i1
    } -> tensor<4x1x1x2xi1>
    %34 = tensor.empty() : tensor<4x1x1x2xi1>
    %35 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_13, %extracted_slice_12 : tensor<4x1x1x2xi32>, tensor<4x1x1x2xi32>) outs(%34 : tensor<4x1x1x2xi1>) {
    ^bb0(%in: i32, %in_34: i32, %out: i1):
      %70 = arith.cmpi slt, %in, %in_34 : i32
      linalg.yield %70 : i1
    } -> tensor<4x1x1x2xi1>
    %36 = tensor.empty() : tensor<4x1x1x2xi1>
    %37 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%31, %33 : tensor<4x1x1x2xi1>, tensor<4x1x1x2xi1>) outs(%36 : tensor<4x1x1x2xi1>) {
    ^bb0(%in: i1, %in_34: i1, %out: i1):
      %70 = arith.xori %in, %in_34 : i1
      linalg.yield %70 : i1
    } -> tensor<4x1x1x2xi1>
    %38 = tensor.empty() : tensor<4x1x1x2xi1>
    %39 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%37, %31, %35 : tensor<4x1x1x2xi1>, tensor<4x1x1x2xi1>, tensor<4x1x1x2xi1>) outs(%38 : tensor<4x1x1x2xi1>) {
    ^bb0(%in: i1, %in_34: i1, %in_35: i1, %out: i1):
      %70 = arith.select %in, %in_34, %in_35 : i1
      linalg.yield %70 : i1
    } -> tensor<4x1x1x2xi1>
    %40 = tensor.empty() : tensor<4x1x1x2xf16>
    %41 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%39, %extracted_slice_9, %extracted_slice_8 : tensor<4x1x1x2xi1>, tensor<4x1x1x2xf16>, tensor<4x1x1x2xf16>) outs(%40 : tensor<4x1x1x2xf16>) {
    ^bb0(%in: i1, %in_34: f16, %in_35: f16, %out: f16):
      %70 = arith.select %in, %in_34, %in_35 : f16
      linalg.yield %70 : f16
    } -> tensor<4x1x1x2xf16>
    %42 = tensor.empty() : tensor<4x1x1x2xf16>
    %43 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%39, %extracted_slice_8, %extracted_slice_9 : tensor<4x1x1x2xi1>, tensor<4x1x1x2xf16>, tensor<4x1x1x2xf16>) outs(%42 : tensor<4x1x1x2xf16>) {
    ^bb0(%in: i1, %in_34: f16, %in_35: f16, %out: f16):
      %70 = arith.select %in, %in_34, %in_35 : f16
      linalg.yield %70 : f16
    } -> tensor<4x1x1x2xf16>
    %44 = tensor.empty() : tensor<4x1x2x2xf16>
    %inserted_slice_14 = tensor.insert_slice %41 into %44[0, 0, 0, 0] [4, 1, 1, 2] [1, 1, 1, 1] : tensor<4x1x1x2xf16> into tensor<4x1x2x2xf16>
    %inserted_slice_15 = tensor.insert_slice %43 into %inserted_slice_14[0, 0, 1, 0] [4, 1, 1, 2] [1, 1, 1, 1] : tensor<4x1x1x2xf16> into tensor<4x1x2x2xf16>
    %45 = tensor.empty() : tensor<4x1x1x2xi32>
    %46 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%39, %extracted_slice_13, %extracted_slice_12 : tensor<4x1x1x2xi1>, tensor<4x1x1x2xi32>, tensor<4x1x1x2xi32>) outs(%45 : tensor<4x1x1x2xi32>) {
    ^bb0(%in: i1, %in_34: i32, %in_35: i32, %out: i32):
      %70 = arith.select %in, %in_34, %in_35 : i32
      linalg.yield %70 : i32
    } -> tensor<4x1x1x2xi32>
    %47 = tensor.empty() : tensor<4x1x1x2xi32>
    %48 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%39, %extracted_slice_12, %extracted_slice_13 : tensor<4x1x1x2xi1>, tensor<4x1x1x2xi32>, tensor<4x1x1x2xi32>) outs(%47 : tensor<4x1x1x2xi32>) {
    ^bb0(%in: i1, %in_34: i32, %in_35: i32, %out: i32):
      %70 = arith.select %in, %in_34, %in_35 : i32
      linalg.yield %70 : i32
    } -> tensor<4x1x1x2xi32>
    %49 = tensor.empty() : tensor<4x1x2x2xi32>
    %inserted_slice_16 = tensor.insert_slice %46 into %49[0, 0, 0, 0] [4, 1, 1, 2] [1, 1, 1, 1] : tensor<4x1x1x2xi32> into tensor<4x1x2x2xi32>
    %inserted_slice_17 = tensor.insert_slice %48 into %inserted_slice_16[0, 0, 1, 0] [4, 1, 1, 2] [1, 1, 1, 1] : tensor<4x1x1x2xi32> into tensor<4x1x2x2xi32>
    %collapsed_18 = tensor.collapse_shape %inserted_slice_15 [[0, 1, 2, 3]] : tensor<4x1x2x2xf16> into tensor<16xf16>
    %expanded_19 = tensor.expand_shape %collapsed_18 [[0, 1, 2, 3]] output_shape [4, 2, 2, 1] : tensor<16xf16> into tensor<4x2x2x1xf16>
    %extracted_slice_20 = tensor.extract_slice %expanded_19[0, 0, 0, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x2x1xf16> to tensor<4x2x1x1xf16>
    %extracted_slice_21 = tensor.extract_slice %expanded_19[0, 0, 1, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x2x1xf16> to tensor<4x2x1x1xf16>
    %collapsed_22 = tensor.collapse_shape %inserted_slice_17 [[0, 1, 2, 3]] : tensor<4x1x2x2xi32> into tensor<16xi32>
    %expanded_23 = tensor.expand_shape %collapsed_22 [[0, 1, 2, 3]] output_shape [4, 2, 2, 1] : tensor<16xi32> into tensor<4x2x2x1xi32>
    %extracted_slice_24 = tensor.extract_slice %expanded_23[0, 0, 0, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x2x1xi32> to tensor<4x2x1x1xi32>
    %extracted_slice_25 = tensor.extract_slice %expanded_23[0, 0, 1, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x2x1xi32> to tensor<4x2x1x1xi32>
    %50 = tensor.empty() : tensor<4x2x1x1xi1>
    %51 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_21, %extracted_slice_20 : tensor<4x2x1x1xf16>, tensor<4x2x1x1xf16>) outs(%50 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: f16, %in_34: f16, %out: i1):
      %70 = arith.bitcast %in : f16 to i16
      %71 = arith.cmpi slt, %70, %c0_i16 : i16
      %72 = arith.subi %c32767_i16, %70 : i16
      %73 = arith.select %71, %72, %70 : i16
      %74 = arith.bitcast %in_34 : f16 to i16
      %75 = arith.cmpi slt, %74, %c0_i16 : i16
      %76 = arith.subi %c32767_i16, %74 : i16
      %77 = arith.select %75, %76, %74 : i16
      %78 = arith.cmpi sgt, %73, %77 : i16
      linalg.yield %78 : i1
    } -> tensor<4x2x1x1xi1>
    %52 = tensor.empty() : tensor<4x2x1x1xi1>
    %53 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_20, %extracted_slice_21 : tensor<4x2x1x1xf16>, tensor<4x2x1x1xf16>) outs(%52 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: f16, %in_34: f16, %out: i1):
      %70 = arith.bitcast %in : f16 to i16
      %71 = arith.cmpi slt, %70, %c0_i16 : i16
      %72 = arith.subi %c32767_i16, %70 : i16
      %73 = arith.select %71, %72, %70 : i16
      %74 = arith.bitcast %in_34 : f16 to i16
      %75 = arith.cmpi slt, %74, %c0_i16 : i16
      %76 = arith.subi %c32767_i16, %74 : i16
      %77 = arith.select %75, %76, %74 : i16
      %78 = arith.cmpi sgt, %73, %77 : i16
      linalg.yield %78 : i1
    } -> tensor<4x2x1x1xi1>
    %54 = tensor.empty() : tensor<4x2x1x1xi1>
    %55 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_25, %extracted_slice_24 : tensor<4x2x1x1xi32>, tensor<4x2x1x1xi32>) outs(%54 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: i32, %in_34: i32, %out: i1):
      %70 = arith.cmpi slt, %in, %in_34 : i32
      linalg.yield %70 : i1
    } -> tensor<4x2x1x1xi1>
    %56 = tensor.empty() : tensor<4x2x1x1xi1>
    %57 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%51, %53 : tensor<4x2x1x1xi1>, tensor<4x2x1x1xi1>) outs(%56 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: i1, %in_34: i1, %out: i1):
      %70 = arith.xori %in, %in_34 : i1
      linalg.yield %70 : i1
    } -> tensor<4x2x1x1xi1>
    %58 = tensor.empty() : tensor<4x2x1x1xi1>
    %59 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%57, %51, %55 : tensor<4x2x1x1xi1>, tensor<4x2x1x1xi1>, tensor<4x2x1x1xi1>) outs(%58 : tensor<4x2x1x1xi1>) {
    ^bb0(%in: i1, %in_34: i1, %in_35: i1, %out: i1):
      %70 = arith.select %in, %in_34, %in_35 : i1
      linalg.yield %70 : i1
    } -> tensor<4x2x1x1xi1>
    %60 = tensor.empty() : tensor<4x2x1x1xf16>
    %61 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%59, %extracted_slice_21, %extracted_slice_20 : tensor<4x2x1x1xi1>, tensor<4x2x1x1xf16>, tensor<4x2x1x1xf16>) outs(%60 : tensor<4x2x1x1xf16>) {
    ^bb0(%in: i1, %in_34: f16, %in_35: f16, %out: f16):
      %70 = arith.select %in, %in_34, %in_35 : f16
      linalg.yield %70 : f16
    } -> tensor<4x2x1x1xf16>
    %62 = tensor.empty() : tensor<4x2x1x1xf16>
    %63 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%59, %extracted_slice_20, %extracted_slice_21 : tensor<4x2x1x1xi1>, tensor<4x2x1x1xf16>, tensor<4x2x1x1xf16>) outs(%62 : tensor<4x2x1x1xf16>) {
    ^bb0(%in: i1, %in_34: f16, %in_35: f16, %out: f16):
      %70 = arith.select %in, %in_34, %in_35 : f16
      linalg.yield %70 : f16
    } -> tensor<4x2x1x1xf16>
    %64 = tensor.empty() : tensor<4x2x2x1xf16>
    %inserted_slice_26 = tensor.insert_slice %61 into %64[0, 0, 0, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x1x1xf16> into tensor<4x2x2x1xf16>
    %inserted_slice_27 = tensor.insert_slice %63 into %inserted_slice_26[0, 0, 1, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x1x1xf16> into tensor<4x2x2x1xf16>
    %collapsed_28 = tensor.collapse_shape %inserted_slice_27 [[0], [1, 2, 3]] : tensor<4x2x2x1xf16> into tensor<4x4xf16>
    %65 = tensor.empty() : tensor<4x2x1x1xi32>
    %66 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%59, %extracted_slice_25, %extracted_slice_24 : tensor<4x2x1x1xi1>, tensor<4x2x1x1xi32>, tensor<4x2x1x1xi32>) outs(%65 : tensor<4x2x1x1xi32>) {
    ^bb0(%in: i1, %in_34: i32, %in_35: i32, %out: i32):
      %70 = arith.select %in, %in_34, %in_35 : i32
      linalg.yield %70 : i32
    } -> tensor<4x2x1x1xi32>
    %67 = tensor.empty() : tensor<4x2x1x1xi32>
    %68 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%59, %extracted_slice_24, %extracted_slice_25 : tensor<4x2x1x1xi1>, tensor<4x2x1x1xi32>, tensor<4x2x1x1xi32>) outs(%67 : tensor<4x2x1x1xi32>) {
    ^bb0(%in: i1, %in_34: i32, %in_35: i32, %out: i32):
      %70 = arith.select %in, %in_34, %in_35 : i32
      linalg.yield %70 : i32
    } -> tensor<4x2x1x1xi32>
    %69 = tensor.empty() : tensor<4x2x2x1xi32>
    %inserted_slice_29 = tensor.insert_slice %66 into %69[0, 0, 0, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x1x1xi32> into tensor<4x2x2x1xi32>
    %inserted_slice_30 = tensor.insert_slice %68 into %inserted_slice_29[0, 0, 1, 0] [4, 2, 1, 1] [1, 1, 1, 1] : tensor<4x2x1x1xi32> into tensor<4x2x2x1xi32>
    %collapsed_31 = tensor.collapse_shape %inserted_slice_30 [[0], [1, 2, 3]] : tensor<4x2x2x1xi32> into tensor<4x4xi32>
    %extracted_slice_32 = tensor.extract_slice %collapsed_28[0, 0] [4, 2] [1, 1] : tensor<4x4xf16> to tensor<4x2xf16>
    %extracted_slice_33 = tensor.extract_slice %collapsed_31[0, 0] [4, 2] [1, 1] : tensor<4x4xi32> to tensor<4x2xi32>
    return %extracted_slice_32, %extracted_slice_33 : tensor<4x2xf16>, tensor<4x2xi32>
  }
}

