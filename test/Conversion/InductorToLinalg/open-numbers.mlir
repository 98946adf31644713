// Numbers that a graph computes from sizes that are left open: the number of elements of a mean, along one open size and along two, and a
// power of a size. The host computes them, and the device reads them from a tensor of one element.

// RUN: spyre-opt %s --convert-inductor-to-linalg="sizes=s0=64:256,s1=64:128" -o %t
// RUN: FileCheck %s --input-file %t
// RUN: spyre-opt %s --convert-inductor-to-linalg="sizes=s0=64,s1=128" -o %t.fixed
// RUN: spyre-run %t --entry mean --size s0=64 --size s1=128 --random-seed 1 --compare %t.fixed --compare-entry mean | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t --entry of_all --size s0=64 --size s1=128 --random-seed 1 --compare %t.fixed --compare-entry of_all | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t --entry square --size s0=64 --size s1=128 --random-seed 1 --compare %t.fixed --compare-entry square | FileCheck %s --check-prefix=SAME
// SAME: result 0: 0 of {{64|8192}} elements differ

// One bundle for the smallest sizes, twice the smallest and the largest.
// RUN: spyre-run %t --entry mean --size s0=64 --size s1=64 --on=card --float=dl16 --integers 2 --random-seed 2 --compare %t --compare-entry mean --stats 2>&1 | FileCheck %s --check-prefix=CARD --implicit-check-not="not for all"
// RUN: spyre-run %t --entry mean --size s0=128 --size s1=128 --on=card --float=dl16 --integers 2 --random-seed 2 --compare %t --compare-entry mean --stats 2>&1 | FileCheck %s --check-prefix=CARD --implicit-check-not="not for all"
// RUN: spyre-run %t --entry mean --size s0=256 --size s1=128 --on=card --float=dl16 --integers 2 --random-seed 2 --compare %t --compare-entry mean --stats 2>&1 | FileCheck %s --check-prefix=CARD --implicit-check-not="not for all"
// RUN: spyre-run %t --entry of_all --size s0=192 --size s1=64 --on=card --float=dl16 --integers 2 --random-seed 2 --compare %t --compare-entry of_all --stats 2>&1 | FileCheck %s --check-prefix=CARD
// CARD: device: @{{mean|of_all}}_device_0
// CARD: result 0: 0 of {{[0-9]+}} elements differ

#rows = #inductor.layout<fixed, [s1, 1], size = [s0, s1]>
#means = #inductor.layout<fixed, [1], size = [s0]>
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// The rows, which the result has, are cut outside of the columns, which are summed.
// CHECK-LABEL: func.func @mean(
// CHECK:         %[[COLUMNS:.+]] = tensor.dim %arg0, %c1
// CHECK:         %[[WIDE:.+]] = arith.index_cast %[[COLUMNS]] : index to i64
// CHECK:         %[[NUMBER:.+]] = arith.sitofp %[[WIDE]] : i64 to f32
// CHECK:         %[[READ:.+]] = tensor.from_elements %[[NUMBER]] : tensor<f32>
// CHECK:         linalg.generic {{.*}} spyre.tile = [#spyre.tile_hint<0 : "s0" by 64>, #spyre.tile_hint<1 : "s1" by 64>]
// CHECK:         linalg.generic {{.*}} ins(%{{.+}}, %[[READ]] : tensor<?xf16>, tensor<f32>)
// CHECK-NEXT:    ^bb0(%[[SUM:.+]]: f16, %[[COUNT:.+]]: f32, %{{.+}}: f16):
// CHECK-NEXT:      %[[WIDER:.+]] = arith.extf %[[SUM]] : f16 to f32
// CHECK-NEXT:      arith.divf %[[WIDER]], %[[COUNT]] : f32
inductor.graph @mean symbols [#inductor.sym<"s0", hint = 10, min = 2>, #inductor.sym<"s1", hint = 6, min = 2>] {
  %x = inductor.input "x" : tensor<?x?xf16, #rows>
  %s = inductor.reduction "op0" as "buf0" sum [s0] over [s1] from f32 {
  ^bb0(%i: index, %j: index):
    %a = inductor.load %x at #all(%i, %j) : tensor<?x?xf16, #rows> -> f32
    inductor.store %a at #row(%i, %j) : f32
  } : tensor<?xf16, #means>
  %m = inductor.pointwise "op1" as "buf1" [s0] {
  ^bb0(%i: index):
    %a = inductor.load %s at affine_map<(d0) -> (d0)>(%i) : tensor<?xf16, #means> -> f32
    %n = inductor.index_expr affine_map<(d0)[s0, s1] -> (s1)>(%i) : i64
    %f = inductor.to_dtype %n from i64 to f32 : i64 -> f32
    %y = arith.divf %a, %f : f32
    inductor.store %y at affine_map<(d0) -> (d0)>(%i) : f32
  } : tensor<?xf16, #means>
  inductor.return %m outputs [#inductor.operand<0>] : tensor<?xf16, #means>
}

// CHECK-LABEL: func.func @of_all(
// CHECK:         %[[BOTH:.+]] = arith.muli %{{.+}}, %{{.+}} : index
// CHECK:         arith.index_cast %[[BOTH]] : index to i64
inductor.graph @of_all symbols [#inductor.sym<"s0", hint = 10, min = 2>, #inductor.sym<"s1", hint = 6, min = 2>] {
  %x = inductor.input "x" : tensor<?x?xf16, #rows>
  %y = inductor.pointwise "op0" as "buf0" [s0, s1] {
  ^bb0(%i: index, %j: index):
    %a = inductor.load %x at #all(%i, %j) : tensor<?x?xf16, #rows> -> f32
    %n = inductor.index_expr affine_map<(d0, d1)[s0, s1] -> (s0 * s1)>(%i, %j) : i64
    %f = inductor.to_dtype %n from i64 to f32 : i64 -> f32
    %q = arith.divf %a, %f : f32
    inductor.store %q at #all(%i, %j) : f32
  } : tensor<?x?xf16, #rows>
  inductor.return %y outputs [#inductor.operand<0>] : tensor<?x?xf16, #rows>
}

// CHECK-LABEL: func.func @square(
// CHECK:         %[[SIZE:.+]] = tensor.dim %arg0, %c0
// CHECK:         %[[TWO:.+]] = arith.muli %{{.+}}, %[[SIZE]] : index
// CHECK:         %[[SQUARE:.+]] = arith.muli %[[TWO]], %[[SIZE]] : index
// CHECK:         arith.index_cast %[[SQUARE]] : index to i64
inductor.graph @square symbols [#inductor.sym<"s0", hint = 10, min = 2>, #inductor.sym<"s1", hint = 6, min = 2>] {
  %x = inductor.input "x" : tensor<?x?xf16, #rows>
  %y = inductor.pointwise "op0" as "buf0" [s0, s1] {
  ^bb0(%i: index, %j: index):
    %a = inductor.load %x at #all(%i, %j) : tensor<?x?xf16, #rows> -> f32
    %n = inductor.index_expr affine_map<(d0, d1)[s0, s1] -> (s0 * s0 * 2)>(%i, %j) : i64
    %f = inductor.to_dtype %n from i64 to f32 : i64 -> f32
    %q = arith.divf %a, %f : f32
    inductor.store %q at #all(%i, %j) : f32
  } : tensor<?x?xf16, #rows>
  inductor.return %y outputs [#inductor.operand<0>] : tensor<?x?xf16, #rows>
}
