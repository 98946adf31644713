func.func @attention(%q: tensor<32x2048x128xf16> {spyre.dims = ["H", "S", "D"]}, %k: tensor<32x2048x128xf16> {spyre.dims = ["H", "T", "D"]}, %v: tensor<32x2048x128xf16> {spyre.dims = ["H", "T", "D"]}) -> tensor<32x2048x128xf16> {
  %kt = spyre.permute %k [0, 2, 1] : tensor<32x2048x128xf16> to tensor<32x128x2048xf16>
  %v1 = spyre.batchmatmul %q, %kt : (tensor<32x2048x128xf16>, tensor<32x128x2048xf16>) -> tensor<32x2048x2048xf16>
  %v2 = spyre.fill dense<8.838000e-02> : tensor<1x1x1xf16>
  %v3 = spyre.mul %v1, %v2 : (tensor<32x2048x2048xf16>, tensor<1x1x1xf16>) -> tensor<32x2048x2048xf16>
  %v4 = spyre.max %v3 dims [2] keepdim : (tensor<32x2048x2048xf16>) -> tensor<32x2048x1xf16>
  %v5 = spyre.sub %v3, %v4 : (tensor<32x2048x2048xf16>, tensor<32x2048x1xf16>) -> tensor<32x2048x2048xf16>
  %v6 = spyre.exp %v5 : tensor<32x2048x2048xf16>
  %v7 = spyre.sum %v6 dims [2] keepdim : (tensor<32x2048x2048xf16>) -> tensor<32x2048x1xf16>
  %v8 = spyre.realdiv %v6, %v7 : (tensor<32x2048x2048xf16>, tensor<32x2048x1xf16>) -> tensor<32x2048x2048xf16>
  %v9 = spyre.batchmatmul %v8, %v : (tensor<32x2048x2048xf16>, tensor<32x2048x128xf16>) -> tensor<32x2048x128xf16>
  return %v9 : tensor<32x2048x128xf16>
}
