// A cast to 32 bits leaves the elements of one 16-bit stick staggered over two sticks. A window that has one of the two
// has every other element: where layouts are chosen, another dimension comes onto the stick, and conversion refuses it. Whole pairs are
// right.

// RUN: split-file %s %t
// RUN: spyre-opt %t/half.mlir --spyre-pipeline | FileCheck %s --check-prefix=CHOSEN
// CHOSEN: sdscbundle.op_spec @sdsc_0 "ReStickifyOpHBM"
// CHOSEN: sdscbundle.op_spec @sdsc_1 "dl16tofp32"
// RUN: spyre-run %t/half.mlir --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=SAME --implicit-check-not=DIFFER
// RUN: not spyre-opt %t/planned.mlir --convert-spyre-to-sdscbundle 2>&1 | FileCheck %s --check-prefix=PLANNED
// PLANNED: error: convert-spyre-to-sdscbundle: the window covers [32, 64) of dimension 1, which is in the staggered order that a cast leaves, 64 elements at a time over two sticks; take the window before the cast, or whole pairs of sticks
// RUN: spyre-run %t/whole.mlir --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=SAME --implicit-check-not=DIFFER
// SAME: a bundle, same results on the simulated card

//--- half.mlir
func.func @f(%a: tensor<64x128xf16>) -> tensor<64x32xf16> {
  %w = spyre.dl16tofp32 %a : (tensor<64x128xf16>) -> tensor<64x128xf32>
  %s = tensor.extract_slice %w[0, 32] [64, 32] [1, 1] : tensor<64x128xf32> to tensor<64x32xf32>
  %n = spyre.fp32todl16 %s : (tensor<64x32xf32>) -> tensor<64x32xf16>
  return %n : tensor<64x32xf16>
}

//--- whole.mlir
func.func @f(%a: tensor<64x128xf16>) -> tensor<64x64xf16> {
  %w = spyre.dl16tofp32 %a : (tensor<64x128xf16>) -> tensor<64x128xf32>
  %s = tensor.extract_slice %w[0, 64] [64, 64] [1, 1] : tensor<64x128xf32> to tensor<64x64xf32>
  %n = spyre.fp32todl16 %s : (tensor<64x64xf32>) -> tensor<64x64xf16>
  return %n : tensor<64x64xf16>
}

//--- planned.mlir
#h = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#w = #spyre.layout<(d0, d1) -> (d1 floordiv 32, d0, d1 mod 32), arrangement = dl16_to_fp32>
func.func @f(%a: tensor<64x128xf16, #h>) -> tensor<64x32xf16, #h> {
  %w = spyre.dl16tofp32 %a place pool 0 : (tensor<64x128xf16, #h>) -> tensor<64x128xf32, #w>
  %s = tensor.extract_slice %w[0, 32] [64, 32] [1, 1] : tensor<64x128xf32, #w> to tensor<64x32xf32, #w>
  %n = spyre.fp32todl16 %s place arg 1 : (tensor<64x32xf32, #w>) -> tensor<64x32xf16, #h>
  return %n : tensor<64x32xf16, #h>
}
