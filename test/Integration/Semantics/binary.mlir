// What the operations with several operands compute, in f32. The numbers come from another implementation.

// RUN: spyre-opt %s --convert-spyre-to-linalg=poison --spyre-lower-to-llvm \
// RUN:   | mlir-runner -e main --entry-point-result=void --shared-libs=%{runner-libs} | FileCheck %s

!t = tensor<1x8xf32>
!m = tensor<1x8xi1>
func.func private @printMemrefF32(tensor<*xf32>)

func.func @main() {
  %a = arith.constant dense<[[1.0, -2.0, 3.5, 0.0, 0x7FC00000, 2.0, 0xFF800000, -0.0]]> : !t
  %b = arith.constant dense<[[3.0, 5.0, -0.5, 0.0, 1.0, 0x7FC00000, 0xFF800000, 5.0]]> : !t

  %add = spyre.add %a, %b : !t
  %add_any = tensor.cast %add : !t to tensor<*xf32>
  call @printMemrefF32(%add_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}4, 3, 3, 0, {{-?}}nan, {{-?}}nan, -inf, 5]]

  %sub = spyre.sub %a, %b : !t
  %sub_any = tensor.cast %sub : !t to tensor<*xf32>
  call @printMemrefF32(%sub_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}-2, -7, 4, 0, {{-?}}nan, {{-?}}nan, {{-?}}nan, -5]]

  %mul = spyre.mul %a, %b : !t
  %mul_any = tensor.cast %mul : !t to tensor<*xf32>
  call @printMemrefF32(%mul_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}3, -10, -1.75, 0, {{-?}}nan, {{-?}}nan, inf, -0]]

  %realdiv = spyre.realdiv %a, %b : !t
  %realdiv_any = tensor.cast %realdiv : !t to tensor<*xf32>
  call @printMemrefF32(%realdiv_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}0.333333, -0.4, -7, {{-?}}nan, {{-?}}nan, {{-?}}nan, {{-?}}nan, -0]]

  %revsub = spyre.revsub %a, %b : !t
  %revsub_any = tensor.cast %revsub : !t to tensor<*xf32>
  call @printMemrefF32(%revsub_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}2, 7, -4, 0, {{-?}}nan, {{-?}}nan, {{-?}}nan, 5]]

  %biasadd = spyre.biasadd %a, %b : !t
  %biasadd_any = tensor.cast %biasadd : !t to tensor<*xf32>
  call @printMemrefF32(%biasadd_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}4, 3, 3, 0, {{-?}}nan, {{-?}}nan, -inf, 5]]

  %maximum = spyre.maximum %a, %b : !t
  %maximum_any = tensor.cast %maximum : !t to tensor<*xf32>
  call @printMemrefF32(%maximum_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}3, 5, 3.5, 0, {{-?}}nan, {{-?}}nan, -inf, 5]]

  %minimum = spyre.minimum %a, %b : !t
  %minimum_any = tensor.cast %minimum : !t to tensor<*xf32>
  call @printMemrefF32(%minimum_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}1, -2, -0.5, 0, {{-?}}nan, {{-?}}nan, -inf, -0]]

  %one = spyre.fill dense<1.0> : !t
  %zero = spyre.fill dense<0.0> : !t

  %equal_mask = spyre.equal %a, %b : (!t, !t) -> !m
  %equal = spyre.where3 %equal_mask, %one, %zero : (!m, !t, !t) -> !t
  %equal_any = tensor.cast %equal : !t to tensor<*xf32>
  call @printMemrefF32(%equal_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}0, 0, 0, 1, 0, 0, 1, 0]]

  %notequal_mask = spyre.notequal %a, %b : (!t, !t) -> !m
  %notequal = spyre.where3 %notequal_mask, %one, %zero : (!m, !t, !t) -> !t
  %notequal_any = tensor.cast %notequal : !t to tensor<*xf32>
  call @printMemrefF32(%notequal_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}1, 1, 1, 0, 1, 1, 0, 1]]

  %greaterthan_mask = spyre.greaterthan %a, %b : (!t, !t) -> !m
  %greaterthan = spyre.where3 %greaterthan_mask, %one, %zero : (!m, !t, !t) -> !t
  %greaterthan_any = tensor.cast %greaterthan : !t to tensor<*xf32>
  call @printMemrefF32(%greaterthan_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}0, 0, 1, 0, 0, 0, 0, 0]]

  %greaterequal_mask = spyre.greaterequal %a, %b : (!t, !t) -> !m
  %greaterequal = spyre.where3 %greaterequal_mask, %one, %zero : (!m, !t, !t) -> !t
  %greaterequal_any = tensor.cast %greaterequal : !t to tensor<*xf32>
  call @printMemrefF32(%greaterequal_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}0, 0, 1, 1, 0, 0, 1, 0]]

  %lesserthan_mask = spyre.lesserthan %a, %b : (!t, !t) -> !m
  %lesserthan = spyre.where3 %lesserthan_mask, %one, %zero : (!m, !t, !t) -> !t
  %lesserthan_any = tensor.cast %lesserthan : !t to tensor<*xf32>
  call @printMemrefF32(%lesserthan_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}1, 1, 0, 0, 0, 0, 0, 1]]

  %lesserequal_mask = spyre.lesserequal %a, %b : (!t, !t) -> !m
  %lesserequal = spyre.where3 %lesserequal_mask, %one, %zero : (!m, !t, !t) -> !t
  %lesserequal_any = tensor.cast %lesserequal : !t to tensor<*xf32>
  call @printMemrefF32(%lesserequal_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}1, 1, 0, 1, 0, 0, 1, 1]]

  // where3 copies what it does not compute with.
  %pick = spyre.where3 %equal_mask, %one, %b : (!m, !t, !t) -> !t
  %pick_any = tensor.cast %pick : !t to tensor<*xf32>
  call @printMemrefF32(%pick_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}3, 5, -0.5, 1, 1, {{-?}}nan, 1, 5]]

  // Masks compare as 0 and 1.
  %above_mask = spyre.greaterthan %notequal_mask, %lesserthan_mask : (!m, !m) -> !m
  %above = spyre.where3 %above_mask, %one, %zero : (!m, !t, !t) -> !t
  %above_any = tensor.cast %above : !t to tensor<*xf32>
  call @printMemrefF32(%above_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}0, 0, 1, 0, 1, 1, 0, 0]]

  // (a - mean) * scale * weight + bias, with all but the first broadcast.
  %mean = arith.constant dense<[[1.0, 7.0]]> : tensor<1x2xf32>
  %scale = arith.constant dense<2.0> : tensor<1x1xf32>
  %bias = arith.constant dense<0.5> : tensor<8xf32>
  %norm = spyre.layernormnorm %a, %mean, %scale, %b, %bias
    : (!t, tensor<1x2xf32>, tensor<1x1xf32>, !t, tensor<8xf32>) -> !t
  %norm_any = tensor.cast %norm : !t to tensor<*xf32>
  call @printMemrefF32(%norm_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}0.5, -29.5, -2, 0.5, {{-?}}nan, {{-?}}nan, inf, -9.5]]

  // The mean and the mean of squares, and 1 / sqrt(9 - 2 * 2 + 1.25).
  %row = arith.constant dense<[[1.0, 3.0, -1.0, 5.0]]> : tensor<1x4xf32>
  %pair = spyre.exx2 %row : (tensor<1x4xf32>) -> tensor<1x2xf32>
  %pair_any = tensor.cast %pair : tensor<1x2xf32> to tensor<*xf32>
  call @printMemrefF32(%pair_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}2, 9]]
  %same = spyre.exx2 %row : (tensor<1x4xf32>) -> tensor<1x2xf32>
  %root = spyre.layernormscale %same eps 1.25 : (tensor<1x2xf32>) -> tensor<1x1xf32>
  %root_any = tensor.cast %root : tensor<1x1xf32> to tensor<*xf32>
  call @printMemrefF32(%root_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}0.4]]
  return
}
