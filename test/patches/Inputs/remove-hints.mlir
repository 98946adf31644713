// The pass of remove-hints.patch.

// RUN: spyre-opt %s --spyre-remove-hints | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-NOT:     tile
// CHECK-NOT:     divide
// CHECK:         return
func.func @f(%a: tensor<64x128xf16> {spyre.dims = ["A", "B"]}) -> tensor<64x128xf16> {
  %y = spyre.abs %a tile [0: "A" in 2] : tensor<64x128xf16>
  %z = spyre.neg %y divide ["B" over 2] : tensor<64x128xf16>
  return %z : tensor<64x128xf16>
}
