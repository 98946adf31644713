// Batch dimensions broadcast, and the result may be wider than the operands.

// RUN: spyre-opt %s --convert-spyre-to-linalg=poison --spyre-lower-to-llvm \
// RUN:   | mlir-runner -e main --entry-point-result=void --shared-libs=%{runner-libs} | FileCheck %s

func.func private @printMemrefF32(tensor<*xf32>)

func.func @main() {
  %a = arith.constant dense<[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0]]]> : tensor<2x2x3xf16>
  %b = arith.constant dense<[[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]]> : tensor<3x2xf16>
  %c = spyre.batchmatmul %a, %b : (tensor<2x2x3xf16>, tensor<3x2xf16>) -> tensor<2x2x2xf16>
  %c_wide = spyre.dl16tofp32 %c : (tensor<2x2x2xf16>) -> tensor<2x2x2xf32>
  %c_any = tensor.cast %c_wide : tensor<2x2x2xf32> to tensor<*xf32>
  call @printMemrefF32(%c_any) : (tensor<*xf32>) -> ()
  //      CHECK: {{^\[\[\[}}14, 140],
  // CHECK-NEXT: [32, 320]],
  // CHECK-NEXT: {{^ *\[\[}}1, 10],
  // CHECK-NEXT: [-3, -30]]]

  // 2048 + 1: f32 holds it and f16 does not.
  %d = arith.constant dense<[[2048.0, 1.0]]> : tensor<1x2xf16>
  %ones = arith.constant dense<1.0> : tensor<2x1xf16>
  %e = spyre.batchmatmul %d, %ones : (tensor<1x2xf16>, tensor<2x1xf16>) -> tensor<1x1xf32>
  %e_any = tensor.cast %e : tensor<1x1xf32> to tensor<*xf32>
  call @printMemrefF32(%e_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}2049]]
  %f = spyre.batchmatmul %d, %ones : (tensor<1x2xf16>, tensor<2x1xf16>) -> tensor<1x1xf16>
  %f_wide = spyre.dl16tofp32 %f : (tensor<1x1xf16>) -> tensor<1x1xf32>
  %f_any = tensor.cast %f_wide : tensor<1x1xf32> to tensor<*xf32>
  call @printMemrefF32(%f_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}2048]]

  // 127 * 127 + 1 is 16130, which f16 rounds to 16128.
  %g = arith.constant dense<[[127, -1]]> : tensor<1x2xi8>
  %h = arith.constant dense<[[127], [-1]]> : tensor<2x1xi8>
  %i = spyre.batchmatmulint8 %g, %h : (tensor<1x2xi8>, tensor<2x1xi8>) -> tensor<1x1xf16>
  %i_wide = spyre.dl16tofp32 %i : (tensor<1x1xf16>) -> tensor<1x1xf32>
  %i_any = tensor.cast %i_wide : tensor<1x1xf32> to tensor<*xf32>
  call @printMemrefF32(%i_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}16128]]
  return
}
