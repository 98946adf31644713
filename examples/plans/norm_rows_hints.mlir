// A norm over rows: the dimension on the stick is not reduced.
func.func @norm_rows(%x: tensor<2048x4096xf16> {spyre.dims = ["S", "E"]}) -> tensor<2048x4096xf16> {
  %0 = spyre.mean %x dims [0] keepdim split [1, 32, 1] : (tensor<2048x4096xf16>) -> tensor<1x4096xf16>
  %1 = spyre.sub %x, %0 split [1, 32] : (tensor<2048x4096xf16>, tensor<1x4096xf16>) -> tensor<2048x4096xf16>
  %2 = spyre.mul %1, %1 split [1, 32] : tensor<2048x4096xf16>
  %3 = spyre.mean %2 dims [0] keepdim split [1, 32, 1] : (tensor<2048x4096xf16>) -> tensor<1x4096xf16>
  %4 = spyre.rsqrt %3 split [1, 32] : tensor<1x4096xf16>
  %5 = spyre.mul %1, %4 split [1, 32] : (tensor<2048x4096xf16>, tensor<1x4096xf16>) -> tensor<2048x4096xf16>
  return %5 : tensor<2048x4096xf16>
}
