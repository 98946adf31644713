// Elements of an argument that only become integers keep their type.

// RUN: spyre-opt %s --spyre-narrow-floats | FileCheck %s

// An index stays as precise as it is: 2049 is 2048 in 16 bits.
// CHECK-LABEL: func.func @row_of_index(
// CHECK-SAME:    %[[INDEX:.+]]: tensor<8xf32>, %[[TABLE:.+]]: tensor<4096x64xf32>)
// CHECK-NOT:     arith.truncf %[[INDEX]]
// CHECK:         arith.truncf %[[TABLE]]
// CHECK:         ins(%[[INDEX]] : tensor<8xf32>)
// CHECK:           arith.fptosi %{{.+}} : f32 to i64
// CHECK:         return
func.func @row_of_index(%index: tensor<8xf32>, %table: tensor<4096x64xf32>) -> tensor<8x64xf32> {
  %0 = tensor.empty() : tensor<8xi64>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%index : tensor<8xf32>) outs(%0 : tensor<8xi64>) {
  ^bb0(%in: f32, %out: i64):
    %row = arith.fptosi %in : f32 to i64
    linalg.yield %row : i64
  } -> tensor<8xi64>
  %2 = tensor.empty() : tensor<8x64xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<8xi64>) outs(%2 : tensor<8x64xf32>) {
  ^bb0(%in: i64, %out: f32):
    %row = arith.index_cast %in : i64 to index
    %column = linalg.index 1 : index
    %value = tensor.extract %table[%row, %column] : tensor<4096x64xf32>
    %twice = arith.addf %value, %value : f32
    linalg.yield %twice : f32
  } -> tensor<8x64xf32>
  return %3 : tensor<8x64xf32>
}
