#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d0, 0)>
#map3 = affine_map<(d0, d1) -> (d1)>
#map4 = affine_map<(d0, d1, d2) -> (d1, d0, d2)>
#map5 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map6 = affine_map<(d0) -> (d0)>
#map7 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map8 = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
#map9 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map10 = affine_map<(d0, d1, d2) -> ()>
module attributes {spyre.target = #spyre.target<cores = 2, lx_bytes = 65536, lx_reserved_bytes = 0, lx_backend_percent = 0>} {
  func.func public @decoder(%arg0: tensor<128x256xf16> {spyre.dims = ["rows", "model"]}, %arg1: tensor<256xf16>, %arg2: tensor<256x256xf16>, %arg3: tensor<256x256xf16>, %arg4: tensor<256x256xf16>, %arg5: tensor<256x256xf16>, %arg6: tensor<256xf16>, %arg7: tensor<256x512xf16>, %arg8: tensor<256x512xf16>, %arg9: tensor<512x256xf16>) -> tensor<128x256xf16> attributes {spyre.tile_scopes = [#spyre.tile_scope<"rows" in 2>]} {
    %cst = arith.constant 0xFC00 : f16
    %cst_0 = arith.constant 1.250000e-01 : f16
    %cst_1 = arith.constant 1.000000e+00 : f32
    %cst_2 = arith.constant 1.000000e+04 : f32
    %cst_3 = arith.constant 6.400000e+01 : f32
    %cst_4 = arith.constant 2.000000e+00 : f32
    %cst_5 = arith.constant 0.000000e+00 : f16
    %cst_6 = arith.constant 1.000400e-03 : f16
    %cst_7 = arith.constant 2.560000e+02 : f32
    %cst_8 = arith.constant 0.000000e+00 : f32
    %cst_9 = arith.constant dense<-3.000000e+04> : tensor<f16>
    %0 = tensor.empty() : tensor<128x256xf16>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<128x256xf16>) outs(%0 : tensor<128x256xf16>) {
    ^bb0(%in: f16, %out: f16):
      %109 = arith.mulf %in, %in : f16
      linalg.yield %109 : f16
    } -> tensor<128x256xf16>
    %2 = tensor.empty() : tensor<128x256xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<128x256xf16>) outs(%2 : tensor<128x256xf32>) {
    ^bb0(%in: f16, %out: f32):
      %109 = arith.extf %in : f16 to f32
      linalg.yield %109 : f32
    } -> tensor<128x256xf32>
    %4 = tensor.empty() : tensor<128xf32>
    %5 = linalg.fill ins(%cst_8 : f32) outs(%4 : tensor<128xf32>) -> tensor<128xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%3 : tensor<128x256xf32>) outs(%5 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.addf %out, %in : f32
      linalg.yield %109 : f32
    } -> tensor<128xf32>
    %expanded = tensor.expand_shape %6 [[0, 1]] output_shape [128, 1] : tensor<128xf32> into tensor<128x1xf32>
    %7 = tensor.empty() : tensor<128x1xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%expanded : tensor<128x1xf32>) outs(%7 : tensor<128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.divf %in, %cst_7 : f32
      linalg.yield %109 : f32
    } -> tensor<128x1xf32>
    %9 = tensor.empty() : tensor<128x1xf16>
    %10 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<128x1xf32>) outs(%9 : tensor<128x1xf16>) {
    ^bb0(%in: f32, %out: f16):
      %109 = arith.truncf %in : f32 to f16
      linalg.yield %109 : f16
    } -> tensor<128x1xf16>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%10 : tensor<128x1xf16>) outs(%9 : tensor<128x1xf16>) {
    ^bb0(%in: f16, %out: f16):
      %109 = arith.addf %in, %cst_6 : f16
      linalg.yield %109 : f16
    } -> tensor<128x1xf16>
    %12 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%11 : tensor<128x1xf16>) outs(%9 : tensor<128x1xf16>) {
    ^bb0(%in: f16, %out: f16):
      %109 = math.rsqrt %in : f16
      linalg.yield %109 : f16
    } -> tensor<128x1xf16>
    %13 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%12 : tensor<128x1xf16>) outs(%0 : tensor<128x256xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<128x256xf16>
    %14 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %13 : tensor<128x256xf16>, tensor<128x256xf16>) outs(%0 : tensor<128x256xf16>) {
    ^bb0(%in: f16, %in_20: f16, %out: f16):
      %109 = arith.mulf %in, %in_20 : f16
      linalg.yield %109 : f16
    } -> tensor<128x256xf16>
    %15 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<256xf16>) outs(%0 : tensor<128x256xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<128x256xf16>
    %16 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%14, %15 : tensor<128x256xf16>, tensor<128x256xf16>) outs(%0 : tensor<128x256xf16>) {
    ^bb0(%in: f16, %in_20: f16, %out: f16):
      %109 = arith.mulf %in, %in_20 : f16
      linalg.yield %109 : f16
    } -> tensor<128x256xf16>
    %17 = linalg.fill ins(%cst_5 : f16) outs(%0 : tensor<128x256xf16>) -> tensor<128x256xf16>
    %18 = linalg.matmul ins(%16, %arg2 : tensor<128x256xf16>, tensor<256x256xf16>) outs(%17 : tensor<128x256xf16>) -> tensor<128x256xf16>
    %expanded_10 = tensor.expand_shape %18 [[0], [1, 2]] output_shape [128, 4, 64] : tensor<128x256xf16> into tensor<128x4x64xf16>
    %19 = tensor.empty() : tensor<4x128x64xf16>
    %20 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_10 : tensor<128x4x64xf16>) outs(%19 : tensor<4x128x64xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<4x128x64xf16>
    %21 = tensor.empty() : tensor<32xf32>
    %22 = linalg.generic {indexing_maps = [#map6], iterator_types = ["parallel"]} outs(%21 : tensor<32xf32>) {
    ^bb0(%out: f32):
      %109 = linalg.index 0 : index
      %110 = arith.index_cast %109 : index to i32
      %111 = arith.sitofp %110 : i32 to f32
      linalg.yield %111 : f32
    } -> tensor<32xf32>
    %23 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel"]} ins(%22 : tensor<32xf32>) outs(%21 : tensor<32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.mulf %in, %cst_4 : f32
      linalg.yield %109 : f32
    } -> tensor<32xf32>
    %24 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel"]} ins(%23 : tensor<32xf32>) outs(%21 : tensor<32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.divf %in, %cst_3 : f32
      linalg.yield %109 : f32
    } -> tensor<32xf32>
    %25 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel"]} ins(%24 : tensor<32xf32>) outs(%21 : tensor<32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = math.powf %cst_2, %in : f32
      linalg.yield %109 : f32
    } -> tensor<32xf32>
    %26 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel"]} ins(%25 : tensor<32xf32>) outs(%21 : tensor<32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.divf %cst_1, %in : f32
      linalg.yield %109 : f32
    } -> tensor<32xf32>
    %27 = linalg.generic {indexing_maps = [#map6], iterator_types = ["parallel"]} outs(%4 : tensor<128xf32>) {
    ^bb0(%out: f32):
      %109 = linalg.index 0 : index
      %110 = arith.index_cast %109 : index to i32
      %111 = arith.sitofp %110 : i32 to f32
      linalg.yield %111 : f32
    } -> tensor<128xf32>
    %28 = tensor.empty() : tensor<128x32xf32>
    %29 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%27 : tensor<128xf32>) outs(%28 : tensor<128x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128x32xf32>
    %30 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%26 : tensor<32xf32>) outs(%28 : tensor<128x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128x32xf32>
    %31 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%29, %30 : tensor<128x32xf32>, tensor<128x32xf32>) outs(%28 : tensor<128x32xf32>) {
    ^bb0(%in: f32, %in_20: f32, %out: f32):
      %109 = arith.mulf %in, %in_20 : f32
      linalg.yield %109 : f32
    } -> tensor<128x32xf32>
    %32 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%31 : tensor<128x32xf32>) outs(%28 : tensor<128x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = math.cos %in : f32
      linalg.yield %109 : f32
    } -> tensor<128x32xf32>
    %33 = tensor.empty() : tensor<128x32xf16>
    %34 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%32 : tensor<128x32xf32>) outs(%33 : tensor<128x32xf16>) {
    ^bb0(%in: f32, %out: f16):
      %109 = arith.truncf %in : f32 to f16
      linalg.yield %109 : f16
    } -> tensor<128x32xf16>
    %35 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%31 : tensor<128x32xf32>) outs(%28 : tensor<128x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = math.sin %in : f32
      linalg.yield %109 : f32
    } -> tensor<128x32xf32>
    %36 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%35 : tensor<128x32xf32>) outs(%33 : tensor<128x32xf16>) {
    ^bb0(%in: f32, %out: f16):
      %109 = arith.truncf %in : f32 to f16
      linalg.yield %109 : f16
    } -> tensor<128x32xf16>
    %extracted_slice = tensor.extract_slice %20[0, 0, 0] [4, 128, 32] [1, 1, 1] : tensor<4x128x64xf16> to tensor<4x128x32xf16>
    %extracted_slice_11 = tensor.extract_slice %20[0, 0, 32] [4, 128, 32] [1, 1, 1] : tensor<4x128x64xf16> to tensor<4x128x32xf16>
    %37 = tensor.empty() : tensor<4x128x32xf16>
    %38 = linalg.generic {indexing_maps = [#map7, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%34 : tensor<128x32xf16>) outs(%37 : tensor<4x128x32xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<4x128x32xf16>
    %39 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice, %38 : tensor<4x128x32xf16>, tensor<4x128x32xf16>) outs(%37 : tensor<4x128x32xf16>) {
    ^bb0(%in: f16, %in_20: f16, %out: f16):
      %109 = arith.mulf %in, %in_20 : f16
      linalg.yield %109 : f16
    } -> tensor<4x128x32xf16>
    %40 = linalg.generic {indexing_maps = [#map7, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%36 : tensor<128x32xf16>) outs(%37 : tensor<4x128x32xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<4x128x32xf16>
    %41 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_11, %40 : tensor<4x128x32xf16>, tensor<4x128x32xf16>) outs(%37 : tensor<4x128x32xf16>) {
    ^bb0(%in: f16, %in_20: f16, %out: f16):
      %109 = arith.mulf %in, %in_20 : f16
      linalg.yield %109 : f16
    } -> tensor<4x128x32xf16>
    %42 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%39, %41 : tensor<4x128x32xf16>, tensor<4x128x32xf16>) outs(%37 : tensor<4x128x32xf16>) {
    ^bb0(%in: f16, %in_20: f16, %out: f16):
      %109 = arith.subf %in, %in_20 : f16
      linalg.yield %109 : f16
    } -> tensor<4x128x32xf16>
    %43 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_11, %38 : tensor<4x128x32xf16>, tensor<4x128x32xf16>) outs(%37 : tensor<4x128x32xf16>) {
    ^bb0(%in: f16, %in_20: f16, %out: f16):
      %109 = arith.mulf %in, %in_20 : f16
      linalg.yield %109 : f16
    } -> tensor<4x128x32xf16>
    %44 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice, %40 : tensor<4x128x32xf16>, tensor<4x128x32xf16>) outs(%37 : tensor<4x128x32xf16>) {
    ^bb0(%in: f16, %in_20: f16, %out: f16):
      %109 = arith.mulf %in, %in_20 : f16
      linalg.yield %109 : f16
    } -> tensor<4x128x32xf16>
    %45 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%43, %44 : tensor<4x128x32xf16>, tensor<4x128x32xf16>) outs(%37 : tensor<4x128x32xf16>) {
    ^bb0(%in: f16, %in_20: f16, %out: f16):
      %109 = arith.addf %in, %in_20 : f16
      linalg.yield %109 : f16
    } -> tensor<4x128x32xf16>
    %inserted_slice = tensor.insert_slice %42 into %19[0, 0, 0] [4, 128, 32] [1, 1, 1] : tensor<4x128x32xf16> into tensor<4x128x64xf16>
    %inserted_slice_12 = tensor.insert_slice %45 into %inserted_slice[0, 0, 32] [4, 128, 32] [1, 1, 1] : tensor<4x128x32xf16> into tensor<4x128x64xf16>
    %46 = linalg.matmul {spyre.dims = ["keys", "_untracked_256"]} ins(%16, %arg3 : tensor<128x256xf16>, tensor<256x256xf16>) outs(%17 : tensor<128x256xf16>) -> tensor<128x256xf16>
    %expanded_13 = tensor.expand_shape %46 [[0], [1, 2]] output_shape [128, 4, 64] : tensor<128x256xf16> into tensor<128x4x64xf16>
    %47 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_13 : tensor<128x4x64xf16>) outs(%19 : tensor<4x128x64xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<4x128x64xf16>
    %extracted_slice_14 = tensor.extract_slice %47[0, 0, 0] [4, 128, 32] [1, 1, 1] : tensor<4x128x64xf16> to tensor<4x128x32xf16>
    %extracted_slice_15 = tensor.extract_slice %47[0, 0, 32] [4, 128, 32] [1, 1, 1] : tensor<4x128x64xf16> to tensor<4x128x32xf16>
    %48 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_14, %38 : tensor<4x128x32xf16>, tensor<4x128x32xf16>) outs(%37 : tensor<4x128x32xf16>) {
    ^bb0(%in: f16, %in_20: f16, %out: f16):
      %109 = arith.mulf %in, %in_20 : f16
      linalg.yield %109 : f16
    } -> tensor<4x128x32xf16>
    %49 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_15, %40 : tensor<4x128x32xf16>, tensor<4x128x32xf16>) outs(%37 : tensor<4x128x32xf16>) {
    ^bb0(%in: f16, %in_20: f16, %out: f16):
      %109 = arith.mulf %in, %in_20 : f16
      linalg.yield %109 : f16
    } -> tensor<4x128x32xf16>
    %50 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%48, %49 : tensor<4x128x32xf16>, tensor<4x128x32xf16>) outs(%37 : tensor<4x128x32xf16>) {
    ^bb0(%in: f16, %in_20: f16, %out: f16):
      %109 = arith.subf %in, %in_20 : f16
      linalg.yield %109 : f16
    } -> tensor<4x128x32xf16>
    %51 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_15, %38 : tensor<4x128x32xf16>, tensor<4x128x32xf16>) outs(%37 : tensor<4x128x32xf16>) {
    ^bb0(%in: f16, %in_20: f16, %out: f16):
      %109 = arith.mulf %in, %in_20 : f16
      linalg.yield %109 : f16
    } -> tensor<4x128x32xf16>
    %52 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_14, %40 : tensor<4x128x32xf16>, tensor<4x128x32xf16>) outs(%37 : tensor<4x128x32xf16>) {
    ^bb0(%in: f16, %in_20: f16, %out: f16):
      %109 = arith.mulf %in, %in_20 : f16
      linalg.yield %109 : f16
    } -> tensor<4x128x32xf16>
    %53 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%51, %52 : tensor<4x128x32xf16>, tensor<4x128x32xf16>) outs(%37 : tensor<4x128x32xf16>) {
    ^bb0(%in: f16, %in_20: f16, %out: f16):
      %109 = arith.addf %in, %in_20 : f16
      linalg.yield %109 : f16
    } -> tensor<4x128x32xf16>
    %inserted_slice_16 = tensor.insert_slice %50 into %19[0, 0, 0] [4, 128, 32] [1, 1, 1] : tensor<4x128x32xf16> into tensor<4x128x64xf16>
    %inserted_slice_17 = tensor.insert_slice %53 into %inserted_slice_16[0, 0, 32] [4, 128, 32] [1, 1, 1] : tensor<4x128x32xf16> into tensor<4x128x64xf16>
    %54 = linalg.matmul {spyre.dims = ["keys", "_untracked_256"]} ins(%16, %arg4 : tensor<128x256xf16>, tensor<256x256xf16>) outs(%17 : tensor<128x256xf16>) -> tensor<128x256xf16>
    %expanded_18 = tensor.expand_shape %54 [[0], [1, 2]] output_shape [128, 4, 64] : tensor<128x256xf16> into tensor<128x4x64xf16>
    %55 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_18 : tensor<128x4x64xf16>) outs(%19 : tensor<4x128x64xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<4x128x64xf16>
    %56 = tensor.empty() : tensor<4x64x128xf16>
    %57 = linalg.generic {indexing_maps = [#map8, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%inserted_slice_17 : tensor<4x128x64xf16>) outs(%56 : tensor<4x64x128xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<4x64x128xf16>
    %58 = tensor.empty() : tensor<4x128x128xf16>
    %59 = linalg.fill ins(%cst_5 : f16) outs(%58 : tensor<4x128x128xf16>) -> tensor<4x128x128xf16>
    %60 = linalg.batch_matmul ins(%inserted_slice_12, %57 : tensor<4x128x64xf16>, tensor<4x64x128xf16>) outs(%59 : tensor<4x128x128xf16>) -> tensor<4x128x128xf16>
    %61 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%60 : tensor<4x128x128xf16>) outs(%58 : tensor<4x128x128xf16>) {
    ^bb0(%in: f16, %out: f16):
      %109 = arith.mulf %in, %cst_0 : f16
      linalg.yield %109 : f16
    } -> tensor<4x128x128xf16>
    %62 = tensor.empty() : tensor<128xi32>
    %63 = linalg.generic {indexing_maps = [#map6], iterator_types = ["parallel"]} outs(%62 : tensor<128xi32>) {
    ^bb0(%out: i32):
      %109 = linalg.index 0 : index
      %110 = arith.index_cast %109 : index to i32
      linalg.yield %110 : i32
    } -> tensor<128xi32>
    %64 = tensor.empty() : tensor<128x128xi32>
    %65 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%63 : tensor<128xi32>) outs(%64 : tensor<128x128xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<128x128xi32>
    %66 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%63 : tensor<128xi32>) outs(%64 : tensor<128x128xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<128x128xi32>
    %67 = tensor.empty() : tensor<128x128xi1>
    %68 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%65, %66 : tensor<128x128xi32>, tensor<128x128xi32>) outs(%67 : tensor<128x128xi1>) {
    ^bb0(%in: i32, %in_20: i32, %out: i1):
      %109 = arith.cmpi sge, %in, %in_20 : i32
      linalg.yield %109 : i1
    } -> tensor<128x128xi1>
    %69 = call @_where(%68, %61, %cst_9) : (tensor<128x128xi1>, tensor<4x128x128xf16>, tensor<f16>) -> tensor<4x128x128xf16>
    %70 = tensor.empty() : tensor<4x128xf16>
    %71 = linalg.fill ins(%cst : f16) outs(%70 : tensor<4x128xf16>) -> tensor<4x128xf16>
    %72 = linalg.generic {indexing_maps = [#map5, #map9], iterator_types = ["parallel", "parallel", "reduction"]} ins(%69 : tensor<4x128x128xf16>) outs(%71 : tensor<4x128xf16>) {
    ^bb0(%in: f16, %out: f16):
      %109 = arith.maximumf %out, %in : f16
      linalg.yield %109 : f16
    } -> tensor<4x128xf16>
    %73 = linalg.generic {indexing_maps = [#map9, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%72 : tensor<4x128xf16>) outs(%58 : tensor<4x128x128xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<4x128x128xf16>
    %74 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%69, %73 : tensor<4x128x128xf16>, tensor<4x128x128xf16>) outs(%58 : tensor<4x128x128xf16>) {
    ^bb0(%in: f16, %in_20: f16, %out: f16):
      %109 = arith.subf %in, %in_20 : f16
      linalg.yield %109 : f16
    } -> tensor<4x128x128xf16>
    %75 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%74 : tensor<4x128x128xf16>) outs(%58 : tensor<4x128x128xf16>) {
    ^bb0(%in: f16, %out: f16):
      %109 = math.exp %in : f16
      linalg.yield %109 : f16
    } -> tensor<4x128x128xf16>
    %76 = tensor.empty() : tensor<4x128x128xf32>
    %77 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%75 : tensor<4x128x128xf16>) outs(%76 : tensor<4x128x128xf32>) {
    ^bb0(%in: f16, %out: f32):
      %109 = arith.extf %in : f16 to f32
      linalg.yield %109 : f32
    } -> tensor<4x128x128xf32>
    %78 = tensor.empty() : tensor<4x128xf32>
    %79 = linalg.fill ins(%cst_8 : f32) outs(%78 : tensor<4x128xf32>) -> tensor<4x128xf32>
    %80 = linalg.generic {indexing_maps = [#map5, #map9], iterator_types = ["parallel", "parallel", "reduction"]} ins(%77 : tensor<4x128x128xf32>) outs(%79 : tensor<4x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.addf %out, %in : f32
      linalg.yield %109 : f32
    } -> tensor<4x128xf32>
    %81 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%80 : tensor<4x128xf32>) outs(%70 : tensor<4x128xf16>) {
    ^bb0(%in: f32, %out: f16):
      %109 = arith.truncf %in : f32 to f16
      linalg.yield %109 : f16
    } -> tensor<4x128xf16>
    %82 = linalg.generic {indexing_maps = [#map9, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%81 : tensor<4x128xf16>) outs(%58 : tensor<4x128x128xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<4x128x128xf16>
    %83 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%75, %82 : tensor<4x128x128xf16>, tensor<4x128x128xf16>) outs(%58 : tensor<4x128x128xf16>) {
    ^bb0(%in: f16, %in_20: f16, %out: f16):
      %109 = arith.divf %in, %in_20 : f16
      linalg.yield %109 : f16
    } -> tensor<4x128x128xf16>
    %84 = linalg.fill ins(%cst_5 : f16) outs(%19 : tensor<4x128x64xf16>) -> tensor<4x128x64xf16>
    %85 = linalg.batch_matmul ins(%83, %55 : tensor<4x128x128xf16>, tensor<4x128x64xf16>) outs(%84 : tensor<4x128x64xf16>) -> tensor<4x128x64xf16>
    %86 = tensor.empty() : tensor<128x4x64xf16>
    %87 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%85 : tensor<4x128x64xf16>) outs(%86 : tensor<128x4x64xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<128x4x64xf16>
    %collapsed = tensor.collapse_shape %87 [[0], [1, 2]] : tensor<128x4x64xf16> into tensor<128x256xf16>
    %88 = linalg.matmul ins(%collapsed, %arg5 : tensor<128x256xf16>, tensor<256x256xf16>) outs(%17 : tensor<128x256xf16>) -> tensor<128x256xf16>
    %89 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %88 : tensor<128x256xf16>, tensor<128x256xf16>) outs(%0 : tensor<128x256xf16>) {
    ^bb0(%in: f16, %in_20: f16, %out: f16):
      %109 = arith.addf %in, %in_20 : f16
      linalg.yield %109 : f16
    } -> tensor<128x256xf16>
    %90 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%89 : tensor<128x256xf16>) outs(%0 : tensor<128x256xf16>) {
    ^bb0(%in: f16, %out: f16):
      %109 = arith.mulf %in, %in : f16
      linalg.yield %109 : f16
    } -> tensor<128x256xf16>
    %91 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%90 : tensor<128x256xf16>) outs(%2 : tensor<128x256xf32>) {
    ^bb0(%in: f16, %out: f32):
      %109 = arith.extf %in : f16 to f32
      linalg.yield %109 : f32
    } -> tensor<128x256xf32>
    %92 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%91 : tensor<128x256xf32>) outs(%5 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.addf %out, %in : f32
      linalg.yield %109 : f32
    } -> tensor<128xf32>
    %expanded_19 = tensor.expand_shape %92 [[0, 1]] output_shape [128, 1] : tensor<128xf32> into tensor<128x1xf32>
    %93 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%expanded_19 : tensor<128x1xf32>) outs(%7 : tensor<128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.divf %in, %cst_7 : f32
      linalg.yield %109 : f32
    } -> tensor<128x1xf32>
    %94 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%93 : tensor<128x1xf32>) outs(%9 : tensor<128x1xf16>) {
    ^bb0(%in: f32, %out: f16):
      %109 = arith.truncf %in : f32 to f16
      linalg.yield %109 : f16
    } -> tensor<128x1xf16>
    %95 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%94 : tensor<128x1xf16>) outs(%9 : tensor<128x1xf16>) {
    ^bb0(%in: f16, %out: f16):
      %109 = arith.addf %in, %cst_6 : f16
      linalg.yield %109 : f16
    } -> tensor<128x1xf16>
    %96 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%95 : tensor<128x1xf16>) outs(%9 : tensor<128x1xf16>) {
    ^bb0(%in: f16, %out: f16):
      %109 = math.rsqrt %in : f16
      linalg.yield %109 : f16
    } -> tensor<128x1xf16>
    %97 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%96 : tensor<128x1xf16>) outs(%0 : tensor<128x256xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<128x256xf16>
    %98 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%89, %97 : tensor<128x256xf16>, tensor<128x256xf16>) outs(%0 : tensor<128x256xf16>) {
    ^bb0(%in: f16, %in_20: f16, %out: f16):
      %109 = arith.mulf %in, %in_20 : f16
      linalg.yield %109 : f16
    } -> tensor<128x256xf16>
    %99 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%arg6 : tensor<256xf16>) outs(%0 : tensor<128x256xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<128x256xf16>
    %100 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%98, %99 : tensor<128x256xf16>, tensor<128x256xf16>) outs(%0 : tensor<128x256xf16>) {
    ^bb0(%in: f16, %in_20: f16, %out: f16):
      %109 = arith.mulf %in, %in_20 : f16
      linalg.yield %109 : f16
    } -> tensor<128x256xf16>
    %101 = tensor.empty() : tensor<128x512xf16>
    %102 = linalg.fill ins(%cst_5 : f16) outs(%101 : tensor<128x512xf16>) -> tensor<128x512xf16>
    %103 = linalg.matmul ins(%100, %arg7 : tensor<128x256xf16>, tensor<256x512xf16>) outs(%102 : tensor<128x512xf16>) -> tensor<128x512xf16>
    %104 = call @silu(%103) : (tensor<128x512xf16>) -> tensor<128x512xf16>
    %105 = linalg.matmul ins(%100, %arg8 : tensor<128x256xf16>, tensor<256x512xf16>) outs(%102 : tensor<128x512xf16>) -> tensor<128x512xf16>
    %106 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%104, %105 : tensor<128x512xf16>, tensor<128x512xf16>) outs(%101 : tensor<128x512xf16>) {
    ^bb0(%in: f16, %in_20: f16, %out: f16):
      %109 = arith.mulf %in, %in_20 : f16
      linalg.yield %109 : f16
    } -> tensor<128x512xf16>
    %107 = linalg.matmul ins(%106, %arg9 : tensor<128x512xf16>, tensor<512x256xf16>) outs(%17 : tensor<128x256xf16>) -> tensor<128x256xf16>
    %108 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%89, %107 : tensor<128x256xf16>, tensor<128x256xf16>) outs(%0 : tensor<128x256xf16>) {
    ^bb0(%in: f16, %in_20: f16, %out: f16):
      %109 = arith.addf %in, %in_20 : f16
      linalg.yield %109 : f16
    } -> tensor<128x256xf16>
    return %108 : tensor<128x256xf16>
  }
  func.func private @_where(%arg0: tensor<128x128xi1>, %arg1: tensor<4x128x128xf16>, %arg2: tensor<f16>) -> tensor<4x128x128xf16> {
    %0 = tensor.empty() : tensor<4x128x128xi1>
    %1 = linalg.generic {indexing_maps = [#map7, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<128x128xi1>) outs(%0 : tensor<4x128x128xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<4x128x128xi1>
    %2 = tensor.empty() : tensor<4x128x128xf16>
    %3 = linalg.generic {indexing_maps = [#map10, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg2 : tensor<f16>) outs(%2 : tensor<4x128x128xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<4x128x128xf16>
    %4 = linalg.generic {indexing_maps = [#map5, #map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %arg1, %3 : tensor<4x128x128xi1>, tensor<4x128x128xf16>, tensor<4x128x128xf16>) outs(%2 : tensor<4x128x128xf16>) {
    ^bb0(%in: i1, %in_0: f16, %in_1: f16, %out: f16):
      %5 = arith.select %in, %in_0, %in_1 : f16
      linalg.yield %5 : f16
    } -> tensor<4x128x128xf16>
    return %4 : tensor<4x128x128xf16>
  }
  func.func private @silu(%arg0: tensor<128x512xf16>) -> tensor<128x512xf16> {
    %cst = arith.constant 1.000000e+00 : f16
    %0 = tensor.empty() : tensor<128x512xf16>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<128x512xf16>) outs(%0 : tensor<128x512xf16>) {
    ^bb0(%in: f16, %out: f16):
      %6 = arith.negf %in : f16
      linalg.yield %6 : f16
    } -> tensor<128x512xf16>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<128x512xf16>) outs(%0 : tensor<128x512xf16>) {
    ^bb0(%in: f16, %out: f16):
      %6 = math.exp %in : f16
      linalg.yield %6 : f16
    } -> tensor<128x512xf16>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%2 : tensor<128x512xf16>) outs(%0 : tensor<128x512xf16>) {
    ^bb0(%in: f16, %out: f16):
      %6 = arith.addf %in, %cst : f16
      linalg.yield %6 : f16
    } -> tensor<128x512xf16>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<128x512xf16>) outs(%0 : tensor<128x512xf16>) {
    ^bb0(%in: f16, %out: f16):
      %6 = arith.divf %cst, %in : f16
      linalg.yield %6 : f16
    } -> tensor<128x512xf16>
    %5 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %4 : tensor<128x512xf16>, tensor<128x512xf16>) outs(%0 : tensor<128x512xf16>) {
    ^bb0(%in: f16, %in_0: f16, %out: f16):
      %6 = arith.mulf %in, %in_0 : f16
      linalg.yield %6 : f16
    } -> tensor<128x512xf16>
    return %5 : tensor<128x512xf16>
  }
}
