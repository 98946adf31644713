// RUN: spyre-opt %s --convert-spyre-to-linalg | FileCheck %s

// Codes that order elements by value and position; k times the largest of them; what they stand for.

// CHECK-DAG: #[[ROWS:.+]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[FIRST:.+]] = affine_map<(d0, d1, d2) -> (d0, d1)>

// CHECK-LABEL: func.func @values(
// CHECK-SAME:    %[[X:.+]]: tensor<3x8xf16>
func.func @values(%x: tensor<3x8xf16>) -> tensor<3x4xf16> {
  // CHECK:      %[[CODES:.+]] = linalg.generic {{.*}} ins(%[[X]] : tensor<3x8xf16>) outs(%{{.+}} : tensor<3x8xi64>)
  // CHECK:        %[[AT:.+]] = linalg.index 1
  // CHECK:        %[[POSITION:.+]] = arith.index_cast %[[AT]]
  // CHECK:        arith.subi %{{.+}}, %[[POSITION]]
  // CHECK:      %[[ALL:.+]]:2 = scf.for %[[RANK:.+]] = %c0 to %c4 step %c1 iter_args(%[[BEFORE:.+]] = %{{.+}}, %[[SO_FAR:.+]] = %{{.+}}) -> (tensor<3x1xi64>, tensor<3x4xi64>) {
  // CHECK:        %[[NEXT:.+]] = linalg.generic {indexing_maps = [#[[ROWS]], #[[FIRST]], #[[FIRST]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[CODES]], %[[BEFORE]]
  // CHECK:          arith.cmpi slt
  // CHECK:          arith.maxsi
  // CHECK:        %[[WITH:.+]] = tensor.insert_slice %[[NEXT]] into %[[SO_FAR]][0, %[[RANK]]] [3, 1] [1, 1]
  // CHECK:        scf.yield %[[NEXT]], %[[WITH]]
  // CHECK:      %[[RESULT:.+]] = linalg.generic {{.*}} ins(%[[ALL]]#1 : tensor<3x4xi64>) outs(%{{.+}} : tensor<3x4xf16>)
  // CHECK:        tensor.extract %[[X]]
  // CHECK:      return %[[RESULT]]
  %v = spyre.topkvalue %x dim 1 k 4 : (tensor<3x8xf16>) -> tensor<3x4xf16>
  return %v : tensor<3x4xf16>
}

// One position is one search.
// CHECK-LABEL: func.func @position(
func.func @position(%x: tensor<3x8xf32>) -> tensor<1x8xi32> {
  // CHECK-NOT:  scf.for
  // CHECK-COUNT-3: linalg.generic
  // CHECK:        arith.trunci %{{.+}} : i64 to i32
  // CHECK-NOT:  linalg.generic
  %i = spyre.topkindex %x dim 0 k 1 : (tensor<3x8xf32>) -> tensor<1x8xi32>
  return %i : tensor<1x8xi32>
}
