// The gates of a recurrent cell: functions of the four parts of one product.
func.func @gates(%i: tensor<2048x1024xf16> {spyre.dims = ["B", "E"]}, %f: tensor<2048x1024xf16> {spyre.dims = ["B", "E"]}, %g: tensor<2048x1024xf16> {spyre.dims = ["B", "E"]}, %o: tensor<2048x1024xf16> {spyre.dims = ["B", "E"]}, %c: tensor<2048x1024xf16> {spyre.dims = ["B", "E"]}) -> (tensor<2048x1024xf16>, tensor<2048x1024xf16>) attributes {spyre.tile_scopes = [#spyre.tile_scope<"B" in 2>]} {
  %0 = spyre.sigmoid %i : tensor<2048x1024xf16>
  %1 = spyre.sigmoid %f : tensor<2048x1024xf16>
  %2 = spyre.tanh %g : tensor<2048x1024xf16>
  %3 = spyre.sigmoid %o : tensor<2048x1024xf16>
  %4 = spyre.mul %1, %c : tensor<2048x1024xf16>
  %5 = spyre.mul %0, %2 : tensor<2048x1024xf16>
  %6 = spyre.add %4, %5 : tensor<2048x1024xf16>
  %7 = spyre.tanh %6 : tensor<2048x1024xf16>
  %8 = spyre.mul %3, %7 : tensor<2048x1024xf16>
  return %8, %6 : tensor<2048x1024xf16>, tensor<2048x1024xf16>
}
