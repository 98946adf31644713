// Equal layers share their compiled functions, and large constants stay outside of LLVM's module: each layer reads its own weights.
// All sums are exact: 32 products of 2 and 1/2, and 32 of 32 and 2.

// RUN: spyre-opt %s --convert-spyre-to-linalg --spyre-lower-to-llvm --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: (S) 3 calls - Structured operations that became calls
// COUNT: (S) 2 kernels - Functions that they call
// RUN: spyre-opt %s --convert-spyre-to-linalg --spyre-lower-to-llvm | FileCheck %s
// CHECK: llvm.func internal @kernel_0({{.*}}llvm.noalias{{.*}}attributes {no_inline
// RUN: spyre-run %s | FileCheck %s --check-prefix=RESULT
// RESULT: result 0: tensor<2x32xf32> [2048.0, 2048.0, 

func.func @layers() -> tensor<2x32xf32> {
  %zero = arith.constant 0.0 : f32
  %x = arith.constant dense<2.0> : tensor<2x32xf32>
  %half = arith.constant dense<0.5> : tensor<32x32xf32>
  %two = arith.constant dense<2.0> : tensor<32x32xf32>
  %e = tensor.empty() : tensor<2x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x32xf32>) -> tensor<2x32xf32>
  %a = linalg.matmul ins(%x, %half : tensor<2x32xf32>, tensor<32x32xf32>) outs(%z : tensor<2x32xf32>) -> tensor<2x32xf32>
  %b = linalg.matmul ins(%a, %two : tensor<2x32xf32>, tensor<32x32xf32>) outs(%z : tensor<2x32xf32>) -> tensor<2x32xf32>
  return %b : tensor<2x32xf32>
}
