// RUN: rm -rf %t && mkdir %t
// RUN: spyre-opt %s --coarse-tile -o %t/tiled.mlir
// RUN: spyre-opt %t/tiled.mlir --spyre-prove='before=%s unknown=error' -o /dev/null
// RUN: spyre-opt %t/tiled.mlir --spyre-prove=before=%s -o /dev/null 2>&1 | FileCheck %s

// Two loops cut the same dimension, with one over another dimension between them. Tiles of a wrong loop are inside of the
// tensor, so that no other check refuses them.

// CHECK: P2 {{[1-9][0-9]*}}): {{[1-9][0-9]*}} proved, 0 refuted, 0 not decided

!t = tensor<8x256xf16>
func.func @f(%a: !t {spyre.dims = ["A", "B"]}, %b: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.add %a, %b tile [0: "A" in 2, 1: "B" in 2, 2: "A" in 2] : !t
  %z = spyre.mul %y, %a tile [0: "A" in 2, 1: "B" in 2, 2: "A" in 2] : !t
  return %z : !t
}
