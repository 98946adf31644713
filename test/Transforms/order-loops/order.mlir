// A parallel loop becomes the innermost one where its steps are small, and no result changes, to the last bit.

// RUN: spyre-opt %s --spyre-order-loops | FileCheck %s
// RUN: spyre-opt %s --spyre-order-loops --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: (S) 2 ordered - Operations with another innermost loop
// RUN: spyre-run %s --entry product --random-seed 1 --passes spyre-order-loops | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry convolution --random-seed 1 --passes spyre-order-loops | FileCheck %s --check-prefix=SAME
// SAME: spyre-order-loops)): same results

// CHECK-DAG: #[[ROWS:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[WEIGHTS:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[RESULT:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[WINDOW:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d3 * 2 + d2)>
// CHECK-DAG: #[[TAPS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-DAG: #[[LINE:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3)>

// CHECK-LABEL: func.func @product(
// CHECK: linalg.generic {indexing_maps = [#[[ROWS]], #[[WEIGHTS]], #[[RESULT]]], iterator_types = ["parallel", "reduction", "parallel"]}
func.func @product(%a: tensor<5x33xf32>, %b: tensor<33x7xf32>, %c: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
      affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<5x33xf32>, tensor<33x7xf32>) outs(%c : tensor<5x7xf32>) {
  ^bb0(%x: f32, %w: f32, %sum: f32):
    %1 = arith.mulf %x, %w : f32
    %2 = arith.addf %sum, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// Two reductions stay in their order, and a stride of 2 is small.
// CHECK-LABEL: func.func @convolution(
// CHECK: linalg.generic {indexing_maps = [#[[WINDOW]], #[[TAPS]], #[[LINE]]], iterator_types = ["parallel", "reduction", "reduction", "parallel"]}
func.func @convolution(%a: tensor<3x19xf32>, %w: tensor<4x3x5xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d2, d1 * 2 + d3)>,
      affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %w : tensor<3x19xf32>, tensor<4x3x5xf32>) outs(%c : tensor<4x8xf32>) {
  ^bb0(%x: f32, %t: f32, %sum: f32):
    %1 = arith.mulf %x, %t : f32
    %2 = arith.addf %sum, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// A step down a column of the second operand takes a line of the cache, so the sum stays innermost.
// CHECK-LABEL: func.func @transposed(
// CHECK: iterator_types = ["parallel", "parallel", "reduction"]
func.func @transposed(%a: tensor<5x33xf32>, %b: tensor<7x33xf32>, %c: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>,
      affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<5x33xf32>, tensor<7x33xf32>) outs(%c : tensor<5x7xf32>) {
  ^bb0(%x: f32, %w: f32, %sum: f32):
    %1 = arith.mulf %x, %w : f32
    %2 = arith.addf %sum, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// A body that reads the number of a loop, and extents that are not known.
// CHECK-LABEL: func.func @indexed(
// CHECK: iterator_types = ["parallel", "reduction"]
// CHECK: iterator_types = ["parallel", "reduction"]
func.func @indexed(%a: tensor<33x8xi64>, %c: tensor<8xi64>, %d: tensor<33x?xi64>, %e: tensor<?xi64>) -> (tensor<8xi64>, tensor<?xi64>) {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>],
      iterator_types = ["parallel", "reduction"]} ins(%a : tensor<33x8xi64>) outs(%c : tensor<8xi64>) {
  ^bb0(%x: i64, %sum: i64):
    %i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i64
    %1 = arith.muli %x, %n : i64
    %2 = arith.addi %sum, %1 : i64
    linalg.yield %2 : i64
  } -> tensor<8xi64>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>],
      iterator_types = ["parallel", "reduction"]} ins(%d : tensor<33x?xi64>) outs(%e : tensor<?xi64>) {
  ^bb0(%x: i64, %sum: i64):
    %2 = arith.addi %sum, %x : i64
    linalg.yield %2 : i64
  } -> tensor<?xi64>
  return %0, %3 : tensor<8xi64>, tensor<?xi64>
}
