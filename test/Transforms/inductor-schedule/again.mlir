// Loops that are merged are read again: a scan and a sort go along their last loops, also where those are merged.

// RUN: spyre-opt %s --inductor-simplify-loops -o %t.once
// RUN: spyre-opt %t.once --inductor-simplify-loops -o %t.twice
// RUN: diff %t.once %t.twice
// RUN: FileCheck %s --input-file %t.once
// RUN: spyre-opt %s --convert-inductor-to-linalg -o %t.plain
// RUN: spyre-opt %t.once --inductor-schedule=policy=cpp --convert-inductor-to-linalg -o %t.scheduled
// RUN: spyre-run %t.plain --compare %t.scheduled --random-seed 1 | FileCheck %s --check-prefix=SAME

#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
!x = tensor<4x4x4xf32, #inductor.layout<fixed, [16, 4, 1]>>
!c = tensor<4x4x4xf32, #inductor.layout<fixed, [1, 4, 16]>>

// The sorted loop is behind the others, and is not merged with them.
// CHECK: inductor.sort "op0" as "buf0" [4, 4, 4] over [4] loops [16, 4]
// CHECK: inductor.scan "op1" as "buf1" [4, 4, 4] over [4] loops [16, 4]
// SAME: result 0: 0 of 64 elements differ
// SAME: result 1: 0 of 64 elements differ
inductor.graph @along {
  %x = inductor.input "x" : !x
  %c = inductor.input "c" : !c
  %a = inductor.sort "op0" as "buf0" [4, 4, 4] over [4] output 0 {
  ^bb0(%i: index, %j: index, %k: index):
    %0 = inductor.load %c at #id(%i, %j, %k) : !c -> f32
    inductor.store %0 at #id(%i, %j, %k) : f32
  } : !c
  %b = inductor.scan "op1" as "buf1" [4, 4, 4] over [4] output 0 {
  ^bb0(%i: index, %j: index, %k: index):
    %0 = inductor.load %x at #id(%i, %j, %k) : !x -> f32
    inductor.store %0 at #id(%i, %j, %k) : f32
  } combine {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    inductor.yield %s : f32
  } : !x
  inductor.return %a, %b : !c, !x
}
