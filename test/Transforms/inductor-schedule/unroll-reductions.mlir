// Short reductions, element by element: on each side of the thresholds. The numbers stay.

// RUN: spyre-opt %s --inductor-split-reductions -o %t.cpu
// RUN: FileCheck %s --check-prefixes=CHECK,CPU --input-file %t.cpu
// RUN: spyre-opt %s --inductor-split-reductions=processors=108 -o %t.gpu
// RUN: FileCheck %s --check-prefixes=CHECK,GPU --input-file %t.gpu
// RUN: spyre-opt %s --inductor-split-reductions=unroll=0 | FileCheck %s --check-prefix=OFF
// RUN: spyre-opt %s --convert-inductor-to-linalg -o %t.0
// RUN: spyre-opt %t.cpu --convert-inductor-to-linalg -o %t.1
// RUN: spyre-opt %t.gpu --inductor-schedule=policy=simd --convert-inductor-to-linalg -o %t.2
// RUN: spyre-run %t.1 --entry sum_7 --random-seed 1 --compare %t.0
// RUN: spyre-run %t.2 --entry to_one --random-seed 1 --compare %t.0
// RUN: spyre-run %t.1 --entry rows --random-seed 1 --compare %t.0
// RUN: spyre-run %t.1 --entry one_element --random-seed 1 --compare %t.0
// RUN: spyre-run %t.1 --entry searches --compare %t.0
// RUN: spyre-run %t.1 --entry searches | FileCheck %s --check-prefix=SEARCHES
// RUN: spyre-run %t.1 --entry integers --compare %t.0
// RUN: spyre-run %t.1 --entry integers | FileCheck %s --check-prefix=INTEGERS
// RUN: spyre-run %t.1 --entry rounded --random-seed 1 --compare %t.0
// RUN: spyre-opt %s --inductor-split-reductions --remarks-filter=inductor-split-reductions --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] Unrolled | Category:inductor-split-reductions | Function=sum_7 | Elements=7, Operation=op0, Results=3

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
!r = tensor<3xf32, #inductor.layout<fixed, [1]>>
!x = tensor<3x7xf32, #inductor.layout<fixed, [7, 1]>>

// CHECK-LABEL: inductor.graph @sum_7
// CHECK: inductor.pointwise "op0" as "buf0" [3] {
// CHECK-NEXT: ^bb0(%[[I:.*]]: index):
// CHECK-COUNT-7: inductor.load
// CHECK-NOT: inductor.load
// CHECK: inductor.store
// OFF-LABEL: inductor.graph @sum_7
// OFF: inductor.reduction "op0"
inductor.graph @sum_7 {
  %x = inductor.input "x" : !x
  %y = inductor.reduction "op0" as "buf0" sum [3] over [7] from f32 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !x -> f32
    inductor.store %0 at #row(%i, %j) : f32
  } : !r
  inductor.return %y : !r
}

// CHECK-LABEL: inductor.graph @sum_8
// CHECK: inductor.reduction "op0"
inductor.graph @sum_8 {
  %x = inductor.input "x" : tensor<3x8xf32, #inductor.layout<fixed, [8, 1]>>
  %y = inductor.reduction "op0" as "buf0" sum [3] over [8] from f32 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : tensor<3x8xf32, #inductor.layout<fixed, [8, 1]>> -> f32
    inductor.store %0 at #row(%i, %j) : f32
  } : !r
  inductor.return %y : !r
}

// One result is a reduction on a CPU.
// CHECK-LABEL: inductor.graph @to_one
// CPU: inductor.reduction "op0"
// GPU: inductor.pointwise "op0"
inductor.graph @to_one {
  %x = inductor.input "x" : tensor<7xf32, #inductor.layout<fixed, [1]>>
  %y = inductor.reduction "op0" as "buf0" max [] over [7] from f32 {
  ^bb0(%i: index):
    %0 = inductor.load %x at affine_map<(d0) -> (d0)>(%i) : tensor<7xf32, #inductor.layout<fixed, [1]>> -> f32
    inductor.store %0 at affine_map<(d0) -> ()>(%i) : f32
  } : tensor<f32, #inductor.layout<fixed, []>>
  inductor.return %y : tensor<f32, #inductor.layout<fixed, []>>
}

