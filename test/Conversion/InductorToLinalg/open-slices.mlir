// Slices beside a size that is left open, as those of fused projections: one conversion serves every size.

// RUN: spyre-opt %s --convert-inductor-to-linalg="sizes=s0=32:96" -o %t
// RUN: FileCheck %s --input-file %t
// RUN: spyre-opt %t --spyre-import-linalg -o %t.spyre
// RUN: spyre-opt %s --convert-inductor-to-linalg="sizes=s0=64" -o %t.fixed

// On the CPU it is what a graph with a number is.
// RUN: spyre-run %t --entry halves --size s0=64 --random-seed 1 --compare %t.fixed --compare-entry halves | FileCheck %s --check-prefix=SAME
// SAME: result 0: 0 of {{[0-9]+}} elements differ

// The smallest, twice the smallest and the largest size on the card.
// RUN: spyre-run %t.spyre --entry halves --size s0=32 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %t.spyre --entry halves --size s0=64 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %t.spyre --entry halves --size s0=96 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// CARD: a bundle, same results on the simulated card

#rows = #inductor.layout<fixed, [128, 1], size = [s0, 128]>
#half = #inductor.layout<fixed, [64, 1], size = [s0, 64]>
#all = affine_map<(d0, d1) -> (d0, d1)>

// x[:, :64] * x[:, 64:]
// CHECK-LABEL: func.func @halves(
// CHECK:         %[[S:.*]] = tensor.dim %arg0
// CHECK:         tensor.extract_slice %arg0[0, 64] [%[[S]], 64] [1, 1] : tensor<?x128xf32> to tensor<?x64xf32>
inductor.graph @halves symbols [#inductor.sym<"s0", hint = 8, min = 2>] {
  %x = inductor.input "x" : tensor<?x128xf32, #rows>
  %y = inductor.pointwise "op0" as "buf0" [s0, 64] {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at #all(%i, %j) : tensor<?x128xf32, #rows> -> f32
    %w = inductor.load %x at affine_map<(d0, d1) -> (d0, d1 + 64)>(%i, %j) : tensor<?x128xf32, #rows> -> f32
    %p = arith.mulf %v, %w : f32
    inductor.store %p at #all(%i, %j) : f32
  } : tensor<?x64xf32, #half>
  inductor.return %y outputs [#inductor.operand<0>] : tensor<?x64xf32, #half>
}
