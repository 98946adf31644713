// Means and squares of the same loops, but of other values: bodies that differ in the type of a result alone, and in whether an index is a
// loop or was read. Each has a sum of its own. Squares do not read a mean that was rounded to 16 bits.

// RUN: spyre-opt %s --inductor-split-reductions -o %t.1
// RUN: FileCheck %s --input-file %t.1
// RUN: spyre-opt %s --convert-inductor-to-linalg -o %t.0
// RUN: spyre-opt %t.1 --convert-inductor-to-linalg -o %t
// RUN: spyre-run %t --entry types --random-seed 1 --compare %t.0 --tolerance 1e-5 | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t --entry collide --random-seed 1 --compare %t.0 --tolerance 1e-5 | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t --entry rounded --random-seed 1 --compare %t.0 --tolerance 1e-5 | FileCheck %s --check-prefix=SAME
// SAME: result 0: 0 of 4 elements differ
// SAME: result 1: 0 of 4 elements differ

!x = tensor<4x8xf32, #inductor.layout<fixed, [8, 1]>>
!r = tensor<4xf32, #inductor.layout<fixed, [1]>>
!h = tensor<4xf16, #inductor.layout<fixed, [1]>>

// CHECK-LABEL: inductor.graph @types
// CHECK: "op0_sum"
// CHECK: "op1_sum"
inductor.graph @types {
  %x = inductor.input "x" : !x
  %a = inductor.reduction "op0" as "buf0" welford_reduce [4] over [8] from f32 output 0 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : !x -> f32
    %1 = arith.truncf %0 : f32 to f16
    %2 = arith.extf %1 : f16 to f32
    inductor.store %2 at affine_map<(d0, d1) -> (d0)>(%i, %j) : f32
  } : !r
  %b = inductor.reduction "op1" as "buf1" welford_reduce [4] over [8] from f32 output 0 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : !x -> f32
    %1 = arith.truncf %0 : f32 to bf16
    %2 = arith.extf %1 : bf16 to f32
    inductor.store %2 at affine_map<(d0, d1) -> (d0)>(%i, %j) : f32
  } : !r
  inductor.return %a, %b outputs [#inductor.operand<0>, #inductor.operand<1>] : !r, !r
}

// CHECK-LABEL: inductor.graph @collide
// CHECK: "op0_sum"
// CHECK: "op1_sum"
inductor.graph @collide {
  %x = inductor.input "x" : !x
  %a = inductor.reduction "op0" as "buf0" welford_reduce [4] over [2, 2, 2] from f32 output 0 {
  ^bb0(%i: index, %j: index, %l: index, %m: index):
    %p = inductor.index_expr affine_map<(d0, d1) -> (3)>(%i, %j) : i64
    %k = inductor.indirect %p below [8] : i64
    %0 = inductor.load %x at affine_map<(d0, d1) -> (d0, d1)>(%i, %l) : !x -> f32
    inductor.store %0 at affine_map<(d0, d1, d2, d3) -> (d0)>(%i, %j, %l, %m) : f32
  } : !r
  %b = inductor.reduction "op1" as "buf1" welford_reduce [4] over [2, 2, 2] from f32 output 1 {
  ^bb0(%i: index, %j: index, %l: index, %m: index):
    %p = inductor.index_expr affine_map<(d0, d1) -> (3)>(%i, %j) : i64
    %k = inductor.indirect %p below [8] : i64
    %0 = inductor.load %x at affine_map<(d0, d1) -> (d0, d1)>(%i, %k) : !x -> f32
    inductor.store %0 at affine_map<(d0, d1, d2, d3) -> (d0)>(%i, %j, %l, %m) : f32
  } : !r
  inductor.return %a, %b outputs [#inductor.operand<0>, #inductor.operand<1>] : !r, !r
}

// CHECK-LABEL: inductor.graph @rounded
// CHECK: inductor.pointwise "op0" as "buf0" [4] {
// CHECK: inductor.reduction "op1" as "buf1" sum [4] over [8] from f32 {
// CHECK: inductor.load %buf0_sum
// CHECK: arith.divf
inductor.graph @rounded {
  %x = inductor.input "x" : !x
  %a = inductor.reduction "op0" as "buf0" welford_reduce [4] over [8] from f32 output 0 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : !x -> f32
    %c = arith.constant 1000.0 : f32
    %1 = arith.addf %0, %c : f32
    inductor.store %1 at affine_map<(d0, d1) -> (d0)>(%i, %j) : f32
  } : !h
  %b = inductor.reduction "op1" as "buf1" welford_reduce [4] over [8] from f32 output 1 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : !x -> f32
    %c = arith.constant 1000.0 : f32
    %1 = arith.addf %0, %c : f32
    inductor.store %1 at affine_map<(d0, d1) -> (d0)>(%i, %j) : f32
  } : !r
  inductor.return %a, %b outputs [#inductor.operand<0>, #inductor.operand<1>] : !h, !r
}
