func.func @swiglu_mlp(%x: tensor<128x256xf16> {spyre.dims = ["S", "E"]}, %wg: tensor<256x512xf16> {spyre.dims = ["E", "F"]}, %wu: tensor<256x512xf16> {spyre.dims = ["E", "F"]}, %wd: tensor<512x256xf16> {spyre.dims = ["F", "O"]}) -> tensor<128x256xf16> attributes {spyre.tile_scopes = [#spyre.tile_scope<"F" in 4>]} {
  %v1 = spyre.batchmatmul %x, %wg : (tensor<128x256xf16>, tensor<256x512xf16>) -> tensor<128x512xf16>
  %v2 = spyre.silu %v1 : tensor<128x512xf16>
  %v3 = spyre.batchmatmul %x, %wu : (tensor<128x256xf16>, tensor<256x512xf16>) -> tensor<128x512xf16>
  %v4 = spyre.mul %v2, %v3 : tensor<128x512xf16>
  %v5 = spyre.batchmatmul %v4, %wd : (tensor<128x512xf16>, tensor<512x256xf16>) -> tensor<128x256xf16>
  return %v5 : tensor<128x256xf16>
}
