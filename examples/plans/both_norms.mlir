// A softmax over columns, and then one over rows: no division suits both.
func.func @both_norms(%x: tensor<2048x2048xf16> {spyre.dims = ["S", "T"]}) -> tensor<2048x2048xf16> {
  %0 = spyre.exp %x : tensor<2048x2048xf16>
  %1 = spyre.sum %0 dims [1] keepdim : (tensor<2048x2048xf16>) -> tensor<2048x1xf16>
  %2 = spyre.realdiv %0, %1 : (tensor<2048x2048xf16>, tensor<2048x1xf16>) -> tensor<2048x2048xf16>
  %3 = spyre.exp %2 : tensor<2048x2048xf16>
  %4 = spyre.sum %3 dims [0] keepdim : (tensor<2048x2048xf16>) -> tensor<1x2048xf16>
  %5 = spyre.realdiv %3, %4 : (tensor<2048x2048xf16>, tensor<1x2048xf16>) -> tensor<2048x2048xf16>
  return %5 : tensor<2048x2048xf16>
}
