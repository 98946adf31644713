func.func @rms_norm(%x: tensor<256x512xf16> {spyre.dims = ["S", "E"]}, %g: tensor<1x512xf16> {spyre.dims = ["U", "E"]}) -> tensor<256x512xf16> attributes {spyre.tile_scopes = [#spyre.tile_scope<"S" in 2>]} {
  %v1 = spyre.mul %x, %x : tensor<256x512xf16>
  %v2 = spyre.mean %v1 dims [1] keepdim : (tensor<256x512xf16>) -> tensor<256x1xf16>
  %v3 = spyre.fill dense<1.000000e-05> : tensor<1x1xf16>
  %v4 = spyre.add %v2, %v3 : (tensor<256x1xf16>, tensor<1x1xf16>) -> tensor<256x1xf16>
  %v5 = spyre.rsqrt %v4 : tensor<256x1xf16>
  %v6 = spyre.mul %x, %v5 : (tensor<256x512xf16>, tensor<256x1xf16>) -> tensor<256x512xf16>
  %v7 = spyre.mul %v6, %g : (tensor<256x512xf16>, tensor<1x512xf16>) -> tensor<256x512xf16>
  return %v7 : tensor<256x512xf16>
}
