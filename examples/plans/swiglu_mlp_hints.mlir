func.func @swiglu_mlp(%x: tensor<2048x4096xf16> {spyre.dims = ["S", "E"]}, %wg: tensor<4096x11008xf16> {spyre.dims = ["E", "F"]}, %wu: tensor<4096x11008xf16> {spyre.dims = ["E", "F"]}, %wd: tensor<11008x4096xf16> {spyre.dims = ["F", "O"]}) -> tensor<2048x4096xf16> attributes {spyre.tile_scopes = [#spyre.tile_scope<"F" in 32>]} {
  %v1 = spyre.batchmatmul %x, %wg : (tensor<2048x4096xf16>, tensor<4096x11008xf16>) -> tensor<2048x11008xf16>
  %v2 = spyre.silu %v1 : tensor<2048x11008xf16>
  %v3 = spyre.batchmatmul %x, %wu : (tensor<2048x4096xf16>, tensor<4096x11008xf16>) -> tensor<2048x11008xf16>
  %v4 = spyre.mul %v2, %v3 : tensor<2048x11008xf16>
  %v5 = spyre.batchmatmul %v4, %wd : (tensor<2048x11008xf16>, tensor<11008x4096xf16>) -> tensor<2048x4096xf16>
  return %v5 : tensor<2048x4096xf16>
}
