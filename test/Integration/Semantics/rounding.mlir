// 16-bit floats are computed in f32 and rounded once, to nearest and ties to even.

// RUN: spyre-opt %s --convert-spyre-to-linalg=poison --spyre-lower-to-llvm \
// RUN:   | mlir-runner -e main --entry-point-result=void --shared-libs=%{runner-libs} | FileCheck %s

func.func private @printMemrefF32(tensor<*xf32>)

func.func @main() {
  // From 2048 on, f16 has even numbers only: 2049 is a tie, and so is 2051.
  %a = arith.constant dense<[[2048.0, 2048.0, 300.0, 65504.0, 5.960464e-08]]> : tensor<1x5xf16>
  %b = arith.constant dense<[[1.0, 3.0, 300.0, -65504.0, 0.0]]> : tensor<1x5xf16>
  %sum = spyre.add %a, %b : tensor<1x5xf16>
  call @print_f16(%sum) : (tensor<1x5xf16>) -> ()
  // CHECK: {{^\[\[}}2048, 2052, 600, 0, 5.96046e-08]]
  // Too large is infinite.
  %product = spyre.mul %a, %b : tensor<1x5xf16>
  call @print_f16(%product) : (tensor<1x5xf16>) -> ()
  // CHECK: {{^\[\[}}2048, 6144, inf, -inf, 0]]

  // The square of 300 is too large for f16, but nothing is rounded inside an operation:
  // (300 - 0) * 300 * 1/256 + 0 = 351.5625.
  %x = spyre.fill dense<300.0> : tensor<1x5xf16>
  %zero = spyre.fill dense<0.0> : tensor<1x5xf16>
  %small = spyre.fill dense<0.00390625> : tensor<1x5xf16>
  %pair = spyre.fill dense<0.0> : tensor<1x2xf16>
  %scale = spyre.fill dense<300.0> : tensor<1x1xf16>
  %norm = spyre.layernormnorm %x, %pair, %scale, %small, %zero
    : (tensor<1x5xf16>, tensor<1x2xf16>, tensor<1x1xf16>, tensor<1x5xf16>, tensor<1x5xf16>) -> tensor<1x5xf16>
  call @print_f16(%norm) : (tensor<1x5xf16>) -> ()
  // CHECK: {{^\[\[}}351.5, 351.5, 351.5, 351.5, 351.5]]

  // bf16 has 8 bits: 257 is a tie, and so is 259.
  %c = arith.constant dense<[[256.0, 256.0, 3.0]]> : tensor<1x3xbf16>
  %d = arith.constant dense<[[1.0, 3.0, 1.0e38]]> : tensor<1x3xbf16>
  %brain = spyre.add %c, %d : tensor<1x3xbf16>
  %wide = spyre.dl16tofp32 %brain : (tensor<1x3xbf16>) -> tensor<1x3xf32>
  %wide_any = tensor.cast %wide : tensor<1x3xf32> to tensor<*xf32>
  call @printMemrefF32(%wide_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}256, 260, 9.96921e+37]]

  // Casts: one rounding down, none up.
  %third = arith.constant dense<[[0.333333343, 2049.0, 1.0e5]]> : tensor<1x3xf32>
  %half = spyre.fp32todl16 %third : (tensor<1x3xf32>) -> tensor<1x3xf16>
  %up = spyre.dl16tofp32 %half : (tensor<1x3xf16>) -> tensor<1x3xf32>
  %up_any = tensor.cast %up : tensor<1x3xf32> to tensor<*xf32>
  call @printMemrefF32(%up_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}0.333252, 2048, inf]]
  return
}

func.func private @print_f16(%t: tensor<1x5xf16>) {
  %wide = arith.extf %t : tensor<1x5xf16> to tensor<1x5xf32>
  %any = tensor.cast %wide : tensor<1x5xf32> to tensor<*xf32>
  call @printMemrefF32(%any) : (tensor<*xf32>) -> ()
  return
}
