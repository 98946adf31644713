// What is computed from constants is evaluated while the program is compiled, though it has hints and names.

// RUN: spyre-opt %s --spyre-import-linalg | FileCheck %s
// RUN: spyre-run %s --on=card --compare %s --random-seed 1 | FileCheck %s --check-prefix=SAME
// CHECK: dense<[2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00]> : tensor<4xf16>
// CHECK-NOT: math.
// SAME: result 0: 0 of 4 elements differ

#id = affine_map<(d0) -> (d0)>
func.func @f(%x: tensor<4xf16>) -> tensor<4xf16> {
  %squares = arith.constant dense<[4.0, 9.0, 16.0, 25.0]> : tensor<4xf16>
  %empty = tensor.empty() : tensor<4xf16>
  %roots = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%squares : tensor<4xf16>) outs(%empty : tensor<4xf16>)
      attrs = {spyre.dims = ["rows"], spyre.tile = [#spyre.tile_hint<0 : "rows" by 2>]} {
  ^bb0(%in: f16, %out: f16):
    %0 = math.sqrt %in : f16
    linalg.yield %0 : f16
  } -> tensor<4xf16>
  %sum = linalg.add ins(%x, %roots : tensor<4xf16>, tensor<4xf16>) outs(%empty : tensor<4xf16>) -> tensor<4xf16>
  return %sum : tensor<4xf16>
}
