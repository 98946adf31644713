func.func @gelu_mlp(%x: tensor<2048x1024xf16> {spyre.dims = ["S", "E"]}, %u1: tensor<4096x1024xf16> {spyre.dims = ["F", "E"]}, %b1: tensor<1x4096xf16> {spyre.dims = ["U", "F"]}, %u2: tensor<1024x4096xf16> {spyre.dims = ["O", "F"]}, %b2: tensor<1x1024xf16> {spyre.dims = ["U", "O"]}) -> tensor<2048x1024xf16> {
  %w1 = spyre.permute %u1 [1, 0] : tensor<4096x1024xf16> to tensor<1024x4096xf16>
  %w2 = spyre.permute %u2 [1, 0] : tensor<1024x4096xf16> to tensor<4096x1024xf16>
  %v1 = spyre.batchmatmul %x, %w1 : (tensor<2048x1024xf16>, tensor<1024x4096xf16>) -> tensor<2048x4096xf16>
  %v2 = spyre.add %v1, %b1 : (tensor<2048x4096xf16>, tensor<1x4096xf16>) -> tensor<2048x4096xf16>
  %v3 = spyre.gelufwd %v2 : tensor<2048x4096xf16>
  %v4 = spyre.batchmatmul %v3, %w2 : (tensor<2048x4096xf16>, tensor<4096x1024xf16>) -> tensor<2048x1024xf16>
  %v5 = spyre.add %v4, %b2 : (tensor<2048x1024xf16>, tensor<1x1024xf16>) -> tensor<2048x1024xf16>
  return %v5 : tensor<2048x1024xf16>
}
