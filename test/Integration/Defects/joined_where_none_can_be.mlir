// RUN: spyre-run %s --entry gathered --integers 16 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s
// RUN: not spyre-run %s --entry cast --check-pipeline='builtin.module(spyre-pipeline)' 2>&1 | FileCheck %s --check-prefix=CAST
// RUN: spyre-run %s --entry beside_itself --largest 2 --tolerance 2e-2 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s

// Values that are inserted into a tensor, and cannot be made in their window: one that is gathered from, and one that a cast leaves in
// an order of its own, which no other operand has. The third is made there, and read from there beside where it is put again.

// CHECK: a bundle, same results on the simulated card
// CHECK-NOT: different
// CAST: error: spyre-propagate-layouts: operand #0 has to change its layout, but spyre.restickify knows the standard arrangement only and not DL16_TO_FP32
// CAST: note: operand #0 is defined here

func.func @gathered(%i: tensor<32xi32>, %t: tensor<16x2x65xf16>, %b: tensor<5x2x65xf16>) -> (tensor<32x2x65xf16>, tensor<21x2x65xf16>) {
  %r = spyre.relufwd %t : tensor<16x2x65xf16>
  %g = spyre.gather %i, %r dim 0 : (tensor<32xi32>, tensor<16x2x65xf16>) -> tensor<32x2x65xf16>
  %e = spyre.empty : tensor<21x2x65xf16>
  %0 = tensor.insert_slice %b into %e[16, 0, 0] [5, 2, 65] [1, 1, 1] : tensor<5x2x65xf16> into tensor<21x2x65xf16>
  %1 = tensor.insert_slice %r into %0[0, 0, 0] [16, 2, 65] [1, 1, 1] : tensor<16x2x65xf16> into tensor<21x2x65xf16>
  return %g, %1 : tensor<32x2x65xf16>, tensor<21x2x65xf16>
}

func.func @cast(%a: tensor<128x1x8x1xf16>, %b: tensor<2x1x8x1xf32>) -> tensor<130x1x8x1xf32> {
  %c = spyre.dl16tofp32 %a : (tensor<128x1x8x1xf16>) -> tensor<128x1x8x1xf32>
  %e = spyre.empty : tensor<130x1x8x1xf32>
  %0 = tensor.insert_slice %c into %e[0, 0, 0, 0] [128, 1, 8, 1] [1, 1, 1, 1] : tensor<128x1x8x1xf32> into tensor<130x1x8x1xf32>
  %1 = tensor.insert_slice %b into %0[128, 0, 0, 0] [2, 1, 8, 1] [1, 1, 1, 1] : tensor<2x1x8x1xf32> into tensor<130x1x8x1xf32>
  return %1 : tensor<130x1x8x1xf32>
}

func.func @beside_itself(%x: tensor<4x64xf16>) -> tensor<7x64xf16> {
  %n = spyre.exp %x : tensor<4x64xf16>
  %p = tensor.extract_slice %n[1, 0] [3, 64] [1, 1] : tensor<4x64xf16> to tensor<3x64xf16>
  %e = spyre.empty : tensor<7x64xf16>
  %0 = tensor.insert_slice %n into %e[0, 0] [4, 64] [1, 1] : tensor<4x64xf16> into tensor<7x64xf16>
  %1 = tensor.insert_slice %p into %0[4, 0] [3, 64] [1, 1] : tensor<3x64xf16> into tensor<7x64xf16>
  return %1 : tensor<7x64xf16>
}
