// Views that no layout makes free, and layouts between which there is no single operation: the tensor is copied so that the
// view is one. Each program runs on the CPU before and after every pass, and as a bundle on the simulated card.

// RUN: spyre-opt %s --spyre-simplify-views --spyre-propagate-layouts --spyre-optimize-restickify --spyre-insert-restickify | FileCheck %s
// RUN: spyre-run %s --entry heads_of_32 --check-pipeline='builtin.module(spyre-pipeline)' --max-ulps 8 | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry merged_rows --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry half_a_stick --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry half_a_stick_written --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry only_dimension --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry ragged_rows --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry outer_sum --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry sums_as_a_row --check-pipeline='builtin.module(spyre-pipeline)' --max-ulps 8 | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry reshaped_window --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry one_row --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry one_column --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry one_stick_each --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry outer_product --check-pipeline='builtin.module(spyre-pipeline)' --max-ulps 8 | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry patches --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry returned --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry wide_and_back --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry rank_reducing --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry two_strides --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry gathered_vector --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry inserted_rows --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry strided_merge --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD

// CARD: a bundle, same results on the simulated card

// Heads shorter than a stick: 16 rows come onto the stick, and the merged heads from there.
// CHECK-LABEL: func.func @heads_of_32(
// CHECK: spyre.restickify
// CHECK-NEXT: tensor.collapse_shape
// CHECK-NEXT: spyre.restickify
// CHECK: spyre.batchmatmul
func.func @heads_of_32(%a: tensor<16x4x32xf16>, %b: tensor<128x64xf16>) -> tensor<16x64xf16> {
  %0 = tensor.collapse_shape %a [[0], [1, 2]] : tensor<16x4x32xf16> into tensor<16x128xf16>
  %1 = spyre.batchmatmul %0, %b : (tensor<16x128xf16>, tensor<128x64xf16>) -> tensor<16x64xf16>
  return %1 : tensor<16x64xf16>
}

// Two dimensions that are no neighbours in memory become neighbours by a copy.
// CHECK-LABEL: func.func @merged_rows(
// CHECK: spyre.copy
// CHECK-NEXT: tensor.collapse_shape
func.func @merged_rows(%a: tensor<4x8x128xf16>) -> tensor<32x128xf16> {
  %0 = tensor.collapse_shape %a [[0, 1], [2]] : tensor<4x8x128xf16> into tensor<32x128xf16>
  %1 = spyre.relufwd %0 : tensor<32x128xf16>
  return %1 : tensor<32x128xf16>
}

// The second half of a stick.
// CHECK-LABEL: func.func @half_a_stick(
// CHECK: spyre.restickify
// CHECK-NEXT: tensor.extract_slice
func.func @half_a_stick(%a: tensor<4x32x64xf16>) -> tensor<4x32x32xf16> {
  %0 = tensor.extract_slice %a[0, 0, 32] [4, 32, 32] [1, 1, 1] : tensor<4x32x64xf16> to tensor<4x32x32xf16>
  %1 = spyre.neg %0 : tensor<4x32x32xf16>
  return %1 : tensor<4x32x32xf16>
}

// CHECK-LABEL: func.func @half_a_stick_written(
// CHECK: spyre.restickify
// CHECK: tensor.insert_slice
func.func @half_a_stick_written(%a: tensor<32x32xf16>, %b: tensor<32x64xf16>) -> tensor<32x64xf16> {
  %0 = spyre.neg %a : tensor<32x32xf16>
  %1 = tensor.insert_slice %0 into %b[0, 32] [32, 32] [1, 1] : tensor<32x32xf16> into tensor<32x64xf16>
  %2 = spyre.neg %1 : tensor<32x64xf16>
  return %2 : tensor<32x64xf16>
}

// There is no dimension outside of the reshape, so elements come into sticks of their own.
// CHECK-LABEL: func.func @only_dimension(
// CHECK: spyre.copy {{.*}}tensor<96x2xf16
// CHECK: spyre.restickify
// CHECK: tensor.expand_shape
func.func @only_dimension(%a: tensor<96xf16>) -> tensor<3x32xf16> {
  %0 = tensor.expand_shape %a [[0, 1]] output_shape [3, 32] : tensor<96xf16> into tensor<3x32xf16>
  %1 = spyre.neg %0 : tensor<3x32xf16>
  return %1 : tensor<3x32xf16>
}

