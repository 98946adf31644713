// What a graph computes with the sizes that are left open: numbers, subscripts from the end, elements outside of a size, and loops over
// products of sizes that no access cuts.

// RUN: spyre-opt %s --convert-inductor-to-linalg="sizes=s0=16:64,s1=16:64" -o %t
// RUN: FileCheck %s --input-file %t
// RUN: spyre-opt %s --convert-inductor-to-linalg="sizes=s0=32,s1=48" -o %t.fixed
// RUN: spyre-run %t --entry less_one --size s0=32 --size s1=48 --random-seed 1 --compare %t.fixed --compare-entry less_one | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t --entry backwards --size s0=32 --size s1=48 --random-seed 1 --compare %t.fixed --compare-entry backwards | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t --entry shifted --size s0=32 --size s1=48 --random-seed 1 --compare %t.fixed --compare-entry shifted | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t --entry first_rows --size s0=32 --size s1=48 --random-seed 1 --compare %t.fixed --compare-entry first_rows | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t --entry numbered --size s0=32 --size s1=48 --random-seed 1 --compare %t.fixed --compare-entry numbered | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t --entry variance --size s0=32 --size s1=48 --random-seed 1 --integers 4 --compare %t.fixed --compare-entry variance | FileCheck %s --check-prefix=SAME
// SAME: result 0: 0 of {{[0-9]+}} elements differ

