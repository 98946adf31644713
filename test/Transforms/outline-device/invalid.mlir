// A module with functions of host and device has more than one bundle.

// RUN: not spyre-opt %s --spyre-outline-device --spyre-pipeline 2>&1 | FileCheck %s
// CHECK: invalid.mlir:[[#@LINE+2]]:1: error: spyre-propagate-layouts: a function of the host has no layouts; spyre-run --on=card makes a bundle of each function of the device that it calls

func.func @f(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
  %0 = spyre.exp %x : tensor<8x64xf16>
  return %0 : tensor<8x64xf16>
}
