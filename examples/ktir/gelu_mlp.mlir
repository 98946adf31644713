func.func @gelu_mlp(%x: tensor<128x256xf16> {spyre.dims = ["S", "E"]}, %w1: tensor<256x512xf16> {spyre.dims = ["E", "F"]}, %b1: tensor<1x512xf16> {spyre.dims = ["U", "F"]}, %w2: tensor<512x256xf16> {spyre.dims = ["F", "O"]}, %b2: tensor<1x256xf16> {spyre.dims = ["U", "O"]}) -> tensor<128x256xf16> attributes {spyre.tile_scopes = [#spyre.tile_scope<"S" in 2>]} {
  %v1 = spyre.batchmatmul %x, %w1 : (tensor<128x256xf16>, tensor<256x512xf16>) -> tensor<128x512xf16>
  %v2 = spyre.add %v1, %b1 : (tensor<128x512xf16>, tensor<1x512xf16>) -> tensor<128x512xf16>
  %v3 = spyre.gelufwd %v2 : tensor<128x512xf16>
  %v4 = spyre.batchmatmul %v3, %w2 : (tensor<128x512xf16>, tensor<512x256xf16>) -> tensor<128x256xf16>
  %v5 = spyre.add %v4, %b2 : (tensor<128x256xf16>, tensor<1x256xf16>) -> tensor<128x256xf16>
  return %v5 : tensor<128x256xf16>
}
