// With direct-convolutions, a sum of products of windows becomes one operation where the device has a form for it. Its image is as
// long as the windows reach, and its channels are whole sticks. What the device has no form for stays a product for each position.

// RUN: spyre-opt %s '--spyre-import-linalg=direct-convolutions=true float=exact' | FileCheck %s
// RUN: spyre-opt %s --spyre-import-linalg=host=true\ direct-convolutions=true | FileCheck %s --check-prefix=HOST
// RUN: spyre-opt %s --spyre-import-linalg | FileCheck %s --check-prefix=WINDOWS
// WINDOWS-NOT: spyre.conv2d
// WINDOWS:     spyre.batchmatmul
// HOST: spyre.conv2d
// RUN: spyre-opt %s --spyre-import-linalg=host=true\ direct-convolutions=true\ float=exact --remarks-filter=spyre-outline-device -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: Function=wider | Reason="'conv2d' computes in SEN169_FP16, but tensor 0 is IEEE_FP32", Remark="'spyre.conv2d' stays on the host"
// REMARK: Function=wider_inside | Reason="'conv2d' computes in SEN169_FP16, but tensor 0 is IEEE_FP32", Remark="'spyre.conv2d' stays on the host"
// REMARK-NOT: StaysOnHost

// RUN: spyre-run %s --entry strided --random-seed 1 --integers 1 --check-pipeline='builtin.module(spyre-import-linalg{direct-convolutions=true},spyre-pipeline)' 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry channels_first --random-seed 2 --integers 1 --check-pipeline='builtin.module(spyre-import-linalg{direct-convolutions=true},spyre-pipeline)' 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: not spyre-run %s --entry wider --random-seed 3 --integers 1 --check-pipeline='builtin.module(spyre-import-linalg{direct-convolutions=true float=dl16},spyre-pipeline)' 2>&1 | FileCheck %s --check-prefix=ORDER --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry wider_inside --random-seed 3 --integers 1 --check-pipeline='builtin.module(spyre-import-linalg{direct-convolutions=true float=dl16},spyre-pipeline)' 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry row --random-seed 4 --integers 1 --check-pipeline='builtin.module(spyre-import-linalg{direct-convolutions=true},spyre-pipeline)' 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry groups --random-seed 5 --integers 1 --check-pipeline='builtin.module(spyre-import-linalg{direct-convolutions=true},spyre-pipeline)' 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry one_window --random-seed 6 --integers 1 --check-pipeline='builtin.module(spyre-import-linalg{direct-convolutions=true},spyre-pipeline)' 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry diagonal --random-seed 7 --integers 1 --check-pipeline='builtin.module(spyre-import-linalg{direct-convolutions=true},spyre-pipeline)' 2>/dev/null | FileCheck %s --check-prefix=CARD
// Small integers have exact sums in 16 bits, in whatever order. The card has no convolution of f32.
// CARD-NOT: DIFFER
// CARD:     a bundle, same results on the simulated card

// The last row of the image is under no window.
// CHECK-LABEL: @strided(
// CHECK:         %[[X:.*]] = tensor.extract_slice %arg0[0, 0, 0, 0] [2, 9, 9, 64] [1, 1, 1, 1]
// CHECK-NEXT:    spyre.conv2d %[[X]], %arg1 strides [2, 1] dilations [1, 3] : (tensor<2x9x9x64xf16>, tensor<3x3x64x96xf16>) -> tensor<2x4x3x96xf16>
// CHECK-NEXT:    return
func.func @strided(%x: tensor<2x10x9x64xf16>, %w: tensor<3x3x64x96xf16>) -> tensor<2x4x3x96xf16> {
  %z = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<2x4x3x96xf16>
  %f = linalg.fill ins(%z : f16) outs(%e : tensor<2x4x3x96xf16>) -> tensor<2x4x3x96xf16>
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<[2, 1]> : tensor<2xi64>, dilations = dense<[1, 3]> : tensor<2xi64>}
      ins(%x, %w : tensor<2x10x9x64xf16>, tensor<3x3x64x96xf16>) outs(%f : tensor<2x4x3x96xf16>) -> tensor<2x4x3x96xf16>
  return %0 : tensor<2x4x3x96xf16>
}

// Three channels are padded to a stick, on both sides.
// CHECK-LABEL: @channels_first(
// CHECK-DAG:     spyre.permute %arg0 [0, 2, 3, 1]
// CHECK-DAG:     spyre.permute %arg1 [2, 3, 1, 0]
// CHECK:         %[[Y:.*]] = spyre.conv2d {{.*}} : (tensor<1x8x8x64xf16>, tensor<3x3x64x16xf16>) -> tensor<1x6x6x16xf16>
// CHECK-NEXT:    spyre.permute %[[Y]] [0, 3, 1, 2] : tensor<1x6x6x16xf16> to tensor<1x16x6x6xf16>
func.func @channels_first(%x: tensor<1x3x8x8xf16>, %w: tensor<16x3x3x3xf16>) -> tensor<1x16x6x6xf16> {
  %z = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<1x16x6x6xf16>
  %f = linalg.fill ins(%z : f16) outs(%e : tensor<1x16x6x6xf16>) -> tensor<1x16x6x6xf16>
  %0 = linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x3x8x8xf16>, tensor<16x3x3x3xf16>) outs(%f : tensor<1x16x6x6xf16>) -> tensor<1x16x6x6xf16>
  return %0 : tensor<1x16x6x6xf16>
}

