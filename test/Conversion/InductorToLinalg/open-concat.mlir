// Tensors that are joined beside a size that is left open: one conversion serves every size, and one bundle.

// RUN: spyre-opt %s --convert-inductor-to-linalg="sizes=s0=32:96" -o %t
// RUN: FileCheck %s --input-file %t
// RUN: spyre-opt %s --convert-inductor-to-linalg="sizes=s0=64" -o %t.fixed
// RUN: spyre-run %t --entry joined --size s0=64 --random-seed 2 --compare %t.fixed --compare-entry joined | FileCheck %s --check-prefix=SAME
// SAME: result 0: 0 of 8192 elements differ

// The device operations are the same on the CPU.
// RUN: spyre-opt %t --spyre-import-linalg -o %t.spyre
// RUN: spyre-run %t.spyre --entry joined --size s0=64 --random-seed 2 --compare %t.fixed --compare-entry joined | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t.spyre --entry joined --size s0=32 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %t.spyre --entry joined --size s0=96 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// CARD: a bundle, same results on the simulated card

#rows = #inductor.layout<fixed, [128, 1], size = [s0, 128]>
#half = #inductor.layout<fixed, [64, 1], size = [s0, 64]>
#all = affine_map<(d0, d1) -> (d0, d1)>

// torch.cat([y, -y], 1) of the second half
// CHECK-LABEL: func.func @joined(
// CHECK:         tensor.insert_slice {{.*}} [%{{.*}}, 64] [1, 1] : tensor<?x64xf32> into tensor<?x128xf32>
inductor.graph @joined symbols [#inductor.sym<"s0", hint = 8, min = 2>] {
  %x = inductor.input "x" : tensor<?x128xf32, #rows>
  %y = inductor.pointwise "op0" as "buf0" [s0, 64] {
  ^bb0(%i: index, %j: index):
    %w = inductor.load %x at affine_map<(d0, d1) -> (d0, d1 + 64)>(%i, %j) : tensor<?x128xf32, #rows> -> f32
    inductor.store %w at #all(%i, %j) : f32
  } : tensor<?x64xf32, #half>
  %z = inductor.pointwise "op1" as "buf1" [s0, 64] {
  ^bb0(%i: index, %j: index):
    %w = inductor.load %y at #all(%i, %j) : tensor<?x64xf32, #half> -> f32
    %n = arith.negf %w : f32
    inductor.store %n at #all(%i, %j) : f32
  } : tensor<?x64xf32, #half>
  %c = inductor.concat "op2" as "buf2" %z, %y : (tensor<?x64xf32, #half>, tensor<?x64xf32, #half>) -> tensor<?x128xf32, #rows>
  inductor.return %c outputs [#inductor.operand<0>] : tensor<?x128xf32, #rows>
}
