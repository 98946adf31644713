// Weights in a resource are an argument of the device, never printed in the program, and the launcher gets their values.

// RUN: spyre-opt %s --spyre-import-linalg | FileCheck %s
// RUN: spyre-run %s --on=card --compare %s --random-seed 1 --tolerance 1e-2 --stats 2>&1 | FileCheck %s --check-prefix=CARD
// RUN: spyre-opt %s --spyre-import-linalg=host=true -o %t.mlir
// RUN: rm -rf %t.bundle && spyre-translate --spyre-to-bundle %t.mlir -o %t.bundle
// RUN: FileCheck %s --check-prefix=LAUNCH --input-file %t.bundle/launch.json
// RUN: spyre-run %s --on=card --float=dl16 --compare %s --random-seed 1 --tolerance 1e-2 2>&1 | FileCheck %s --check-prefix=NARROW

// Weights of a file in bytecode stay where it is mapped. They are those of the text.
// RUN: mlir-opt %s --emit-bytecode -o %t.mlirbc
// RUN: spyre-opt %t.mlirbc --spyre-import-linalg=host=true --emit-bytecode -o %t.spyre.mlirbc
// RUN: rm -rf %t.packed && spyre-translate --spyre-to-bundle %t.spyre.mlirbc -o %t.packed
// RUN: cmp %t.bundle/f_device_0/constant_1.npy %t.packed/f_device_0/constant_1.npy
// RUN: od -A n -t x1 -j 128 -N 8 %t.packed/f_device_0/constant_1.npy | FileCheck %s --check-prefix=BYTES
// BYTES: 00 b4 00 34 00 bd 00 3c

// CHECK: func.func @f(%arg0: tensor<32x2xf16>, %arg1: tensor<2x64xf16> {spyre.constant = dense_resource<weights> : tensor<2x64xf16>})
// CHECK-NOT: dense<
// CARD: host: 0 elements
// CARD: result 0: 0 of 2048 elements differ
// LAUNCH: "file": "f_device_0/constant_1.npy"
// NARROW: result 0: 0 of 2048 elements differ

func.func @f(%x: tensor<32x2xf16>) -> tensor<32x64xf16> {
  %w = arith.constant dense_resource<weights> : tensor<2x64xf16>
  %z = arith.constant 0.0 : f16
  %0 = tensor.empty() : tensor<32x64xf16>
  %1 = linalg.fill ins(%z : f16) outs(%0 : tensor<32x64xf16>) -> tensor<32x64xf16>
  %2 = linalg.matmul ins(%x, %w : tensor<32x2xf16>, tensor<2x64xf16>) outs(%1 : tensor<32x64xf16>) -> tensor<32x64xf16>
  return %2 : tensor<32x64xf16>
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x0400000000B4003400BD003C003F00BC00BE00BE00C0003C003400BF00B40040003A000000BA00BD000000B800C00000000000B800BA00340034003A00BE0038003C004000B400BA00B4003F000000BE003400C000340034004000B8003D003D0034003D003E00BA00B40034000000BF00BE00BF003E00000040003F003800BC00B800BE003D00B8003E000000BA003A003D003800B8003800BD00BF00B4000000B400BD003800BA0034003E00C000BF003A00BE0034003800C000380034003800BC003D00BE003400B8003E003400BC0000003C00BA003800C0003A00BF003E00BA003A003A003400BD003E00B8003D00B800BD00BF00BF00BF00BA00BC00BF003F00B4"
    }
  }
#-}
