// What is overwritten is read before: the operations that do are in front of the one that overwrites, in every schedule.

// RUN: spyre-opt %s --convert-inductor-to-linalg -o %t.0
// RUN: spyre-run %t.0 --entry weak | FileCheck %s --check-prefix=NUMBERS
// RUN: spyre-opt %s --inductor-schedule=policy=cpp -o %t.1
// RUN: FileCheck %s --input-file %t.1
// RUN: spyre-opt %t.1 --convert-inductor-to-linalg -o %t
// RUN: spyre-run %t --entry weak | FileCheck %s --check-prefix=NUMBERS
// RUN: spyre-opt %s --inductor-schedule=policy=simd --convert-inductor-to-linalg -o %t
// RUN: spyre-run %t --entry weak | FileCheck %s --check-prefix=NUMBERS
// RUN: spyre-opt %s --inductor-schedule --convert-inductor-to-linalg -o %t
// RUN: spyre-run %t --entry weak | FileCheck %s --check-prefix=NUMBERS
// RUN: spyre-opt %s --inductor-realize --inductor-schedule=policy=cpp --convert-inductor-to-linalg -o %t
// RUN: spyre-run %t --entry weak | FileCheck %s --check-prefix=NUMBERS
// RUN: spyre-opt %s --inductor-deps --remarks-filter=inductor-deps --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=DEPS

// DEPS: Operation=op3, {{.*}}WeakDep('buf1', before 'buf3'), WeakDep('buf2', before 'buf3')

// CHECK: inductor.reduction "op1"
// CHECK: inductor.pointwise "op2"
// CHECK: inductor.pointwise "op3" {{.*}} into

// x = [1, 2, 3, 4]; b = x; s = b.sum(); c = 2 * b[::-1]; b *= 10; b + s, c, b
// NUMBERS: result 0: tensor<4xf32> [20.0, 30.0, 40.0, 50.0]
// NUMBERS: result 1: tensor<4xf32> [8.0, 6.0, 4.0, 2.0]
// NUMBERS: result 2: tensor<4xf32> [10.0, 20.0, 30.0, 40.0]
#id = affine_map<(d0) -> (d0)>
#one = affine_map<(d0) -> (0)>
!t = tensor<4xf32, #inductor.layout<fixed, [1]>>
!s = tensor<1xf32, #inductor.layout<fixed, [1]>>
inductor.graph @weak {
  %x = inductor.constant "x" value dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32> : !t
  %b = inductor.pointwise "op0" as "buf0" [4] {
  ^bb0(%i: index):
    %0 = inductor.load %x at #id(%i) : !t -> f32
    inductor.store %0 at #id(%i) : f32
  } : !t
  %s = inductor.reduction "op1" as "buf1" sum [1] over [4] from f32 {
  ^bb0(%i: index):
    %0 = inductor.load %b at #id(%i) : !t -> f32
    inductor.store %0 at #one(%i) : f32
  } : !s
  %c = inductor.pointwise "op2" as "buf2" [4] {
  ^bb0(%i: index):
    %0 = inductor.load %b at affine_map<(d0) -> (-d0 + 3)>(%i) : !t -> f32
    %1 = arith.addf %0, %0 : f32
    inductor.store %1 at #id(%i) : f32
  } : !t
  %w = inductor.pointwise "op3" as "buf3" [4] into %b : !t {
  ^bb0(%i: index):
    %0 = inductor.load %b at #id(%i) : !t -> f32
    %k = arith.constant 10.0 : f32
    %1 = arith.mulf %0, %k : f32
    inductor.store %1 at #id(%i) : f32
  } : !t
  %o = inductor.pointwise "op4" as "buf4" [4] {
  ^bb0(%i: index):
    %0 = inductor.load %w at #id(%i) : !t -> f32
    %1 = inductor.load %s at #one(%i) : !s -> f32
    %2 = arith.addf %0, %1 : f32
    inductor.store %2 at #id(%i) : f32
  } : !t
  inductor.return %o, %c, %w outputs [#inductor.operand<0>, #inductor.operand<1>, #inductor.operand<2>] : !t, !t, !t
}
