// Parts that there are already, and parts of a mean and a variance. The numbers stay.

// RUN: spyre-opt %s --inductor-split-reductions=processors=8 -o %t.1
// RUN: FileCheck %s --input-file %t.1
// RUN: spyre-opt %s --convert-inductor-to-linalg -o %t.0
// RUN: spyre-opt %t.1 --inductor-schedule=policy=simd --convert-inductor-to-linalg -o %t
// RUN: spyre-run %t --entry of_rows --random-seed 1 --compare %t.0 --tolerance 1e-4
// RUN: spyre-run %t --entry of_others --random-seed 1 --compare %t.0 --tolerance 1e-4
// RUN: spyre-run %t --entry variance --random-seed 1 --compare %t.0 --tolerance 1e-4
// RUN: spyre-run %t --entry even_variance --random-seed 1 --compare %t.0 --tolerance 1e-4
// RUN: spyre-run %t --entry combined --random-seed 1 --compare %t.0 --tolerance 1e-4

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0, 0)>
#all = affine_map<(d0, d1) -> ()>
!x = tensor<30x600xf32, #inductor.layout<fixed, [600, 1]>>
!m = tensor<30x1xf32, #inductor.layout<fixed, [1, 1]>>
!s = tensor<f32, #inductor.layout<fixed, []>>

// The sum of all has the rows of the largest of each row as its parts.
// CHECK-LABEL: inductor.graph @of_rows
// CHECK: inductor.reduction "op0" as "buf0" max [30, 1] over [600]
// CHECK: inductor.reduction "op1_part" as "buf1_part" sum [30] over [600]
// CHECK-NOT: inductor.masked
// CHECK: inductor.reduction "op1" as "buf1" sum [] over [30]
inductor.graph @of_rows {
  %x = inductor.input "x" : !x
  %m = inductor.reduction "op0" as "buf0" max [30, 1] over [600] from f32 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !x -> f32
    inductor.store %0 at #row(%i, %j) : f32
  } : !m
  %y = inductor.reduction "op1" as "buf1" sum [] over [30, 600] from f32 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !x -> f32
    %1 = inductor.load %m at #row(%i, %j) : !m -> f32
    %2 = arith.subf %0, %1 : f32
    inductor.store %2 at #all(%i, %j) : f32
  } : !s
  inductor.return %y : !s
}

// A buffer is no reduction: what it was made of does not count. Neither does a reduction over another number of elements. A part that
// reads as much along its elements as across them is cut again, as columns are.
// CHECK-LABEL: inductor.graph @of_others
// CHECK: inductor.reduction "op2_part" as "buf2_part" sum [3] over [6000]
// CHECK: inductor.reduction "op3_part" as "buf3_part" sum [3] over [47]
inductor.graph @of_others {
  %x = inductor.input "x" : !x
  %m = inductor.reduction "op0" as "buf0" max [30, 1] over [600] from f32 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !x -> f32
    inductor.store %0 at #row(%i, %j) : f32
  } : !m
  %n = inductor.pointwise "op1" as "buf1" [30, 600] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !x -> f32
    %1 = inductor.load %m at #row(%i, %j) : !m -> f32
    %2 = arith.subf %0, %1 : f32
    inductor.store %2 at #id(%i, %j) : f32
  } : !x
  %y = inductor.reduction "op2" as "buf2" sum [] over [30, 600] from f32 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %n at #id(%i, %j) : !x -> f32
    inductor.store %0 at #all(%i, %j) : f32
  } : !s
  %k = inductor.reduction "op4" as "buf4" max [30, 1] over [300] from f32 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !x -> f32
    inductor.store %0 at #row(%i, %j) : f32
  } : !m
  %z = inductor.reduction "op3" as "buf3" sum [] over [30, 600] from f32 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !x -> f32
    %1 = inductor.load %k at #row(%i, %j) : !m -> f32
    %2 = arith.subf %0, %1 : f32
    inductor.store %2 at #all(%i, %j) : f32
  } : !s
  inductor.return %y, %z outputs [#inductor.operand<0>, #inductor.operand<1>] : !s, !s
}

