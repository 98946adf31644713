// Prefix sums. Repeated copies of 2 * n - 1 elements, reshaped to rows of 2 * n, are windows that move by one.
func.func @prefix_sum(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = uop.pad %x at [63] to [127] : tensor<64xf32>
  %1 = uop.reshape %0 to [1, 127] : tensor<127xf32>
  %2 = uop.expand %1 to [65, 127] : tensor<1x127xf32>
  %3 = uop.reshape %2 to [8255] : tensor<65x127xf32>
  %4 = uop.shrink %3 at [0] to [8192] : tensor<8255xf32>
  %5 = uop.reshape %4 to [64, 128] : tensor<8192xf32>
  %6 = uop.shrink %5 at [0, 0] to [64, 64] : tensor<64x128xf32>
  %7 = uop.reduce add %6 axes [1] : tensor<64x64xf32>
  %8 = uop.reshape %7 to [64] : tensor<64x1xf32>
  return %8 : tensor<64xf32>
}
