// RUN: spyre-opt %s --coarse-tile | FileCheck %s --implicit-check-not=tensor.extract_slice --implicit-check-not=tensor.insert_slice

// The canonical program: two operations, two scopes, two nested loops. The value between the operations is a tile
// and nothing else; the result is inserted into a full tensor that both loops carry.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<1024x4096xf16, #stick>

// The steps are those of the dimensions: 1024 rows in 2 tiles, 4096 columns in 4.
// CHECK-DAG: #[[$ROWS:.+]] = affine_map<(d0) -> (d0 * 512)>
// CHECK-DAG: #[[$COLS:.+]] = affine_map<(d0) -> (d0 * 1024)>

// CHECK-LABEL: func.func @add_mul
// CHECK-DAG:   %[[C0:.+]] = arith.constant 0 : index
// CHECK-DAG:   %[[C1:.+]] = arith.constant 1 : index
// CHECK-DAG:   %[[C2:.+]] = arith.constant 2 : index
// CHECK-DAG:   %[[C4:.+]] = arith.constant 4 : index
// CHECK:       %[[INIT:.+]] = spyre.empty : [[FULL:tensor<1024x4096xf16, #layout>]]
// CHECK-NEXT:  %[[OUTER:.+]] = scf.for %[[I:.+]] = %[[C0]] to %[[C2]] step %[[C1]] iter_args(%[[ACC0:.+]] = %[[INIT]]) -> ([[FULL]]) {
// CHECK-NEXT:    %[[INNER:.+]] = scf.for %[[J:.+]] = %[[C0]] to %[[C4]] step %[[C1]] iter_args(%[[ACC1:.+]] = %[[ACC0]]) -> ([[FULL]]) {
// CHECK-NEXT:      %[[ROW:.+]] = affine.apply #[[$ROWS]](%[[I]])
// CHECK-NEXT:      %[[COL:.+]] = affine.apply #[[$COLS]](%[[J]])
// CHECK-NEXT:      %[[TA:.+]] = tensor.extract_slice %arg0[%[[ROW]], %[[COL]]] [512, 1024] [1, 1] : [[FULL]] to [[TILE:tensor<512x1024xf16, #layout>]]
// CHECK-NEXT:      %[[TB:.+]] = tensor.extract_slice %arg1[%[[ROW]], %[[COL]]] [512, 1024] [1, 1] : [[FULL]] to [[TILE]]
// CHECK-NEXT:      %[[Y:.+]] = spyre.add %[[TA]], %[[TB]] : [[TILE]]
// CHECK-NEXT:      %[[TC:.+]] = tensor.extract_slice %arg2[%[[ROW]], %[[COL]]] [512, 1024] [1, 1] : [[FULL]] to [[TILE]]
// CHECK-NEXT:      %[[Z:.+]] = spyre.mul %[[Y]], %[[TC]] : [[TILE]]
// CHECK-NEXT:      %[[NEXT:.+]] = tensor.insert_slice %[[Z]] into %[[ACC1]][%[[ROW]], %[[COL]]] [512, 1024] [1, 1] : [[TILE]] into [[FULL]]
// CHECK-NEXT:      scf.yield %[[NEXT]] : [[FULL]]
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.yield %[[INNER]] : [[FULL]]
// CHECK-NEXT:  }
// CHECK-NEXT:  return %[[OUTER]] : [[FULL]]
func.func @add_mul(%a: !t {spyre.dims = ["A", "B"]}, %b: !t {spyre.dims = ["A", "B"]},
                   %c: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.add %a, %b tile [0: "A" in 2, 1: "B" in 4] : !t
  %z = spyre.mul %y, %c tile [0: "A" in 2, 1: "B" in 4] : !t
  return %z : !t
}
