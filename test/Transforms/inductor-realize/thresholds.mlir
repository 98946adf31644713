// Which expressions are buffers: a graph on each side of every threshold. The numbers stay.

// RUN: spyre-opt %s --inductor-realize -o %t.1
// RUN: FileCheck %s --input-file %t.1
// RUN: spyre-opt %s --convert-inductor-to-linalg -o %t.0
// RUN: spyre-opt %t.1 --convert-inductor-to-linalg -o %t
// RUN: spyre-run %t --entry loads_4_of_readers --random-seed 1 --compare %t.0
// RUN: spyre-run %t --entry loads_5_of_readers --random-seed 1 --compare %t.0
// RUN: spyre-run %t --entry values_30_of_readers --random-seed 1 --compare %t.0
// RUN: spyre-run %t --entry values_31_of_readers --random-seed 1 --compare %t.0
// RUN: spyre-run %t --entry loads_8 --random-seed 1 --compare %t.0
// RUN: spyre-run %t --entry loads_9 --random-seed 1 --compare %t.0
// RUN: spyre-run %t --entry values_30 --random-seed 1 --compare %t.0
// RUN: spyre-run %t --entry values_31 --random-seed 1 --compare %t.0
// RUN: spyre-run %t --entry values_31_of_one_load --random-seed 1 --compare %t.0
// RUN: spyre-run %t --entry values_100 --random-seed 1 --compare %t.0
// RUN: spyre-run %t --entry values_101 --random-seed 1 --compare %t.0
// RUN: spyre-run %t --entry loads_9_at_numbers --random-seed 1 --compare %t.0
// RUN: spyre-run %t --entry loads_9_of_one --random-seed 1 --compare %t.0

#id = affine_map<(d0) -> (d0)>
!t = tensor<64xf32, #inductor.layout<flexible, [1]>>

