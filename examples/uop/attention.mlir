// Attention of four heads: softmax(q k / 8) v.
func.func @attention(%q: tensor<4x64x64xf32>, %k: tensor<4x64x64xf32>, %v: tensor<4x64x64xf32>) -> tensor<4x64x64xf32> {
  %0 = uop.reshape %q to [4, 64, 1, 64] : tensor<4x64x64xf32>
  %1 = uop.expand %0 to [4, 64, 64, 64] : tensor<4x64x1x64xf32>
  %2 = uop.reshape %k to [4, 1, 64, 64] : tensor<4x64x64xf32>
  %3 = uop.expand %2 to [4, 64, 64, 64] : tensor<4x1x64x64xf32>
  %4 = uop.mul %1, %3 : tensor<4x64x64x64xf32>
  %5 = uop.reduce add %4 axes [3] : tensor<4x64x64x64xf32>
  %6 = uop.reshape %5 to [4, 64, 64] : tensor<4x64x64x1xf32>
  %7 = uop.const dense<0.125> : tensor<f32>
  %8 = uop.reshape %7 to [1, 1, 1] : tensor<f32>
  %9 = uop.expand %8 to [4, 64, 64] : tensor<1x1x1xf32>
  %10 = uop.mul %6, %9 : tensor<4x64x64xf32>
  %11 = uop.reduce max %10 axes [2] : tensor<4x64x64xf32>
  %12 = uop.expand %11 to [4, 64, 64] : tensor<4x64x1xf32>
  %13 = uop.sub %10, %12 : tensor<4x64x64xf32>
  %14 = uop.const dense<1.4426950408889634> : tensor<f32>
  %15 = uop.reshape %14 to [1, 1, 1] : tensor<f32>
  %16 = uop.expand %15 to [4, 64, 64] : tensor<1x1x1xf32>
  %17 = uop.mul %13, %16 : tensor<4x64x64xf32>
  %18 = uop.exp2 %17 : tensor<4x64x64xf32>
  %19 = uop.reduce add %18 axes [2] : tensor<4x64x64xf32>
  %20 = uop.expand %19 to [4, 64, 64] : tensor<4x64x1xf32>
  %21 = uop.recip %20 : tensor<4x64x64xf32>
  %22 = uop.mul %18, %21 : tensor<4x64x64xf32>
  %23 = uop.reshape %22 to [4, 64, 64, 1] : tensor<4x64x64xf32>
  %24 = uop.expand %23 to [4, 64, 64, 64] : tensor<4x64x64x1xf32>
  %25 = uop.reshape %v to [4, 1, 64, 64] : tensor<4x64x64xf32>
  %26 = uop.expand %25 to [4, 64, 64, 64] : tensor<4x1x64x64xf32>
  %27 = uop.mul %24, %26 : tensor<4x64x64x64xf32>
  %28 = uop.reduce add %27 axes [2] : tensor<4x64x64x64xf32>
  %29 = uop.reshape %28 to [4, 64, 64] : tensor<4x64x1x64xf32>
  return %29 : tensor<4x64x64xf32>
}
