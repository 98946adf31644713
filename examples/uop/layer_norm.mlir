// A layer norm of rows.
func.func @layer_norm(%x: tensor<64x512xf32>, %scale: tensor<512xf32>, %shift: tensor<512xf32>) -> tensor<64x512xf32> {
  %0 = uop.const dense<0.001953125> : tensor<f32>
  %1 = uop.reshape %0 to [1, 1] : tensor<f32>
  %2 = uop.expand %1 to [64, 1] : tensor<1x1xf32>
  %3 = uop.reduce add %x axes [1] : tensor<64x512xf32>
  %4 = uop.mul %3, %2 : tensor<64x1xf32>
  %5 = uop.expand %4 to [64, 512] : tensor<64x1xf32>
  %6 = uop.sub %x, %5 : tensor<64x512xf32>
  %7 = uop.mul %6, %6 : tensor<64x512xf32>
  %8 = uop.reduce add %7 axes [1] : tensor<64x512xf32>
  %9 = uop.mul %8, %2 : tensor<64x1xf32>
  %10 = uop.const dense<1.0e-05> : tensor<f32>
  %11 = uop.reshape %10 to [1, 1] : tensor<f32>
  %12 = uop.expand %11 to [64, 1] : tensor<1x1xf32>
  %13 = uop.add %9, %12 : tensor<64x1xf32>
  %14 = uop.sqrt %13 : tensor<64x1xf32>
  %15 = uop.recip %14 : tensor<64x1xf32>
  %16 = uop.expand %15 to [64, 512] : tensor<64x1xf32>
  %17 = uop.mul %6, %16 : tensor<64x512xf32>
  %18 = uop.reshape %scale to [1, 512] : tensor<512xf32>
  %19 = uop.expand %18 to [64, 512] : tensor<1x512xf32>
  %20 = uop.mul %17, %19 : tensor<64x512xf32>
  %21 = uop.reshape %shift to [1, 512] : tensor<512xf32>
  %22 = uop.expand %21 to [64, 512] : tensor<1x512xf32>
  %23 = uop.add %20, %22 : tensor<64x512xf32>
  return %23 : tensor<64x512xf32>
}
