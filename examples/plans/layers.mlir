// Three layers of a network, as a front end writes them: no dimension has a name.
func.func @layers(%x: tensor<2048x4096xf16>, %wg_0: tensor<4096x11008xf16>, %wu_0: tensor<4096x11008xf16>, %wd_0: tensor<11008x4096xf16>, %wg_1: tensor<4096x11008xf16>, %wu_1: tensor<4096x11008xf16>, %wd_1: tensor<11008x4096xf16>, %wg_2: tensor<4096x11008xf16>, %wu_2: tensor<4096x11008xf16>, %wd_2: tensor<11008x4096xf16>) -> tensor<2048x4096xf16> {
  %v1_0 = spyre.batchmatmul %x, %wg_0 : (tensor<2048x4096xf16>, tensor<4096x11008xf16>) -> tensor<2048x11008xf16>
  %v2_0 = spyre.silu %v1_0 : tensor<2048x11008xf16>
  %v3_0 = spyre.batchmatmul %x, %wu_0 : (tensor<2048x4096xf16>, tensor<4096x11008xf16>) -> tensor<2048x11008xf16>
  %v4_0 = spyre.mul %v2_0, %v3_0 : tensor<2048x11008xf16>
  %v5_0 = spyre.batchmatmul %v4_0, %wd_0 : (tensor<2048x11008xf16>, tensor<11008x4096xf16>) -> tensor<2048x4096xf16>
  %v1_1 = spyre.batchmatmul %v5_0, %wg_1 : (tensor<2048x4096xf16>, tensor<4096x11008xf16>) -> tensor<2048x11008xf16>
  %v2_1 = spyre.silu %v1_1 : tensor<2048x11008xf16>
  %v3_1 = spyre.batchmatmul %v5_0, %wu_1 : (tensor<2048x4096xf16>, tensor<4096x11008xf16>) -> tensor<2048x11008xf16>
  %v4_1 = spyre.mul %v2_1, %v3_1 : tensor<2048x11008xf16>
  %v5_1 = spyre.batchmatmul %v4_1, %wd_1 : (tensor<2048x11008xf16>, tensor<11008x4096xf16>) -> tensor<2048x4096xf16>
  %v1_2 = spyre.batchmatmul %v5_1, %wg_2 : (tensor<2048x4096xf16>, tensor<4096x11008xf16>) -> tensor<2048x11008xf16>
  %v2_2 = spyre.silu %v1_2 : tensor<2048x11008xf16>
  %v3_2 = spyre.batchmatmul %v5_1, %wu_2 : (tensor<2048x4096xf16>, tensor<4096x11008xf16>) -> tensor<2048x11008xf16>
  %v4_2 = spyre.mul %v2_2, %v3_2 : tensor<2048x11008xf16>
  %v5_2 = spyre.batchmatmul %v4_2, %wd_2 : (tensor<2048x11008xf16>, tensor<11008x4096xf16>) -> tensor<2048x4096xf16>
  return %v5_2 : tensor<2048x4096xf16>
}
