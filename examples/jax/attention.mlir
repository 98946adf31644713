#map = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0) -> (d0)>
#map3 = affine_map<(d0, d1) -> (d0)>
#map4 = affine_map<(d0, d1) -> (d0, d1)>
#map5 = affine_map<(d0, d1) -> (d1)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map7 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map8 = affine_map<(d0, d1, d2) -> ()>
module attributes {spyre.target = #spyre.target<cores = 2, lx_bytes = 65536, lx_reserved_bytes = 0, lx_backend_percent = 0>} {
  func.func public @attention(%arg0: tensor<4x128x64xf16> {spyre.dims = ["heads", "rows", "width"]}, %arg1: tensor<4x128x64xf16>, %arg2: tensor<4x128x64xf16>) -> tensor<4x128x64xf16> attributes {spyre.tile_scopes = [#spyre.tile_scope<"rows" in 2>]} {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFC00 : f16
    %cst_1 = arith.constant 1.250000e-01 : f16
    %cst_2 = arith.constant 0.000000e+00 : f16
    %cst_3 = arith.constant dense<-3.000000e+04> : tensor<f16>
    %0 = tensor.empty() : tensor<4x64x128xf16>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg1 : tensor<4x128x64xf16>) outs(%0 : tensor<4x64x128xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<4x64x128xf16>
    %2 = tensor.empty() : tensor<4x128x128xf16>
    %3 = linalg.fill ins(%cst_2 : f16) outs(%2 : tensor<4x128x128xf16>) -> tensor<4x128x128xf16>
    %4 = linalg.batch_matmul ins(%arg0, %1 : tensor<4x128x64xf16>, tensor<4x64x128xf16>) outs(%3 : tensor<4x128x128xf16>) -> tensor<4x128x128xf16>
    %5 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4 : tensor<4x128x128xf16>) outs(%2 : tensor<4x128x128xf16>) {
    ^bb0(%in: f16, %out: f16):
      %31 = arith.mulf %in, %cst_1 : f16
      linalg.yield %31 : f16
    } -> tensor<4x128x128xf16>
    %6 = tensor.empty() : tensor<128xi32>
    %7 = linalg.generic {indexing_maps = [#map2], iterator_types = ["parallel"]} outs(%6 : tensor<128xi32>) {
    ^bb0(%out: i32):
      %31 = linalg.index 0 : index
      %32 = arith.index_cast %31 : index to i32
      linalg.yield %32 : i32
    } -> tensor<128xi32>
    %8 = tensor.empty() : tensor<128x128xi32>
    %9 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel"]} ins(%7 : tensor<128xi32>) outs(%8 : tensor<128x128xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<128x128xi32>
    %10 = linalg.generic {indexing_maps = [#map5, #map4], iterator_types = ["parallel", "parallel"]} ins(%7 : tensor<128xi32>) outs(%8 : tensor<128x128xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<128x128xi32>
    %11 = tensor.empty() : tensor<128x128xi1>
    %12 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%9, %10 : tensor<128x128xi32>, tensor<128x128xi32>) outs(%11 : tensor<128x128xi1>) {
    ^bb0(%in: i32, %in_4: i32, %out: i1):
      %31 = arith.cmpi sge, %in, %in_4 : i32
      linalg.yield %31 : i1
    } -> tensor<128x128xi1>
    %13 = call @_where(%12, %5, %cst_3) : (tensor<128x128xi1>, tensor<4x128x128xf16>, tensor<f16>) -> tensor<4x128x128xf16>
    %14 = tensor.empty() : tensor<4x128xf16>
    %15 = linalg.fill ins(%cst_0 : f16) outs(%14 : tensor<4x128xf16>) -> tensor<4x128xf16>
    %16 = linalg.generic {indexing_maps = [#map1, #map6], iterator_types = ["parallel", "parallel", "reduction"]} ins(%13 : tensor<4x128x128xf16>) outs(%15 : tensor<4x128xf16>) {
    ^bb0(%in: f16, %out: f16):
      %31 = arith.maximumf %out, %in : f16
      linalg.yield %31 : f16
    } -> tensor<4x128xf16>
    %17 = linalg.generic {indexing_maps = [#map6, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16 : tensor<4x128xf16>) outs(%2 : tensor<4x128x128xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<4x128x128xf16>
    %18 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13, %17 : tensor<4x128x128xf16>, tensor<4x128x128xf16>) outs(%2 : tensor<4x128x128xf16>) {
    ^bb0(%in: f16, %in_4: f16, %out: f16):
      %31 = arith.subf %in, %in_4 : f16
      linalg.yield %31 : f16
    } -> tensor<4x128x128xf16>
    %19 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18 : tensor<4x128x128xf16>) outs(%2 : tensor<4x128x128xf16>) {
    ^bb0(%in: f16, %out: f16):
      %31 = math.exp %in : f16
      linalg.yield %31 : f16
    } -> tensor<4x128x128xf16>
    %20 = tensor.empty() : tensor<4x128x128xf32>
    %21 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%19 : tensor<4x128x128xf16>) outs(%20 : tensor<4x128x128xf32>) {
    ^bb0(%in: f16, %out: f32):
      %31 = arith.extf %in : f16 to f32
      linalg.yield %31 : f32
    } -> tensor<4x128x128xf32>
    %22 = tensor.empty() : tensor<4x128xf32>
    %23 = linalg.fill ins(%cst : f32) outs(%22 : tensor<4x128xf32>) -> tensor<4x128xf32>
    %24 = linalg.generic {indexing_maps = [#map1, #map6], iterator_types = ["parallel", "parallel", "reduction"]} ins(%21 : tensor<4x128x128xf32>) outs(%23 : tensor<4x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %31 = arith.addf %out, %in : f32
      linalg.yield %31 : f32
    } -> tensor<4x128xf32>
    %25 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%24 : tensor<4x128xf32>) outs(%14 : tensor<4x128xf16>) {
    ^bb0(%in: f32, %out: f16):
      %31 = arith.truncf %in : f32 to f16
      linalg.yield %31 : f16
    } -> tensor<4x128xf16>
    %26 = linalg.generic {indexing_maps = [#map6, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%25 : tensor<4x128xf16>) outs(%2 : tensor<4x128x128xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<4x128x128xf16>
    %27 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%19, %26 : tensor<4x128x128xf16>, tensor<4x128x128xf16>) outs(%2 : tensor<4x128x128xf16>) {
    ^bb0(%in: f16, %in_4: f16, %out: f16):
      %31 = arith.divf %in, %in_4 : f16
      linalg.yield %31 : f16
    } -> tensor<4x128x128xf16>
    %28 = tensor.empty() : tensor<4x128x64xf16>
    %29 = linalg.fill ins(%cst_2 : f16) outs(%28 : tensor<4x128x64xf16>) -> tensor<4x128x64xf16>
    %30 = linalg.batch_matmul ins(%27, %arg2 : tensor<4x128x128xf16>, tensor<4x128x64xf16>) outs(%29 : tensor<4x128x64xf16>) -> tensor<4x128x64xf16>
    return %30 : tensor<4x128x64xf16>
  }
  func.func private @_where(%arg0: tensor<128x128xi1>, %arg1: tensor<4x128x128xf16>, %arg2: tensor<f16>) -> tensor<4x128x128xf16> {
    %0 = tensor.empty() : tensor<4x128x128xi1>
    %1 = linalg.generic {indexing_maps = [#map7, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<128x128xi1>) outs(%0 : tensor<4x128x128xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<4x128x128xi1>
    %2 = tensor.empty() : tensor<4x128x128xf16>
    %3 = linalg.generic {indexing_maps = [#map8, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg2 : tensor<f16>) outs(%2 : tensor<4x128x128xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<4x128x128xf16>
    %4 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %arg1, %3 : tensor<4x128x128xi1>, tensor<4x128x128xf16>, tensor<4x128x128xf16>) outs(%2 : tensor<4x128x128xf16>) {
    ^bb0(%in: i1, %in_0: f16, %in_1: f16, %out: f16):
      %5 = arith.select %in, %in_0, %in_1 : f16
      linalg.yield %5 : f16
    } -> tensor<4x128x128xf16>
    return %4 : tensor<4x128x128xf16>
  }
}
