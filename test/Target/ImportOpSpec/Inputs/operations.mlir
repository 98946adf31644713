func.func @operations(%x: tensor<256x512xf16>, %w: tensor<512x128xf16>, %t: tensor<320x64xf16>, %i: tensor<64xi32>, %p: tensor<2x3x4x32x64xf16>, %q: tensor<2x3x4x64x64xf16>)
    -> (tensor<256x128xf16>, tensor<64x64xf16>, tensor<2x3x4x32x64xf16>, tensor<256x1xf16>) {
  %0 = spyre.batchmatmul %x, %w : (tensor<256x512xf16>, tensor<512x128xf16>) -> tensor<256x128xf16>
  %1 = spyre.max %0 dims [1] keepdim : (tensor<256x128xf16>) -> tensor<256x1xf16>
  %2 = spyre.sub %0, %1 : (tensor<256x128xf16>, tensor<256x1xf16>) -> tensor<256x128xf16>
  %3 = spyre.exp %2 : tensor<256x128xf16>
  %4 = spyre.sum %3 dims [1] keepdim : (tensor<256x128xf16>) -> tensor<256x1xf16>
  %5 = spyre.gather %i, %t dim 0 : (tensor<64xi32>, tensor<320x64xf16>) -> tensor<64x64xf16>
  %6 = spyre.batchmatmul %p, %q : (tensor<2x3x4x32x64xf16>, tensor<2x3x4x64x64xf16>) -> tensor<2x3x4x32x64xf16>
  return %3, %5, %6, %4 : tensor<256x128xf16>, tensor<64x64xf16>, tensor<2x3x4x32x64xf16>, tensor<256x1xf16>
}
