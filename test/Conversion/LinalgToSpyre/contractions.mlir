// Sums of products become matrix products, in whatever order the loops and the dimensions are; windows are unrolled.

// RUN: spyre-opt %s --spyre-import-linalg | FileCheck %s
// RUN: spyre-run %s --entry matmul --random-seed 1 --largest 0.25 --check-pipeline='builtin.module(spyre-import-linalg,spyre-pipeline)' --tolerance 3e-2 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry heads --random-seed 2 --largest 1 --check-pipeline='builtin.module(spyre-import-linalg,spyre-pipeline)' --tolerance 3e-2 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry matvec --random-seed 3 --largest 0.25 --check-pipeline='builtin.module(spyre-import-linalg,spyre-pipeline)' --tolerance 3e-2 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: not spyre-run %s --entry wider --random-seed 4 --largest 1 --check-pipeline='builtin.module(spyre-import-linalg{float=dl16},spyre-pipeline)' --tolerance 1e-2 2>&1 | FileCheck %s --check-prefix=ORDER --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry wider_inside --random-seed 4 --largest 1 --check-pipeline='builtin.module(spyre-import-linalg,spyre-pipeline)' --tolerance 1e-2 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry convolution --random-seed 5 --largest 1 --check-pipeline='builtin.module(spyre-import-linalg,spyre-pipeline)' --tolerance 3e-2 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry pooling --random-seed 6 --check-pipeline='builtin.module(spyre-import-linalg,spyre-pipeline)' --tolerance 1e-2 2>/dev/null | FileCheck %s --check-prefix=CARD
// CARD-NOT: DIFFER
// CARD:     a bundle, same results on the simulated card

// CHECK-LABEL: @matmul(
// CHECK-NEXT:    spyre.batchmatmul %arg0, %arg1 : (tensor<96x128xf16>, tensor<128x64xf16>) -> tensor<96x64xf16>
// CHECK-NEXT:    return
func.func @matmul(%a: tensor<96x128xf16>, %b: tensor<128x64xf16>) -> tensor<96x64xf16> {
  %zero = arith.constant 0.0 : f16
  %0 = tensor.empty() : tensor<96x64xf16>
  %1 = linalg.fill ins(%zero : f16) outs(%0 : tensor<96x64xf16>) -> tensor<96x64xf16>
  %c = linalg.matmul ins(%a, %b : tensor<96x128xf16>, tensor<128x64xf16>) outs(%1 : tensor<96x64xf16>) -> tensor<96x64xf16>
  return %c : tensor<96x64xf16>
}

// Scores of attention by an einsum: b s h d, b t h d -> b h s t.
// CHECK-LABEL: @heads(
// CHECK-DAG:     %[[Q:.*]] = spyre.permute %arg0 [0, 2, 1, 3]
// CHECK-DAG:     %[[K:.*]] = spyre.permute %arg1 [0, 2, 3, 1]
// CHECK:         spyre.batchmatmul %[[Q]], %[[K]] : (tensor<2x4x32x64xf16>, tensor<2x4x64x16xf16>) -> tensor<2x4x32x16xf16>
func.func @heads(%q: tensor<2x32x4x64xf16>, %k: tensor<2x16x4x64xf16>) -> tensor<2x4x32x16xf16> {
  %zero = arith.constant 0.0 : f16
  %0 = tensor.empty() : tensor<2x4x32x16xf16>
  %1 = linalg.fill ins(%zero : f16) outs(%0 : tensor<2x4x32x16xf16>) -> tensor<2x4x32x16xf16>
  %s = linalg.contract indexing_maps = [affine_map<(b, h, s, t, d) -> (b, s, h, d)>, affine_map<(b, h, s, t, d) -> (b, t, h, d)>, affine_map<(b, h, s, t, d) -> (b, h, s, t)>]
    ins(%q, %k : tensor<2x32x4x64xf16>, tensor<2x16x4x64xf16>) outs(%1 : tensor<2x4x32x16xf16>) -> tensor<2x4x32x16xf16>
  return %s : tensor<2x4x32x16xf16>
}

// The vector is the left operand of one row.
// CHECK-LABEL: @matvec(
// CHECK:         spyre.batchmatmul {{.*}} : (tensor<1x128xf16>, tensor<128x96xf16>) -> tensor<1x96xf16>
func.func @matvec(%a: tensor<96x128xf16>, %x: tensor<128xf16>) -> tensor<96xf16> {
  %zero = arith.constant 0.0 : f16
  %0 = tensor.empty() : tensor<96xf16>
  %1 = linalg.fill ins(%zero : f16) outs(%0 : tensor<96xf16>) -> tensor<96xf16>
  %y = linalg.matvec ins(%a, %x : tensor<96x128xf16>, tensor<128xf16>) outs(%1 : tensor<96xf16>) -> tensor<96xf16>
  return %y : tensor<96xf16>
}