// Two reduced loops, row by row; what does not depend on them is computed once.
// CHECK-LABEL: inductor.graph @rows
// CHECK: inductor.pointwise "op0" as "buf0" [3, 1] {
// CHECK: inductor.load %m
// CHECK-NOT: inductor.load %m
// CHECK: inductor.return
inductor.graph @rows {
  %x = inductor.input "x" : tensor<2x3x3xf32, #inductor.layout<fixed, [9, 3, 1]>>
  %m = inductor.input "m" : !r
  %y = inductor.reduction "op0" as "buf0" sum [3, 1] over [2, 3] from f32 {
  ^bb0(%i: index, %j: index, %k: index):
    %0 = inductor.load %x at affine_map<(d0, d1, d2) -> (d1, d0, d2)>(%i, %j, %k) : tensor<2x3x3xf32, #inductor.layout<fixed, [9, 3, 1]>> -> f32
    %1 = inductor.load %m at affine_map<(d0, d1, d2) -> (d0)>(%i, %j, %k) : !r -> f32
    %2 = arith.subf %0, %1 : f32
    %3 = arith.mulf %2, %2 : f32
    inductor.store %3 at affine_map<(d0, d1, d2) -> (d0, 0)>(%i, %j, %k) : f32
  } : tensor<3x1xf32, #inductor.layout<fixed, [1, 1]>>
  inductor.return %y : tensor<3x1xf32, #inductor.layout<fixed, [1, 1]>>
}

// One element is itself, and at the first place.
// CHECK-LABEL: inductor.graph @one_element
// CHECK: inductor.pointwise "op0"
// CHECK-NOT: arith
// CHECK: inductor.pointwise "op1"
// CHECK: arith.constant 0 : i64
// OFF-LABEL: inductor.graph @one_element
// OFF: inductor.pointwise "op0"
inductor.graph @one_element {
  %x = inductor.input "x" : !r
  %y = inductor.reduction "op0" as "buf0" sum [3] over [1] from f32 {
  ^bb0(%i: index):
    %0 = inductor.load %x at affine_map<(d0) -> (d0)>(%i) : !r -> f32
    inductor.store %0 at affine_map<(d0) -> (d0)>(%i) : f32
  } : !r
  %z = inductor.reduction "op1" as "buf1" argmax [3] over [1] from f32 {
  ^bb0(%i: index):
    %0 = inductor.load %x at affine_map<(d0) -> (d0)>(%i) : !r -> f32
    inductor.store %0 at affine_map<(d0) -> (d0)>(%i) : f32
  } : tensor<3xi64, #inductor.layout<fixed, [1]>>
  inductor.return %y, %z outputs [#inductor.operand<0>, #inductor.operand<1>] : !r, tensor<3xi64, #inductor.layout<fixed, [1]>>
}

// The first of equal ones, and NaN before all numbers, as NumPy has it.
// CHECK-LABEL: inductor.graph @searches
// CHECK: inductor.pointwise "op0"
// CHECK: inductor.pointwise "op1"
// CHECK: inductor.pointwise "op2"
// SEARCHES: result 0: tensor<4xi64> [3, 2, 0, 1]
// SEARCHES: result 1: tensor<4xi64> [1, 2, 0, 3]
// SEARCHES: result 2: tensor<4xi64> [1, 0, 0, 3]
!f = tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
!n = tensor<4x4xi64, #inductor.layout<fixed, [4, 1]>>
!p = tensor<4xi64, #inductor.layout<fixed, [1]>>
inductor.graph @searches {
  %x = inductor.constant "x" value dense<[[1.5, -2.0, 0.25, 4.0], [-1.0, -1.0, 0x7FC00000, 3.0], [0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [2.0, 7.5, 7.5, -8.0]]> : tensor<4x4xf32> : !f
  %n = inductor.constant "n" value dense<[[5, -2, 3, -2], [-5, 6, 7, 0], [3, 3, 3, 3], [9223372036854775807, 1, 2, -4]]> : tensor<4x4xi64> : !n
  %a = inductor.reduction "op0" as "buf0" argmax [4] over [4] from f32 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !f -> f32
    inductor.store %0 at #row(%i, %j) : f32
  } : !p
  %b = inductor.reduction "op1" as "buf1" argmin [4] over [4] from f32 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !f -> f32
    inductor.store %0 at #row(%i, %j) : f32
  } : !p
  %c = inductor.reduction "op2" as "buf2" argmin [4] over [4] from i64 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %n at #id(%i, %j) : !n -> i64
    inductor.store %0 at #row(%i, %j) : i64
  } : !p
  inductor.return %a, %b, %c outputs [#inductor.operand<0>, #inductor.operand<1>, #inductor.operand<2>] : !p, !p, !p
}

