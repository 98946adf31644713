// What chooses from a constant of truth values chooses from all of its elements, and not from the one that is broadcast.

// RUN: spyre-opt %s --spyre-import-linalg=host=true | FileCheck %s --check-prefix=TABLE
// RUN: spyre-run %s --on=card --compare %s --random-seed 1 | FileCheck %s
// TABLE: spyre.gather %{{.+}}, %{{.+}} dim 0 : (tensor<4xi32>, tensor<5xf16>) -> tensor<4xf16>
// CHECK: result 0: 0 of 4 elements differ

func.func @f(%i: tensor<4xi32>, %x: tensor<4xf16>, %y: tensor<4xf16>) -> tensor<4xf16> {
  %empty = tensor.empty() : tensor<5x1xi1>
  %column = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]
    } outs(%empty : tensor<5x1xi1>) {
  ^bb0(%o: i1):
    %true = arith.constant true
    linalg.yield %true : i1
  } -> tensor<5x1xi1>
  %table = tensor.collapse_shape %column [[0, 1]] : tensor<5x1xi1> into tensor<5xi1>
  %out = tensor.empty() : tensor<4xf16>
  %zero = arith.constant 0 : i32
  %four = arith.constant 4 : i32
  %0 = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]
    } ins(%i, %x, %y : tensor<4xi32>, tensor<4xf16>, tensor<4xf16>) outs(%out : tensor<4xf16>) {
  ^bb0(%at: i32, %a: f16, %b: f16, %o: f16):
    %low = arith.maxsi %at, %zero : i32
    %clamped = arith.minsi %low, %four : i32
    %index = arith.index_cast %clamped : i32 to index
    %chosen = tensor.extract %table[%index] : tensor<5xi1>
    %1 = arith.select %chosen, %a, %b : f16
    linalg.yield %1 : f16
  } -> tensor<4xf16>
  return %0 : tensor<4xf16>
}
