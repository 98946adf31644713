func.func @view(%a: tensor<?x64xf16> {spyre.dims = ["S", "D"]}) -> (tensor<?x64xf16>, tensor<64x?xf16>)
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 192>}} {
  %y = spyre.exp %a tile [0: "S" by 64] : tensor<?x64xf16>
  %p = spyre.permute %a [1, 0] : tensor<?x64xf16> to tensor<64x?xf16>
  return %y, %p : tensor<?x64xf16>, tensor<64x?xf16>
}
