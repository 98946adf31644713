// RUN: not spyre-opt %s --coarse-tile --mlir-print-ir-after-failure 2>&1 | FileCheck %s --implicit-check-not=scf.for --implicit-check-not=spyre.empty

// When one group of a function is refused, the others have not been tiled yet. The first group here could be; the
// second reduces what cannot be put together from parts; the third only counts to 1.

// CHECK: error: coarse-tile: dimension "B" is reduced by this operation, and no operation combines the parts of a topkvalue of several elements
// CHECK: func.func @f
// CHECK: spyre.exp %arg0 tile [0: "A" in 2] : tensor<256x512xf16>
// CHECK: spyre.neg %{{.+}} tile [1: "B" in 2] : tensor<256x512xf16>
// CHECK: spyre.topkvalue %{{.+}} tile [1: "B" in 2] : (tensor<256x512xf16>) -> tensor<256x64xf16>
// CHECK: spyre.abs %{{.+}} tile [2: "A" in 1] : tensor<256x64xf16>
func.func @f(%a: tensor<256x512xf16> {spyre.dims = ["A", "B"]}) -> tensor<256x64xf16> {
  %0 = spyre.exp %a tile [0: "A" in 2] : tensor<256x512xf16>
  %1 = spyre.neg %0 tile [1: "B" in 2] : tensor<256x512xf16>
  %2 = spyre.topkvalue %1 dim 1 k 64 tile [1: "B" in 2] : (tensor<256x512xf16>) -> tensor<256x64xf16>
  %3 = spyre.abs %2 tile [2: "A" in 1] : tensor<256x64xf16>
  return %3 : tensor<256x64xf16>
}
