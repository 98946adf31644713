// Dynamic dimensions through views: an expansion next to a dimension of one element, and windows that are all of a dynamic
// dimension. After `--spyre-bound-dynamic-dims` such a window has the largest extent, and no operation reads it beyond the
// dynamic one.

// RUN: spyre-opt %s --coarse-tile -o %t.tiled
// RUN: spyre-opt %t.tiled --spyre-prove=before=%s -o /dev/null 2>&1 | FileCheck %s --check-prefix=TILED
// RUN: spyre-opt %s --spyre-pipeline=bundle=false -o %t.planned
// RUN: spyre-opt %t.planned --spyre-prove -o /dev/null 2>&1 | FileCheck %s

// TILED-NOT: error:
//     TILED: remark: spyre-prove: 2 operations, {{.*}} 0 refuted, 0 not decided

//  CHECK-NOT: error:
// CHECK-COUNT-3: proved, 0 refuted

func.func @expanded(%x: tensor<?xf32> {spyre.dims = ["S"]}) -> (tensor<3x?xf32>, tensor<?xf32>)
    attributes {spyre.dim_sizes = {S = #spyre.dynamic<granularity = 4, max = 8>}} {
  %c0 = arith.constant 0 : index
  %neg = spyre.neg %x tile [0: "S" by 4] {spyre.dims = ["S"]} : tensor<?xf32>
  %dim = tensor.dim %x, %c0 : tensor<?xf32>
  %rows = tensor.expand_shape %neg [[0, 1]] output_shape [1, %dim] : tensor<?xf32> into tensor<1x?xf32>
  %max = spyre.maximum %rows, %rows tile [0: "S" by 4] : tensor<1x?xf32>
  %copy = spyre.copy %max tile [0: "S" by 4] {spyre.dims = ["_untracked_3", "S"]} : (tensor<1x?xf32>) -> tensor<3x?xf32>
  return %copy, %neg : tensor<3x?xf32>, tensor<?xf32>
}

func.func @column(%x: tensor<?x2xf32> {spyre.dims = ["S", "_untracked_2"]}) -> (tensor<?x2xf32>, tensor<?x1xf32>)
    attributes {spyre.dim_sizes = {S = #spyre.dynamic<granularity = 4, max = 8>}} {
  %c0 = arith.constant 0 : index
  %dim = tensor.dim %x, %c0 : tensor<?x2xf32>
  %sum = spyre.add %x, %x tile [0: "S" by 4] {spyre.dims = ["S", "_untracked_2"]} : tensor<?x2xf32>
  %column = tensor.extract_slice %sum[0, 0] [%dim, 1] [1, 1] : tensor<?x2xf32> to tensor<?x1xf32>
  return %sum, %column : tensor<?x2xf32>, tensor<?x1xf32>
}

func.func @plane(%x: tensor<4x?x3xf32> {spyre.dims = ["_untracked_4", "S", "_untracked_3"]}) -> tensor<?x1xf32>
    attributes {spyre.dim_sizes = {S = #spyre.dynamic<granularity = 4, max = 8>}} {
  %c1 = arith.constant 1 : index
  %dim = tensor.dim %x, %c1 : tensor<4x?x3xf32>
  %plane = tensor.extract_slice %x[3, 0, 0] [1, %dim, 1] [1, 1, 1] : tensor<4x?x3xf32> to tensor<1x?x1xf32>
  %column = tensor.collapse_shape %plane [[0, 1], [2]] : tensor<1x?x1xf32> into tensor<?x1xf32>
  %copy = spyre.copy %column : tensor<?x1xf32>
  return %copy : tensor<?x1xf32>
}
