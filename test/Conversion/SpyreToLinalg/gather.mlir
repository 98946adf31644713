// RUN: spyre-opt %s --convert-spyre-to-linalg | FileCheck %s

// The indices in order, and the table wherever they say: NaN where that is nowhere, without reading there.

// CHECK-DAG: #[[INDICES:.+]] = affine_map<(d0, d1, d2, d3) -> (d1, d2)>
// CHECK-DAG: #[[RESULT:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>

// CHECK-LABEL: func.func @gather(
// CHECK-SAME:    %[[I:.+]]: tensor<2x3xi32>, %[[T:.+]]: tensor<4x50x8xf16>
func.func @gather(%i: tensor<2x3xi32>, %t: tensor<4x50x8xf16>) -> tensor<4x2x3x8xf16> {
  // CHECK:      linalg.generic {indexing_maps = [#[[INDICES]], #[[RESULT]]], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%[[I]] : tensor<2x3xi32>)
  // CHECK-NEXT: ^bb0(%[[INDEX:.+]]: i32, %{{.+}}: f16):
  // CHECK-DAG:    %[[NAN:.+]] = arith.constant 0x7E00 : f16
  // CHECK-DAG:    %[[WIDE:.+]] = arith.extsi %[[INDEX]] : i32 to i64
  // CHECK-DAG:    %[[BELOW:.+]] = arith.cmpi slt, %[[WIDE]], %c50_i64
  // CHECK-DAG:    %[[ABOVE:.+]] = arith.cmpi sge, %[[WIDE]], %c0_i64
  // CHECK:        %[[INSIDE:.+]] = arith.andi %[[ABOVE]], %[[BELOW]]
  // CHECK:        %[[SAFE:.+]] = arith.select %[[INSIDE]], %[[WIDE]], %c0_i64
  // CHECK:        %[[ROW:.+]] = arith.index_cast %[[SAFE]] : i64 to index
  // CHECK:        %[[FOUND:.+]] = tensor.extract %[[T]][%{{.+}}, %[[ROW]], %{{.+}}] : tensor<4x50x8xf16>
  // CHECK:        arith.select %[[INSIDE]], %[[FOUND]], %[[NAN]] : f16
  %0 = spyre.gather %i, %t dim 1 : (tensor<2x3xi32>, tensor<4x50x8xf16>) -> tensor<4x2x3x8xf16>
  return %0 : tensor<4x2x3x8xf16>
}

// A table without rows is not read.
// CHECK-LABEL: func.func @no_rows(
// CHECK-NOT:     tensor.extract
// CHECK:         return
func.func @no_rows(%i: tensor<3xi32>, %t: tensor<0x8xf32>) -> tensor<3x8xf32> {
  %0 = spyre.gather %i, %t dim 0 : (tensor<3xi32>, tensor<0x8xf32>) -> tensor<3x8xf32>
  return %0 : tensor<3x8xf32>
}
