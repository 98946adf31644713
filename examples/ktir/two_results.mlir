func.func @two_results(%x: tensor<64x256xf16> {spyre.dims = ["S", "E"]}) -> (tensor<64x1xf16>, tensor<64x256xf16>) attributes {spyre.tile_scopes = [#spyre.tile_scope<"S" in 2>]} {
  %max = spyre.max %x dims [1] keepdim : (tensor<64x256xf16>) -> tensor<64x1xf16>
  %y = spyre.sub %x, %max : (tensor<64x256xf16>, tensor<64x1xf16>) -> tensor<64x256xf16>
  return %max, %y : tensor<64x1xf16>, tensor<64x256xf16>
}
