// Sums of products as tinygrad 0.14 has them: the reduced axes are permuted to the front, and buffers have one axis. They
// are products of matrices and convolutions for the card. The numbers are NumPy's.

// RUN: spyre-opt %s --convert-uop-to-linalg -o %t
// RUN: FileCheck %s --check-prefix=IR --input-file %t
// RUN: spyre-opt %t --spyre-import-linalg | FileCheck %s --check-prefix=CARD
// RUN: spyre-opt %s --convert-uop-to-linalg=literal=true -o %t.literal
// RUN: FileCheck %s --check-prefix=LITERAL --input-file %t.literal
// RUN: spyre-run %t --entry accumulated | FileCheck %s --check-prefix=EXACT
// RUN: spyre-run %t.literal --entry accumulated | FileCheck %s --check-prefix=ROUNDED
// RUN: spyre-run %t --entry matmul | FileCheck %s --check-prefix=MATMUL
// RUN: spyre-run %t --entry convolution | FileCheck %s --check-prefix=CONVOLUTION
// RUN: spyre-run %t --entry convolution --on=card | FileCheck %s --check-prefix=CONVOLUTION
// RUN: spyre-run %t --entry strided | FileCheck %s --check-prefix=STRIDED
// RUN: spyre-run %t --entry order | FileCheck %s --check-prefix=ORDER
// RUN: spyre-run %t --entry twice | FileCheck %s --check-prefix=TWICE

// The picture has rows, and its padding is a tensor: no bound is left in the body.
// IR-DAG: #[[ROWS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0 + d2, d1 + d3)>
// IR-DAG: #[[STEPS:.*]] = affine_map<(d0, d1) -> (d0 * 2 + d1)>

// IR-LABEL: func.func @matmul
// IR: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]
// IR: arith.muli
// IR-NEXT: arith.addi
// IR-NOT: linalg.generic
// MATMUL{LITERAL}: result 0: tensor<2x2xi32> [4, 5, 8, 11]
func.func @matmul() -> tensor<2x2xi32> {
  %x = uop.const dense<[0, 1, 2, 1, 2, 4]> : tensor<6xi32>
  %w = uop.const dense<[0, 1, 2, 1, 1, 2]> : tensor<6xi32>
  %0 = uop.reshape %x to [2, 1, 3] : tensor<6xi32>
  %1 = uop.expand %0 to [2, 2, 3] : tensor<2x1x3xi32>
  %2 = uop.reshape %w to [3, 2] : tensor<6xi32>
  %3 = uop.permute %2 [1, 0] : tensor<3x2xi32>
  %4 = uop.reshape %3 to [1, 2, 3] : tensor<2x3xi32>
  %5 = uop.expand %4 to [2, 2, 3] : tensor<1x2x3xi32>
  %6 = uop.mul %1, %5 : tensor<2x2x3xi32>
  %7 = uop.permute %6 [2, 0, 1] : tensor<2x2x3xi32>
  %8 = uop.reduce add %7 axes [0] : tensor<3x2x2xi32>
  %9 = uop.reshape %8 to [2, 2] : tensor<1x2x2xi32>
  return %9 : tensor<2x2xi32>
}

// IR-LABEL: func.func @halves
// CARD-LABEL: func.func @halves
// CARD: spyre.batchmatmul
// CARD-NOT: spyre.mul
func.func @halves(%x: tensor<1024xf16> {uop.slot = 0 : i64}, %w: tensor<2048xf16> {uop.slot = 1 : i64}) -> tensor<16x32xf16> {
  %0 = uop.reshape %x to [16, 1, 64] : tensor<1024xf16>
  %1 = uop.expand %0 to [16, 32, 64] : tensor<16x1x64xf16>
  %2 = uop.reshape %w to [64, 32] : tensor<2048xf16>
  %3 = uop.permute %2 [1, 0] : tensor<64x32xf16>
  %4 = uop.reshape %3 to [1, 32, 64] : tensor<32x64xf16>
  %5 = uop.expand %4 to [16, 32, 64] : tensor<1x32x64xf16>
  %6 = uop.mul %1, %5 : tensor<16x32x64xf16>
  %7 = uop.permute %6 [2, 0, 1] : tensor<16x32x64xf16>
  %8 = uop.reduce add %7 axes [0] : tensor<64x16x32xf16>
  %9 = uop.reshape %8 to [16, 32] : tensor<1x16x32xf16>
  return %9 : tensor<16x32xf16>
}

