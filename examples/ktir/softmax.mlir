func.func @softmax(%x: tensor<256x512xf16> {spyre.dims = ["S", "V"]}) -> tensor<256x512xf16> attributes {spyre.tile_scopes = [#spyre.tile_scope<"S" in 2>]} {
  %v1 = spyre.max %x dims [1] keepdim : (tensor<256x512xf16>) -> tensor<256x1xf16>
  %v2 = spyre.sub %x, %v1 : (tensor<256x512xf16>, tensor<256x1xf16>) -> tensor<256x512xf16>
  %v3 = spyre.exp %v2 : tensor<256x512xf16>
  %v4 = spyre.sum %v3 dims [1] keepdim : (tensor<256x512xf16>) -> tensor<256x1xf16>
  %v5 = spyre.realdiv %v3, %v4 : (tensor<256x512xf16>, tensor<256x1xf16>) -> tensor<256x512xf16>
  return %v5 : tensor<256x512xf16>
}