// INTEGERS: result 0: tensor<4xi64> [4, -6, 0, -9223372036854775808]
// INTEGERS: result 1: tensor<4xi64> [24, 0, 81, 8]
// INTEGERS: result 2: tensor<4xi1> [true, false, true, true]
inductor.graph @integers {
  %x = inductor.constant "x" value dense<[[1, 2, 3, 4], [-5, 6, 7, 0], [3, 3, 3, 3], [9223372036854775807, 1, 2, -4]]> : tensor<4x4xi64> : !n
  %t = inductor.constant "t" value dense<[[true, false, false, false], [false, false, false, false], [true, true, true, true], [false, true, true, false]]> : tensor<4x4xi1> : tensor<4x4xi1, #inductor.layout<fixed, [4, 1]>>
  %a = inductor.reduction "op0" as "buf0" xor_sum [4] over [4] from i64 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !n -> i64
    inductor.store %0 at #row(%i, %j) : i64
  } : !p
  %b = inductor.reduction "op1" as "buf1" prod [4] over [4] from i64 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !n -> i64
    inductor.store %0 at #row(%i, %j) : i64
  } : !p
  %c = inductor.reduction "op2" as "buf2" any [4] over [4] from i1 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %t at #id(%i, %j) : tensor<4x4xi1, #inductor.layout<fixed, [4, 1]>> -> i1
    inductor.store %0 at #row(%i, %j) : i1
  } : tensor<4xi1, #inductor.layout<fixed, [1]>>
  inductor.return %a, %b, %c outputs [#inductor.operand<0>, #inductor.operand<1>, #inductor.operand<2>] : !p, !p, tensor<4xi1, #inductor.layout<fixed, [1]>>
}

// A result of 16 bits is rounded once. A sum of products stays a reduction.
// CHECK-LABEL: inductor.graph @rounded
// CHECK: inductor.pointwise "op0"
// CHECK: inductor.reduction "op1" as "buf1" dot
inductor.graph @rounded {
  %x = inductor.input "x" : tensor<3x7xf16, #inductor.layout<fixed, [7, 1]>>
  %y = inductor.reduction "op0" as "buf0" sum [3] over [7] from f32 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : tensor<3x7xf16, #inductor.layout<fixed, [7, 1]>> -> f32
    inductor.store %0 at #row(%i, %j) : f32
  } : tensor<3xf16, #inductor.layout<fixed, [1]>>
  %z = inductor.reduction "op1" as "buf1" dot [3] over [7] from f32 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : tensor<3x7xf16, #inductor.layout<fixed, [7, 1]>> -> f32
    inductor.store %0, %0 at #row(%i, %j) : f32, f32
  } : !r
  inductor.return %y, %z outputs [#inductor.operand<0>, #inductor.operand<1>] : tensor<3xf16, #inductor.layout<fixed, [1]>>, !r
}
