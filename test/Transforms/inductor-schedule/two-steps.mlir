// A mean and a variance of few elements are computed in two steps: on a CPU of at most 1,024, elsewhere of 8. The numbers stay.

// RUN: spyre-opt %s --inductor-split-reductions -o %t.1
// RUN: FileCheck %s --input-file %t.1
// RUN: spyre-opt %s --inductor-split-reductions --remarks-filter=inductor-split-reductions -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARKS
// RUN: spyre-opt %s --inductor-split-reductions=processors=8 -o - | FileCheck %s --check-prefix=GPU
// RUN: spyre-opt %s --convert-inductor-to-linalg -o %t.0
// RUN: spyre-opt %t.1 --inductor-schedule=policy=cpp --convert-inductor-to-linalg -o %t
// RUN: spyre-run %t --entry rows --random-seed 1 --compare %t.0 --tolerance 1e-5
// RUN: spyre-run %t --entry only_squares --random-seed 1 --compare %t.0 --tolerance 1e-5
// RUN: spyre-run %t --entry halves --random-seed 1 --compare %t.0 --tolerance 1e-3
// RUN: spyre-run %t --entry long --random-seed 1 --compare %t.0 --tolerance 1e-5

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0, 0)>
!x = tensor<4x1024xf32, #inductor.layout<fixed, [1024, 1]>>
!r = tensor<4x1xf32, #inductor.layout<fixed, [1, 1]>>

// The mean is a buffer of its own, so the squares read that.
// CHECK-LABEL: inductor.graph @rows
// CHECK: %[[SUM:.*]] = inductor.reduction "op0_sum" as "buf0_sum" sum [4, 1] over [1024] from f32 {
// CHECK: %[[MEAN:.*]] = inductor.pointwise "op0" as "buf0" [4, 1] {
// CHECK: %[[OF:.*]] = inductor.load %[[SUM]]
// CHECK: %[[COUNT:.*]] = arith.constant 1.024000e+03 : f32
// CHECK: arith.divf %[[OF]], %[[COUNT]]
// CHECK: inductor.reduction "op1" as "buf1" sum [4, 1] over [1024] from f32 {
// CHECK: %[[X:.*]] = inductor.load %{{.*}} at #{{.*}} : tensor<4x1024xf32
// CHECK: %[[M:.*]] = inductor.load %[[MEAN]]
// CHECK: %[[D:.*]] = arith.subf %[[X]], %[[M]]
// CHECK: arith.mulf %[[D]], %[[D]]
// CHECK: inductor.pointwise "op2" as "buf2" [4, 1] {
// CHECK: arith.constant 1.024000e+03 : f32
// REMARKS: [Passed] InTwoSteps | {{.*}}Elements=1024, Operation=op0, Results=4
// Another machine does so with 8 elements.
// GPU-LABEL: inductor.graph @rows
// GPU: welford_reduce [4, 1] over [1024]
inductor.graph @rows {
  %x = inductor.input "x" : !x
  %mean = inductor.reduction "op0" as "buf0" welford_reduce [4, 1] over [1024] from f32 output 0 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !x -> f32
    inductor.store %0 at #row(%i, %j) : f32
  } : !r
  %squares = inductor.reduction "op1" as "buf1" welford_reduce [4, 1] over [1024] from f32 output 1 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !x -> f32
    inductor.store %0 at #row(%i, %j) : f32
  } : !r
  %count = inductor.reduction "op2" as "buf2" welford_reduce [4, 1] over [1024] from f32 output 2 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !x -> f32
    inductor.store %0 at #row(%i, %j) : f32
  } : !r
  inductor.return %mean, %squares, %count outputs [#inductor.operand<0>, #inductor.operand<1>, #inductor.operand<2>] : !r, !r, !r
}

// Nobody asks for the mean: what is reduced has the quotient in it.
// CHECK-LABEL: inductor.graph @only_squares
// CHECK: %[[SUM:.*]] = inductor.reduction "op0_sum" as "buf0_sum" sum [4, 1] over [1024] from f32 {
// CHECK: inductor.reduction "op0" as "buf0" sum [4, 1] over [1024] from f32 {
// CHECK: inductor.load %[[SUM]]
// CHECK: arith.divf
inductor.graph @only_squares {
  %x = inductor.input "x" : !x
  %squares = inductor.reduction "op0" as "buf0" welford_reduce [4, 1] over [1024] from f32 output 1 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !x -> f32
    %1 = math.sin %0 : f32
    inductor.store %1 at #row(%i, %j) : f32
  } : !r
  inductor.return %squares outputs [#inductor.operand<0>] : !r
}

// The sum of numbers of 16 bits stays as it is computed.
!h = tensor<4x8xf16, #inductor.layout<fixed, [8, 1]>>
!v = tensor<4xf16, #inductor.layout<fixed, [1]>>
// CHECK-LABEL: inductor.graph @halves
// CHECK: inductor.reduction "op0_sum" as "buf0_sum" sum [4] over [8] from f16 {
// CHECK: } : tensor<4xf32,
// CHECK: inductor.pointwise "op0" as "buf0" [4] {
// GPU-LABEL: inductor.graph @halves
// GPU: sum [4] over [8]
inductor.graph @halves {
  %x = inductor.input "x" : !h
  %mean = inductor.reduction "op0" as "buf0" welford_reduce [4] over [8] from f16 output 0 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !h -> f32
    inductor.store %0 at affine_map<(d0, d1) -> (d0)>(%i, %j) : f32
  } : !v
  inductor.return %mean outputs [#inductor.operand<0>] : !v
}

// More elements, and one result, stay in one step.
!l = tensor<4x1025xf32, #inductor.layout<fixed, [1025, 1]>>
!s = tensor<f32, #inductor.layout<fixed, []>>
// CHECK-LABEL: inductor.graph @long
// CHECK: welford_reduce [4, 1] over [1025]
// CHECK: welford_reduce [] over [1024]
inductor.graph @long {
  %x = inductor.input "x" : !l
  %y = inductor.input "y" : tensor<1024xf32, #inductor.layout<fixed, [1]>>
  %rows = inductor.reduction "op0" as "buf0" welford_reduce [4, 1] over [1025] from f32 output 0 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !l -> f32
    inductor.store %0 at #row(%i, %j) : f32
  } : !r
  %all = inductor.reduction "op1" as "buf1" welford_reduce [] over [1024] from f32 output 1 {
  ^bb0(%i: index):
    %0 = inductor.load %y at affine_map<(d0) -> (d0)>(%i) : tensor<1024xf32, #inductor.layout<fixed, [1]>> -> f32
    inductor.store %0 at affine_map<(d0) -> ()>(%i) : f32
  } : !s
  inductor.return %rows, %all outputs [#inductor.operand<0>, #inductor.operand<1>] : !r, !s
}
