// K in tiles: the loop carries an accumulator.
func.func @matmul_k(%a: tensor<128x512xf16> {spyre.dims = ["M", "K"]}, %b: tensor<512x256xf16> {spyre.dims = ["K", "N"]}) -> tensor<128x256xf16> attributes {spyre.tile_scopes = [#spyre.tile_scope<"K" in 4>]} {
  %y = spyre.batchmatmul %a, %b : (tensor<128x512xf16>, tensor<512x256xf16>) -> tensor<128x256xf16>
  return %y : tensor<128x256xf16>
}
