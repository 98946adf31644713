// Eight tokens through a gated layer: few rows, large weights.
func.func @decode(%x: tensor<8x4096xf16> {spyre.dims = ["S", "E"]}, %w1: tensor<4096x11008xf16> {spyre.dims = ["E", "F"]}, %w2: tensor<4096x11008xf16> {spyre.dims = ["E", "F"]}, %w3: tensor<11008x4096xf16> {spyre.dims = ["F", "O"]}) -> tensor<8x4096xf16> {
  %0 = spyre.batchmatmul %x, %w1 : (tensor<8x4096xf16>, tensor<4096x11008xf16>) -> tensor<8x11008xf16>
  %1 = spyre.silu %0 : tensor<8x11008xf16>
  %2 = spyre.batchmatmul %x, %w2 : (tensor<8x4096xf16>, tensor<4096x11008xf16>) -> tensor<8x11008xf16>
  %3 = spyre.mul %1, %2 : tensor<8x11008xf16>
  %4 = spyre.batchmatmul %3, %w3 : (tensor<8x11008xf16>, tensor<11008x4096xf16>) -> tensor<8x4096xf16>
  return %4 : tensor<8x4096xf16>
}
