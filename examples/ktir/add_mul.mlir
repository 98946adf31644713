func.func @add_mul(%a: tensor<256x1024xf16> {spyre.dims = ["A", "B"]}, %b: tensor<256x1024xf16> {spyre.dims = ["A", "B"]}, %c: tensor<256x1024xf16> {spyre.dims = ["A", "B"]}) -> tensor<256x1024xf16> attributes {spyre.tile_scopes = [#spyre.tile_scope<"A" in 2>, #spyre.tile_scope<"B" in 4>]} {
  %y = spyre.add %a, %b : tensor<256x1024xf16>
  %z = spyre.mul %y, %c : tensor<256x1024xf16>
  return %z : tensor<256x1024xf16>
}
