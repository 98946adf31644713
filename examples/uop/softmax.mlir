// A softmax of rows, with exponentials to the base 2.
func.func @softmax(%x: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %0 = uop.reduce max %x axes [1] : tensor<64x512xf32>
  %1 = uop.expand %0 to [64, 512] : tensor<64x1xf32>
  %2 = uop.sub %x, %1 : tensor<64x512xf32>
  %3 = uop.const dense<1.4426950408889634> : tensor<f32>
  %4 = uop.reshape %3 to [1, 1] : tensor<f32>
  %5 = uop.expand %4 to [64, 512] : tensor<1x1xf32>
  %6 = uop.mul %2, %5 : tensor<64x512xf32>
  %7 = uop.exp2 %6 : tensor<64x512xf32>
  %8 = uop.reduce add %7 axes [1] : tensor<64x512xf32>
  %9 = uop.expand %8 to [64, 512] : tensor<64x1xf32>
  %10 = uop.recip %9 : tensor<64x512xf32>
  %11 = uop.mul %7, %10 : tensor<64x512xf32>
  return %11 : tensor<64x512xf32>
}
