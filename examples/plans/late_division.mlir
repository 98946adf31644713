// Attention of 8 heads, with the division by the sum after the second product.
func.func @late_division(%q: tensor<8x1024x128xf16> {spyre.dims = ["H", "S", "D"]}, %k: tensor<8x128x1024xf16> {spyre.dims = ["H", "D", "T"]}, %v: tensor<8x1024x128xf16> {spyre.dims = ["H", "T", "D"]}) -> tensor<8x1024x128xf16> {
  %0 = spyre.batchmatmul %q, %k : (tensor<8x1024x128xf16>, tensor<8x128x1024xf16>) -> tensor<8x1024x1024xf16>
  %1 = spyre.max %0 dims [2] keepdim : (tensor<8x1024x1024xf16>) -> tensor<8x1024x1xf16>
  %2 = spyre.sub %0, %1 : (tensor<8x1024x1024xf16>, tensor<8x1024x1xf16>) -> tensor<8x1024x1024xf16>
  %3 = spyre.exp %2 : tensor<8x1024x1024xf16>
  %4 = spyre.sum %3 dims [2] keepdim : (tensor<8x1024x1024xf16>) -> tensor<8x1024x1xf16>
  %5 = spyre.batchmatmul %3, %v : (tensor<8x1024x1024xf16>, tensor<8x1024x128xf16>) -> tensor<8x1024x128xf16>
  %6 = spyre.realdiv %5, %4 : (tensor<8x1024x128xf16>, tensor<8x1024x1xf16>) -> tensor<8x1024x128xf16>
  return %6 : tensor<8x1024x128xf16>
}
