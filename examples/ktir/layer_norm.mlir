func.func @layer_norm(%x: tensor<256x512xf16> {spyre.dims = ["S", "E"]}, %g: tensor<1x512xf16> {spyre.dims = ["U", "E"]}, %b: tensor<1x512xf16> {spyre.dims = ["U", "E"]}) -> tensor<256x512xf16> attributes {spyre.tile_scopes = [#spyre.tile_scope<"S" in 4>]} {
  %v1 = spyre.mean %x dims [1] keepdim : (tensor<256x512xf16>) -> tensor<256x1xf16>
  %v2 = spyre.sub %x, %v1 : (tensor<256x512xf16>, tensor<256x1xf16>) -> tensor<256x512xf16>
  %v3 = spyre.mul %v2, %v2 : tensor<256x512xf16>
  %v4 = spyre.mean %v3 dims [1] keepdim : (tensor<256x512xf16>) -> tensor<256x1xf16>
  %v5 = spyre.fill dense<1.000000e-05> : tensor<1x1xf16>
  %v6 = spyre.add %v4, %v5 : (tensor<256x1xf16>, tensor<1x1xf16>) -> tensor<256x1xf16>
  %v7 = spyre.rsqrt %v6 : tensor<256x1xf16>
  %v8 = spyre.mul %v2, %v7 : (tensor<256x512xf16>, tensor<256x1xf16>) -> tensor<256x512xf16>
  %v9 = spyre.mul %v8, %g : (tensor<256x512xf16>, tensor<1x512xf16>) -> tensor<256x512xf16>
  %v10 = spyre.add %v9, %b : (tensor<256x512xf16>, tensor<1x512xf16>) -> tensor<256x512xf16>
  return %v10 : tensor<256x512xf16>
}
