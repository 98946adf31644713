#map = affine_map<(d0, d1, d2, d3) -> ()>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 * 2 + d4, d2 * 2 + d5, d3)>
#map3 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5)>
#map4 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
#map7 = affine_map<(d0, d1) -> (d0, d1)>
#map8 = affine_map<(d0, d1) -> (d1)>
module attributes {spyre.target = #spyre.target<cores = 2, lx_bytes = 65536, lx_reserved_bytes = 0, lx_backend_percent = 0>} {
  func.func public @convnet(%arg0: tensor<2x16x16x8xf16> {spyre.dims = ["images", "height", "width", "channels"]}, %arg1: tensor<3x3x8x32xf16>, %arg2: tensor<3x3x32x64xf16>, %arg3: tensor<64x64xf16>, %arg4: tensor<64xf16>) -> tensor<2x64xf16> attributes {spyre.tile_scopes = [#spyre.tile_scope<"images" in 2>]} {
    %cst = arith.constant 1.600000e+01 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant 0.000000e+00 : f16
    %cst_2 = arith.constant dense<0xFC00> : tensor<f16>
    %0 = tensor.empty() : tensor<2x16x16x32xf16>
    %1 = linalg.fill ins(%cst_1 : f16) outs(%0 : tensor<2x16x16x32xf16>) -> tensor<2x16x16x32xf16>
    %padded = tensor.pad %arg0 low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%arg5: index, %arg6: index, %arg7: index, %arg8: index):
      tensor.yield %cst_1 : f16
    } : tensor<2x16x16x8xf16> to tensor<2x18x18x8xf16>
    %2 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%padded, %arg1 : tensor<2x18x18x8xf16>, tensor<3x3x8x32xf16>) outs(%1 : tensor<2x16x16x32xf16>) -> tensor<2x16x16x32xf16>
    %3 = call @relu(%2) : (tensor<2x16x16x32xf16>) -> tensor<2x16x16x32xf16>
    %4 = tensor.empty() : tensor<2x8x8x32xf16>
    %5 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_2 : tensor<f16>) outs(%4 : tensor<2x8x8x32xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<2x8x8x32xf16>
    %6 = tensor.empty() : tensor<2x2xf32>
    %7 = linalg.generic {indexing_maps = [#map2, #map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%3, %6 : tensor<2x16x16x32xf16>, tensor<2x2xf32>) outs(%5 : tensor<2x8x8x32xf16>) {
    ^bb0(%in: f16, %in_4: f32, %out: f16):
      %27 = arith.maximumf %out, %in : f16
      linalg.yield %27 : f16
    } -> tensor<2x8x8x32xf16>
    %8 = tensor.empty() : tensor<2x8x8x64xf16>
    %9 = linalg.fill ins(%cst_1 : f16) outs(%8 : tensor<2x8x8x64xf16>) -> tensor<2x8x8x64xf16>
    %padded_3 = tensor.pad %7 low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%arg5: index, %arg6: index, %arg7: index, %arg8: index):
      tensor.yield %cst_1 : f16
    } : tensor<2x8x8x32xf16> to tensor<2x10x10x32xf16>
    %10 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%padded_3, %arg2 : tensor<2x10x10x32xf16>, tensor<3x3x32x64xf16>) outs(%9 : tensor<2x8x8x64xf16>) -> tensor<2x8x8x64xf16>
    %11 = call @relu_0(%10) : (tensor<2x8x8x64xf16>) -> tensor<2x8x8x64xf16>
    %12 = tensor.empty() : tensor<2x4x4x64xf16>
    %13 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_2 : tensor<f16>) outs(%12 : tensor<2x4x4x64xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<2x4x4x64xf16>
    %14 = linalg.generic {indexing_maps = [#map2, #map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%11, %6 : tensor<2x8x8x64xf16>, tensor<2x2xf32>) outs(%13 : tensor<2x4x4x64xf16>) {
    ^bb0(%in: f16, %in_4: f32, %out: f16):
      %27 = arith.maximumf %out, %in : f16
      linalg.yield %27 : f16
    } -> tensor<2x4x4x64xf16>
    %15 = tensor.empty() : tensor<2x4x4x64xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14 : tensor<2x4x4x64xf16>) outs(%15 : tensor<2x4x4x64xf32>) {
    ^bb0(%in: f16, %out: f32):
      %27 = arith.extf %in : f16 to f32
      linalg.yield %27 : f32
    } -> tensor<2x4x4x64xf32>
    %17 = tensor.empty() : tensor<2x64xf32>
    %18 = linalg.fill ins(%cst_0 : f32) outs(%17 : tensor<2x64xf32>) -> tensor<2x64xf32>
    %19 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%16 : tensor<2x4x4x64xf32>) outs(%18 : tensor<2x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %27 = arith.addf %out, %in : f32
      linalg.yield %27 : f32
    } -> tensor<2x64xf32>
    %20 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel"]} ins(%19 : tensor<2x64xf32>) outs(%17 : tensor<2x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %27 = arith.divf %in, %cst : f32
      linalg.yield %27 : f32
    } -> tensor<2x64xf32>
    %21 = tensor.empty() : tensor<2x64xf16>
    %22 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel"]} ins(%20 : tensor<2x64xf32>) outs(%21 : tensor<2x64xf16>) {
    ^bb0(%in: f32, %out: f16):
      %27 = arith.truncf %in : f32 to f16
      linalg.yield %27 : f16
    } -> tensor<2x64xf16>
    %23 = linalg.fill ins(%cst_1 : f16) outs(%21 : tensor<2x64xf16>) -> tensor<2x64xf16>
    %24 = linalg.matmul ins(%22, %arg3 : tensor<2x64xf16>, tensor<64x64xf16>) outs(%23 : tensor<2x64xf16>) -> tensor<2x64xf16>
    %25 = linalg.generic {indexing_maps = [#map8, #map7], iterator_types = ["parallel", "parallel"]} ins(%arg4 : tensor<64xf16>) outs(%21 : tensor<2x64xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<2x64xf16>
    %26 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel"]} ins(%24, %25 : tensor<2x64xf16>, tensor<2x64xf16>) outs(%21 : tensor<2x64xf16>) {
    ^bb0(%in: f16, %in_4: f16, %out: f16):
      %27 = arith.addf %in, %in_4 : f16
      linalg.yield %27 : f16
    } -> tensor<2x64xf16>
    return %26 : tensor<2x64xf16>
  }
  func.func private @relu(%arg0: tensor<2x16x16x32xf16>) -> tensor<2x16x16x32xf16> {
    %cst = arith.constant 0.000000e+00 : f16
    %0 = tensor.empty() : tensor<2x16x16x32xf16>
    %1 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x16x16x32xf16>) outs(%0 : tensor<2x16x16x32xf16>) {
    ^bb0(%in: f16, %out: f16):
      %2 = arith.maximumf %in, %cst : f16
      linalg.yield %2 : f16
    } -> tensor<2x16x16x32xf16>
    return %1 : tensor<2x16x16x32xf16>
  }
  func.func private @relu_0(%arg0: tensor<2x8x8x64xf16>) -> tensor<2x8x8x64xf16> {
    %cst = arith.constant 0.000000e+00 : f16
    %0 = tensor.empty() : tensor<2x8x8x64xf16>
    %1 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x8x8x64xf16>) outs(%0 : tensor<2x8x8x64xf16>) {
    ^bb0(%in: f16, %out: f16):
      %2 = arith.maximumf %in, %cst : f16
      linalg.yield %2 : f16
    } -> tensor<2x8x8x64xf16>
    return %1 : tensor<2x8x8x64xf16>
  }
}
