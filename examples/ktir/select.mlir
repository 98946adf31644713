func.func @select(%a: tensor<256x512xf16> {spyre.dims = ["A", "B"]}, %b: tensor<256x512xf16> {spyre.dims = ["A", "B"]}) -> tensor<256x512xf16> attributes {spyre.tile_scopes = [#spyre.tile_scope<"A" in 2>]} {
  %greater = spyre.greaterthan %a, %b : (tensor<256x512xf16>, tensor<256x512xf16>) -> tensor<256x512xi1>
  %root = spyre.sqrt %a : tensor<256x512xf16>
  %clip = spyre.clip %b min -0.5 max 0.5 : tensor<256x512xf16>
  %y = spyre.where3 %greater, %root, %clip : (tensor<256x512xi1>, tensor<256x512xf16>, tensor<256x512xf16>) -> tensor<256x512xf16>
  return %y : tensor<256x512xf16>
}
