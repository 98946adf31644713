#all = affine_map<(d0, d1) -> (d0, d1)>
#one = affine_map<(d0, d1) -> ()>
func.func @angle(%x: tensor<96x512xf16>, %y: tensor<96x512xf16>, %n: tensor<i64>) -> tensor<96x512xf16> {
  %half = arith.constant 0.5 : f16
  %one = arith.constant 1 : i64
  %0 = tensor.empty() : tensor<96x512xf16>
  %1 = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<96x512xf16>, tensor<96x512xf16>) outs(%0 : tensor<96x512xf16>) {
  ^bb0(%a: f16, %b: f16, %out: f16):
    %sum = arith.addf %a, %b : f16
    %tanh = math.tanh %sum : f16
    linalg.yield %tanh : f16
  } -> tensor<96x512xf16>
  %2 = linalg.generic {indexing_maps = [#all, #one, #all], iterator_types = ["parallel", "parallel"]}
      ins(%1, %n : tensor<96x512xf16>, tensor<i64>) outs(%0 : tensor<96x512xf16>) {
  ^bb0(%a: f16, %b: i64, %out: f16):
    %rest = arith.remf %a, %half : f16
    %odd = arith.ori %b, %one : i64
    %scale = arith.sitofp %odd : i64 to f16
    %scaled = arith.mulf %rest, %scale : f16
    linalg.yield %scaled : f16
  } -> tensor<96x512xf16>
  return %2 : tensor<96x512xf16>
}
