// What a nest stores through a view, or over another buffer, is where it was.

// RUN: spyre-opt %s --inductor-decide-layout | FileCheck %s
// RUN: spyre-opt %s --convert-inductor-to-linalg -o %t.before.mlir
// RUN: spyre-opt %s --inductor-decide-layout --convert-inductor-to-linalg -o %t.after.mlir
// RUN: spyre-run %t.before.mlir --entry views --random-seed 1 --compare %t.after.mlir | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t.before.mlir --entry over --random-seed 1 --compare %t.after.mlir | FileCheck %s --check-prefix=SAME

// SAME: result 0: 0 of 32 elements differ
// SAME-NOT: {{[1-9][0-9]*}} of

#id = affine_map<(d0, d1) -> (d0, d1)>
#swap = affine_map<(d0, d1) -> (d1, d0)>
#line = affine_map<(d0, d1) -> (d0 * 8 + d1)>
#columns = #inductor.layout<fixed, [1, 8], size = [8, 4]>
#elements = #inductor.layout<fixed, [1], size = [32]>
!rows = tensor<4x8xf32, #inductor.layout<fixed, [8, 1]>>
!turned = tensor<4x8xf32, #inductor.layout<fixed, [1, 4]>>
!f = tensor<4x8xf32, #inductor.layout<flexible, [8, 1]>>

// CHECK-DAG: #[[ROWS:layout[0-9]*]] = #inductor.layout<fixed, [8, 1]>
// CHECK-DAG: #[[TURNED:layout[0-9]*]] = #inductor.layout<fixed, [1, 4]>

// CHECK-LABEL: inductor.graph @views
inductor.graph @views {
  %x = inductor.input "x" : !rows
  // The loops of the view would say that rows are columns.
  // CHECK: inductor.pointwise "op0"
  // CHECK: } : tensor<4x8xf32, #[[ROWS]]>
  %0 = inductor.pointwise "op0" as "buf0" [4, 8] {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at #id(%i, %j) : !rows -> f32
    inductor.store %v at #swap(%i, %j) view #columns : f32
  } : !f
  // A view of other dimensions.
  // CHECK: inductor.pointwise "op1"
  // CHECK: } : tensor<4x8xf32, #[[ROWS]]>
  %1 = inductor.pointwise "op1" as "buf1" [4, 8] {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at #id(%i, %j) : !rows -> f32
    inductor.store %v at #line(%i, %j) view #elements : f32
  } : !f
  inductor.return %0, %1 : !f, !f
}

// CHECK-LABEL: inductor.graph @over
inductor.graph @over {
  %x = inductor.input "x" : !turned
  %y = inductor.input "y" : !rows
  // CHECK: %[[MADE:.*]] = inductor.pointwise "op0"
  // CHECK: } : tensor<4x8xf32, #[[TURNED]]>
  %0 = inductor.pointwise "op0" as "buf0" [4, 8] {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at #id(%i, %j) : !turned -> f32
    inductor.store %v at #id(%i, %j) : f32
  } : !f
  // It reads rows, and writes what is in columns.
  // CHECK: inductor.pointwise "op1" as "buf1" [4, 8] into %[[MADE]] : tensor<4x8xf32, #[[TURNED]]>
  // CHECK: } : tensor<4x8xf32, #[[TURNED]]>
  %1 = inductor.pointwise "op1" as "buf1" [4, 8] into %0 : !f {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %y at #id(%i, %j) : !rows -> f32
    inductor.store %v at #id(%i, %j) : f32
  } : !f
  inductor.return %1 : !f
}
