// inputs: --integers=200
func.func @gather(%indices: tensor<256xi32> {spyre.dims = ["S"]}, %table: tensor<512x256xf16> {spyre.dims = ["V", "E"]}) -> tensor<256x256xf16> {
  %zero = spyre.fill dense<0> : tensor<256xi32>
  %inside = spyre.maximum %indices, %zero : tensor<256xi32>
  %rows = spyre.gather %inside, %table dim 0 : (tensor<256xi32>, tensor<512x256xf16>) -> tensor<256x256xf16>
  %y = spyre.add %rows, %rows : tensor<256x256xf16>
  return %y : tensor<256x256xf16>
}
