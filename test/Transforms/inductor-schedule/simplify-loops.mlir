// Loops that are one are merged, and the one with the smallest strides is the innermost. The numbers stay.

// RUN: spyre-opt %s --inductor-simplify-loops | FileCheck %s
// RUN: spyre-opt %s --inductor-simplify-loops --convert-inductor-to-linalg -o %t
// RUN: spyre-opt %s --convert-inductor-to-linalg -o %t.0
// RUN: spyre-run %t --entry merged --random-seed 1 --compare %t.0
// RUN: spyre-run %t --entry transposed --random-seed 1 --compare %t.0
// RUN: spyre-run %t --entry rows --random-seed 1 --compare %t.0
// RUN: spyre-run %t --entry window --random-seed 1 --compare %t.0

#id = affine_map<(d0, d1) -> (d0, d1)>
!t = tensor<30x40xf32, #inductor.layout<fixed, [40, 1]>>
!c = tensor<30x40xf32, #inductor.layout<fixed, [1, 30]>>
!r = tensor<2x3x20xf32, #inductor.layout<fixed, [60, 20, 1]>>
!m = tensor<2x3xf32, #inductor.layout<fixed, [3, 1]>>

// CHECK-DAG: #[[LINE:layout[0-9]*]] = #inductor.layout<fixed, [1], size = [1200]>

// (30, 40) is ([1200], []).
// CHECK-LABEL: inductor.graph @merged
inductor.graph @merged {
  %x = inductor.input "x" : !t
  // CHECK: inductor.pointwise "op0" as "buf0" [30, 40] loops [1200] {
  // CHECK-NEXT: ^bb0(%i0: index):
  // CHECK-NEXT: %[[V:.*]] = inductor.load %x at #{{map[0-9]*}}(%i0) view #[[LINE]] : tensor<30x40xf32, {{.*}}> -> f32
  // CHECK-NEXT: inductor.store %[[V]] at #{{map[0-9]*}}(%i0) view #[[LINE]] : f32
  %y = inductor.pointwise "op0" as "buf0" [30, 40] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !t -> f32
    inductor.store %0 at #id(%i, %j) : f32
  } : !t
  inductor.return %y : !t
}

// Columns are read and written: the loop over rows is the inner one. Its subscripts stay.
// CHECK-LABEL: inductor.graph @transposed
inductor.graph @transposed {
  %x = inductor.input "x" : !c
  %z = inductor.input "z" : !t
  // CHECK: inductor.pointwise "op0" as "buf0" [30, 40] loops [40, 30] {
  // CHECK: inductor.load %x at #[[SWAP:map[0-9]*]](%i0, %i1) : tensor<30x40xf32
  // CHECK: inductor.load %z at #[[SWAP]](%i0, %i1) : tensor<30x40xf32
  // CHECK: inductor.store %{{.*}} at #[[SWAP]](%i0, %i1) : f32
  %y = inductor.pointwise "op0" as "buf0" [30, 40] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !c -> f32
    %1 = inductor.load %z at #id(%i, %j) : !t -> f32
    %2 = arith.subf %0, %1 : f32
    inductor.store %2 at #id(%i, %j) : f32
  } : !c
  inductor.return %y : !c
}

// A reduction keeps its loops apart from the others.
// CHECK-LABEL: inductor.graph @rows
inductor.graph @rows {
  %x = inductor.input "x" : !r
  // CHECK: inductor.reduction "op0" as "buf0" sum [2, 3] over [20] loops [6, 20] from f32 {
  %y = inductor.reduction "op0" as "buf0" sum [2, 3] over [20] from f32 {
  ^bb0(%i: index, %j: index, %k: index):
    %0 = inductor.load %x at affine_map<(d0, d1, d2) -> (d0, d1, d2)>(%i, %j, %k) : !r -> f32
    inductor.store %0 at affine_map<(d0, d1, d2) -> (d0, d1)>(%i, %j, %k) : f32
  } : !m
  inductor.return %y : !m
}

// Rows of a window are not next to each other, so nothing changes.
// CHECK-LABEL: inductor.graph @window
inductor.graph @window {
  %x = inductor.input "x" : !t
  // CHECK: inductor.pointwise "op0" as "buf0" [2, 3] {
  %y = inductor.pointwise "op0" as "buf0" [2, 3] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !t -> f32
    inductor.store %0 at #id(%i, %j) : f32
  } : !m
  inductor.return %y : !m
}