// A picture of three rows in zeros, and windows of three by three.
// IR-LABEL: func.func @convolution
// IR: tensor.pad {{.*}} low[1, 1] high[1, 1]
// IR-NOT: arith.select
// IR: indexing_maps = [#[[ROWS]]
// CONVOLUTION{LITERAL}: result 0: tensor<3x3xf32> [8.0, 15.0, 12.0, 21.0, 36.0, 27.0, 20.0, 33.0, 24.0]
func.func @convolution() -> tensor<3x3xf32> {
  %x = uop.const dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<9xf32>
  %w = uop.const dense<[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]> : tensor<9xf32>
  %p = uop.reshape %x to [3, 3] : tensor<9xf32>
  %0 = uop.pad %p at [1, 1] to [5, 5] : tensor<3x3xf32>
  %1 = uop.reshape %0 to [5, 1, 5] : tensor<5x5xf32>
  %2 = uop.expand %1 to [5, 4, 5] : tensor<5x1x5xf32>
  %3 = uop.reshape %2 to [5, 20] : tensor<5x4x5xf32>
  %4 = uop.shrink %3 at [0, 0] to [5, 18] : tensor<5x20xf32>
  %5 = uop.reshape %4 to [5, 3, 6] : tensor<5x18xf32>
  %6 = uop.shrink %5 at [0, 0, 0] to [5, 3, 3] : tensor<5x3x6xf32>
  %7 = uop.reshape %6 to [1, 5, 3, 3] : tensor<5x3x3xf32>
  %8 = uop.expand %7 to [4, 5, 3, 3] : tensor<1x5x3x3xf32>
  %9 = uop.reshape %8 to [20, 3, 3] : tensor<4x5x3x3xf32>
  %10 = uop.shrink %9 at [0, 0, 0] to [18, 3, 3] : tensor<20x3x3xf32>
  %11 = uop.reshape %10 to [3, 6, 3, 3] : tensor<18x3x3xf32>
  %12 = uop.shrink %11 at [0, 0, 0, 0] to [3, 3, 3, 3] : tensor<3x6x3x3xf32>
  %13 = uop.permute %12 [1, 3, 0, 2] : tensor<3x3x3x3xf32>
  %14 = uop.reshape %w to [1, 1, 3, 3] : tensor<9xf32>
  %15 = uop.expand %14 to [3, 3, 3, 3] : tensor<1x1x3x3xf32>
  %16 = uop.mul %13, %15 : tensor<3x3x3x3xf32>
  %17 = uop.permute %16 [2, 3, 0, 1] : tensor<3x3x3x3xf32>
  %18 = uop.reduce add %17 axes [0, 1] : tensor<3x3x3x3xf32>
  %19 = uop.reshape %18 to [3, 3] : tensor<1x1x3x3xf32>
  return %19 : tensor<3x3xf32>
}

// Windows of three in steps of two overlap: a window and its position have one axis.
// IR-LABEL: func.func @strided
// IR: indexing_maps = [#[[STEPS]]
// STRIDED{LITERAL}: result 0: tensor<2xi32> [5, 13]
func.func @strided() -> tensor<2xi32> {
  %x = uop.const dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
  %w = uop.const dense<[1, 1, 2]> : tensor<3xi32>
  %0 = uop.reshape %x to [1, 5] : tensor<5xi32>
  %1 = uop.expand %0 to [5, 5] : tensor<1x5xi32>
  %2 = uop.reshape %1 to [25] : tensor<5x5xi32>
  %3 = uop.shrink %2 at [0] to [18] : tensor<25xi32>
  %4 = uop.reshape %3 to [3, 6] : tensor<18xi32>
  %5 = uop.shrink %4 at [0, 0] to [3, 4] : tensor<3x6xi32>
  %6 = uop.reshape %5 to [3, 2, 2] : tensor<3x4xi32>
  %7 = uop.shrink %6 at [0, 0, 0] to [3, 2, 1] : tensor<3x2x2xi32>
  %8 = uop.reshape %7 to [3, 2] : tensor<3x2x1xi32>
  %9 = uop.reshape %w to [3, 1] : tensor<3xi32>
  %10 = uop.expand %9 to [3, 2] : tensor<3x1xi32>
  %11 = uop.mul %8, %10 : tensor<3x2xi32>
  %12 = uop.reduce add %11 axes [0] : tensor<3x2xi32>
  %13 = uop.reshape %12 to [2] : tensor<1x2xi32>
  return %13 : tensor<2xi32>
}

