// Buffers are filled in the order in which their makers read.

// RUN: spyre-opt %s --inductor-decide-layout --split-input-file --verify-diagnostics | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
!t = tensor<10x3840xf32, #inductor.layout<fixed, [3840, 1]>>
!c = tensor<10x3840xf32, #inductor.layout<fixed, [1, 10]>>
!f = tensor<10x3840xf32, #inductor.layout<flexible, [3840, 1]>>

// CHECK-DAG: #[[ROWS:layout[0-9]*]] = #inductor.layout<fixed, [3840, 1]>
// CHECK-DAG: #[[COLUMNS:layout[0-9]*]] = #inductor.layout<fixed, [1, 10]>

// CHECK-LABEL: inductor.graph @keepdim
inductor.graph @keepdim {
  %x = inductor.input "x" : !t
  // A dimension of one element is the outermost.
  // CHECK: inductor.reduction "op0"
  // CHECK: } : tensor<10x1xf32, #[[COLUMNS]]>
  %m = inductor.reduction "op0" as "buf0" max [10, 1] over [3840] from f32 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !t -> f32
    inductor.store %0 at affine_map<(d0, d1) -> (d0, 0)>(%i, %j) : f32
  } : tensor<10x1xf32, #inductor.layout<flexible, [1, 1]>>
  inductor.return %m : tensor<10x1xf32, #inductor.layout<flexible, [1, 1]>>
}

// CHECK-LABEL: inductor.graph @majority
inductor.graph @majority {
  %x = inductor.input "x" : !t
  %y = inductor.input "y" : !c
  %z = inductor.input "z" : !c
  // Two loads out of three want columns; the second nest reads rows, and the first one's columns.
  // CHECK: inductor.pointwise "op0"
  // CHECK: } : tensor<10x3840xf32, #[[COLUMNS]]>
  %a = inductor.pointwise "op0" as "buf0" [10, 3840] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !t -> f32
    %1 = inductor.load %y at #id(%i, %j) : !c -> f32
    %2 = inductor.load %z at #id(%i, %j) : !c -> f32
    %3 = arith.addf %0, %1 : f32
    %4 = arith.addf %3, %2 : f32
    inductor.store %4 at #id(%i, %j) : f32
  } : !f
  // CHECK: inductor.pointwise "op1"
  // CHECK: inductor.load %buf0 {{.*}} : tensor<10x3840xf32, #[[COLUMNS]]> -> f32
  // CHECK: } : tensor<10x3840xf32, #[[ROWS]]>
  %b = inductor.pointwise "op1" as "buf1" [10, 3840] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !t -> f32
    %1 = inductor.load %a at #id(%i, %j) : !f -> f32
    %2 = arith.addf %0, %1 : f32
    inductor.store %2 at #id(%i, %j) : f32
  } : !f
  // What reads nothing keeps the layout that was guessed.
  // CHECK: inductor.pointwise "op2"
  // CHECK: } : tensor<10x3840xf32, #[[ROWS]]>
  %c = inductor.pointwise "op2" as "buf2" [10, 3840] {
  ^bb0(%i: index, %j: index):
    %0 = arith.constant 1.0 : f32
    inductor.store %0 at #id(%i, %j) : f32
  } : !f
  inductor.return %b, %c : !f, !f
}

// -----

!c = tensor<4x6xf32, #inductor.layout<fixed, [1, 4]>>
!f = tensor<4x6xf32, #inductor.layout<flexible, [6, 1]>>
#id = affine_map<(d0, d1) -> (d0, d1)>
inductor.graph @viewed {
  %x = inductor.input "x" : !c
  // expected-error @+1 {{a view of its memory would no longer have its elements}}
  %a = inductor.pointwise "op0" as "buf0" [4, 6] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !c -> f32
    inductor.store %0 at #id(%i, %j) : f32
  } : !f
  // expected-note @+1 {{the view is here}}
  %v = inductor.view %a : !f -> tensor<24xf32, #inductor.layout<fixed, [1]>>
  inductor.return %v : tensor<24xf32, #inductor.layout<fixed, [1]>>
}

// -----

// What is written over a buffer is in its memory, and may not be a view of it as it was.
#id = affine_map<(d0, d1) -> (d0, d1)>
!turned = tensor<4x8xf32, #inductor.layout<fixed, [1, 4]>>
!f = tensor<4x8xf32, #inductor.layout<flexible, [8, 1]>>

inductor.graph @over {
  %x = inductor.input "x" : !turned
  // expected-error @+1 {{a view of its memory would no longer have its elements}}
  %0 = inductor.pointwise "op0" as "buf0" [4, 8] {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at #id(%i, %j) : !turned -> f32
    inductor.store %v at #id(%i, %j) : f32
  } : !f
  // expected-note @+1 {{the view is here}}
  %1 = inductor.pointwise "op1" as "buf1" [4, 8] into %0 : !f {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at #id(%i, %j) : !turned -> f32
    inductor.store %v at affine_map<(d0, d1) -> (d1, d0)>(%i, %j) view <fixed, [1, 8], size = [8, 4]> : f32
  } : !f
  inductor.return %1 : !f
}
