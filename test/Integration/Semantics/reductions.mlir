// Reductions are accumulated in f32 and rounded once.

// RUN: spyre-opt %s --convert-spyre-to-linalg=poison --spyre-lower-to-llvm \
// RUN:   | mlir-runner -e main --entry-point-result=void --shared-libs=%{runner-libs} | FileCheck %s

!t = tensor<2x4xf16>
func.func private @printMemrefF32(tensor<*xf32>)

func.func @main() {
  // In f16, 2048 + 1 + 1 + 1 would stay 2048.
  %x = arith.constant dense<[[2048.0, 1.0, 1.0, 1.0], [-4.0, 3.0, 0.5, -1.0]]> : !t

  %sum = spyre.sum %x dims [1] : (!t) -> tensor<2xf16>
  call @print1(%sum) : (tensor<2xf16>) -> ()
  // 2051 is a tie.
  // CHECK: {{^\[}}2052, -1.5]
  %mean = spyre.mean %x dims [1] : (!t) -> tensor<2xf16>
  call @print1(%mean) : (tensor<2xf16>) -> ()
  // 512.75 is a tie as well.
  // CHECK: {{^\[}}513, -0.375]
  %prod = spyre.prod %x dims [1] : (!t) -> tensor<2xf16>
  call @print1(%prod) : (tensor<2xf16>) -> ()
  // CHECK: {{^\[}}2048, 6]
  %max = spyre.max %x dims [1] : (!t) -> tensor<2xf16>
  call @print1(%max) : (tensor<2xf16>) -> ()
  // CHECK: {{^\[}}2048, 3]
  %min = spyre.min %x dims [1] : (!t) -> tensor<2xf16>
  call @print1(%min) : (tensor<2xf16>) -> ()
  // CHECK: {{^\[}}1, -4]
  %absmax = spyre.absmax %x dims [1] : (!t) -> tensor<2xf16>
  call @print1(%absmax) : (tensor<2xf16>) -> ()
  // CHECK: {{^\[}}2048, 4]
  // 2048 and 4, at least 5 and at most 1000, times 1/4.
  %scale = spyre.quantscalepertokenfp8 %x dims [1] min 5.0 max 1000.0 factor 0.25 : (!t) -> tensor<2xf16>
  call @print1(%scale) : (tensor<2xf16>) -> ()
  // CHECK: {{^\[}}250, 1.25]

  // Along the first dimension, which stays.
  %columns = spyre.sum %x dims [0] keepdim : (!t) -> tensor<1x4xf16>
  %wide = spyre.dl16tofp32 %columns : (tensor<1x4xf16>) -> tensor<1x4xf32>
  %any = tensor.cast %wide : tensor<1x4xf32> to tensor<*xf32>
  call @printMemrefF32(%any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}2044, 4, 1.5, 0]]

  // Along both.
  %w = spyre.dl16tofp32 %x : (!t) -> tensor<2x4xf32>
  %all = spyre.mean %w dims [0, 1] : (tensor<2x4xf32>) -> tensor<f32>
  %all_any = tensor.cast %all : tensor<f32> to tensor<*xf32>
  call @printMemrefF32(%all_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[}}256.188]

  // A NaN wins.
  %y = arith.constant dense<[[1.0, 0x7E00, 2.0, 3.0], [-4.0, 3.0, 0.5, -1.0]]> : !t
  %max_nan = spyre.max %y dims [1] : (!t) -> tensor<2xf16>
  call @print1(%max_nan) : (tensor<2xf16>) -> ()
  // CHECK: {{^\[}}{{-?}}nan, 3]
  %min_nan = spyre.min %y dims [1] : (!t) -> tensor<2xf16>
  call @print1(%min_nan) : (tensor<2xf16>) -> ()
  // CHECK: {{^\[}}{{-?}}nan, -4]
  %absmax_nan = spyre.absmax %y dims [1] : (!t) -> tensor<2xf16>
  call @print1(%absmax_nan) : (tensor<2xf16>) -> ()
  // CHECK: {{^\[}}{{-?}}nan, 4]
  %scale_nan = spyre.quantscalepertokenfp8 %y dims [1] min 5.0 max 1000.0 factor 0.25 : (!t) -> tensor<2xf16>
  call @print1(%scale_nan) : (tensor<2xf16>) -> ()
  // CHECK: {{^\[}}{{-?}}nan, 1.25]
  return
}

func.func private @print1(%t: tensor<2xf16>) {
  %wide = arith.extf %t : tensor<2xf16> to tensor<2xf32>
  %any = tensor.cast %wide : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF32(%any) : (tensor<*xf32>) -> ()
  return
}
