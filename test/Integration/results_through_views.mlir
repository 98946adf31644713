// A result that reshapes or permutations of an operation's result are is written by the operation, and not copied: the elements have one
// place, and the layout of the result says it.

// RUN: spyre-opt %s --spyre-pipeline=bundle=false --split-input-file | FileCheck %s
// RUN: spyre-run %s --entry heads --check-pipeline='builtin.module(spyre-pipeline)' --integers 2 | FileCheck %s --check-prefix=SAME --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry transposed --check-pipeline='builtin.module(spyre-pipeline)' --integers 2 | FileCheck %s --check-prefix=SAME --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry twice --check-pipeline='builtin.module(spyre-pipeline)' --integers 2 | FileCheck %s --check-prefix=SAME --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry in_tiles --check-pipeline='builtin.module(spyre-pipeline)' --integers 2 | FileCheck %s --check-prefix=SAME --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry given --check-pipeline='builtin.module(spyre-pipeline)' --integers 2 | FileCheck %s --check-prefix=SAME --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry read_again --check-pipeline='builtin.module(spyre-pipeline)' --integers 2 | FileCheck %s --check-prefix=SAME --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry merged --check-pipeline='builtin.module(spyre-pipeline)' --integers 2 | FileCheck %s --check-prefix=SAME --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry ragged --check-pipeline='builtin.module(spyre-pipeline)' --integers 2 | FileCheck %s --check-prefix=SAME --implicit-check-not=DIFFER
// SAME: a bundle, same results on the simulated card

// CHECK-LABEL: func.func @heads(
// CHECK-NOT:     spyre.copy
// CHECK:         spyre.batchmatmul {{.*}} place arg 2
// CHECK-NOT:     spyre.copy
// CHECK:         return
func.func @heads(%a: tensor<1x4x64x64xf16>, %b: tensor<1x4x64x64xf16>) -> tensor<1x4x64x64xf16> {
  %0 = tensor.collapse_shape %a [[0, 1], [2], [3]] : tensor<1x4x64x64xf16> into tensor<4x64x64xf16>
  %1 = tensor.collapse_shape %b [[0, 1], [2], [3]] : tensor<1x4x64x64xf16> into tensor<4x64x64xf16>
  %2 = spyre.batchmatmul %0, %1 : (tensor<4x64x64xf16>, tensor<4x64x64xf16>) -> tensor<4x64x64xf16>
  %3 = tensor.expand_shape %2 [[0, 1], [2], [3]] output_shape [1, 4, 64, 64] : tensor<4x64x64xf16> into tensor<1x4x64x64xf16>
  return %3 : tensor<1x4x64x64xf16>
}

// CHECK-LABEL: func.func @transposed(
// CHECK-NOT:     spyre.copy
// CHECK:         spyre.exp {{.*}} place arg 1
// CHECK-NOT:     spyre.copy
// CHECK:         return
func.func @transposed(%a: tensor<8x128xf16>) -> tensor<128x8xf16> {
  %0 = spyre.exp %a : tensor<8x128xf16>
  %1 = spyre.permute %0 [1, 0] : tensor<8x128xf16> to tensor<128x8xf16>
  return %1 : tensor<128x8xf16>
}

// One buffer is no two results.
// CHECK-LABEL: func.func @twice(
// CHECK:         spyre.abs {{.*}} place arg 1
// CHECK:         spyre.copy {{.*}} place arg 2
func.func @twice(%a: tensor<8x128xf16>) -> (tensor<8x1x128xf16>, tensor<8x128xf16>) {
  %0 = spyre.abs %a : tensor<8x128xf16>
  %1 = tensor.expand_shape %0 [[0, 1], [2]] output_shape [8, 1, 128] : tensor<8x128xf16> into tensor<8x1x128xf16>
  return %1, %0 : tensor<8x1x128xf16>, tensor<8x128xf16>
}

// A loop writes its tiles where the result has them.
// CHECK-LABEL: func.func @in_tiles(
// CHECK:         spyre.empty place arg 1
// CHECK-NOT:     spyre.copy
// CHECK:         return
func.func @in_tiles(%a: tensor<8x128xf16> {spyre.dims = ["A", "B"]}) -> tensor<1x8x128xf16> {
  %0 = spyre.abs %a tile [0: "A" in 2] : tensor<8x128xf16>
  %1 = tensor.expand_shape %0 [[0, 1], [2]] output_shape [1, 8, 128] : tensor<8x128xf16> into tensor<1x8x128xf16>
  return %1 : tensor<1x8x128xf16>
}

// The layout of a result that the program gives is another one: the elements move.
// CHECK-LABEL: func.func @given(
// CHECK:         spyre.abs {{.*}} place {{pool|lx}}
// CHECK:         place arg 1
#rows = #spyre.layout<(d0, d1, d2) -> (d0, d1, d2 floordiv 64, d2 mod 64)>
func.func @given(%a: tensor<8x128xf16>) -> tensor<1x8x128xf16, #rows> {
  %0 = spyre.abs %a : tensor<8x128xf16>
  %1 = tensor.expand_shape %0 [[0, 1], [2]] output_shape [1, 8, 128] : tensor<8x128xf16> into tensor<1x8x128xf16>
  %2 = spyre.copy %1 : (tensor<1x8x128xf16>) -> tensor<1x8x128xf16, #rows>
  return %2 : tensor<1x8x128xf16, #rows>
}

// CHECK-LABEL: func.func @read_again(
// CHECK:         spyre.abs {{.*}} place arg 1
func.func @read_again(%a: tensor<8x128xf16>) -> (tensor<1x8x128xf16>, tensor<8x128xf16>) {
  %0 = spyre.abs %a : tensor<8x128xf16>
  %1 = tensor.expand_shape %0 [[0, 1], [2]] output_shape [1, 8, 128] : tensor<8x128xf16> into tensor<1x8x128xf16>
  %2 = spyre.exp %0 : tensor<8x128xf16>
  return %1, %2 : tensor<1x8x128xf16>, tensor<8x128xf16>
}

func.func @merged(%a: tensor<4x8x128xf16>) -> tensor<32x128xf16> {
  %0 = spyre.abs %a : tensor<4x8x128xf16>
  %1 = tensor.collapse_shape %0 [[0, 1], [2]] : tensor<4x8x128xf16> into tensor<32x128xf16>
  return %1 : tensor<32x128xf16>
}

func.func @ragged(%a: tensor<5x33xf16>) -> tensor<5x1x33xf16> {
  %0 = spyre.abs %a : tensor<5x33xf16>
  %1 = tensor.expand_shape %0 [[0, 1], [2]] output_shape [5, 1, 33] : tensor<5x33xf16> into tensor<5x1x33xf16>
  return %1 : tensor<5x1x33xf16>
}
