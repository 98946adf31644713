// What the operations with one operand compute, in f32. The numbers come from another implementation.

// RUN: spyre-opt %s --convert-spyre-to-linalg=poison --spyre-lower-to-llvm \
// RUN:   | mlir-runner -e main --entry-point-result=void --shared-libs=%{runner-libs} | FileCheck %s

func.func private @printMemrefF32(tensor<*xf32>)

func.func @main() {
  %x = arith.constant dense<[[-3.0, -0.75, -0.0, 0.5, 1.0, 2.0, 0x7FC00000, 0x7F800000]]> : tensor<1x8xf32>

  %abs = spyre.abs %x : tensor<1x8xf32>
  %abs_any = tensor.cast %abs : tensor<1x8xf32> to tensor<*xf32>
  call @printMemrefF32(%abs_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}3, 0.75, 0, 0.5, 1, 2, {{-?}}nan, inf]]

  %exp = spyre.exp %x : tensor<1x8xf32>
  %exp_any = tensor.cast %exp : tensor<1x8xf32> to tensor<*xf32>
  call @printMemrefF32(%exp_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}0.0497871, 0.472367, 1, 1.64872, 2.71828, 7.38906, {{-?}}nan, inf]]

  %floor = spyre.floor %x : tensor<1x8xf32>
  %floor_any = tensor.cast %floor : tensor<1x8xf32> to tensor<*xf32>
  call @printMemrefF32(%floor_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}-3, -1, -0, 0, 1, 2, {{-?}}nan, inf]]

  %gelufwd = spyre.gelufwd %x : tensor<1x8xf32>
  %gelufwd_any = tensor.cast %gelufwd : tensor<1x8xf32> to tensor<*xf32>
  call @printMemrefF32(%gelufwd_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}-0.00404969, -0.169971, -0, 0.345731, 0.841345, 1.9545, {{-?}}nan, inf]]

  %log = spyre.log %x : tensor<1x8xf32>
  %log_any = tensor.cast %log : tensor<1x8xf32> to tensor<*xf32>
  call @printMemrefF32(%log_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}{{-?}}nan, {{-?}}nan, -inf, -0.693147, 0, 0.693147, {{-?}}nan, inf]]

  %neg = spyre.neg %x : tensor<1x8xf32>
  %neg_any = tensor.cast %neg : tensor<1x8xf32> to tensor<*xf32>
  call @printMemrefF32(%neg_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}3, 0.75, 0, -0.5, -1, -2, {{-?}}nan, -inf]]

  %reciprocal = spyre.reciprocal %x : tensor<1x8xf32>
  %reciprocal_any = tensor.cast %reciprocal : tensor<1x8xf32> to tensor<*xf32>
  call @printMemrefF32(%reciprocal_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}-0.333333, -1.33333, -inf, 2, 1, 0.5, {{-?}}nan, 0]]

  %relufwd = spyre.relufwd %x : tensor<1x8xf32>
  %relufwd_any = tensor.cast %relufwd : tensor<1x8xf32> to tensor<*xf32>
  call @printMemrefF32(%relufwd_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}0, 0, 0, 0.5, 1, 2, {{-?}}nan, inf]]

  %rsqrt = spyre.rsqrt %x : tensor<1x8xf32>
  %rsqrt_any = tensor.cast %rsqrt : tensor<1x8xf32> to tensor<*xf32>
  call @printMemrefF32(%rsqrt_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}{{-?}}nan, {{-?}}nan, -inf, 1.41421, 1, 0.707107, {{-?}}nan, 0]]

  %sigmoid = spyre.sigmoid %x : tensor<1x8xf32>
  %sigmoid_any = tensor.cast %sigmoid : tensor<1x8xf32> to tensor<*xf32>
  call @printMemrefF32(%sigmoid_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}0.0474259, 0.320821, 0.5, 0.622459, 0.731059, 0.880797, {{-?}}nan, 1]]

  %silu = spyre.silu %x : tensor<1x8xf32>
  %silu_any = tensor.cast %silu : tensor<1x8xf32> to tensor<*xf32>
  call @printMemrefF32(%silu_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}-0.142278, -0.240616, -0, 0.31123, 0.731059, 1.76159, {{-?}}nan, inf]]

  %sqrt = spyre.sqrt %x : tensor<1x8xf32>
  %sqrt_any = tensor.cast %sqrt : tensor<1x8xf32> to tensor<*xf32>
  call @printMemrefF32(%sqrt_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}{{-?}}nan, {{-?}}nan, -0, 0.707107, 1, 1.41421, {{-?}}nan, inf]]

  %tanh = spyre.tanh %x : tensor<1x8xf32>
  %tanh_any = tensor.cast %tanh : tensor<1x8xf32> to tensor<*xf32>
  call @printMemrefF32(%tanh_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}-0.995055, -0.635149, -0, 0.462117, 0.761594, 0.964028, {{-?}}nan, 1]]

  %mish = spyre.mish %x : tensor<1x8xf32>
  %mish_any = tensor.cast %mish : tensor<1x8xf32> to tensor<*xf32>
  call @printMemrefF32(%mish_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}-0.145647, -0.276495, -0, 0.375245, 0.865098, 1.94396, {{-?}}nan, inf]]

  %relu6fwd = spyre.relu6fwd %x : tensor<1x8xf32>
  %relu6fwd_any = tensor.cast %relu6fwd : tensor<1x8xf32> to tensor<*xf32>
  call @printMemrefF32(%relu6fwd_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}0, 0, 0, 0.5, 1, 2, {{-?}}nan, 6]]

  %fastexp = spyre.fastexp %x : tensor<1x8xf32>
  %fastexp_any = tensor.cast %fastexp : tensor<1x8xf32> to tensor<*xf32>
  call @printMemrefF32(%fastexp_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}0.0497871, 0.472367, 1, 1.64872, 2.71828, 7.38906, {{-?}}nan, inf]]

  %fastsigmoid = spyre.fastsigmoid %x : tensor<1x8xf32>
  %fastsigmoid_any = tensor.cast %fastsigmoid : tensor<1x8xf32> to tensor<*xf32>
  call @printMemrefF32(%fastsigmoid_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}0.0474259, 0.320821, 0.5, 0.622459, 0.731059, 0.880797, {{-?}}nan, 1]]

  %clip = spyre.clip %x min -1.5 max 0.75 : tensor<1x8xf32>
  %clip_any = tensor.cast %clip : tensor<1x8xf32> to tensor<*xf32>
  call @printMemrefF32(%clip_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}-1.5, -0.75, -0, 0.5, 0.75, 0.75, {{-?}}nan, 0.75]]

  %softplus = spyre.softplus %x beta 2.0 threshold 3.0 : tensor<1x8xf32>
  %softplus_any = tensor.cast %softplus : tensor<1x8xf32> to tensor<*xf32>
  call @printMemrefF32(%softplus_any) : (tensor<*xf32>) -> ()
  // CHECK: {{^\[\[}}0.00123784, 0.100707, 0.346574, 0.656631, 1.06346, 2, {{-?}}nan, inf]]
  return
}
