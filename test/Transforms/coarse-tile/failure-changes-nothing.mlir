// RUN: not spyre-opt %s --coarse-tile --mlir-print-ir-after-failure 2>&1 | FileCheck %s --implicit-check-not=scf.for --implicit-check-not=spyre.empty

// When one group of a function is refused, the others have not been tiled yet. The first group here could be; the
// second cannot be read as it is computed, which is the last thing that is checked; the third only counts to 1.

// CHECK: error: coarse-tile: operand #1 is computed in this group in tiles of 256x512, but read here in tiles of 128x512
// CHECK: func.func @f
// CHECK: spyre.exp %arg0 tile [0: "A" in 2] : tensor<256x512xf16>
// CHECK: spyre.neg %arg1 tile [1: "A" in 2] : tensor<256x512xf16>
// CHECK: spyre.add %{{.+}} tile [1: "A" in 2] : tensor<256x512xf16>
// CHECK: spyre.abs %{{.+}} tile [2: "A" in 1] : tensor<256x512xf16>
func.func @f(%a: tensor<256x512xf16> {spyre.dims = ["A", "B"]}, %b: tensor<256x512xf16> {spyre.dims = ["C", "B"]}) -> tensor<256x512xf16> {
  %0 = spyre.exp %a tile [0: "A" in 2] : tensor<256x512xf16>
  %1 = spyre.neg %b tile [1: "A" in 2] : tensor<256x512xf16>
  %2 = spyre.add %0, %1 tile [1: "A" in 2] : tensor<256x512xf16>
  %3 = spyre.abs %2 tile [2: "A" in 1] : tensor<256x512xf16>
  return %3 : tensor<256x512xf16>
}
