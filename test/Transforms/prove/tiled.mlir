// RUN: rm -rf %t && mkdir %t && spyre-opt %s --coarse-tile -o %t/tiled.mlir
// RUN: FileCheck %s --check-prefix=LOOPS --input-file %t/tiled.mlir
// RUN: spyre-opt %t/tiled.mlir --spyre-prove=before=%s -o %t/same.mlir 2>&1 | FileCheck %s
// RUN: diff %t/tiled.mlir %t/same.mlir
// RUN: spyre-opt %s --coarse-tile --verify-tiling -o %t/verified.mlir 2>&1 | FileCheck %s --check-prefix=VERIFIED
// RUN: diff %t/tiled.mlir %t/verified.mlir
// RUN: spyre-opt %s --coarse-tile=verify-tiling -o /dev/null 2>&1 | FileCheck %s --check-prefix=VERIFIED

// The loops of tiling compute what the program computes, and the pass does not change it.

// LOOPS-LABEL: func.func @rows(
// LOOPS:         scf.for
// LOOPS:         scf.for

// CHECK: remark: spyre-prove: assumes (docs/Proofs.md): A3, 
// CHECK: remark: spyre-prove: 2 operations, {{[1-9][0-9]*}} claims (P1 {{[1-9][0-9]*}}, P2 {{[1-9][0-9]*}}): {{[1-9][0-9]*}} proved, 0 refuted, 0 not decided

// VERIFIED: remark: coarse-tile: verify-tiling: 2 loops
// VERIFIED: 0 refuted, 0 not decided

!t = tensor<256x512xf16>
func.func @rows(%a: !t {spyre.dims = ["A", "B"]}, %b: tensor<1x512xf16> {spyre.dims = ["U", "B"]}) -> !t {
  %0 = spyre.add %a, %b tile [0: "A" in 4, 1: "B" in 2] : (!t, tensor<1x512xf16>) -> !t
  %1 = spyre.exp %0 tile [0: "A" in 4, 1: "B" in 2] : !t
  return %1 : !t
}