// CHECK-LABEL: func.func @ragged_rows(
// CHECK: tensor.collapse_shape
func.func @ragged_rows(%a: tensor<4x100xf16>) -> tensor<400xf16> {
  %0 = tensor.collapse_shape %a [[0, 1]] : tensor<4x100xf16> into tensor<400xf16>
  %1 = spyre.neg %0 : tensor<400xf16>
  return %1 : tensor<400xf16>
}

// A row and a column, each full of its dimension.
// CHECK-LABEL: func.func @outer_sum(
// CHECK: spyre.restickify
// CHECK: spyre.add
#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
func.func @outer_sum(%a: tensor<1x256xf16, #rows>, %b: tensor<128x1xf16, #cols>) -> tensor<128x256xf16> {
  %0 = spyre.add %a, %b : (tensor<1x256xf16, #rows>, tensor<128x1xf16, #cols>) -> tensor<128x256xf16>
  return %0 : tensor<128x256xf16>
}

// What a reduction leaves in sticks of its own, on the stick of a row.
// CHECK-LABEL: func.func @sums_as_a_row(
// CHECK: spyre.sum
// CHECK: spyre.restickify
func.func @sums_as_a_row(%a: tensor<128x256xf16, #rows>, %v: tensor<64x128xf16>) -> tensor<64x128xf16> {
  %0 = spyre.sum %a dims [1] : (tensor<128x256xf16, #rows>) -> tensor<128xf16>
  %1 = spyre.add %0, %v : (tensor<128xf16>, tensor<64x128xf16>) -> tensor<64x128xf16>
  return %1 : tensor<64x128xf16>
}

// CHECK-LABEL: func.func @reshaped_window(
// CHECK-NOT: spyre.copy
// CHECK: spyre.add
func.func @reshaped_window(%a: tensor<4x64x128xf16>, %b: tensor<64x128xf16>) -> tensor<64x128xf16> {
  %0 = tensor.extract_slice %a[2, 0, 0] [1, 64, 128] [1, 1, 1] : tensor<4x64x128xf16> to tensor<1x64x128xf16>
  %1 = tensor.collapse_shape %0 [[0, 1], [2]] : tensor<1x64x128xf16> into tensor<64x128xf16>
  %2 = spyre.add %1, %b : tensor<64x128xf16>
  return %2 : tensor<64x128xf16>
}

func.func @one_row(%a: tensor<4x128xf16>) -> tensor<1x128xf16> {
  %0 = tensor.extract_slice %a[2, 0] [1, 128] [1, 1] : tensor<4x128xf16> to tensor<1x128xf16>
  %1 = spyre.neg %0 : tensor<1x128xf16>
  return %1 : tensor<1x128xf16>
}

func.func @one_column(%a: tensor<4x192xf16>) -> tensor<4x1xf16> {
  %0 = tensor.extract_slice %a[0, 70] [4, 1] [1, 1] : tensor<4x192xf16> to tensor<4x1xf16>
  %1 = spyre.neg %0 : tensor<4x1xf16>
  return %1 : tensor<4x1xf16>
}

// CHECK-LABEL: func.func @one_stick_each(
// CHECK-NOT: spyre.restickify
// CHECK: return
func.func @one_stick_each(%a: tensor<64x256xf16>) -> tensor<64x4x64xf16> {
  %0 = tensor.expand_shape %a [[0], [1, 2]] output_shape [64, 4, 64] : tensor<64x256xf16> into tensor<64x4x64xf16>
  %1 = spyre.neg %0 : tensor<64x4x64xf16>
  return %1 : tensor<64x4x64xf16>
}

func.func @outer_product(%x: tensor<64x200xf16>, %b: tensor<1x128xf16>) -> tensor<64x128xf16> {
  %0 = spyre.mean %x dims [1] keepdim : (tensor<64x200xf16>) -> tensor<64x1xf16>
  %1 = spyre.batchmatmul %0, %b : (tensor<64x1xf16>, tensor<1x128xf16>) -> tensor<64x128xf16>
  return %1 : tensor<64x128xf16>
}

// Several groups of dimensions at once: one after the other.
// CHECK-LABEL: func.func @patches(
// CHECK: tensor.collapse_shape
// CHECK: tensor.collapse_shape
func.func @patches(%a: tensor<4x4x3x8x8xf16>) -> tensor<16x192xf16> {
  %0 = tensor.collapse_shape %a [[0, 1], [2, 3, 4]] : tensor<4x4x3x8x8xf16> into tensor<16x192xf16>
  %1 = spyre.neg %0 : tensor<16x192xf16>
  return %1 : tensor<16x192xf16>
}

// A view that is returned is copied to the argument of the result.
func.func @returned(%a: tensor<32x64xf16>) -> tensor<32x2x32xf16> {
  %0 = spyre.neg %a : tensor<32x64xf16>
  %1 = tensor.expand_shape %0 [[0], [1, 2]] output_shape [32, 2, 32] : tensor<32x64xf16> into tensor<32x2x32xf16>
  return %1 : tensor<32x2x32xf16>
}

// 80 elements are two sticks of 16-bit floats and two and a half of 32-bit ones: there is room for four.
func.func @wide_and_back(%x: tensor<64x80xf16>) -> tensor<64x80xf16> {
  %f = spyre.dl16tofp32 %x : (tensor<64x80xf16>) -> tensor<64x80xf32>
  %g = spyre.fp32todl16 %f : (tensor<64x80xf32>) -> tensor<64x80xf16>
  return %g : tensor<64x80xf16>
}

// CHECK-LABEL: func.func @rank_reducing(
// CHECK: tensor.extract_slice {{.*}} [1, 256]
// CHECK: tensor.collapse_shape
func.func @rank_reducing(%a: tensor<8x256xf16>) -> tensor<256xf16> {
  %0 = tensor.extract_slice %a[7, 0] [1, 256] [1, 1] : tensor<8x256xf16> to tensor<256xf16>
  %1 = spyre.neg %0 : tensor<256xf16>
  return %1 : tensor<256xf16>
}

func.func @two_strides(%a: tensor<8x128xf16>) -> tensor<8x128xf16> {
  %e = tensor.expand_shape %a [[0, 1], [2]] output_shape [4, 2, 128] : tensor<8x128xf16> into tensor<4x2x128xf16>
  %p = spyre.permute %e [1, 0, 2] : tensor<4x2x128xf16> to tensor<2x4x128xf16>
  %c = tensor.collapse_shape %p [[0, 1], [2]] : tensor<2x4x128xf16> into tensor<8x128xf16>
  %y = spyre.neg %c : tensor<8x128xf16>
  return %y : tensor<8x128xf16>
}

// What is chosen from is not on the stick, and a vector has nothing else.
func.func @gathered_vector(%t: tensor<128xf16>) -> tensor<64xf16> {
  %i = spyre.fill dense<5> : tensor<64xi32>
  %0 = spyre.gather %i, %t dim 0 : (tensor<64xi32>, tensor<128xf16>) -> tensor<64xf16>
  return %0 : tensor<64xf16>
}

func.func @inserted_rows(%tile: tensor<64x64xf16>, %into: tensor<128x256xf16>) -> tensor<128x256xf16> {
  %0 = spyre.neg %tile : tensor<64x64xf16>
  %1 = tensor.insert_slice %0 into %into[3, 7] [64, 64] [1, 1] : tensor<64x64xf16> into tensor<128x256xf16>
  return %1 : tensor<128x256xf16>
}

// A window of rows, of which two dimensions become one.
func.func @strided_merge(%a: tensor<4x8x128xf16>) -> tensor<8x128xf16> {
  %0 = tensor.extract_slice %a[0, 3, 0] [4, 2, 128] [1, 1, 1] : tensor<4x8x128xf16> to tensor<4x2x128xf16>
  %1 = tensor.collapse_shape %0 [[0, 1], [2]] : tensor<4x2x128xf16> into tensor<8x128xf16>
  %2 = spyre.neg %1 : tensor<8x128xf16>
  return %2 : tensor<8x128xf16>
}