// The terms of a sum have the order of the reduced axes after the permutation: 1e8 - 1e8 + 1 is 1, and 1e8 + 1 - 1e8 is 0.
// ORDER{LITERAL}: result 0: tensor<1xf32> [1.0]
// ORDER{LITERAL}: result 1: tensor<1xf32> [0.0]
func.func @order() -> (tensor<1xf32>, tensor<1xf32>) {
  %x = uop.const dense<[[1.0e8, 1.0], [-1.0e8, 0.0]]> : tensor<2x2xf32>
  %p = uop.permute %x [1, 0] : tensor<2x2xf32>
  %0 = uop.reduce add %p axes [0, 1] : tensor<2x2xf32>
  %1 = uop.reshape %0 to [1] : tensor<1x1xf32>
  %2 = uop.reduce add %x axes [0, 1] : tensor<2x2xf32>
  %3 = uop.reshape %2 to [1] : tensor<1x1xf32>
  return %1, %3 : tensor<1xf32>, tensor<1xf32>
}

// A product that the program reads elsewhere is computed once.
// IR-LABEL: func.func @twice
// IR-COUNT-1: arith.muli
// IR-NOT: arith.muli
// TWICE{LITERAL}: result 0: tensor<3xi32> [3, 5, 7]
// TWICE{LITERAL}: result 1: tensor<3x2xi32> [0, 3, 1, 4, 2, 5]
func.func @twice() -> (tensor<3xi32>, tensor<3x2xi32>) {
  %x = uop.const dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
  %w = uop.const dense<[[1, 1, 1], [1, 1, 1]]> : tensor<2x3xi32>
  %0 = uop.mul %x, %w : tensor<2x3xi32>
  %1 = uop.permute %0 [1, 0] : tensor<2x3xi32>
  %2 = uop.reduce add %1 axes [1] : tensor<3x2xi32>
  %3 = uop.reshape %2 to [3] : tensor<3x1xi32>
  return %3, %1 : tensor<3xi32>, tensor<3x2xi32>
}

// Products of 16 bits that are added up in 32 are not rounded, as on tinygrad's tensor cores, unless the graph is computed as it
// is written. The squares of 1 + u and 1 + 3u, u = 2^-10, are 1 + 2u and 1 + 6u in 16 bits, without 10 u^2.
// IR-LABEL: func.func @accumulated
// IR: arith.extf
// IR: arith.extf
// IR: arith.mulf {{.*}} : f32
// IR-NEXT: arith.addf {{.*}} : f32
// LITERAL-LABEL: func.func @accumulated
// LITERAL: arith.mulf {{.*}} : f16
// LITERAL-NEXT: arith.extf
// LITERAL-NEXT: arith.addf {{.*}} : f32
// EXACT{LITERAL}: result 0: tensor<1xf32> [2.007822]
// ROUNDED{LITERAL}: result 0: tensor<1xf32> [2.0078125]
func.func @accumulated() -> tensor<1xf32> {
  %x = uop.const dense<[1.0009765625, 1.0029296875]> : tensor<2xf16>
  %0 = uop.contiguous %x : tensor<2xf16>
  %1 = uop.mul %0, %0 : tensor<2xf16>
  %2 = uop.cast %1 : tensor<2xf16> to tensor<2xf32>
  %3 = uop.reduce add %2 axes [0] : tensor<2xf32>
  return %3 : tensor<1xf32>
}

// CARD-LABEL: func.func @accumulated_halves
// CARD: spyre.batchmatmul
// CARD-NOT: spyre.mul
func.func @accumulated_halves(%x: tensor<1024xf16> {uop.slot = 0 : i64}, %w: tensor<2048xf16> {uop.slot = 1 : i64}) -> tensor<16x32xf16> {
  %0 = uop.reshape %x to [16, 1, 64] : tensor<1024xf16>
  %1 = uop.expand %0 to [16, 32, 64] : tensor<16x1x64xf16>
  %2 = uop.reshape %w to [64, 32] : tensor<2048xf16>
  %3 = uop.permute %2 [1, 0] : tensor<64x32xf16>
  %4 = uop.reshape %3 to [1, 32, 64] : tensor<32x64xf16>
  %5 = uop.expand %4 to [16, 32, 64] : tensor<1x32x64xf16>
  %6 = uop.mul %1, %5 : tensor<16x32x64xf16>
  %7 = uop.cast %6 : tensor<16x32x64xf16> to tensor<16x32x64xf32>
  %8 = uop.permute %7 [2, 0, 1] : tensor<16x32x64xf32>
  %9 = uop.reduce add %8 axes [0] : tensor<64x16x32xf32>
  %10 = uop.reshape %9 to [16, 32] : tensor<1x16x32xf32>
  %11 = uop.cast %10 : tensor<16x32xf32> to tensor<16x32xf16>
  return %11 : tensor<16x32xf16>
}
