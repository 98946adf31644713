#map = affine_map<(d0, d1, d2) -> (d1, d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d0, d1)>
#map5 = affine_map<(d0, d1) -> (d0)>
#map6 = affine_map<(d0, d1) -> (d0, 0)>
#map7 = affine_map<(d0, d1) -> (d1)>
module attributes {spyre.target = #spyre.target<cores = 2, lx_bytes = 65536, lx_reserved_bytes = 0, lx_backend_percent = 0>} {
  func.func public @encoder(%arg0: tensor<128x256xf16> {spyre.dims = ["rows", "model"]}, %arg1: tensor<256x256xf16>, %arg2: tensor<256x256xf16>, %arg3: tensor<256x256xf16>, %arg4: tensor<256x256xf16>, %arg5: tensor<256xf16>, %arg6: tensor<256xf16>, %arg7: tensor<256x512xf16>, %arg8: tensor<512xf16>, %arg9: tensor<512x256xf16>, %arg10: tensor<256xf16>) -> tensor<128x256xf16> attributes {spyre.tile_scopes = [#spyre.tile_scope<"rows" in 2>]} {
    %cst = arith.constant 5.000000e-01 : f16
    %cst_0 = arith.constant 1.000000e+00 : f16
    %cst_1 = arith.constant 7.978520e-01 : f16
    %cst_2 = arith.constant 4.470830e-02 : f16
    %cst_3 = arith.constant 1.000400e-03 : f16
    %cst_4 = arith.constant 2.560000e+02 : f32
    %cst_5 = arith.constant 0.000000e+00 : f32
    %cst_6 = arith.constant 0xFC00 : f16
    %cst_7 = arith.constant 1.250000e-01 : f16
    %cst_8 = arith.constant 0.000000e+00 : f16
    %0 = tensor.empty() : tensor<128x256xf16>
    %1 = linalg.fill ins(%cst_8 : f16) outs(%0 : tensor<128x256xf16>) -> tensor<128x256xf16>
    %2 = linalg.matmul ins(%arg0, %arg1 : tensor<128x256xf16>, tensor<256x256xf16>) outs(%1 : tensor<128x256xf16>) -> tensor<128x256xf16>
    %expanded = tensor.expand_shape %2 [[0], [1, 2]] output_shape [128, 4, 64] : tensor<128x256xf16> into tensor<128x4x64xf16>
    %3 = tensor.empty() : tensor<4x128x64xf16>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<128x4x64xf16>) outs(%3 : tensor<4x128x64xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<4x128x64xf16>
    %5 = linalg.matmul {spyre.dims = ["keys", "_untracked_256"]} ins(%arg0, %arg2 : tensor<128x256xf16>, tensor<256x256xf16>) outs(%1 : tensor<128x256xf16>) -> tensor<128x256xf16>
    %expanded_9 = tensor.expand_shape %5 [[0], [1, 2]] output_shape [128, 4, 64] : tensor<128x256xf16> into tensor<128x4x64xf16>
    %6 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_9 : tensor<128x4x64xf16>) outs(%3 : tensor<4x128x64xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<4x128x64xf16>
    %7 = linalg.matmul {spyre.dims = ["keys", "_untracked_256"]} ins(%arg0, %arg3 : tensor<128x256xf16>, tensor<256x256xf16>) outs(%1 : tensor<128x256xf16>) -> tensor<128x256xf16>
    %expanded_10 = tensor.expand_shape %7 [[0], [1, 2]] output_shape [128, 4, 64] : tensor<128x256xf16> into tensor<128x4x64xf16>
    %8 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_10 : tensor<128x4x64xf16>) outs(%3 : tensor<4x128x64xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<4x128x64xf16>
    %9 = tensor.empty() : tensor<4x64x128xf16>
    %10 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6 : tensor<4x128x64xf16>) outs(%9 : tensor<4x64x128xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<4x64x128xf16>
    %11 = tensor.empty() : tensor<4x128x128xf16>
    %12 = linalg.fill ins(%cst_8 : f16) outs(%11 : tensor<4x128x128xf16>) -> tensor<4x128x128xf16>
    %13 = linalg.batch_matmul ins(%4, %10 : tensor<4x128x64xf16>, tensor<4x64x128xf16>) outs(%12 : tensor<4x128x128xf16>) -> tensor<4x128x128xf16>
    %14 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13 : tensor<4x128x128xf16>) outs(%11 : tensor<4x128x128xf16>) {
    ^bb0(%in: f16, %out: f16):
      %94 = arith.mulf %in, %cst_7 : f16
      linalg.yield %94 : f16
    } -> tensor<4x128x128xf16>
    %15 = tensor.empty() : tensor<4x128xf16>
    %16 = linalg.fill ins(%cst_6 : f16) outs(%15 : tensor<4x128xf16>) -> tensor<4x128xf16>
    %17 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%14 : tensor<4x128x128xf16>) outs(%16 : tensor<4x128xf16>) {
    ^bb0(%in: f16, %out: f16):
      %94 = arith.maximumf %out, %in : f16
      linalg.yield %94 : f16
    } -> tensor<4x128xf16>
    %18 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%17 : tensor<4x128xf16>) outs(%11 : tensor<4x128x128xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<4x128x128xf16>
    %19 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%14, %18 : tensor<4x128x128xf16>, tensor<4x128x128xf16>) outs(%11 : tensor<4x128x128xf16>) {
    ^bb0(%in: f16, %in_15: f16, %out: f16):
      %94 = arith.subf %in, %in_15 : f16
      linalg.yield %94 : f16
    } -> tensor<4x128x128xf16>
    %20 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%19 : tensor<4x128x128xf16>) outs(%11 : tensor<4x128x128xf16>) {
    ^bb0(%in: f16, %out: f16):
      %94 = math.exp %in : f16
      linalg.yield %94 : f16
    } -> tensor<4x128x128xf16>
    %21 = tensor.empty() : tensor<4x128x128xf32>
    %22 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20 : tensor<4x128x128xf16>) outs(%21 : tensor<4x128x128xf32>) {
    ^bb0(%in: f16, %out: f32):
      %94 = arith.extf %in : f16 to f32
      linalg.yield %94 : f32
    } -> tensor<4x128x128xf32>
    %23 = tensor.empty() : tensor<4x128xf32>
    %24 = linalg.fill ins(%cst_5 : f32) outs(%23 : tensor<4x128xf32>) -> tensor<4x128xf32>
    %25 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%22 : tensor<4x128x128xf32>) outs(%24 : tensor<4x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %94 = arith.addf %out, %in : f32
      linalg.yield %94 : f32
    } -> tensor<4x128xf32>
    %26 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%25 : tensor<4x128xf32>) outs(%15 : tensor<4x128xf16>) {
    ^bb0(%in: f32, %out: f16):
      %94 = arith.truncf %in : f32 to f16
      linalg.yield %94 : f16
    } -> tensor<4x128xf16>
    %27 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%26 : tensor<4x128xf16>) outs(%11 : tensor<4x128x128xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<4x128x128xf16>
    %28 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20, %27 : tensor<4x128x128xf16>, tensor<4x128x128xf16>) outs(%11 : tensor<4x128x128xf16>) {
    ^bb0(%in: f16, %in_15: f16, %out: f16):
      %94 = arith.divf %in, %in_15 : f16
      linalg.yield %94 : f16
    } -> tensor<4x128x128xf16>
    %29 = linalg.fill ins(%cst_8 : f16) outs(%3 : tensor<4x128x64xf16>) -> tensor<4x128x64xf16>
    %30 = linalg.batch_matmul ins(%28, %8 : tensor<4x128x128xf16>, tensor<4x128x64xf16>) outs(%29 : tensor<4x128x64xf16>) -> tensor<4x128x64xf16>
    %31 = tensor.empty() : tensor<128x4x64xf16>
    %32 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%30 : tensor<4x128x64xf16>) outs(%31 : tensor<128x4x64xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<128x4x64xf16>
    %collapsed = tensor.collapse_shape %32 [[0], [1, 2]] : tensor<128x4x64xf16> into tensor<128x256xf16>
    %33 = linalg.matmul ins(%collapsed, %arg4 : tensor<128x256xf16>, tensor<256x256xf16>) outs(%1 : tensor<128x256xf16>) -> tensor<128x256xf16>
    %34 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%arg0, %33 : tensor<128x256xf16>, tensor<128x256xf16>) outs(%0 : tensor<128x256xf16>) {
    ^bb0(%in: f16, %in_15: f16, %out: f16):
      %94 = arith.addf %in, %in_15 : f16
      linalg.yield %94 : f16
    } -> tensor<128x256xf16>
    %35 = tensor.empty() : tensor<128x256xf32>
    %36 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%34 : tensor<128x256xf16>) outs(%35 : tensor<128x256xf32>) {
    ^bb0(%in: f16, %out: f32):
      %94 = arith.extf %in : f16 to f32
      linalg.yield %94 : f32
    } -> tensor<128x256xf32>
    %37 = tensor.empty() : tensor<128xf32>
    %38 = linalg.fill ins(%cst_5 : f32) outs(%37 : tensor<128xf32>) -> tensor<128xf32>
    %39 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "reduction"]} ins(%36 : tensor<128x256xf32>) outs(%38 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %94 = arith.addf %out, %in : f32
      linalg.yield %94 : f32
    } -> tensor<128xf32>
    %expanded_11 = tensor.expand_shape %39 [[0, 1]] output_shape [128, 1] : tensor<128xf32> into tensor<128x1xf32>
    %40 = tensor.empty() : tensor<128x1xf32>
    %41 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%expanded_11 : tensor<128x1xf32>) outs(%40 : tensor<128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %94 = arith.divf %in, %cst_4 : f32
      linalg.yield %94 : f32
    } -> tensor<128x1xf32>
    %42 = tensor.empty() : tensor<128x1xf16>
    %43 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%41 : tensor<128x1xf32>) outs(%42 : tensor<128x1xf16>) {
    ^bb0(%in: f32, %out: f16):
      %94 = arith.truncf %in : f32 to f16
      linalg.yield %94 : f16
    } -> tensor<128x1xf16>
    %44 = linalg.generic {indexing_maps = [#map6, #map4], iterator_types = ["parallel", "parallel"]} ins(%43 : tensor<128x1xf16>) outs(%0 : tensor<128x256xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<128x256xf16>
    %45 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%34, %44 : tensor<128x256xf16>, tensor<128x256xf16>) outs(%0 : tensor<128x256xf16>) {
    ^bb0(%in: f16, %in_15: f16, %out: f16):
      %94 = arith.subf %in, %in_15 : f16
      linalg.yield %94 : f16
    } -> tensor<128x256xf16>
    %46 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%45 : tensor<128x256xf16>) outs(%0 : tensor<128x256xf16>) {
    ^bb0(%in: f16, %out: f16):
      %94 = arith.mulf %in, %in : f16
      linalg.yield %94 : f16
    } -> tensor<128x256xf16>
    %47 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%46 : tensor<128x256xf16>) outs(%35 : tensor<128x256xf32>) {
    ^bb0(%in: f16, %out: f32):
      %94 = arith.extf %in : f16 to f32
      linalg.yield %94 : f32
    } -> tensor<128x256xf32>
    %48 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "reduction"]} ins(%47 : tensor<128x256xf32>) outs(%38 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %94 = arith.addf %out, %in : f32
      linalg.yield %94 : f32
    } -> tensor<128xf32>
    %expanded_12 = tensor.expand_shape %48 [[0, 1]] output_shape [128, 1] : tensor<128xf32> into tensor<128x1xf32>
    %49 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%expanded_12 : tensor<128x1xf32>) outs(%40 : tensor<128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %94 = arith.divf %in, %cst_4 : f32
      linalg.yield %94 : f32
    } -> tensor<128x1xf32>
    %50 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%49 : tensor<128x1xf32>) outs(%42 : tensor<128x1xf16>) {
    ^bb0(%in: f32, %out: f16):
      %94 = arith.truncf %in : f32 to f16
      linalg.yield %94 : f16
    } -> tensor<128x1xf16>
    %51 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%50 : tensor<128x1xf16>) outs(%42 : tensor<128x1xf16>) {
    ^bb0(%in: f16, %out: f16):
      %94 = arith.addf %in, %cst_3 : f16
      linalg.yield %94 : f16
    } -> tensor<128x1xf16>
    %52 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%51 : tensor<128x1xf16>) outs(%42 : tensor<128x1xf16>) {
    ^bb0(%in: f16, %out: f16):
      %94 = math.rsqrt %in : f16
      linalg.yield %94 : f16
    } -> tensor<128x1xf16>
    %53 = linalg.generic {indexing_maps = [#map6, #map4], iterator_types = ["parallel", "parallel"]} ins(%52 : tensor<128x1xf16>) outs(%0 : tensor<128x256xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<128x256xf16>
    %54 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%45, %53 : tensor<128x256xf16>, tensor<128x256xf16>) outs(%0 : tensor<128x256xf16>) {
    ^bb0(%in: f16, %in_15: f16, %out: f16):
      %94 = arith.mulf %in, %in_15 : f16
      linalg.yield %94 : f16
    } -> tensor<128x256xf16>
    %55 = linalg.generic {indexing_maps = [#map7, #map4], iterator_types = ["parallel", "parallel"]} ins(%arg5 : tensor<256xf16>) outs(%0 : tensor<128x256xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<128x256xf16>
    %56 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%54, %55 : tensor<128x256xf16>, tensor<128x256xf16>) outs(%0 : tensor<128x256xf16>) {
    ^bb0(%in: f16, %in_15: f16, %out: f16):
      %94 = arith.mulf %in, %in_15 : f16
      linalg.yield %94 : f16
    } -> tensor<128x256xf16>
    %57 = linalg.generic {indexing_maps = [#map7, #map4], iterator_types = ["parallel", "parallel"]} ins(%arg6 : tensor<256xf16>) outs(%0 : tensor<128x256xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<128x256xf16>
    %58 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%56, %57 : tensor<128x256xf16>, tensor<128x256xf16>) outs(%0 : tensor<128x256xf16>) {
    ^bb0(%in: f16, %in_15: f16, %out: f16):
      %94 = arith.addf %in, %in_15 : f16
      linalg.yield %94 : f16
    } -> tensor<128x256xf16>
    %59 = tensor.empty() : tensor<128x512xf16>
    %60 = linalg.fill ins(%cst_8 : f16) outs(%59 : tensor<128x512xf16>) -> tensor<128x512xf16>
    %61 = linalg.matmul ins(%58, %arg7 : tensor<128x256xf16>, tensor<256x512xf16>) outs(%60 : tensor<128x512xf16>) -> tensor<128x512xf16>
    %62 = linalg.generic {indexing_maps = [#map7, #map4], iterator_types = ["parallel", "parallel"]} ins(%arg8 : tensor<512xf16>) outs(%59 : tensor<128x512xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<128x512xf16>
    %63 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%61, %62 : tensor<128x512xf16>, tensor<128x512xf16>) outs(%59 : tensor<128x512xf16>) {
    ^bb0(%in: f16, %in_15: f16, %out: f16):
      %94 = arith.addf %in, %in_15 : f16
      linalg.yield %94 : f16
    } -> tensor<128x512xf16>
    %64 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%63 : tensor<128x512xf16>) outs(%59 : tensor<128x512xf16>) {
    ^bb0(%in: f16, %out: f16):
      %94 = arith.mulf %in, %in : f16
      linalg.yield %94 : f16
    } -> tensor<128x512xf16>
    %65 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%64, %63 : tensor<128x512xf16>, tensor<128x512xf16>) outs(%59 : tensor<128x512xf16>) {
    ^bb0(%in: f16, %in_15: f16, %out: f16):
      %94 = arith.mulf %in, %in_15 : f16
      linalg.yield %94 : f16
    } -> tensor<128x512xf16>
    %66 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%65 : tensor<128x512xf16>) outs(%59 : tensor<128x512xf16>) {
    ^bb0(%in: f16, %out: f16):
      %94 = arith.mulf %in, %cst_2 : f16
      linalg.yield %94 : f16
    } -> tensor<128x512xf16>
    %67 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%63, %66 : tensor<128x512xf16>, tensor<128x512xf16>) outs(%59 : tensor<128x512xf16>) {
    ^bb0(%in: f16, %in_15: f16, %out: f16):
      %94 = arith.addf %in, %in_15 : f16
      linalg.yield %94 : f16
    } -> tensor<128x512xf16>
    %68 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%67 : tensor<128x512xf16>) outs(%59 : tensor<128x512xf16>) {
    ^bb0(%in: f16, %out: f16):
      %94 = arith.mulf %in, %cst_1 : f16
      linalg.yield %94 : f16
    } -> tensor<128x512xf16>
    %69 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%68 : tensor<128x512xf16>) outs(%59 : tensor<128x512xf16>) {
    ^bb0(%in: f16, %out: f16):
      %94 = math.tanh %in : f16
      linalg.yield %94 : f16
    } -> tensor<128x512xf16>
    %70 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%69 : tensor<128x512xf16>) outs(%59 : tensor<128x512xf16>) {
    ^bb0(%in: f16, %out: f16):
      %94 = arith.addf %in, %cst_0 : f16
      linalg.yield %94 : f16
    } -> tensor<128x512xf16>
    %71 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%70 : tensor<128x512xf16>) outs(%59 : tensor<128x512xf16>) {
    ^bb0(%in: f16, %out: f16):
      %94 = arith.mulf %in, %cst : f16
      linalg.yield %94 : f16
    } -> tensor<128x512xf16>
    %72 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%63, %71 : tensor<128x512xf16>, tensor<128x512xf16>) outs(%59 : tensor<128x512xf16>) {
    ^bb0(%in: f16, %in_15: f16, %out: f16):
      %94 = arith.mulf %in, %in_15 : f16
      linalg.yield %94 : f16
    } -> tensor<128x512xf16>
    %73 = linalg.matmul ins(%72, %arg9 : tensor<128x512xf16>, tensor<512x256xf16>) outs(%1 : tensor<128x256xf16>) -> tensor<128x256xf16>
    %74 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%58, %73 : tensor<128x256xf16>, tensor<128x256xf16>) outs(%0 : tensor<128x256xf16>) {
    ^bb0(%in: f16, %in_15: f16, %out: f16):
      %94 = arith.addf %in, %in_15 : f16
      linalg.yield %94 : f16
    } -> tensor<128x256xf16>
    %75 = linalg.generic {indexing_maps = [#map7, #map4], iterator_types = ["parallel", "parallel"]} ins(%arg10 : tensor<256xf16>) outs(%0 : tensor<128x256xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<128x256xf16>
    %76 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%74, %75 : tensor<128x256xf16>, tensor<128x256xf16>) outs(%0 : tensor<128x256xf16>) {
    ^bb0(%in: f16, %in_15: f16, %out: f16):
      %94 = arith.addf %in, %in_15 : f16
      linalg.yield %94 : f16
    } -> tensor<128x256xf16>
    %77 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%76 : tensor<128x256xf16>) outs(%35 : tensor<128x256xf32>) {
    ^bb0(%in: f16, %out: f32):
      %94 = arith.extf %in : f16 to f32
      linalg.yield %94 : f32
    } -> tensor<128x256xf32>
    %78 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "reduction"]} ins(%77 : tensor<128x256xf32>) outs(%38 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %94 = arith.addf %out, %in : f32
      linalg.yield %94 : f32
    } -> tensor<128xf32>
    %expanded_13 = tensor.expand_shape %78 [[0, 1]] output_shape [128, 1] : tensor<128xf32> into tensor<128x1xf32>
    %79 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%expanded_13 : tensor<128x1xf32>) outs(%40 : tensor<128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %94 = arith.divf %in, %cst_4 : f32
      linalg.yield %94 : f32
    } -> tensor<128x1xf32>
    %80 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%79 : tensor<128x1xf32>) outs(%42 : tensor<128x1xf16>) {
    ^bb0(%in: f32, %out: f16):
      %94 = arith.truncf %in : f32 to f16
      linalg.yield %94 : f16
    } -> tensor<128x1xf16>
    %81 = linalg.generic {indexing_maps = [#map6, #map4], iterator_types = ["parallel", "parallel"]} ins(%80 : tensor<128x1xf16>) outs(%0 : tensor<128x256xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<128x256xf16>
    %82 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%76, %81 : tensor<128x256xf16>, tensor<128x256xf16>) outs(%0 : tensor<128x256xf16>) {
    ^bb0(%in: f16, %in_15: f16, %out: f16):
      %94 = arith.subf %in, %in_15 : f16
      linalg.yield %94 : f16
    } -> tensor<128x256xf16>
    %83 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%82 : tensor<128x256xf16>) outs(%0 : tensor<128x256xf16>) {
    ^bb0(%in: f16, %out: f16):
      %94 = arith.mulf %in, %in : f16
      linalg.yield %94 : f16
    } -> tensor<128x256xf16>
    %84 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%83 : tensor<128x256xf16>) outs(%35 : tensor<128x256xf32>) {
    ^bb0(%in: f16, %out: f32):
      %94 = arith.extf %in : f16 to f32
      linalg.yield %94 : f32
    } -> tensor<128x256xf32>
    %85 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "reduction"]} ins(%84 : tensor<128x256xf32>) outs(%38 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %94 = arith.addf %out, %in : f32
      linalg.yield %94 : f32
    } -> tensor<128xf32>
    %expanded_14 = tensor.expand_shape %85 [[0, 1]] output_shape [128, 1] : tensor<128xf32> into tensor<128x1xf32>
    %86 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%expanded_14 : tensor<128x1xf32>) outs(%40 : tensor<128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %94 = arith.divf %in, %cst_4 : f32
      linalg.yield %94 : f32
    } -> tensor<128x1xf32>
    %87 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%86 : tensor<128x1xf32>) outs(%42 : tensor<128x1xf16>) {
    ^bb0(%in: f32, %out: f16):
      %94 = arith.truncf %in : f32 to f16
      linalg.yield %94 : f16
    } -> tensor<128x1xf16>
    %88 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%87 : tensor<128x1xf16>) outs(%42 : tensor<128x1xf16>) {
    ^bb0(%in: f16, %out: f16):
      %94 = arith.addf %in, %cst_3 : f16
      linalg.yield %94 : f16
    } -> tensor<128x1xf16>
    %89 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%88 : tensor<128x1xf16>) outs(%42 : tensor<128x1xf16>) {
    ^bb0(%in: f16, %out: f16):
      %94 = math.rsqrt %in : f16
      linalg.yield %94 : f16
    } -> tensor<128x1xf16>
    %90 = linalg.generic {indexing_maps = [#map6, #map4], iterator_types = ["parallel", "parallel"]} ins(%89 : tensor<128x1xf16>) outs(%0 : tensor<128x256xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<128x256xf16>
    %91 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%82, %90 : tensor<128x256xf16>, tensor<128x256xf16>) outs(%0 : tensor<128x256xf16>) {
    ^bb0(%in: f16, %in_15: f16, %out: f16):
      %94 = arith.mulf %in, %in_15 : f16
      linalg.yield %94 : f16
    } -> tensor<128x256xf16>
    %92 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%91, %55 : tensor<128x256xf16>, tensor<128x256xf16>) outs(%0 : tensor<128x256xf16>) {
    ^bb0(%in: f16, %in_15: f16, %out: f16):
      %94 = arith.mulf %in, %in_15 : f16
      linalg.yield %94 : f16
    } -> tensor<128x256xf16>
    %93 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%92, %57 : tensor<128x256xf16>, tensor<128x256xf16>) outs(%0 : tensor<128x256xf16>) {
    ^bb0(%in: f16, %in_15: f16, %out: f16):
      %94 = arith.addf %in, %in_15 : f16
      linalg.yield %94 : f16
    } -> tensor<128x256xf16>
    return %93 : tensor<128x256xf16>
  }
}
