#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
module attributes {spyre.target = #spyre.target<cores = 2, lx_bytes = 65536, lx_reserved_bytes = 0, lx_backend_percent = 0>} {
  func.func public @mlp(%arg0: tensor<512x128xf16> {spyre.dims = ["rows", "model"]}, %arg1: tensor<128x256xf16>, %arg2: tensor<256xf16>, %arg3: tensor<256x128xf16>, %arg4: tensor<128xf16>) -> tensor<512x128xf16> attributes {spyre.tile_scopes = [#spyre.tile_scope<"rows" in 4>]} {
    %cst = arith.constant 5.000000e-01 : f16
    %cst_0 = arith.constant 1.000000e+00 : f16
    %cst_1 = arith.constant 7.978520e-01 : f16
    %cst_2 = arith.constant 4.470830e-02 : f16
    %cst_3 = arith.constant 0.000000e+00 : f16
    %0 = tensor.empty() : tensor<512x256xf16>
    %1 = linalg.fill ins(%cst_3 : f16) outs(%0 : tensor<512x256xf16>) -> tensor<512x256xf16>
    %2 = linalg.matmul ins(%arg0, %arg1 : tensor<512x128xf16>, tensor<128x256xf16>) outs(%1 : tensor<512x256xf16>) -> tensor<512x256xf16>
    %3 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<256xf16>) outs(%0 : tensor<512x256xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<512x256xf16>
    %4 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%2, %3 : tensor<512x256xf16>, tensor<512x256xf16>) outs(%0 : tensor<512x256xf16>) {
    ^bb0(%in: f16, %in_4: f16, %out: f16):
      %19 = arith.addf %in, %in_4 : f16
      linalg.yield %19 : f16
    } -> tensor<512x256xf16>
    %5 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<512x256xf16>) outs(%0 : tensor<512x256xf16>) {
    ^bb0(%in: f16, %out: f16):
      %19 = arith.mulf %in, %in : f16
      linalg.yield %19 : f16
    } -> tensor<512x256xf16>
    %6 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%5, %4 : tensor<512x256xf16>, tensor<512x256xf16>) outs(%0 : tensor<512x256xf16>) {
    ^bb0(%in: f16, %in_4: f16, %out: f16):
      %19 = arith.mulf %in, %in_4 : f16
      linalg.yield %19 : f16
    } -> tensor<512x256xf16>
    %7 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<512x256xf16>) outs(%0 : tensor<512x256xf16>) {
    ^bb0(%in: f16, %out: f16):
      %19 = arith.mulf %in, %cst_2 : f16
      linalg.yield %19 : f16
    } -> tensor<512x256xf16>
    %8 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%4, %7 : tensor<512x256xf16>, tensor<512x256xf16>) outs(%0 : tensor<512x256xf16>) {
    ^bb0(%in: f16, %in_4: f16, %out: f16):
      %19 = arith.addf %in, %in_4 : f16
      linalg.yield %19 : f16
    } -> tensor<512x256xf16>
    %9 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<512x256xf16>) outs(%0 : tensor<512x256xf16>) {
    ^bb0(%in: f16, %out: f16):
      %19 = arith.mulf %in, %cst_1 : f16
      linalg.yield %19 : f16
    } -> tensor<512x256xf16>
    %10 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<512x256xf16>) outs(%0 : tensor<512x256xf16>) {
    ^bb0(%in: f16, %out: f16):
      %19 = math.tanh %in : f16
      linalg.yield %19 : f16
    } -> tensor<512x256xf16>
    %11 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%10 : tensor<512x256xf16>) outs(%0 : tensor<512x256xf16>) {
    ^bb0(%in: f16, %out: f16):
      %19 = arith.addf %in, %cst_0 : f16
      linalg.yield %19 : f16
    } -> tensor<512x256xf16>
    %12 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%11 : tensor<512x256xf16>) outs(%0 : tensor<512x256xf16>) {
    ^bb0(%in: f16, %out: f16):
      %19 = arith.mulf %in, %cst : f16
      linalg.yield %19 : f16
    } -> tensor<512x256xf16>
    %13 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%4, %12 : tensor<512x256xf16>, tensor<512x256xf16>) outs(%0 : tensor<512x256xf16>) {
    ^bb0(%in: f16, %in_4: f16, %out: f16):
      %19 = arith.mulf %in, %in_4 : f16
      linalg.yield %19 : f16
    } -> tensor<512x256xf16>
    %14 = tensor.empty() : tensor<512x128xf16>
    %15 = linalg.fill ins(%cst_3 : f16) outs(%14 : tensor<512x128xf16>) -> tensor<512x128xf16>
    %16 = linalg.matmul ins(%13, %arg3 : tensor<512x256xf16>, tensor<256x128xf16>) outs(%15 : tensor<512x128xf16>) -> tensor<512x128xf16>
    %17 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg4 : tensor<128xf16>) outs(%14 : tensor<512x128xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<512x128xf16>
    %18 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%16, %17 : tensor<512x128xf16>, tensor<512x128xf16>) outs(%14 : tensor<512x128xf16>) {
    ^bb0(%in: f16, %in_4: f16, %out: f16):
      %19 = arith.addf %in, %in_4 : f16
      linalg.yield %19 : f16
    } -> tensor<512x128xf16>
    return %18 : tensor<512x128xf16>
  }
}