// The mean and the sum of squared deviations have their parts in common: what is behind the last element has the weight 0.
// CHECK-LABEL: inductor.graph @variance
// CHECK: %[[MEAN:.*]] = inductor.reduction "op0_part" as "buf0_part" welford_combine [10, 2] over [4501] from f32 output 0 {
// CHECK: %[[HAS:.*]] = arith.cmpi slt
// CHECK: %[[VALUE:.*]] = inductor.masked %[[HAS]] else 0.000000e+00
// CHECK: %[[WEIGHT:.*]] = arith.select %[[HAS]]
// CHECK: inductor.store %[[VALUE]], %{{.*}}, %[[WEIGHT]]
// CHECK: %[[SUM:.*]] = inductor.reduction "op0_part_1" as "buf0_part_1" welford_combine [10, 2] over [4501] from f32 output 1 {
// CHECK: %[[NUMBER:.*]] = inductor.reduction "op0_part_2" as "buf0_part_2" welford_combine [10, 2] over [4501] from f32 output 2 {
// CHECK: inductor.reduction "op0" as "buf0" welford_combine [10] over [2] from f32 output 0 {
// CHECK: inductor.load %[[MEAN]]
// CHECK: inductor.load %[[SUM]]
// CHECK: inductor.load %[[NUMBER]]
// CHECK: inductor.reduction "op1" as "buf1" welford_combine [10] over [2] from f32 output 1 {
// CHECK: inductor.load %[[MEAN]]
!v = tensor<10x9001xf32, #inductor.layout<fixed, [9001, 1]>>
!r = tensor<10xf32, #inductor.layout<fixed, [1]>>
inductor.graph @variance {
  %x = inductor.input "x" : !v
  %a = inductor.reduction "op0" as "buf0" welford_reduce [10] over [9001] from f32 output 0 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !v -> f32
    inductor.store %0 at affine_map<(d0, d1) -> (d0)>(%i, %j) : f32
  } : !r
  %b = inductor.reduction "op1" as "buf1" welford_reduce [10] over [9001] from f32 output 1 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !v -> f32
    inductor.store %0 at affine_map<(d0, d1) -> (d0)>(%i, %j) : f32
  } : !r
  inductor.return %a, %b outputs [#inductor.operand<0>, #inductor.operand<1>] : !r, !r
}

// CHECK-LABEL: inductor.graph @even_variance
// CHECK: inductor.reduction "op0_part" as "buf0_part" welford_reduce [3] over [6000] from f32 output 0 {
// CHECK: inductor.reduction "op0" as "buf0" welford_combine [] over [3] from f32 output 2 {
inductor.graph @even_variance {
  %x = inductor.input "x" : !x
  %a = inductor.reduction "op0" as "buf0" welford_reduce [] over [30, 600] from f32 output 2 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !x -> f32
    inductor.store %0 at #all(%i, %j) : f32
  } : !s
  inductor.return %a : !s
}

// Parts are cut again, and the last of them is short: each of the three values is 0 where there is no part.
// CHECK-LABEL: inductor.graph @combined
// CHECK: inductor.reduction "op0_part" as "buf0_part" welford_combine [10, 2] over [4501] from f32 output 0 {
// CHECK: %[[HAS:.*]] = arith.cmpi slt
// CHECK: %[[MEAN:.*]] = inductor.masked %[[HAS]] else 0.000000e+00
// CHECK: %[[SQUARES:.*]] = inductor.masked %[[HAS]] else 0.000000e+00
// CHECK: %[[NUMBER:.*]] = inductor.masked %[[HAS]] else 0.000000e+00
// CHECK-NEXT: inductor.load
// CHECK-NEXT: math.absf
// CHECK-NEXT: inductor.yield
// CHECK: inductor.store %[[MEAN]], %[[SQUARES]], %[[NUMBER]]
// CHECK: inductor.reduction "op0" as "buf0" welford_combine [10] over [2] from f32 output 1 {
inductor.graph @combined {
  %m = inductor.input "m" : !v
  %q = inductor.input "q" : !v
  %n = inductor.input "n" : !v
  %a = inductor.reduction "op0" as "buf0" welford_combine [10] over [9001] from f32 output 1 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %m at #id(%i, %j) : !v -> f32
    %1 = inductor.load %q at #id(%i, %j) : !v -> f32
    %2 = inductor.load %n at #id(%i, %j) : !v -> f32
    %3 = math.absf %2 : f32
    inductor.store %0, %1, %3 at affine_map<(d0, d1) -> (d0)>(%i, %j) : f32, f32, f32
  } : !r
  inductor.return %a outputs [#inductor.operand<0>] : !r
}
