// What is in one hint scope is one kernel, with products of matrices and views; nothing outside is in it.

// RUN: spyre-opt %s --inductor-schedule | FileCheck %s
// RUN: spyre-opt %s --convert-inductor-to-linalg -o %t.0
// RUN: spyre-opt %s --inductor-schedule --convert-inductor-to-linalg -o %t.1
// RUN: spyre-run %t.1 --random-seed 1 --compare %t.0

#id = affine_map<(d0, d1) -> (d0, d1)>
!t = tensor<8x8xf32, #inductor.layout<fixed, [8, 1]>>
!v = tensor<8x8xf32, #inductor.layout<fixed, [1, 8]>>

inductor.graph @scopes {
  %x = inductor.input "x" : !t
  // CHECK: %buf0 = inductor.pointwise "op0"
  %a = inductor.pointwise "op0" as "buf0" [8, 8] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !t -> f32
    %1 = arith.addf %0, %0 : f32
    inductor.store %1 at #id(%i, %j) : f32
  } : !t
  // CHECK: %[[K:.*]] = inductor.kernel "op1_op2" {
  // CHECK:   %[[A:.*]] = inductor.pointwise "op1"
  // CHECK:   %[[T:.*]] = inductor.view %[[A]]
  // CHECK:   %[[B:.*]] = inductor.extern "op2" as "buf2" "ExternKernelOut" "aten.mm.out"(%buf0, %[[T]])
  // CHECK:   inductor.yield %[[B]]
  // CHECK: } {hints = [{dims = {rows = 4 : i64}, positions = {rows = 0 : i64}, shape = [8, 8]}]}
  %b = inductor.pointwise "op1" as "buf1" [8, 8] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %a at #id(%i, %j) : !t -> f32
    %1 = arith.mulf %0, %0 : f32
    inductor.store %1 at #id(%i, %j) : f32
  } {hints = [{dims = {rows = 4}, positions = {rows = 0}, shape = [8, 8]}]} : !t
  %w = inductor.view %b : !t -> !v
  %c = inductor.extern "op2" as "buf2" "ExternKernelOut" "aten.mm.out"(%a, %w) {kernel = "extern_kernels.mm", hints = [{dims = {rows = 4}, positions = {rows = 0}, shape = [8, 8]}]} : (!t, !v) -> !t
  // CHECK: %buf3 = inductor.pointwise "op3"
  // CHECK:   inductor.load %[[K]]
  %d = inductor.pointwise "op3" as "buf3" [8, 8] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %c at #id(%i, %j) : !t -> f32
    %1 = arith.negf %0 : f32
    inductor.store %1 at #id(%i, %j) : f32
  } : !t
  // Another scope, of one operation.
  // CHECK: inductor.kernel "op4" {
  // CHECK: } {hints = [{dims = {rows = 2 : i64}, positions = {rows = 0 : i64}, shape = [8, 8]}]}
  %e = inductor.pointwise "op4" as "buf4" [8, 8] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %d at #id(%i, %j) : !t -> f32
    inductor.store %0 at #id(%i, %j) : f32
  } {hints = [{dims = {rows = 2}, positions = {rows = 0}, shape = [8, 8]}]} : !t
  inductor.return %e : !t
}
