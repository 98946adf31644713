// Three diamonds in a row: values with two users each.
func.func @diamonds(%x: tensor<4096x4096xf16> {spyre.dims = ["S", "E"]}) -> tensor<4096x4096xf16> {
  %0 = spyre.exp %x : tensor<4096x4096xf16>
  %1 = spyre.tanh %0 : tensor<4096x4096xf16>
  %2 = spyre.neg %0 : tensor<4096x4096xf16>
  %3 = spyre.add %1, %2 : tensor<4096x4096xf16>
  %4 = spyre.sigmoid %3 : tensor<4096x4096xf16>
  %5 = spyre.mul %3, %3 : tensor<4096x4096xf16>
  %6 = spyre.sub %4, %5 : tensor<4096x4096xf16>
  %7 = spyre.abs %6 : tensor<4096x4096xf16>
  %8 = spyre.relufwd %6 : tensor<4096x4096xf16>
  %9 = spyre.maximum %7, %8 : tensor<4096x4096xf16>
  return %9 : tensor<4096x4096xf16>
}
