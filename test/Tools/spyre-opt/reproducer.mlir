// A failing pass leaves a reproducer with the pipeline and its options; running it fails in the same way.

// RUN: not spyre-opt %s --coarse-tile="groups=0-1:3@2" --mlir-pass-pipeline-crash-reproducer=%t.mlir 2> %t.first
// RUN: FileCheck %s --check-prefix=ERROR < %t.first
// RUN: FileCheck %s --check-prefix=FILE < %t.mlir
// RUN: not spyre-opt --run-reproducer %t.mlir 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: error: coarse-tile: no operation of the group has a dimension 2 of more than one element

// FILE: func.func @add_mul
// FILE-NOT: scf.for
// FILE: mlir_reproducer: {
// FILE: pipeline: "builtin.module(func.func(coarse-tile{dry-run=false groups={0-1:3@2} only-dynamic=false verify-tiling=false}))"

// With another count in the recorded options it works.
// RUN: sed 's/0-1:3@2/0-1:2@0/' %t.mlir > %t.good.mlir
// RUN: spyre-opt --run-reproducer %t.good.mlir | FileCheck %s --check-prefix=GOOD
// GOOD: scf.for
// GOOD: tensor<512x4096xf16

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<1024x4096xf16, #stick>

func.func @add_mul(%a: !t {spyre.dims = ["A", "B"]}, %b: !t {spyre.dims = ["A", "B"]}, %c: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.add %a, %b tile [0: "A" in 2, 1: "B" in 4] : !t
  %z = spyre.mul %y, %c tile [0: "A" in 2, 1: "B" in 4] : !t
  return %z : !t
}
