#columns = affine_map<(d0, d1) -> (d1)>
#all = affine_map<(d0, d1) -> (d0, d1)>
func.func @mlp(%x: tensor<96x384xf16>, %w: tensor<384x512xf16>, %b: tensor<512xf16>, %v: tensor<512x128xf16>) -> tensor<96x128xf16> {
  %zero = arith.constant 0.0 : f16
  %0 = tensor.empty() : tensor<96x512xf16>
  %1 = linalg.fill ins(%zero : f16) outs(%0 : tensor<96x512xf16>) -> tensor<96x512xf16>
  %2 = linalg.matmul ins(%x, %w : tensor<96x384xf16>, tensor<384x512xf16>) outs(%1 : tensor<96x512xf16>) -> tensor<96x512xf16>
  %3 = linalg.generic {indexing_maps = [#all, #columns, #all], iterator_types = ["parallel", "parallel"]}
      ins(%2, %b : tensor<96x512xf16>, tensor<512xf16>) outs(%0 : tensor<96x512xf16>) {
  ^bb0(%in: f16, %bias: f16, %out: f16):
    %sum = arith.addf %in, %bias : f16
    %relu = arith.maximumf %sum, %zero : f16
    linalg.yield %relu : f16
  } -> tensor<96x512xf16>
  %4 = tensor.empty() : tensor<96x128xf16>
  %5 = linalg.fill ins(%zero : f16) outs(%4 : tensor<96x128xf16>) -> tensor<96x128xf16>
  %6 = linalg.matmul ins(%3, %v : tensor<96x512xf16>, tensor<512x128xf16>) outs(%5 : tensor<96x128xf16>) -> tensor<96x128xf16>
  return %6 : tensor<96x128xf16>
}