#rows = #inductor.layout<fixed, [s1, 1], size = [s0, s1]>
#line = #inductor.layout<fixed, [1], size = [s0]>
#all = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @less_one(
// CHECK:         %[[SIZE:.+]] = tensor.dim %arg0, %c0
// CHECK:         %[[LESS:.+]] = arith.addi %[[SIZE]], %c-1
// CHECK:         %[[NUMBER:.+]] = arith.sitofp
// CHECK:         tensor.from_elements %[[NUMBER]] : tensor<f32>
inductor.graph @less_one symbols [#inductor.sym<"s0", hint = 64>, #inductor.sym<"s1", hint = 64>] {
  %x = inductor.input "x" : tensor<?x?xf32, #rows>
  %y = inductor.pointwise "op0" as "buf0" [s0, s1] {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at #all(%i, %j) : tensor<?x?xf32, #rows> -> f32
    %n = inductor.index_expr affine_map<(d0, d1)[s0] -> (s0 - 1)>(%i, %j) : f32
    %w = arith.divf %v, %n : f32
    inductor.store %w at #all(%i, %j) : f32
  } : tensor<?x?xf32, #rows>
  inductor.return %y outputs [#inductor.operand<0>] : tensor<?x?xf32, #rows>
}

// CHECK-LABEL: func.func @backwards(
// CHECK:         tensor.extract %arg0
inductor.graph @backwards symbols [#inductor.sym<"s0", hint = 64>, #inductor.sym<"s1", hint = 64>] {
  %x = inductor.input "x" : tensor<?x?xf32, #rows>
  %y = inductor.pointwise "op0" as "buf0" [s0, s1] {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at affine_map<(d0, d1)[s0] -> (s0 - 1 - d0, d1)>(%i, %j) : tensor<?x?xf32, #rows> -> f32
    inductor.store %v at #all(%i, %j) : f32
  } : tensor<?x?xf32, #rows>
  inductor.return %y outputs [#inductor.operand<0>] : tensor<?x?xf32, #rows>
}

// The element before each one, and 0 for the first.
// CHECK-LABEL: func.func @shifted(
// CHECK:         arith.maxsi
// CHECK:         arith.minsi
// CHECK:         tensor.extract %arg0
inductor.graph @shifted symbols [#inductor.sym<"s0", hint = 64>, #inductor.sym<"s1", hint = 64>] {
  %x = inductor.input "x" : tensor<?x?xf32, #rows>
  %y = inductor.pointwise "op0" as "buf0" [s0, s1] {
  ^bb0(%i: index, %j: index):
    %n = inductor.index_expr affine_map<(d0, d1) -> (d0 - 1)>(%i, %j) : i64
    %c = arith.constant 0 : i64
    %m = arith.cmpi sge, %n, %c : i64
    %v = inductor.masked %m else 0.0 : f32 {
      %w = inductor.load %x at affine_map<(d0, d1) -> (d0 - 1, d1)>(%i, %j) : tensor<?x?xf32, #rows> -> f32
      inductor.yield %w : f32
    } : f32
    inductor.store %v at #all(%i, %j) : f32
  } : tensor<?x?xf32, #rows>
  inductor.return %y outputs [#inductor.operand<0>] : tensor<?x?xf32, #rows>
}

// The smallest size has 16 rows.
// CHECK-LABEL: func.func @first_rows(
// CHECK:         tensor.extract_slice %arg0[0, 0] [16, %{{.+}}] [1, 1]
inductor.graph @first_rows symbols [#inductor.sym<"s0", hint = 64>, #inductor.sym<"s1", hint = 64>] {
  %x = inductor.input "x" : tensor<?x?xf32, #rows>
  %y = inductor.pointwise "op0" as "buf0" [16, s1] {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at #all(%i, %j) : tensor<?x?xf32, #rows> -> f32
    inductor.store %v at #all(%i, %j) : f32
  } : tensor<16x?xf32, #inductor.layout<fixed, [s1, 1], size = [16, s1]>>
  inductor.return %y outputs [#inductor.operand<0>] : tensor<16x?xf32, #inductor.layout<fixed, [s1, 1], size = [16, s1]>>
}

// No access cuts the loop over the product of the sizes: it has a digit for each of them.
// CHECK-LABEL: func.func @numbered(
// CHECK:         tensor.empty(%{{.+}}, %{{.+}}) : tensor<?x?x4xf32>
// CHECK-NOT:     collapse_shape
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "reduction", "reduction"]}
inductor.graph @numbered symbols [#inductor.sym<"s0", hint = 64>, #inductor.sym<"s1", hint = 64>] {
  %x = inductor.input "x" : tensor<?x?xf32, #rows>
  %n = inductor.pointwise "op0" as "buf0" [s0 * s1 * 4] {
  ^bb0(%i: index):
    %v = inductor.index_expr affine_map<(d0) -> (d0)>(%i) : f32
    inductor.store %v at affine_map<(d0) -> (d0)>(%i) : f32
  } : tensor<?xf32, #inductor.layout<fixed, [1], size = [s0 * s1 * 4]>>
  %y = inductor.reduction "op1" as "buf1" max [s0] over [s1, 4] from f32 {
  ^bb0(%i: index, %j: index, %k: index):
    %v = inductor.load %n at affine_map<(d0, d1, d2)[s0, s1] -> (d0 * s1 * 4 + d1 * 4 + d2)>(%i, %j, %k) : tensor<?xf32, #inductor.layout<fixed, [1], size = [s0 * s1 * 4]>> -> f32
    inductor.store %v at affine_map<(d0, d1, d2) -> (d0)>(%i, %j, %k) : f32
  } : tensor<?xf32, #line>
  inductor.return %y outputs [#inductor.operand<0>] : tensor<?xf32, #line>
}

// A variance divides by a number of elements that is computed.
// CHECK-LABEL: func.func @variance(
// CHECK:         arith.muli
// CHECK:         tensor.from_elements
inductor.graph @variance symbols [#inductor.sym<"s0", hint = 64>, #inductor.sym<"s1", hint = 64>] {
  %x = inductor.input "x" : tensor<?x?xf32, #rows>
  %y = inductor.reduction "op0" as "buf0" welford_reduce [1] over [s0, s1] from f32 output 1 {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at #all(%i, %j) : tensor<?x?xf32, #rows> -> f32
    inductor.store %v at affine_map<(d0, d1) -> (0)>(%i, %j) : f32
  } : tensor<1xf32, #inductor.layout<fixed, [1]>>
  inductor.return %y outputs [#inductor.operand<0>] : tensor<1xf32, #inductor.layout<fixed, [1]>>
}
