func.func @attention(%q: tensor<8x128x64xf16> {spyre.dims = ["H", "S", "D"]}, %k: tensor<8x64x256xf16> {spyre.dims = ["H", "D", "T"]}, %v: tensor<8x256x64xf16> {spyre.dims = ["H", "T", "D"]}) -> tensor<8x128x64xf16> attributes {spyre.tile_scopes = [#spyre.tile_scope<"H" in 2>]} {
  %v1 = spyre.batchmatmul %q, %k : (tensor<8x128x64xf16>, tensor<8x64x256xf16>) -> tensor<8x128x256xf16>
  %v2 = spyre.fill dense<1.250000e-01> : tensor<1x1x1xf16>
  %v3 = spyre.mul %v1, %v2 : (tensor<8x128x256xf16>, tensor<1x1x1xf16>) -> tensor<8x128x256xf16>
  %v4 = spyre.max %v3 dims [2] keepdim : (tensor<8x128x256xf16>) -> tensor<8x128x1xf16>
  %v5 = spyre.sub %v3, %v4 : (tensor<8x128x256xf16>, tensor<8x128x1xf16>) -> tensor<8x128x256xf16>
  %v6 = spyre.exp %v5 : tensor<8x128x256xf16>
  %v7 = spyre.sum %v6 dims [2] keepdim : (tensor<8x128x256xf16>) -> tensor<8x128x1xf16>
  %v8 = spyre.realdiv %v6, %v7 : (tensor<8x128x256xf16>, tensor<8x128x1xf16>) -> tensor<8x128x256xf16>
  %v9 = spyre.batchmatmul %v8, %v : (tensor<8x128x256xf16>, tensor<8x256x64xf16>) -> tensor<8x128x64xf16>
  return %v9 : tensor<8x128x64xf16>
}
