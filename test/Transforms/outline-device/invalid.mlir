// A module with functions of host and device has more than one bundle.

// RUN: not spyre-opt %s --spyre-outline-device --spyre-pipeline 2>&1 | FileCheck %s
// CHECK: error: convert-spyre-to-sdscbundle: a bundle has one function, without calls; spyre-run --on=card makes a bundle of each function of the device and runs the host's

func.func @f(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
  %0 = spyre.exp %x : tensor<8x64xf16>
  return %0 : tensor<8x64xf16>
}
