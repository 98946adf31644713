// `arith.cmpf true` and `arith.cmpf false` are folded before upstream's pattern for comparisons of a converted integer
// with a constant, which has no answer for them.

// RUN: spyre-opt %s --canonicalize | FileCheck %s
// RUN: %{mlir-opt} --load-dialect-plugin=%{plugin} %s --canonicalize | FileCheck %s
// RUN: spyre-run %s --entry numbers --random-seed 1 | FileCheck %s --check-prefix=NUMBERS

// CHECK-LABEL: func.func @comparisons
// CHECK-DAG: %[[TRUE:.*]] = arith.constant true
// CHECK-DAG: %[[FALSE:.*]] = arith.constant false
// CHECK-DAG: %[[TRUES:.*]] = arith.constant dense<true> : vector<4xi1>
// CHECK-DAG: %[[BOUND:.*]] = arith.constant -448 : i64
// CHECK: %[[BELOW:.*]] = arith.cmpi slt, %{{.*}}, %[[BOUND]] : i64
// CHECK: return %[[TRUE]], %[[FALSE]], %[[TRUES]], %[[BELOW]]
func.func @comparisons(%x: f32, %v: vector<4xf32>, %i: i64) -> (i1, i1, vector<4xi1>, i1) {
  %c = arith.constant -448.0 : f32
  %0 = arith.cmpf true, %x, %c : f32
  %f = arith.sitofp %i : i64 to f32
  %1 = arith.cmpf false, %f, %c : f32
  %2 = arith.cmpf true, %v, %v : vector<4xf32>
  %3 = arith.cmpf ult, %f, %c : f32
  return %0, %1, %2, %3 : i1, i1, vector<4xi1>, i1
}

// The shape of a constant is static: a tensor with a dynamic extent stays.
// CHECK-LABEL: func.func @dynamic
// CHECK: arith.cmpf true
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xi1> {
  %0 = arith.cmpf true, %x, %x : tensor<?xf32>
  return %0 : tensor<?xi1>
}

// The CPU's pipeline has canonicalizers of upstream as well.
// NUMBERS: {{^}}result 0: tensor<4xf32> [0.0, 1.0, 2.0, 3.0]
// NUMBERS: {{^}}result 1: tensor<4xf32> [7.0, 7.0, 7.0, 7.0]
func.func @numbers() -> (tensor<4xf32>, tensor<4xf32>) {
  %empty = tensor.empty() : tensor<4xf32>
  %c = arith.constant -448.0 : f32
  %other = arith.constant 7.0 : f32
  %0:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%empty, %empty : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%out: f32, %out1: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    %f = arith.sitofp %n : i64 to f32
    %always = arith.cmpf true, %f, %c : f32
    %never = arith.cmpf false, %f, %c : f32
    %first = arith.select %always, %f, %other : f32
    %second = arith.select %never, %f, %other : f32
    linalg.yield %first, %second : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}