// Sums of 32 bits run over whole sticks of 64 filters; of others, the operands are cast.
// CHECK-LABEL: @wider(
// CHECK:         spyre.dl16tofp32
// CHECK:         spyre.conv2d {{.*}} : (tensor<1x8x8x64xf32>, tensor<3x3x64x16xf32>) -> tensor<1x6x6x16xf32>
func.func @wider(%x: tensor<1x8x8x64xf16>, %w: tensor<3x3x64x16xf16>) -> tensor<1x6x6x16xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x6x6x16xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x6x6x16xf32>) -> tensor<1x6x6x16xf32>
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x8x8x64xf16>, tensor<3x3x64x16xf16>) outs(%f : tensor<1x6x6x16xf32>) -> tensor<1x6x6x16xf32>
  return %0 : tensor<1x6x6x16xf32>
}

// A result of f32 would be cast on the card, in an order that the host cannot read. One that is cast back is of 16 bits throughout.
// ORDER: operand #0 is returned in the arrangement DL16_TO_FP32
// CHECK-LABEL: @wider_inside(
// CHECK:         spyre.conv2d {{.*}} : (tensor<1x8x8x64xf32>, tensor<3x3x64x16xf32>) -> tensor<1x6x6x16xf32>
// CHECK:         spyre.fp32todl16
func.func @wider_inside(%x: tensor<1x8x8x64xf16>, %w: tensor<3x3x64x16xf16>) -> tensor<1x6x6x16xf16> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x6x6x16xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x6x6x16xf32>) -> tensor<1x6x6x16xf32>
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x8x8x64xf16>, tensor<3x3x64x16xf16>) outs(%f : tensor<1x6x6x16xf32>) -> tensor<1x6x6x16xf32>
  %g = tensor.empty() : tensor<1x6x6x16xf16>
  %1 = linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (n, h, w, c)>, affine_map<(n, h, w, c) -> (n, h, w, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0 : tensor<1x6x6x16xf32>) outs(%g : tensor<1x6x6x16xf16>) {
  ^bb0(%in: f32, %out: f16):
    %n = arith.truncf %in : f32 to f16
    linalg.yield %n : f16
  } -> tensor<1x6x6x16xf16>
  return %1 : tensor<1x6x6x16xf16>
}

// One dimension is a width.
// CHECK-LABEL: @row(
// CHECK:         spyre.conv2d {{.*}} strides [1, 2] dilations [1, 1] : (tensor<4x1x18x64xf16>, tensor<1x4x64x7xf16>) -> tensor<4x1x8x7xf16>
func.func @row(%x: tensor<4x20x5xf16>, %w: tensor<4x5x7xf16>) -> tensor<4x8x7xf16> {
  %z = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<4x8x7xf16>
  %f = linalg.fill ins(%z : f16) outs(%e : tensor<4x8x7xf16>) -> tensor<4x8x7xf16>
  %0 = linalg.conv_1d_nwc_wcf {strides = dense<[2]> : tensor<1xi64>, dilations = dense<[1]> : tensor<1xi64>}
      ins(%x, %w : tensor<4x20x5xf16>, tensor<4x5x7xf16>) outs(%f : tensor<4x8x7xf16>) -> tensor<4x8x7xf16>
  return %0 : tensor<4x8x7xf16>
}

// Each channel has a window of its own.
// CHECK-LABEL: @groups(
// CHECK-NOT:     spyre.conv2d
// CHECK:         return
func.func @groups(%x: tensor<1x8x8x64xf16>, %w: tensor<3x3x64xf16>) -> tensor<1x6x6x64xf16> {
  %z = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<1x6x6x64xf16>
  %f = linalg.fill ins(%z : f16) outs(%e : tensor<1x6x6x64xf16>) -> tensor<1x6x6x64xf16>
  %0 = linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x8x8x64xf16>, tensor<3x3x64xf16>) outs(%f : tensor<1x6x6x64xf16>) -> tensor<1x6x6x64xf16>
  return %0 : tensor<1x6x6x64xf16>
}

// A single window has no place in the file. Both operands of each product are windows at a position of their own.
// CHECK-LABEL: @one_window(
// CHECK-NOT:     spyre.conv2d
// CHECK:         return
func.func @one_window(%x: tensor<1x3x3x64xf16>, %w: tensor<3x3x64x16xf16>) -> tensor<1x1x1x16xf16> {
  %z = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<1x1x1x16xf16>
  %f = linalg.fill ins(%z : f16) outs(%e : tensor<1x1x1x16xf16>) -> tensor<1x1x1x16xf16>
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x3x3x64xf16>, tensor<3x3x64x16xf16>) outs(%f : tensor<1x1x1x16xf16>) -> tensor<1x1x1x16xf16>
  return %0 : tensor<1x1x1x16xf16>
}

// One loop moves the windows along both dimensions.
// CHECK-LABEL: @diagonal(
// CHECK-NOT:     spyre.conv2d
// CHECK:         return
func.func @diagonal(%x: tensor<6x6x64xf16>, %w: tensor<2x2x64x16xf16>) -> tensor<5x16xf16> {
  %z = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<5x16xf16>
  %f = linalg.fill ins(%z : f16) outs(%e : tensor<5x16xf16>) -> tensor<5x16xf16>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(p, f, c, i, j) -> (p + i, p + j, c)>, affine_map<(p, f, c, i, j) -> (i, j, c, f)>,
                       affine_map<(p, f, c, i, j) -> (p, f)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<6x6x64xf16>, tensor<2x2x64x16xf16>) outs(%f : tensor<5x16xf16>) {
  ^bb0(%a: f16, %b: f16, %o: f16):
    %m = arith.mulf %a, %b : f16
    %s = arith.addf %o, %m : f16
    linalg.yield %s : f16
  } -> tensor<5x16xf16>
  return %0 : tensor<5x16xf16>
}
