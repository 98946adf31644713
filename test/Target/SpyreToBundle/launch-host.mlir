// A function of the device that has no bundle becomes one of the host, with the reason, and the others have their bundles.

// RUN: spyre-opt %s --spyre-import-linalg=host=true -o %t.mlir
// RUN: rm -rf %t
// RUN: spyre-translate --spyre-to-bundle %t.mlir -o %t 2>&1 | FileCheck %s --check-prefix=WARNING
// RUN: FileCheck %s --check-prefix=LAUNCH --input-file %t/launch.json
// RUN: FileCheck %s --check-prefix=HOST --input-file %t/host.mlir
// RUN: ls %t | FileCheck %s --check-prefix=FILES

// WARNING: warning: @ragged_device_0 stays on the host: {{.*}}elements of 32 bits (IEEE_FP32) cannot be masked
// LAUNCH: "work": 2112
// LAUNCH: "name": "two_device_0"
// LAUNCH-NOT: "name"
// HOST: func.func private @ragged_device_0({{.*}}) -> tensor<64xf32> {
// HOST: func.func private @two_device_0(tensor<64x64xf16>) -> tensor<64x64xf16>
// FILES: host.mlir
// FILES-NEXT: launch.json
// FILES-NEXT: two_device_0
// FILES-NOT: ragged

func.func @ragged(%x: tensor<64x33xf32>) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<64x33xf32>) outs(%init : tensor<64xf32>) dimensions = [1]
  return %0 : tensor<64xf32>
}

func.func @two(%x: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %empty = tensor.empty() : tensor<64x64xf16>
  %0 = linalg.exp ins(%x : tensor<64x64xf16>) outs(%empty : tensor<64x64xf16>) -> tensor<64x64xf16>
  return %0 : tensor<64x64xf16>
}
