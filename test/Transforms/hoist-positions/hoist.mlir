// What a body computes from positions alone becomes a tensor, with a dimension for each loop that it depends on.

// RUN: spyre-opt %s --spyre-hoist-positions --canonicalize | FileCheck %s
// RUN: spyre-run %s --entry mask --random-seed 1 --check-pipeline='builtin.module(func.func(spyre-hoist-positions))' | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry nearest --random-seed 1 --check-pipeline='builtin.module(func.func(spyre-hoist-positions))' | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry border --random-seed 1 --check-pipeline='builtin.module(func.func(spyre-hoist-positions))' | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry mask --random-seed 1 --on=card --stats --compare %s --compare-entry mask 2>&1 | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry nearest --random-seed 1 --on=card --stats --compare %s --compare-entry nearest 2>&1 | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry border --random-seed 1 --on=card --float=dl16 --stats --compare %s --compare-entry border --tolerance 1e-3 2>&1 | FileCheck %s --check-prefix=CARD
// SAME: same results
// CARD: host: 0 elements
// CARD: result 0: 0 of {{[0-9]+}} elements differ

#all = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
#window = affine_map<(d0, d1) -> (d0 + d1)>
#first = affine_map<(d0, d1) -> (d0)>
#one = affine_map<(d0) -> (d0)>

// CHECK-DAG: #[[ALL:.+]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[FIRST:.+]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[SECOND:.+]] = affine_map<(d0, d1) -> (d1)>

// The names of the dimensions stay with the operation.
// CHECK-LABEL: func.func @mask(
// CHECK:         %[[MASK:.+]] = linalg.generic {indexing_maps = [#[[ALL]]], iterator_types = ["parallel", "parallel"]} outs(%{{.+}} : tensor<8x64xi1>)
// CHECK:           arith.cmpi sge
// CHECK:         linalg.generic {{.*}} ins(%{{.+}}, %[[MASK]] : tensor<8x64xf16>, tensor<8x64xi1>) {{.*}} attrs = {spyre.dims = ["rows", "columns"]}
// CHECK-NOT:       arith.cmpi
// CHECK:           arith.select
func.func @mask(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
  %low = arith.constant -3.0 : f16
  %0 = tensor.empty() : tensor<8x64xf16>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x64xf16>) outs(%0 : tensor<8x64xf16>) attrs = {spyre.dims = ["rows", "columns"]} {
  ^bb0(%in: f16, %out: f16):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %seen = arith.cmpi sge, %row, %column : index
    %r = arith.select %seen, %in, %low : f16
    linalg.yield %r : f16
  } -> tensor<8x64xf16>
  return %y : tensor<8x64xf16>
}

// Positions that are computed in floats choose from a table; they have 32 bits. The loops are in another order than the table.
// CHECK-LABEL: func.func @nearest(
// CHECK:         %[[AT:.+]] = linalg.generic {{.*}}iterator_types = ["parallel"]} outs(%{{.+}} : tensor<12xi32>)
// CHECK:         linalg.generic {indexing_maps = [#[[SECOND]], #[[ALL]]]{{.*}} ins(%[[AT]] : tensor<12xi32>)
// CHECK:           %[[INDEX:.+]] = arith.index_cast %{{.+}} : i32 to index
// CHECK:           tensor.extract %{{.+}}[%[[INDEX]], %{{.+}}]
func.func @nearest(%x: tensor<4x64xf16>) -> tensor<64x12xf16> {
  %third = arith.constant 0.333333343 : f32
  %0 = tensor.empty() : tensor<64x12xf16>
  %y = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<64x12xf16>) {
  ^bb0(%out: f16):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %i = arith.index_cast %column : index to i64
    %f = arith.sitofp %i : i64 to f32
    %s = arith.mulf %f, %third : f32
    %n = math.floor %s : f32
    %c = arith.fptosi %n : f32 to i64
    %at = arith.index_cast %c : i64 to index
    %e = tensor.extract %x[%at, %row] : tensor<4x64xf16>
    linalg.yield %e : f16
  } -> tensor<64x12xf16>
  return %y : tensor<64x12xf16>
}

// The weights of a border, in a reduction over windows.
// CHECK-LABEL: func.func @border(
// CHECK:         %[[WEIGHT:.+]] = linalg.generic {{.*}} outs(%{{.+}} : tensor<62xf32>)
// CHECK:           arith.divf
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%{{.+}}, %{{.+}}, %[[WEIGHT]] : tensor<64xf32>, tensor<3xf32>, tensor<62xf32>)
// CHECK-NOT:       arith.divf
// CHECK:           arith.mulf
// CHECK:           arith.addf
func.func @border(%x: tensor<64xf32>, %w: tensor<3xf32>) -> tensor<62xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %0 = tensor.empty() : tensor<62xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<62xf32>) -> tensor<62xf32>
  %y = linalg.generic {indexing_maps = [#window, affine_map<(d0, d1) -> (d1)>, #first], iterator_types = ["parallel", "reduction"]} ins(%x, %w : tensor<64xf32>, tensor<3xf32>) outs(%1 : tensor<62xf32>) {
  ^bb0(%in: f32, %k: f32, %out: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %more = arith.addf %f, %one : f32
    %weight = arith.divf %one, %more : f32
    %m = arith.mulf %in, %weight : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<62xf32>
  return %y : tensor<62xf32>
}

// A position stays in the body, and so does what depends on an element.
// CHECK-LABEL: func.func @stays(
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @stays(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = tensor.empty() : tensor<4xi32>
  %y = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%x : tensor<4xi32>) outs(%0 : tensor<4xi32>) {
  ^bb0(%in: i32, %out: i32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %r = arith.addi %in, %n : i32
    linalg.yield %r : i32
  } -> tensor<4xi32>
  return %y : tensor<4xi32>
}
