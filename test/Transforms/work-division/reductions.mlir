// RUN: spyre-opt %s --spyre-assign-dim-hints --spyre-work-division | FileCheck %s

// Cores share a dimension that is reduced where the program says so: by position, or by name.

module attributes {spyre.target = #spyre.target<cores = 8>} {
// CHECK-LABEL: func.func @asked
func.func @asked(%a: tensor<64x512xf16> {spyre.dims = ["M", "K"]}, %b: tensor<512x128xf16> {spyre.dims = ["K", "N"]}) -> (tensor<64x128xf16>, tensor<512xf16>, tensor<64x1xf16>) {
  // CHECK: spyre.batchmatmul {{.*}} split [2, 1, 4]
  %0 = spyre.batchmatmul %a, %b split [2, 1, 4] : (tensor<64x512xf16>, tensor<512x128xf16>) -> tensor<64x128xf16>
  // CHECK: spyre.mean {{.*}} split [2, 4]
  %1 = spyre.mean %a dims [0] divide ["M" over 4, "K" over 2] : (tensor<64x512xf16>) -> tensor<512xf16>
  // Nobody asks: no reduced dimension is split.
  // CHECK: spyre.max {{.*}} split [8, 1, 1]
  %2 = spyre.max %a dims [1] keepdim : (tensor<64x512xf16>) -> tensor<64x1xf16>
  return %0, %1, %2 : tensor<64x128xf16>, tensor<512xf16>, tensor<64x1xf16>
}
}
