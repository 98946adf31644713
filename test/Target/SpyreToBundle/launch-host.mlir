// A function of the device that no layout has becomes one of the host, with the reason, and the others have their bundles.

// RUN: spyre-opt %s --spyre-import-linalg=host=true -o %t.mlir
// RUN: rm -rf %t
// RUN: spyre-translate --spyre-to-bundle %t.mlir -o %t 2>&1 | FileCheck %s --check-prefix=WARNING
// RUN: FileCheck %s --check-prefix=LAUNCH --input-file %t/launch.json
// RUN: FileCheck %s --check-prefix=HOST --input-file %t/host.mlir
// RUN: ls %t | FileCheck %s --check-prefix=FILES

// WARNING: warning: @seven_device_0 stays on the host: {{.*}}rank 7 is more than the 6 dimensions that the default layout takes
// LAUNCH: "work": 96
// LAUNCH: "name": "two_device_0"
// LAUNCH-NOT: "name"
// HOST: func.func private @seven_device_0({{.*}}) -> tensor<2x1x2x2x3x2x2xf16> {
// HOST: func.func private @two_device_0(tensor<64x64xf16>) -> tensor<64x64xf16>
// FILES: host.mlir
// FILES-NEXT: launch.json
// FILES-NEXT: two_device_0
// FILES-NOT: seven

func.func @seven(%x: tensor<2x1x2x2x3x2x2xf16>) -> tensor<2x1x2x2x3x2x2xf16> {
  %empty = tensor.empty() : tensor<2x1x2x2x3x2x2xf16>
  %0 = linalg.exp ins(%x : tensor<2x1x2x2x3x2x2xf16>) outs(%empty : tensor<2x1x2x2x3x2x2xf16>) -> tensor<2x1x2x2x3x2x2xf16>
  return %0 : tensor<2x1x2x2x3x2x2xf16>
}

func.func @two(%x: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %empty = tensor.empty() : tensor<64x64xf16>
  %0 = linalg.exp ins(%x : tensor<64x64xf16>) outs(%empty : tensor<64x64xf16>) -> tensor<64x64xf16>
  return %0 : tensor<64x64xf16>
}
