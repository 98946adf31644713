// Operations that move elements: pads, concatenations, steps, gathers; and constants.

// RUN: spyre-opt %s --spyre-import-linalg | FileCheck %s
// RUN: spyre-run %s --entry pad --random-seed 1 --check-pipeline='builtin.module(spyre-import-linalg,spyre-pipeline)' 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry concat --random-seed 2 --check-pipeline='builtin.module(spyre-import-linalg,spyre-pipeline)' 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry steps --random-seed 3 --check-pipeline='builtin.module(spyre-import-linalg,spyre-pipeline)' 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry embedding --input %S/Inputs/table.npy --input %S/Inputs/indices.npy --check-pipeline='builtin.module(spyre-import-linalg,spyre-pipeline)' --tolerance 1e-2 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry causal --random-seed 5 --check-pipeline='builtin.module(spyre-import-linalg,spyre-pipeline)' 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry apart --random-seed 6 --check-pipeline='builtin.module(spyre-import-linalg,spyre-pipeline)' 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry upsampled --random-seed 7 --check-pipeline='builtin.module(spyre-import-linalg,spyre-pipeline)' 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry only --random-seed 8 --check-pipeline='builtin.module(spyre-import-linalg,spyre-pipeline)' 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry pad_by_operands --random-seed 9 --check-pipeline='builtin.module(spyre-import-linalg,spyre-pipeline)' 2>/dev/null | FileCheck %s --check-prefix=CARD
// CARD-NOT: DIFFER
// CARD:     a bundle, same results on the simulated card

// CHECK-LABEL: @pad(
// CHECK:         spyre.fill dense<2.000000e+00> : tensor<8x1x64xf16>
// CHECK:         tensor.insert_slice %arg0
func.func @pad(%x: tensor<8x8x64xf16>) -> tensor<8x11x64xf16> {
  %two = arith.constant 2.0 : f16
  %0 = tensor.pad %x low[0, 1, 0] high[0, 2, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %two : f16
  } : tensor<8x8x64xf16> to tensor<8x11x64xf16>
  %1 = tensor.empty() : tensor<8x11x64xf16>
  %y = linalg.exp ins(%0 : tensor<8x11x64xf16>) outs(%1 : tensor<8x11x64xf16>) -> tensor<8x11x64xf16>
  return %y : tensor<8x11x64xf16>
}

// CHECK-LABEL: @concat(
// CHECK-COUNT-2: tensor.insert_slice
func.func @concat(%x: tensor<8x64xf16>, %y: tensor<24x64xf16>) -> tensor<32x64xf16> {
  %0 = tensor.concat dim(0) %x, %y : (tensor<8x64xf16>, tensor<24x64xf16>) -> tensor<32x64xf16>
  %1 = tensor.empty() : tensor<32x64xf16>
  %z = linalg.abs ins(%0 : tensor<32x64xf16>) outs(%1 : tensor<32x64xf16>) -> tensor<32x64xf16>
  return %z : tensor<32x64xf16>
}

// Every third row from the second on. The last of them has no two rows behind it, which the view needs.
// CHECK-LABEL: @steps(
// CHECK:         tensor.insert_slice %arg0 into {{.*}} : tensor<24x64xf16> into tensor<25x64xf16>
// CHECK:         tensor.expand_shape {{.*}} output_shape [8, 3, 64]
func.func @steps(%x: tensor<24x64xf16>) -> tensor<8x64xf16> {
  %0 = tensor.extract_slice %x[1, 0] [8, 64] [3, 1] : tensor<24x64xf16> to tensor<8x64xf16>
  %1 = tensor.empty() : tensor<8x64xf16>
  %y = linalg.abs ins(%0 : tensor<8x64xf16>) outs(%1 : tensor<8x64xf16>) -> tensor<8x64xf16>
  return %y : tensor<8x64xf16>
}

// CHECK-LABEL: @embedding(
// CHECK:         spyre.gather %arg1, %arg0 dim 0 : (tensor<16xi32>, tensor<32x64xf16>) -> tensor<16x64xf16>
func.func @embedding(%table: tensor<32x64xf16>, %at: tensor<16xi32>) -> tensor<16x64xf16> {
  %0 = tensor.empty() : tensor<16x64xf16>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%at : tensor<16xi32>) outs(%0 : tensor<16x64xf16>) {
  ^bb0(%in: i32, %out: f16):
    %i = arith.index_cast %in : i32 to index
    %j = linalg.index 1 : index
    %e = tensor.extract %table[%i, %j] : tensor<32x64xf16>
    linalg.yield %e : f16
  } -> tensor<16x64xf16>
  return %y : tensor<16x64xf16>
}

