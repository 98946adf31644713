// Nests that differ in nothing but their buffers are read once, and have their own dependences and layouts.

// RUN: spyre-opt %s --inductor-decide-layout | FileCheck %s
// RUN: spyre-opt %s --inductor-decide-layout --inductor-deps --remarks-filter=inductor-deps --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=DEPS

#id = affine_map<(d0, d1) -> (d0, d1)>
#swapped = affine_map<(d0, d1) -> (d1, d0)>
!t = tensor<40x40xf32, #inductor.layout<fixed, [40, 1]>>
!c = tensor<40x40xf32, #inductor.layout<fixed, [1, 40]>>
!f = tensor<40x40xf32, #inductor.layout<flexible, [40, 1]>>

// CHECK-DAG: #[[ROWS:layout[0-9]*]] = #inductor.layout<fixed, [40, 1]>
// CHECK-DAG: #[[COLUMNS:layout[0-9]*]] = #inductor.layout<fixed, [1, 40]>

inductor.graph @alike {
  %x = inductor.input "x" : !t
  %y = inductor.input "y" : !c
  %z = inductor.input "z" : !c
  // Two buffers of columns and one of rows.
  // CHECK: inductor.pointwise "op0"
  // CHECK: } : tensor<40x40xf32, #[[COLUMNS]]>
  // DEPS: Operation=op0, Reads="MemoryDep('x', c0 + 40*c1, {c0: 40, c1: 40}), MemoryDep('y', c0, {c0: 1600}), MemoryDep('z', c0, {c0: 1600})", Users
  %a = inductor.pointwise "op0" as "buf0" [40, 40] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !t -> f32
    %1 = inductor.load %y at #id(%i, %j) : !c -> f32
    %2 = inductor.load %z at #id(%i, %j) : !c -> f32
    %3 = arith.addf %0, %1 : f32
    %4 = arith.addf %3, %2 : f32
    inductor.store %4 at #id(%i, %j) : f32
  } : !f
  // The same loads, and one buffer of each: it is read once, and neither order has more.
  // CHECK: inductor.pointwise "op1"
  // CHECK: } : tensor<40x40xf32, #[[ROWS]]>
  // DEPS: Operation=op1, Reads="MemoryDep('x', c0, {c0: 1600}), MemoryDep('y', c0 + 40*c1, {c0: 40, c1: 40})", Users
  %b = inductor.pointwise "op1" as "buf1" [40, 40] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !t -> f32
    %1 = inductor.load %y at #id(%i, %j) : !c -> f32
    %2 = inductor.load %y at #id(%i, %j) : !c -> f32
    %3 = arith.addf %0, %1 : f32
    %4 = arith.addf %3, %2 : f32
    inductor.store %4 at #id(%i, %j) : f32
  } : !f
  // Like the first one, of other buffers.
  // CHECK: inductor.pointwise "op2"
  // CHECK: } : tensor<40x40xf32, #[[COLUMNS]]>
  // DEPS: Operation=op2, Reads="MemoryDep('x', c0 + 40*c1, {c0: 40, c1: 40}), MemoryDep('z', c0, {c0: 1600}), MemoryDep('y', c0, {c0: 1600})", Users
  %c = inductor.pointwise "op2" as "buf2" [40, 40] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !t -> f32
    %1 = inductor.load %z at #id(%i, %j) : !c -> f32
    %2 = inductor.load %y at #id(%i, %j) : !c -> f32
    %3 = arith.addf %0, %1 : f32
    %4 = arith.addf %3, %2 : f32
    inductor.store %4 at #id(%i, %j) : f32
  } : !f
  // Like no other one: its loads have other maps.
  // CHECK: inductor.pointwise "op3"
  // CHECK: } : tensor<40x40xf32, #[[ROWS]]>
  // DEPS: Operation=op3, Reads="MemoryDep('x', c0, {c0: 1600}), MemoryDep('y', c0, {c0: 1600}), MemoryDep('z', c0, {c0: 1600})", Users
  %d = inductor.pointwise "op3" as "buf3" [40, 40] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !t -> f32
    %1 = inductor.load %y at #swapped(%i, %j) : !c -> f32
    %2 = inductor.load %z at #swapped(%i, %j) : !c -> f32
    %3 = arith.addf %0, %1 : f32
    %4 = arith.addf %3, %2 : f32
    inductor.store %4 at #id(%i, %j) : f32
  } : !f
  inductor.return %a, %b, %c, %d : !f, !f, !f, !f
}