// Products of f16 that are added up in f32. The card has products of 16 bits alone, and a cast leaves the elements of the result in
// an order that the host cannot read.
// ORDER: operand #0 is returned in the arrangement DL16_TO_FP32
// RUN: spyre-opt %s --spyre-import-linalg=host=true --remarks-filter=spyre-outline-device -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: Function=wider | Reason="'batchmatmul' computes in SEN169_FP16, but tensor 2 is IEEE_FP32", Remark="'spyre.batchmatmul' stays on the host"
// REMARK-NOT: StaysOnHost
// CHECK-LABEL: @wider(
// CHECK:         spyre.batchmatmul %arg0, %arg1 : (tensor<32x64xf16>, tensor<64x64xf16>) -> tensor<32x64xf32>
func.func @wider(%a: tensor<32x64xf16>, %b: tensor<64x64xf16>) -> tensor<32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<32x64xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<32x64xf32>) -> tensor<32x64xf32>
  %c = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x64xf16>) outs(%1 : tensor<32x64xf32>) -> tensor<32x64xf32>
  return %c : tensor<32x64xf32>
}

// Added up in f32 and cast back: the product of f16 adds up in f32 in any case.
// CHECK-LABEL: @wider_inside(
// CHECK-NEXT:    spyre.batchmatmul %arg0, %arg1 : tensor<64x64xf16>
// CHECK-NEXT:    return
func.func @wider_inside(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<64x64xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %wide_a = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<64x64xf16>) outs(%0 : tensor<64x64xf32>) {
  ^bb0(%in: f16, %out: f32):
    %w = arith.extf %in : f16 to f32
    linalg.yield %w : f32
  } -> tensor<64x64xf32>
  %wide_b = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<64x64xf16>) outs(%0 : tensor<64x64xf32>) {
  ^bb0(%in: f16, %out: f32):
    %w = arith.extf %in : f16 to f32
    linalg.yield %w : f32
  } -> tensor<64x64xf32>
  %c = linalg.matmul ins(%wide_a, %wide_b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = tensor.empty() : tensor<64x64xf16>
  %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<64x64xf32>) outs(%2 : tensor<64x64xf16>) {
  ^bb0(%in: f32, %out: f16):
    %n = arith.truncf %in : f32 to f16
    linalg.yield %n : f16
  } -> tensor<64x64xf16>
  return %d : tensor<64x64xf16>
}

// Four positions of the window, every second row and column.
// CHECK-LABEL:     @convolution(
// CHECK-COUNT-4:   spyre.batchmatmul
// CHECK-NOT:       spyre.batchmatmul
func.func @convolution(%x: tensor<1x9x9x64xf16>, %w: tensor<2x2x64x32xf16>) -> tensor<1x4x4x32xf16> {
  %zero = arith.constant 0.0 : f16
  %0 = tensor.empty() : tensor<1x4x4x32xf16>
  %1 = linalg.fill ins(%zero : f16) outs(%0 : tensor<1x4x4x32xf16>) -> tensor<1x4x4x32xf16>
  %y = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<1x9x9x64xf16>, tensor<2x2x64x32xf16>) outs(%1 : tensor<1x4x4x32xf16>) -> tensor<1x4x4x32xf16>
  return %y : tensor<1x4x4x32xf16>
}

// CHECK-LABEL:     @pooling(
// CHECK-COUNT-8:   spyre.maximum
// CHECK-NOT:       spyre.maximum
func.func @pooling(%x: tensor<1x8x8x64xf16>) -> tensor<1x6x6x64xf16> {
  %low = arith.constant 0xFC00 : f16
  %k = tensor.empty() : tensor<3x3xf16>
  %0 = tensor.empty() : tensor<1x6x6x64xf16>
  %1 = linalg.fill ins(%low : f16) outs(%0 : tensor<1x6x6x64xf16>) -> tensor<1x6x6x64xf16>
  %y = linalg.pooling_nhwc_max {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %k : tensor<1x8x8x64xf16>, tensor<3x3xf16>) outs(%1 : tensor<1x6x6x64xf16>) -> tensor<1x6x6x64xf16>
  return %y : tensor<1x6x6x64xf16>
}
