// The exceptions that a target lists hold for the check of its bundle as well: where it is written, and where it runs.

// RUN: rm -rf %t && mkdir %t
// RUN: spyre-translate --spyre-to-bundle %s --verify-written -o %t/bundle 2>&1 | count 0
// RUN: spyre-run %s --on=card --compare %s --random-seed 1 --tolerance 1e-5 | FileCheck %s
// CHECK: result 0: 0 of 4096 elements differ

// The files alone do not say which exceptions hold.
// RUN: not spyre-translate --verify-bundle %t/bundle 2>&1 | FileCheck %s --check-prefix=FILES
// FILES: error: 'sqrt' computes in SEN169_FP16, but tensor 0 is IEEE_FP32{{.*}} [K4]
// RUN: spyre-translate --verify-bundle %t/bundle --allow fp32-roots

// Of a program of host and device, every bundle.
// RUN: spyre-opt %s --spyre-import-linalg=host=true -o %t/split.mlir
// RUN: spyre-translate --spyre-to-bundle %t/split.mlir -o %t/program
// RUN: spyre-translate --verify-bundle %t/program --allow fp32-roots
// RUN: not spyre-translate --spyre-to-bundle %t/split.mlir --allow fp32 -o %t/program 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: 'fp32' is no exception from the contract; the exceptions are fp32-roots,

module attributes {spyre.target = #spyre.target<exceptions = ["fp32-roots"]>} {
  func.func @root(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = spyre.abs %a : tensor<64x64xf32>
    %1 = spyre.sqrt %0 : tensor<64x64xf32>
    return %1 : tensor<64x64xf32>
  }
}