// Two readers compute 4 loads.
// CHECK-LABEL: inductor.graph @loads_4_of_readers
// CHECK-NOT: "op0"
// CHECK: inductor.pointwise "op1"
inductor.graph @loads_4_of_readers {
  %x0 = inductor.input "x0" : !t
  %x1 = inductor.input "x1" : !t
  %x2 = inductor.input "x2" : !t
  %x3 = inductor.input "x3" : !t
  %e = inductor.pointwise "op0" as "e" [64] {
  ^bb0(%i: index):
    %l0 = inductor.load %x0 at #id(%i) : !t -> f32
    %l1 = inductor.load %x1 at #id(%i) : !t -> f32
    %l2 = inductor.load %x2 at #id(%i) : !t -> f32
    %l3 = inductor.load %x3 at #id(%i) : !t -> f32
    %s1 = arith.addf %l0, %l1 : f32
    %s2 = arith.addf %s1, %l2 : f32
    %s3 = arith.addf %s2, %l3 : f32
    inductor.store %s3 at #id(%i) : f32
  } : !t
  %a = inductor.pointwise "op1" as "a" [64] {
  ^bb0(%i: index):
    %v0 = inductor.load %e at #id(%i) : !t -> f32
    %v1 = math.absf %v0 : f32
    inductor.store %v1 at #id(%i) : f32
  } : !t
  %b = inductor.pointwise "op2" as "b" [64] {
  ^bb0(%i: index):
    %v0 = inductor.load %e at #id(%i) : !t -> f32
    %v1 = arith.negf %v0 : f32
    inductor.store %v1 at #id(%i) : f32
  } : !t
  inductor.return %a, %b outputs [#inductor.operand<0>, #inductor.operand<1>] : !t, !t
}

// They do not compute 5.
// CHECK-LABEL: inductor.graph @loads_5_of_readers
// CHECK: inductor.pointwise "op0"
inductor.graph @loads_5_of_readers {
  %x0 = inductor.input "x0" : !t
  %x1 = inductor.input "x1" : !t
  %x2 = inductor.input "x2" : !t
  %x3 = inductor.input "x3" : !t
  %x4 = inductor.input "x4" : !t
  %e = inductor.pointwise "op0" as "e" [64] {
  ^bb0(%i: index):
    %l0 = inductor.load %x0 at #id(%i) : !t -> f32
    %l1 = inductor.load %x1 at #id(%i) : !t -> f32
    %l2 = inductor.load %x2 at #id(%i) : !t -> f32
    %l3 = inductor.load %x3 at #id(%i) : !t -> f32
    %l4 = inductor.load %x4 at #id(%i) : !t -> f32
    %s1 = arith.addf %l0, %l1 : f32
    %s2 = arith.addf %s1, %l2 : f32
    %s3 = arith.addf %s2, %l3 : f32
    %s4 = arith.addf %s3, %l4 : f32
    inductor.store %s4 at #id(%i) : f32
  } : !t
  %a = inductor.pointwise "op1" as "a" [64] {
  ^bb0(%i: index):
    %v0 = inductor.load %e at #id(%i) : !t -> f32
    %v1 = math.absf %v0 : f32
    inductor.store %v1 at #id(%i) : f32
  } : !t
  %b = inductor.pointwise "op2" as "b" [64] {
  ^bb0(%i: index):
    %v0 = inductor.load %e at #id(%i) : !t -> f32
    %v1 = arith.negf %v0 : f32
    inductor.store %v1 at #id(%i) : f32
  } : !t
  inductor.return %a, %b outputs [#inductor.operand<0>, #inductor.operand<1>] : !t, !t
}

// Two readers compute 30 values.
// CHECK-LABEL: inductor.graph @values_30_of_readers
// CHECK-NOT: "op0"
// CHECK: inductor.pointwise "op1"
inductor.graph @values_30_of_readers {
  %x0 = inductor.input "x0" : !t
  %e = inductor.pointwise "op0" as "e" [64] {
  ^bb0(%i: index):
    %l0 = inductor.load %x0 at #id(%i) : !t -> f32
    %c0 = math.sin %l0 : f32
    %c1 = math.sin %c0 : f32
    %c2 = math.sin %c1 : f32
    %c3 = math.sin %c2 : f32
    %c4 = math.sin %c3 : f32
    %c5 = math.sin %c4 : f32
    %c6 = math.sin %c5 : f32
    %c7 = math.sin %c6 : f32
    %c8 = math.sin %c7 : f32
    %c9 = math.sin %c8 : f32
    %c10 = math.sin %c9 : f32
    %c11 = math.sin %c10 : f32
    %c12 = math.sin %c11 : f32
    %c13 = math.sin %c12 : f32
    %c14 = math.sin %c13 : f32
    %c15 = math.sin %c14 : f32
    %c16 = math.sin %c15 : f32
    %c17 = math.sin %c16 : f32
    %c18 = math.sin %c17 : f32
    %c19 = math.sin %c18 : f32
    %c20 = math.sin %c19 : f32
    %c21 = math.sin %c20 : f32
    %c22 = math.sin %c21 : f32
    %c23 = math.sin %c22 : f32
    %c24 = math.sin %c23 : f32
    %c25 = math.sin %c24 : f32
    %c26 = math.sin %c25 : f32
    %c27 = math.sin %c26 : f32
    %c28 = math.sin %c27 : f32
    inductor.store %c28 at #id(%i) : f32
  } : !t
  %a = inductor.pointwise "op1" as "a" [64] {
  ^bb0(%i: index):
    %v0 = inductor.load %e at #id(%i) : !t -> f32
    %v1 = math.absf %v0 : f32
    inductor.store %v1 at #id(%i) : f32
  } : !t
  %b = inductor.pointwise "op2" as "b" [64] {
  ^bb0(%i: index):
    %v0 = inductor.load %e at #id(%i) : !t -> f32
    %v1 = arith.negf %v0 : f32
    inductor.store %v1 at #id(%i) : f32
  } : !t
  inductor.return %a, %b outputs [#inductor.operand<0>, #inductor.operand<1>] : !t, !t
}

// They do not compute 31.
// CHECK-LABEL: inductor.graph @values_31_of_readers
// CHECK: inductor.pointwise "op0"
inductor.graph @values_31_of_readers {
  %x0 = inductor.input "x0" : !t
  %e = inductor.pointwise "op0" as "e" [64] {
  ^bb0(%i: index):
    %l0 = inductor.load %x0 at #id(%i) : !t -> f32
    %c0 = math.sin %l0 : f32
    %c1 = math.sin %c0 : f32
    %c2 = math.sin %c1 : f32
    %c3 = math.sin %c2 : f32
    %c4 = math.sin %c3 : f32
    %c5 = math.sin %c4 : f32
    %c6 = math.sin %c5 : f32
    %c7 = math.sin %c6 : f32
    %c8 = math.sin %c7 : f32
    %c9 = math.sin %c8 : f32
    %c10 = math.sin %c9 : f32
    %c11 = math.sin %c10 : f32
    %c12 = math.sin %c11 : f32
    %c13 = math.sin %c12 : f32
    %c14 = math.sin %c13 : f32
    %c15 = math.sin %c14 : f32
    %c16 = math.sin %c15 : f32
    %c17 = math.sin %c16 : f32
    %c18 = math.sin %c17 : f32
    %c19 = math.sin %c18 : f32
    %c20 = math.sin %c19 : f32
    %c21 = math.sin %c20 : f32
    %c22 = math.sin %c21 : f32
    %c23 = math.sin %c22 : f32
    %c24 = math.sin %c23 : f32
    %c25 = math.sin %c24 : f32
    %c26 = math.sin %c25 : f32
    %c27 = math.sin %c26 : f32
    %c28 = math.sin %c27 : f32
    %c29 = math.sin %c28 : f32
    inductor.store %c29 at #id(%i) : f32
  } : !t
  %a = inductor.pointwise "op1" as "a" [64] {
  ^bb0(%i: index):
    %v0 = inductor.load %e at #id(%i) : !t -> f32
    %v1 = math.absf %v0 : f32
    inductor.store %v1 at #id(%i) : f32
  } : !t
  %b = inductor.pointwise "op2" as "b" [64] {
  ^bb0(%i: index):
    %v0 = inductor.load %e at #id(%i) : !t -> f32
    %v1 = arith.negf %v0 : f32
    inductor.store %v1 at #id(%i) : f32
  } : !t
  inductor.return %a, %b outputs [#inductor.operand<0>, #inductor.operand<1>] : !t, !t
}

// One reader computes 8 loads.
// CHECK-LABEL: inductor.graph @loads_8
// CHECK-NOT: "op0"
// CHECK: inductor.pointwise "op1"
inductor.graph @loads_8 {
  %x0 = inductor.input "x0" : !t
  %x1 = inductor.input "x1" : !t
  %x2 = inductor.input "x2" : !t
  %x3 = inductor.input "x3" : !t
  %x4 = inductor.input "x4" : !t
  %x5 = inductor.input "x5" : !t
  %x6 = inductor.input "x6" : !t
  %x7 = inductor.input "x7" : !t
  %e = inductor.pointwise "op0" as "e" [64] {
  ^bb0(%i: index):
    %l0 = inductor.load %x0 at #id(%i) : !t -> f32
    %l1 = inductor.load %x1 at #id(%i) : !t -> f32
    %l2 = inductor.load %x2 at #id(%i) : !t -> f32
    %l3 = inductor.load %x3 at #id(%i) : !t -> f32
    %l4 = inductor.load %x4 at #id(%i) : !t -> f32
    %l5 = inductor.load %x5 at #id(%i) : !t -> f32
    %l6 = inductor.load %x6 at #id(%i) : !t -> f32
    %l7 = inductor.load %x7 at #id(%i) : !t -> f32
    %s1 = arith.addf %l0, %l1 : f32
    %s2 = arith.addf %s1, %l2 : f32
    %s3 = arith.addf %s2, %l3 : f32
    %s4 = arith.addf %s3, %l4 : f32
    %s5 = arith.addf %s4, %l5 : f32
    %s6 = arith.addf %s5, %l6 : f32
    %s7 = arith.addf %s6, %l7 : f32
    inductor.store %s7 at #id(%i) : f32
  } : !t
  %a = inductor.pointwise "op1" as "a" [64] {
  ^bb0(%i: index):
    %v0 = inductor.load %e at #id(%i) : !t -> f32
    %v1 = math.absf %v0 : f32
    inductor.store %v1 at #id(%i) : f32
  } : !t
  inductor.return %a outputs [#inductor.operand<0>] : !t
}

// It does not compute 9.
// CHECK-LABEL: inductor.graph @loads_9
// CHECK: inductor.pointwise "op0"
inductor.graph @loads_9 {
  %x0 = inductor.input "x0" : !t
  %x1 = inductor.input "x1" : !t
  %x2 = inductor.input "x2" : !t
  %x3 = inductor.input "x3" : !t
  %x4 = inductor.input "x4" : !t
  %x5 = inductor.input "x5" : !t
  %x6 = inductor.input "x6" : !t
  %x7 = inductor.input "x7" : !t
  %x8 = inductor.input "x8" : !t
  %e = inductor.pointwise "op0" as "e" [64] {
  ^bb0(%i: index):
    %l0 = inductor.load %x0 at #id(%i) : !t -> f32
    %l1 = inductor.load %x1 at #id(%i) : !t -> f32
    %l2 = inductor.load %x2 at #id(%i) : !t -> f32
    %l3 = inductor.load %x3 at #id(%i) : !t -> f32
    %l4 = inductor.load %x4 at #id(%i) : !t -> f32
    %l5 = inductor.load %x5 at #id(%i) : !t -> f32
    %l6 = inductor.load %x6 at #id(%i) : !t -> f32
    %l7 = inductor.load %x7 at #id(%i) : !t -> f32
    %l8 = inductor.load %x8 at #id(%i) : !t -> f32
    %s1 = arith.addf %l0, %l1 : f32
    %s2 = arith.addf %s1, %l2 : f32
    %s3 = arith.addf %s2, %l3 : f32
    %s4 = arith.addf %s3, %l4 : f32
    %s5 = arith.addf %s4, %l5 : f32
    %s6 = arith.addf %s5, %l6 : f32
    %s7 = arith.addf %s6, %l7 : f32
    %s8 = arith.addf %s7, %l8 : f32
    inductor.store %s8 at #id(%i) : f32
  } : !t
  %a = inductor.pointwise "op1" as "a" [64] {
  ^bb0(%i: index):
    %v0 = inductor.load %e at #id(%i) : !t -> f32
    %v1 = math.absf %v0 : f32
    inductor.store %v1 at #id(%i) : f32
  } : !t
  inductor.return %a outputs [#inductor.operand<0>] : !t
}

// One reader computes 30 values of two loads.
// CHECK-LABEL: inductor.graph @values_30
// CHECK-NOT: "op0"
// CHECK: inductor.pointwise "op1"
inductor.graph @values_30 {
  %x0 = inductor.input "x0" : !t
  %x1 = inductor.input "x1" : !t
  %e = inductor.pointwise "op0" as "e" [64] {
  ^bb0(%i: index):
    %l0 = inductor.load %x0 at #id(%i) : !t -> f32
    %l1 = inductor.load %x1 at #id(%i) : !t -> f32
    %s1 = arith.addf %l0, %l1 : f32
    %c0 = math.sin %s1 : f32
    %c1 = math.sin %c0 : f32
    %c2 = math.sin %c1 : f32
    %c3 = math.sin %c2 : f32
    %c4 = math.sin %c3 : f32
    %c5 = math.sin %c4 : f32
    %c6 = math.sin %c5 : f32
    %c7 = math.sin %c6 : f32
    %c8 = math.sin %c7 : f32
    %c9 = math.sin %c8 : f32
    %c10 = math.sin %c9 : f32
    %c11 = math.sin %c10 : f32
    %c12 = math.sin %c11 : f32
    %c13 = math.sin %c12 : f32
    %c14 = math.sin %c13 : f32
    %c15 = math.sin %c14 : f32
    %c16 = math.sin %c15 : f32
    %c17 = math.sin %c16 : f32
    %c18 = math.sin %c17 : f32
    %c19 = math.sin %c18 : f32
    %c20 = math.sin %c19 : f32
    %c21 = math.sin %c20 : f32
    %c22 = math.sin %c21 : f32
    %c23 = math.sin %c22 : f32
    %c24 = math.sin %c23 : f32
    %c25 = math.sin %c24 : f32
    %c26 = math.sin %c25 : f32
    inductor.store %c26 at #id(%i) : f32
  } : !t
  %a = inductor.pointwise "op1" as "a" [64] {
  ^bb0(%i: index):
    %v0 = inductor.load %e at #id(%i) : !t -> f32
    %v1 = math.absf %v0 : f32
    inductor.store %v1 at #id(%i) : f32
  } : !t
  inductor.return %a outputs [#inductor.operand<0>] : !t
}

// It does not compute 31.
// CHECK-LABEL: inductor.graph @values_31
// CHECK: inductor.pointwise "op0"
inductor.graph @values_31 {
  %x0 = inductor.input "x0" : !t
  %x1 = inductor.input "x1" : !t
  %e = inductor.pointwise "op0" as "e" [64] {
  ^bb0(%i: index):
    %l0 = inductor.load %x0 at #id(%i) : !t -> f32
    %l1 = inductor.load %x1 at #id(%i) : !t -> f32
    %s1 = arith.addf %l0, %l1 : f32
    %c0 = math.sin %s1 : f32
    %c1 = math.sin %c0 : f32
    %c2 = math.sin %c1 : f32
    %c3 = math.sin %c2 : f32
    %c4 = math.sin %c3 : f32
    %c5 = math.sin %c4 : f32
    %c6 = math.sin %c5 : f32
    %c7 = math.sin %c6 : f32
    %c8 = math.sin %c7 : f32
    %c9 = math.sin %c8 : f32
    %c10 = math.sin %c9 : f32
    %c11 = math.sin %c10 : f32
    %c12 = math.sin %c11 : f32
    %c13 = math.sin %c12 : f32
    %c14 = math.sin %c13 : f32
    %c15 = math.sin %c14 : f32
    %c16 = math.sin %c15 : f32
    %c17 = math.sin %c16 : f32
    %c18 = math.sin %c17 : f32
    %c19 = math.sin %c18 : f32
    %c20 = math.sin %c19 : f32
    %c21 = math.sin %c20 : f32
    %c22 = math.sin %c21 : f32
    %c23 = math.sin %c22 : f32
    %c24 = math.sin %c23 : f32
    %c25 = math.sin %c24 : f32
    %c26 = math.sin %c25 : f32
    %c27 = math.sin %c26 : f32
    inductor.store %c27 at #id(%i) : f32
  } : !t
  %a = inductor.pointwise "op1" as "a" [64] {
  ^bb0(%i: index):
    %v0 = inductor.load %e at #id(%i) : !t -> f32
    %v1 = math.absf %v0 : f32
    inductor.store %v1 at #id(%i) : f32
  } : !t
  inductor.return %a outputs [#inductor.operand<0>] : !t
}

// It does if they are of one load: a buffer would be read as often.
// CHECK-LABEL: inductor.graph @values_31_of_one_load
// CHECK-NOT: "op0"
// CHECK: inductor.pointwise "op1"
inductor.graph @values_31_of_one_load {
  %x0 = inductor.input "x0" : !t
  %e = inductor.pointwise "op0" as "e" [64] {
  ^bb0(%i: index):
    %l0 = inductor.load %x0 at #id(%i) : !t -> f32
    %c0 = math.sin %l0 : f32
    %c1 = math.sin %c0 : f32
    %c2 = math.sin %c1 : f32
    %c3 = math.sin %c2 : f32
    %c4 = math.sin %c3 : f32
    %c5 = math.sin %c4 : f32
    %c6 = math.sin %c5 : f32
    %c7 = math.sin %c6 : f32
    %c8 = math.sin %c7 : f32
    %c9 = math.sin %c8 : f32
    %c10 = math.sin %c9 : f32
    %c11 = math.sin %c10 : f32
    %c12 = math.sin %c11 : f32
    %c13 = math.sin %c12 : f32
    %c14 = math.sin %c13 : f32
    %c15 = math.sin %c14 : f32
    %c16 = math.sin %c15 : f32
    %c17 = math.sin %c16 : f32
    %c18 = math.sin %c17 : f32
    %c19 = math.sin %c18 : f32
    %c20 = math.sin %c19 : f32
    %c21 = math.sin %c20 : f32
    %c22 = math.sin %c21 : f32
    %c23 = math.sin %c22 : f32
    %c24 = math.sin %c23 : f32
    %c25 = math.sin %c24 : f32
    %c26 = math.sin %c25 : f32
    %c27 = math.sin %c26 : f32
    %c28 = math.sin %c27 : f32
    %c29 = math.sin %c28 : f32
    inductor.store %c29 at #id(%i) : f32
  } : !t
  %a = inductor.pointwise "op1" as "a" [64] {
  ^bb0(%i: index):
    %v0 = inductor.load %e at #id(%i) : !t -> f32
    %v1 = math.absf %v0 : f32
    inductor.store %v1 at #id(%i) : f32
  } : !t
  inductor.return %a outputs [#inductor.operand<0>] : !t
}

// 100 values of one load are an expression.
// CHECK-LABEL: inductor.graph @values_100
// CHECK-NOT: "op0"
// CHECK: inductor.pointwise "op1"
inductor.graph @values_100 {
  %x0 = inductor.input "x0" : !t
  %e = inductor.pointwise "op0" as "e" [64] {
  ^bb0(%i: index):
    %l0 = inductor.load %x0 at #id(%i) : !t -> f32
    %c0 = math.sin %l0 : f32
    %c1 = math.sin %c0 : f32
    %c2 = math.sin %c1 : f32
    %c3 = math.sin %c2 : f32
    %c4 = math.sin %c3 : f32
    %c5 = math.sin %c4 : f32
    %c6 = math.sin %c5 : f32
    %c7 = math.sin %c6 : f32
    %c8 = math.sin %c7 : f32
    %c9 = math.sin %c8 : f32
    %c10 = math.sin %c9 : f32
    %c11 = math.sin %c10 : f32
    %c12 = math.sin %c11 : f32
    %c13 = math.sin %c12 : f32
    %c14 = math.sin %c13 : f32
    %c15 = math.sin %c14 : f32
    %c16 = math.sin %c15 : f32
    %c17 = math.sin %c16 : f32
    %c18 = math.sin %c17 : f32
    %c19 = math.sin %c18 : f32
    %c20 = math.sin %c19 : f32
    %c21 = math.sin %c20 : f32
    %c22 = math.sin %c21 : f32
    %c23 = math.sin %c22 : f32
    %c24 = math.sin %c23 : f32
    %c25 = math.sin %c24 : f32
    %c26 = math.sin %c25 : f32
    %c27 = math.sin %c26 : f32
    %c28 = math.sin %c27 : f32
    %c29 = math.sin %c28 : f32
    %c30 = math.sin %c29 : f32
    %c31 = math.sin %c30 : f32
    %c32 = math.sin %c31 : f32
    %c33 = math.sin %c32 : f32
    %c34 = math.sin %c33 : f32
    %c35 = math.sin %c34 : f32
    %c36 = math.sin %c35 : f32
    %c37 = math.sin %c36 : f32
    %c38 = math.sin %c37 : f32
    %c39 = math.sin %c38 : f32
    %c40 = math.sin %c39 : f32
    %c41 = math.sin %c40 : f32
    %c42 = math.sin %c41 : f32
    %c43 = math.sin %c42 : f32
    %c44 = math.sin %c43 : f32
    %c45 = math.sin %c44 : f32
    %c46 = math.sin %c45 : f32
    %c47 = math.sin %c46 : f32
    %c48 = math.sin %c47 : f32
    %c49 = math.sin %c48 : f32
    %c50 = math.sin %c49 : f32
    %c51 = math.sin %c50 : f32
    %c52 = math.sin %c51 : f32
    %c53 = math.sin %c52 : f32
    %c54 = math.sin %c53 : f32
    %c55 = math.sin %c54 : f32
    %c56 = math.sin %c55 : f32
    %c57 = math.sin %c56 : f32
    %c58 = math.sin %c57 : f32
    %c59 = math.sin %c58 : f32
    %c60 = math.sin %c59 : f32
    %c61 = math.sin %c60 : f32
    %c62 = math.sin %c61 : f32
    %c63 = math.sin %c62 : f32
    %c64 = math.sin %c63 : f32
    %c65 = math.sin %c64 : f32
    %c66 = math.sin %c65 : f32
    %c67 = math.sin %c66 : f32
    %c68 = math.sin %c67 : f32
    %c69 = math.sin %c68 : f32
    %c70 = math.sin %c69 : f32
    %c71 = math.sin %c70 : f32
    %c72 = math.sin %c71 : f32
    %c73 = math.sin %c72 : f32
    %c74 = math.sin %c73 : f32
    %c75 = math.sin %c74 : f32
    %c76 = math.sin %c75 : f32
    %c77 = math.sin %c76 : f32
    %c78 = math.sin %c77 : f32
    %c79 = math.sin %c78 : f32
    %c80 = math.sin %c79 : f32
    %c81 = math.sin %c80 : f32
    %c82 = math.sin %c81 : f32
    %c83 = math.sin %c82 : f32
    %c84 = math.sin %c83 : f32
    %c85 = math.sin %c84 : f32
    %c86 = math.sin %c85 : f32
    %c87 = math.sin %c86 : f32
    %c88 = math.sin %c87 : f32
    %c89 = math.sin %c88 : f32
    %c90 = math.sin %c89 : f32
    %c91 = math.sin %c90 : f32
    %c92 = math.sin %c91 : f32
    %c93 = math.sin %c92 : f32
    %c94 = math.sin %c93 : f32
    %c95 = math.sin %c94 : f32
    %c96 = math.sin %c95 : f32
    %c97 = math.sin %c96 : f32
    %c98 = math.sin %c97 : f32
    inductor.store %c98 at #id(%i) : f32
  } : !t
  %a = inductor.pointwise "op1" as "a" [64] {
  ^bb0(%i: index):
    %v0 = inductor.load %e at #id(%i) : !t -> f32
    %v1 = math.absf %v0 : f32
    inductor.store %v1 at #id(%i) : f32
  } : !t
  inductor.return %a outputs [#inductor.operand<0>] : !t
}

// 101 values are a buffer.
// CHECK-LABEL: inductor.graph @values_101
// CHECK: inductor.pointwise "op0"
inductor.graph @values_101 {
  %x0 = inductor.input "x0" : !t
  %e = inductor.pointwise "op0" as "e" [64] {
  ^bb0(%i: index):
    %l0 = inductor.load %x0 at #id(%i) : !t -> f32
    %c0 = math.sin %l0 : f32
    %c1 = math.sin %c0 : f32
    %c2 = math.sin %c1 : f32
    %c3 = math.sin %c2 : f32
    %c4 = math.sin %c3 : f32
    %c5 = math.sin %c4 : f32
    %c6 = math.sin %c5 : f32
    %c7 = math.sin %c6 : f32
    %c8 = math.sin %c7 : f32
    %c9 = math.sin %c8 : f32
    %c10 = math.sin %c9 : f32
    %c11 = math.sin %c10 : f32
    %c12 = math.sin %c11 : f32
    %c13 = math.sin %c12 : f32
    %c14 = math.sin %c13 : f32
    %c15 = math.sin %c14 : f32
    %c16 = math.sin %c15 : f32
    %c17 = math.sin %c16 : f32
    %c18 = math.sin %c17 : f32
    %c19 = math.sin %c18 : f32
    %c20 = math.sin %c19 : f32
    %c21 = math.sin %c20 : f32
    %c22 = math.sin %c21 : f32
    %c23 = math.sin %c22 : f32
    %c24 = math.sin %c23 : f32
    %c25 = math.sin %c24 : f32
    %c26 = math.sin %c25 : f32
    %c27 = math.sin %c26 : f32
    %c28 = math.sin %c27 : f32
    %c29 = math.sin %c28 : f32
    %c30 = math.sin %c29 : f32
    %c31 = math.sin %c30 : f32
    %c32 = math.sin %c31 : f32
    %c33 = math.sin %c32 : f32
    %c34 = math.sin %c33 : f32
    %c35 = math.sin %c34 : f32
    %c36 = math.sin %c35 : f32
    %c37 = math.sin %c36 : f32
    %c38 = math.sin %c37 : f32
    %c39 = math.sin %c38 : f32
    %c40 = math.sin %c39 : f32
    %c41 = math.sin %c40 : f32
    %c42 = math.sin %c41 : f32
    %c43 = math.sin %c42 : f32
    %c44 = math.sin %c43 : f32
    %c45 = math.sin %c44 : f32
    %c46 = math.sin %c45 : f32
    %c47 = math.sin %c46 : f32
    %c48 = math.sin %c47 : f32
    %c49 = math.sin %c48 : f32
    %c50 = math.sin %c49 : f32
    %c51 = math.sin %c50 : f32
    %c52 = math.sin %c51 : f32
    %c53 = math.sin %c52 : f32
    %c54 = math.sin %c53 : f32
    %c55 = math.sin %c54 : f32
    %c56 = math.sin %c55 : f32
    %c57 = math.sin %c56 : f32
    %c58 = math.sin %c57 : f32
    %c59 = math.sin %c58 : f32
    %c60 = math.sin %c59 : f32
    %c61 = math.sin %c60 : f32
    %c62 = math.sin %c61 : f32
    %c63 = math.sin %c62 : f32
    %c64 = math.sin %c63 : f32
    %c65 = math.sin %c64 : f32
    %c66 = math.sin %c65 : f32
    %c67 = math.sin %c66 : f32
    %c68 = math.sin %c67 : f32
    %c69 = math.sin %c68 : f32
    %c70 = math.sin %c69 : f32
    %c71 = math.sin %c70 : f32
    %c72 = math.sin %c71 : f32
    %c73 = math.sin %c72 : f32
    %c74 = math.sin %c73 : f32
    %c75 = math.sin %c74 : f32
    %c76 = math.sin %c75 : f32
    %c77 = math.sin %c76 : f32
    %c78 = math.sin %c77 : f32
    %c79 = math.sin %c78 : f32
    %c80 = math.sin %c79 : f32
    %c81 = math.sin %c80 : f32
    %c82 = math.sin %c81 : f32
    %c83 = math.sin %c82 : f32
    %c84 = math.sin %c83 : f32
    %c85 = math.sin %c84 : f32
    %c86 = math.sin %c85 : f32
    %c87 = math.sin %c86 : f32
    %c88 = math.sin %c87 : f32
    %c89 = math.sin %c88 : f32
    %c90 = math.sin %c89 : f32
    %c91 = math.sin %c90 : f32
    %c92 = math.sin %c91 : f32
    %c93 = math.sin %c92 : f32
    %c94 = math.sin %c93 : f32
    %c95 = math.sin %c94 : f32
    %c96 = math.sin %c95 : f32
    %c97 = math.sin %c96 : f32
    %c98 = math.sin %c97 : f32
    %c99 = math.sin %c98 : f32
    inductor.store %c99 at #id(%i) : f32
  } : !t
  %a = inductor.pointwise "op1" as "a" [64] {
  ^bb0(%i: index):
    %v0 = inductor.load %e at #id(%i) : !t -> f32
    %v1 = math.absf %v0 : f32
    inductor.store %v1 at #id(%i) : f32
  } : !t
  inductor.return %a outputs [#inductor.operand<0>] : !t
}

// 9 loads at places that are numbers are an expression.
// CHECK-LABEL: inductor.graph @loads_9_at_numbers
// CHECK-NOT: "op0"
// CHECK: inductor.pointwise "op1"
inductor.graph @loads_9_at_numbers {
  %x0 = inductor.input "x0" : !t
  %e = inductor.pointwise "op0" as "e" [64] {
  ^bb0(%i: index):
    %l0 = inductor.load %x0 at affine_map<(d0) -> (0)>(%i) : !t -> f32
    %l1 = inductor.load %x0 at affine_map<(d0) -> (1)>(%i) : !t -> f32
    %l2 = inductor.load %x0 at affine_map<(d0) -> (2)>(%i) : !t -> f32
    %l3 = inductor.load %x0 at affine_map<(d0) -> (3)>(%i) : !t -> f32
    %l4 = inductor.load %x0 at affine_map<(d0) -> (4)>(%i) : !t -> f32
    %l5 = inductor.load %x0 at affine_map<(d0) -> (5)>(%i) : !t -> f32
    %l6 = inductor.load %x0 at affine_map<(d0) -> (6)>(%i) : !t -> f32
    %l7 = inductor.load %x0 at affine_map<(d0) -> (7)>(%i) : !t -> f32
    %l8 = inductor.load %x0 at affine_map<(d0) -> (8)>(%i) : !t -> f32
    %s1 = arith.addf %l0, %l1 : f32
    %s2 = arith.addf %s1, %l2 : f32
    %s3 = arith.addf %s2, %l3 : f32
    %s4 = arith.addf %s3, %l4 : f32
    %s5 = arith.addf %s4, %l5 : f32
    %s6 = arith.addf %s5, %l6 : f32
    %s7 = arith.addf %s6, %l7 : f32
    %s8 = arith.addf %s7, %l8 : f32
    inductor.store %s8 at #id(%i) : f32
  } : !t
  %a = inductor.pointwise "op1" as "a" [64] {
  ^bb0(%i: index):
    %v0 = inductor.load %e at #id(%i) : !t -> f32
    %v1 = math.absf %v0 : f32
    inductor.store %v1 at #id(%i) : f32
  } : !t
  inductor.return %a outputs [#inductor.operand<0>] : !t
}

// 9 loads of one element are one load.
// CHECK-LABEL: inductor.graph @loads_9_of_one
// CHECK-NOT: "op0"
// CHECK: inductor.pointwise "op1"
// CHECK-COUNT-1: inductor.load
inductor.graph @loads_9_of_one {
  %x0 = inductor.input "x0" : !t
  %e = inductor.pointwise "op0" as "e" [64] {
  ^bb0(%i: index):
    %l0 = inductor.load %x0 at #id(%i) : !t -> f32
    %l1 = inductor.load %x0 at #id(%i) : !t -> f32
    %l2 = inductor.load %x0 at #id(%i) : !t -> f32
    %l3 = inductor.load %x0 at #id(%i) : !t -> f32
    %l4 = inductor.load %x0 at #id(%i) : !t -> f32
    %l5 = inductor.load %x0 at #id(%i) : !t -> f32
    %l6 = inductor.load %x0 at #id(%i) : !t -> f32
    %l7 = inductor.load %x0 at #id(%i) : !t -> f32
    %l8 = inductor.load %x0 at #id(%i) : !t -> f32
    %s1 = arith.addf %l0, %l1 : f32
    %s2 = arith.addf %s1, %l2 : f32
    %s3 = arith.addf %s2, %l3 : f32
    %s4 = arith.addf %s3, %l4 : f32
    %s5 = arith.addf %s4, %l5 : f32
    %s6 = arith.addf %s5, %l6 : f32
    %s7 = arith.addf %s6, %l7 : f32
    %s8 = arith.addf %s7, %l8 : f32
    inductor.store %s8 at #id(%i) : f32
  } : !t
  %a = inductor.pointwise "op1" as "a" [64] {
  ^bb0(%i: index):
    %v0 = inductor.load %e at #id(%i) : !t -> f32
    %v1 = math.absf %v0 : f32
    inductor.store %v1 at #id(%i) : f32
  } : !t
  inductor.return %a outputs [#inductor.operand<0>] : !t
}
