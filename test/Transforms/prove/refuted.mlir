// RUN: rm -rf %t && mkdir %t && spyre-opt %s --coarse-tile -o %t/tiled.mlir
// RUN: spyre-opt %t/tiled.mlir --spyre-prove=before=%s -o /dev/null
// RUN: sed 's/d0 \* 64/d0 * 63/' %t/tiled.mlir > %t/damaged.mlir && not diff %t/tiled.mlir %t/damaged.mlir > /dev/null
// RUN: not spyre-opt %t/damaged.mlir --spyre-prove=before=%s -o /dev/null 2>&1 | FileCheck %s
// RUN: sed 's/%arg0\[%[0-9]*, 0\]/%arg0[0, 0]/' %t/tiled.mlir > %t/first.mlir && not diff %t/tiled.mlir %t/first.mlir > /dev/null
// RUN: not spyre-opt %t/first.mlir --spyre-prove=before=%s -o /dev/null 2>&1 | FileCheck %s --check-prefix=FIRST

// Windows at an offset of 63 rows for each iteration leave the last rows without contents: the witness is the first
// element that nothing writes.

// CHECK: error: spyre-prove: P1: result 0: nothing has written element [253, 0]

// The first tile in every iteration computes other elements than the program before.

// FIRST: error: spyre-prove: P2: result 0: result 0 is element [0, 0] of result of 'exp', before: element [64, 0] of result of 'exp'
// FIRST: refuted.mlir:[[#@LINE+4]]:8: note: before, the element is computed here

!t = tensor<256x512xf16>
func.func @rows(%a: !t {spyre.dims = ["A", "B"]}) -> !t {
  %0 = spyre.exp %a tile [0: "A" in 4] : !t
  return %0 : !t
}
