func.func @prompt(%x: tensor<509x4096xf16> {spyre.dims = ["S", "E"]}, %weight: tensor<1x4096xf16> {spyre.dims = ["U", "E"]}, %gate: tensor<509x11008xf16> {spyre.dims = ["S", "F"]}, %up: tensor<509x11008xf16> {spyre.dims = ["S", "F"]}) -> (tensor<509x4096xf16>, tensor<509x11008xf16>) {
  %0 = spyre.mul %x, %x : tensor<509x4096xf16>
  %1 = spyre.mean %0 dims [1] keepdim : (tensor<509x4096xf16>) -> tensor<509x1xf16>
  %2 = spyre.rsqrt %1 : tensor<509x1xf16>
  %3 = spyre.mul %x, %2 : (tensor<509x4096xf16>, tensor<509x1xf16>) -> tensor<509x4096xf16>
  %4 = spyre.mul %3, %weight : (tensor<509x4096xf16>, tensor<1x4096xf16>) -> tensor<509x4096xf16>
  %5 = spyre.silu %gate : tensor<509x11008xf16>
  %6 = spyre.mul %5, %up : tensor<509x11008xf16>
  return %4, %6 : tensor<509x4096xf16>, tensor<509x11008xf16>
}
