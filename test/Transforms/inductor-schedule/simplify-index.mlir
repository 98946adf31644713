// Subscripts become simple by the ranges of loops.

// RUN: spyre-opt %s --inductor-simplify-index | FileCheck %s

!t = tensor<12x10xf32, #inductor.layout<fixed, [10, 1]>>
!n = tensor<12xi64, #inductor.layout<fixed, [1]>>

// CHECK-DAG: #[[ID:map[0-9]*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[ROW:map[0-9]*]] = affine_map<(d0, d1) -> (d0 floordiv 3, 0)>
// CHECK-DAG: #[[WRAP:map[0-9]*]] = affine_map<(d0, d1) -> (d0 mod 3, d1)>
// CHECK-DAG: #[[READ:map[0-9]*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[NUMBER:map[0-9]*]] = affine_map<(d0, d1) -> (d1)>

// CHECK-LABEL: inductor.graph @digits
inductor.graph @digits {
  %x = inductor.input "x" : !t
  %n = inductor.input "n" : !n
  %y = inductor.pointwise "op0" as "buf0" [12, 10] {
  ^bb0(%i: index, %j: index):
    // A quotient and the remainder of the same number.
    // CHECK: inductor.load %x at #[[ID]](%i0, %i1)
    %0 = inductor.load %x at affine_map<(d0, d1) -> ((d0 * 10 + d1) floordiv 10, (d0 * 10 + d1) mod 10)>(%i, %j) : !t -> f32
    // %j is too small to change the quotient.
    // CHECK: inductor.load %x at #[[ROW]](%i0, %i1)
    %1 = inductor.load %x at affine_map<(d0, d1) -> ((d0 * 10 + d1) floordiv 30, d1 floordiv 10)>(%i, %j) : !t -> f32
    // What is reached stays.
    // CHECK: inductor.load %x at #[[WRAP]](%i0, %i1)
    %2 = inductor.load %x at affine_map<(d0, d1) -> (d0 mod 3, d1 mod 10)>(%i, %j) : !t -> f32
    %zero = arith.constant 0 : i64
    // CHECK: inductor.index_expr #[[NUMBER]](%i0, %i1) : i64
    %k = inductor.index_expr affine_map<(d0, d1) -> (d1 mod 12)>(%i, %j) : i64
    %m = arith.cmpi sgt, %k, %zero : i64
    %3 = inductor.masked %m else 0.0 : f32 {
      // CHECK: inductor.load %n
      %q = inductor.load %n at affine_map<(d0, d1) -> (d0)>(%i, %j) : !n -> i64
      %at = inductor.indirect %q below [12] : i64
      // CHECK: inductor.load %x at #[[READ]](%i0, %i1, %{{.*}})
      %v = inductor.load %x at affine_map<(d0, d1, d2) -> (d2, d1 mod 16)>(%i, %j, %at) : !t -> f32
      inductor.yield %v : f32
    } : f32
    %4 = arith.addf %0, %1 : f32
    %5 = arith.addf %2, %3 : f32
    %6 = arith.addf %4, %5 : f32
    inductor.store %6 at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : f32
  } : !t
  inductor.return %y : !t
}
