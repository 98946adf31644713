// A product of matrices, as the specification writes it: a product of all pairs, and a sum.
func.func @gemm(%a: tensor<64x128xf32>, %b: tensor<128x256xf32>) -> tensor<64x256xf32> {
  %0 = uop.reshape %a to [64, 128, 1] : tensor<64x128xf32>
  %1 = uop.expand %0 to [64, 128, 256] : tensor<64x128x1xf32>
  %2 = uop.reshape %b to [1, 128, 256] : tensor<128x256xf32>
  %3 = uop.expand %2 to [64, 128, 256] : tensor<1x128x256xf32>
  %4 = uop.mul %1, %3 : tensor<64x128x256xf32>
  %5 = uop.reduce add %4 axes [1] : tensor<64x128x256xf32>
  %6 = uop.reshape %5 to [64, 256] : tensor<64x1x256xf32>
  return %6 : tensor<64x256xf32>
}