// The mask depends on no input: it is computed now, and passed.
// CHECK-LABEL: @causal(
// CHECK-SAME:    spyre.constant = dense<{{.*}}> : tensor<64x64xi1>
// CHECK-NOT:     lesserequal
// CHECK:         spyre.where3
func.func @causal(%x: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %zero = arith.constant 0.0 : f16
  %0 = tensor.empty() : tensor<64x64xi1>
  %mask = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<64x64xi1>) {
  ^bb0(%out: i1):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.cmpi sge, %i, %j : index
    linalg.yield %c : i1
  } -> tensor<64x64xi1>
  %1 = tensor.empty() : tensor<64x64xf16>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%mask, %x : tensor<64x64xi1>, tensor<64x64xf16>) outs(%1 : tensor<64x64xf16>) {
  ^bb0(%m: i1, %in: f16, %out: f16):
    %s = arith.select %m, %in, %zero : f16
    linalg.yield %s : f16
  } -> tensor<64x64xf16>
  return %y : tensor<64x64xf16>
}

// Every third row and every second column from the sixth on; behind the last row is no whole step.
// CHECK-LABEL: @apart(
// CHECK:         %[[TILE:.+]] = tensor.expand_shape %arg0 {{.*}} into tensor<5x1x40x1xf16>
// CHECK:         tensor.insert_slice %[[TILE]] into %{{.+}}[0, 0, 0, 0] [5, 1, 40, 1] [1, 1, 1, 1] : tensor<5x1x40x1xf16> into tensor<5x3x40x2xf16>
func.func @apart(%x: tensor<5x40xf16>, %into: tensor<15x128xf16>) -> tensor<15x128xf16> {
  %0 = tensor.insert_slice %x into %into[2, 6] [5, 40] [3, 2] : tensor<5x40xf16> into tensor<15x128xf16>
  %1 = tensor.empty() : tensor<15x128xf16>
  %y = linalg.exp ins(%0 : tensor<15x128xf16>) outs(%1 : tensor<15x128xf16>) -> tensor<15x128xf16>
  return %y : tensor<15x128xf16>
}

// The elements of an image apart, as a transposed convolution begins, with a dimension of one element less in the tile.
// CHECK-LABEL: @upsampled(
func.func @upsampled(%x: tensor<4x8x64xf16>) -> tensor<1x4x15x64xf16> {
  %zero = arith.constant 0.0 : f16
  %0 = tensor.empty() : tensor<1x4x15x64xf16>
  %1 = linalg.fill ins(%zero : f16) outs(%0 : tensor<1x4x15x64xf16>) -> tensor<1x4x15x64xf16>
  %2 = tensor.insert_slice %x into %1[0, 0, 0, 0] [1, 4, 8, 64] [1, 1, 2, 1] : tensor<4x8x64xf16> into tensor<1x4x15x64xf16>
  %y = linalg.abs ins(%2 : tensor<1x4x15x64xf16>) outs(%0 : tensor<1x4x15x64xf16>) -> tensor<1x4x15x64xf16>
  return %y : tensor<1x4x15x64xf16>
}

// Nothing else is to convert.
// CHECK-LABEL: @only(
// CHECK:         tensor.insert_slice %{{.+}} [8, 1, 64] [1, 1, 1]
func.func @only(%x: tensor<8x64xf16>, %into: tensor<16x64xf16>) -> tensor<16x64xf16> {
  %0 = tensor.insert_slice %x into %into[0, 0] [8, 64] [2, 1] : tensor<8x64xf16> into tensor<16x64xf16>
  return %0 : tensor<16x64xf16>
}

// TOSA's pads are operands, which are constants.
// CHECK-LABEL: @pad_by_operands(
// CHECK:         tensor.insert_slice %arg0 into %{{.*}}[1, 0, 0] [8, 8, 60]
func.func @pad_by_operands(%x: tensor<8x8x60xf16>) -> tensor<11x8x64xf16> {
  %two = arith.constant 2.0 : f16
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %0 = tensor.pad %x low[%c1, 0, %c2] high[%c2, 0, %c2] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %two : f16
  } : tensor<8x8x60xf16> to tensor<11x8x64xf16>
  %1 = tensor.empty() : tensor<11x8x64xf16>
  %y = linalg.exp ins(%0 : tensor<11x8x64xf16>) outs(%1 : tensor<11x8x64xf16>) -> tensor<11x8x64xf16>
  return %y : tensor<11x8x64xf16>
}
