// A norm followed by a product, as before the heads of attention.
func.func @norm_product(%x: tensor<2048x2048xf16> {spyre.dims = ["S", "E"]}, %g: tensor<1x2048xf16> {spyre.dims = ["U", "E"]}, %w: tensor<2048x2048xf16> {spyre.dims = ["E", "O"]}) -> tensor<2048x2048xf16> {
  %0 = spyre.mul %x, %x : tensor<2048x2048xf16>
  %1 = spyre.mean %0 dims [1] keepdim : (tensor<2048x2048xf16>) -> tensor<2048x1xf16>
  %2 = spyre.rsqrt %1 : tensor<2048x1xf16>
  %3 = spyre.mul %x, %2 : (tensor<2048x2048xf16>, tensor<2048x1xf16>) -> tensor<2048x2048xf16>
  %4 = spyre.mul %3, %g : (tensor<2048x2048xf16>, tensor<1x2048xf16>) -> tensor<2048x2048xf16>
  %5 = spyre.batchmatmul %4, %w : (tensor<2048x2048xf16>, tensor<2048x2048xf16>) -> tensor<2048x2048xf16>
  return %5 : tensor<2048x2048xf16>
}
