func.func @moments(%x: tensor<64x256xf16> {spyre.dims = ["S", "E"]}, %w: tensor<256xf16> {spyre.dims = ["E"]}, %b: tensor<256xf16> {spyre.dims = ["E"]}) -> tensor<64x256xf16> attributes {spyre.tile_scopes = [#spyre.tile_scope<"S" in 2>]} {
  %pair = spyre.exx2 %x : (tensor<64x256xf16>) -> tensor<64x2xf16>
  %scale = spyre.layernormscale %pair eps 1.0e-5 : (tensor<64x2xf16>) -> tensor<64x1xf16>
  %y = spyre.layernormnorm %x, %pair, %scale, %w, %b : (tensor<64x256xf16>, tensor<64x2xf16>, tensor<64x1xf16>, tensor<256xf16>, tensor<256xf16>) -> tensor<64x256xf16>
  return %y : tensor<64x256xf16>
}
