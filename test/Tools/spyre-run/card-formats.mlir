// A function of the device in two formats of 16 bits, of which a simulated card stores one, is the host's.

// RUN: spyre-opt %s --convert-uop-to-linalg -o %t.mlir
// RUN: spyre-run %t.mlir --entry both --on=card --stats --random-seed 1 --compare %t.mlir --compare-entry both --tolerance 1e-2 2>&1 | FileCheck %s
// CHECK: warning: @both_device_0 stays on the host: @both_device_0: the function has both f16 and bf16, which a simulated card cannot tell apart
// CHECK: 0.0 % of the work is the device's
// CHECK: result 0: 0 of 4096 elements differ
// CHECK: result 1: 0 of 4096 elements differ
func.func @both(%x: tensor<64x64xf16>, %y: tensor<64x64xbf16>) -> (tensor<64x64xf16>, tensor<64x64xbf16>) {
  %0 = uop.add %x, %x : tensor<64x64xf16>
  %1 = uop.exp2 %0 : tensor<64x64xf16>
  %2 = uop.add %y, %y : tensor<64x64xbf16>
  %3 = uop.exp2 %2 : tensor<64x64xbf16>
  return %1, %3 : tensor<64x64xf16>, tensor<64x64xbf16>
}

// A card that stores both as one format runs it.
// RUN: spyre-run %t.mlir --entry both --on=card --device-floats=dl16 --stats --random-seed 1 --compare %t.mlir --compare-entry both --tolerance 3e-2 2>&1 | FileCheck %s --check-prefix=ONE --implicit-check-not=warning
// ONE: device: @both_device_0
// ONE: result 0: 0 of 4096 elements differ

// One of the formats alone is the card's.
// RUN: spyre-run %t.mlir --entry one --on=card --stats --random-seed 1 --compare %t.mlir --compare-entry one --tolerance 3e-2 2>&1 | FileCheck %s --check-prefix=ALONE --implicit-check-not=warning
// ALONE: device: @one_device_0
// ALONE: result 0: 0 of 4096 elements differ
func.func @one(%y: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %2 = uop.add %y, %y : tensor<64x64xbf16>
  %3 = uop.exp2 %2 : tensor<64x64xbf16>
  return %3 : tensor<64x64xbf16>
}
