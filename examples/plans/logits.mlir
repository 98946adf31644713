// The logits of 512 tokens over a vocabulary, and their softmax.
func.func @logits(%x: tensor<512x1024xf16> {spyre.dims = ["S", "E"]}, %w: tensor<1024x32000xf16> {spyre.dims = ["E", "V"]}) -> tensor<512x32000xf16> {
  %0 = spyre.batchmatmul %x, %w : (tensor<512x1024xf16>, tensor<1024x32000xf16>) -> tensor<512x32000xf16>
  %1 = spyre.max %0 dims [1] keepdim : (tensor<512x32000xf16>) -> tensor<512x1xf16>
  %2 = spyre.sub %0, %1 : (tensor<512x32000xf16>, tensor<512x1xf16>) -> tensor<512x32000xf16>
  %3 = spyre.exp %2 : tensor<512x32000xf16>
  %4 = spyre.sum %3 dims [1] keepdim : (tensor<512x32000xf16>) -> tensor<512x1xf16>
  %5 = spyre.realdiv %3, %4 : (tensor<512x32000xf16>, tensor<512x1xf16>) -> tensor<512x32000xf16>
  return %5 : tensor<512x32000xf16>
}
