// Attention with a mask that is added, with one of truth values, and with heads of queries that share keys and values. A row that the
// mask hides as a whole is 0. The numbers are those of `softmax(q @ k^T + mask) @ v`, in double precision.

// RUN: spyre-opt %s --convert-inductor-to-linalg -o %t
// RUN: spyre-run %t --entry shared | FileCheck %s --check-prefix=SHARED
// RUN: spyre-run %t --entry added | FileCheck %s --check-prefix=MASKED
// RUN: spyre-run %t --entry gradients | FileCheck %s --check-prefix=GRADIENTS
// RUN: spyre-run %t --entry chosen | FileCheck %s --check-prefix=CHOSEN
// RUN: spyre-run %t --entry added --on card | FileCheck %s --check-prefix=MASKED

!q = tensor<1x2x2x2xf32, #inductor.layout<fixed, [8, 4, 2, 1]>>
!k = tensor<1x1x3x2xf32, #inductor.layout<fixed, [6, 6, 2, 1]>>
!m = tensor<2x3xf32, #inductor.layout<fixed, [3, 1]>>
!b = tensor<2x3xi1, #inductor.layout<fixed, [3, 1]>>
!l = tensor<1x2x2xf32, #inductor.layout<fixed, [4, 2, 1]>>

// SHARED: result 0: tensor<1x2x2x2xf32> [3.0{{[0-9]*}}, 4.8446{{[0-9]*}}, 3.8098{{[0-9]*}}, 5.7464{{[0-9]*}}, 3.3093{{[0-9]*}}, 4.7988{{[0-9]*}}, 3.8410{{[0-9]*}}, 6.1715{{[0-9]*}}]
// SHARED: result 1: tensor<1x2x2xf32> [1.8619{{[0-9]*}}, 2.7586{{[0-9]*}}, 1.407{{[0-9]*}}, 3.407{{[0-9]*}}]
inductor.graph @shared {
  %q = inductor.constant "q" value dense<[[[[1.0, 0.0], [0.0, 2.0]], [[-1.0, 1.0], [2.0, 1.0]]]]> : tensor<1x2x2x2xf32> : !q
  %k = inductor.constant "k" value dense<[[[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]]]> : tensor<1x1x3x2xf32> : !k
  %v = inductor.constant "v" value dense<[[[[1.0, 2.0], [3.0, 4.0], [5.0, 8.0]]]]> : tensor<1x1x3x2xf32> : !k
  %r = inductor.extern "op0" as "buf0" "FallbackKernel" "aten._scaled_dot_product_flash_attention_for_cpu.default"(%q, %k, %v) {call = {args = [#inductor.operand<0>, #inductor.operand<1>, #inductor.operand<2>], kwargs = {scale = 1.0}}, kwargs = {scale = 1.0}} : (!q, !k, !k) -> !inductor.results
  %o = inductor.multi_output "op1" as "buf1" %r [["tuple", 0]] : !inductor.results -> !q
  %l = inductor.multi_output "op2" as "buf2" %r [["tuple", 1]] : !inductor.results -> !l
  inductor.return %o, %l : !q, !l
}

// MASKED: result 0: tensor<1x2x2x2xf32> [3.9242{{[0-9]*}}, 6.3863{{[0-9]*}}, 0.0, 0.0, 4.5231{{[0-9]*}}, 7.2847{{[0-9]*}}, 0.0, 0.0]
inductor.graph @added {
  %q = inductor.constant "q" value dense<[[[[1.0, 0.0], [0.0, 2.0]], [[-1.0, 1.0], [2.0, 1.0]]]]> : tensor<1x2x2x2xf32> : !q
  %k = inductor.constant "k" value dense<[[[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]]]> : tensor<1x1x3x2xf32> : !k
  %v = inductor.constant "v" value dense<[[[[1.0, 2.0], [3.0, 4.0], [5.0, 8.0]]]]> : tensor<1x1x3x2xf32> : !k
  %m = inductor.constant "m" value dense<[[0.0, 0xFF800000, 1.0], [0xFF800000, 0xFF800000, 0xFF800000]]> : tensor<2x3xf32> : !m
  %r = inductor.extern "op0" as "buf0" "FallbackKernel" "aten._scaled_dot_product_flash_attention_for_cpu.default"(%q, %k, %v, %m) {call = {args = [#inductor.operand<0>, #inductor.operand<1>, #inductor.operand<2>], kwargs = {attn_mask = #inductor.operand<3>, scale = 1.0}}, kwargs = {attn_mask = #inductor.operand<3>, scale = 1.0}} : (!q, !k, !k, !m) -> !inductor.results
  %o = inductor.multi_output "op1" as "buf1" %r [["tuple", 0]] : !inductor.results -> !q
  inductor.return %o : !q
}

// The first row does not see the second key, and the second row sees nothing.
// CHOSEN: result 0: tensor<1x2x2x2xf32> [3.0, 5.0, 0.0, 0.0, 3.9242{{[0-9]*}}, 6.3863{{[0-9]*}}, 0.0, 0.0]
inductor.graph @chosen {
  %q = inductor.constant "q" value dense<[[[[1.0, 0.0], [0.0, 2.0]], [[-1.0, 1.0], [2.0, 1.0]]]]> : tensor<1x2x2x2xf32> : !q
  %k = inductor.constant "k" value dense<[[[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]]]> : tensor<1x1x3x2xf32> : !k
  %v = inductor.constant "v" value dense<[[[[1.0, 2.0], [3.0, 4.0], [5.0, 8.0]]]]> : tensor<1x1x3x2xf32> : !k
  %m = inductor.constant "m" value dense<[[true, false, true], [false, false, false]]> : tensor<2x3xi1> : !b
  %r = inductor.extern "op0" as "buf0" "FallbackKernel" "aten._scaled_dot_product_flash_attention_for_cpu.default"(%q, %k, %v, %m) {call = {args = [#inductor.operand<0>, #inductor.operand<1>, #inductor.operand<2>], kwargs = {attn_mask = #inductor.operand<3>, scale = 1.0}}, kwargs = {attn_mask = #inductor.operand<3>, scale = 1.0}} : (!q, !k, !k, !b) -> !inductor.results
  %o = inductor.multi_output "op1" as "buf1" %r [["tuple", 0]] : !inductor.results -> !q
  inductor.return %o : !q
}

// The gradients of queries, keys and values.
// GRADIENTS: result 0: tensor<1x1x2x2xf32> [-0.089{{[0-9]*}}, -0.147{{[0-9]*}}, 0.638{{[0-9]*}}, 0.623{{[0-9]*}}]
// GRADIENTS: result 1: tensor<1x1x3x2xf32> [0.147{{[0-9]*}}, -1.246{{[0-9]*}}, 0.089{{[0-9]*}}, -1.277{{[0-9]*}}, -0.236{{[0-9]*}}, 2.523{{[0-9]*}}]
// GRADIENTS: result 2: tensor<1x1x3x2xf32> [0.461{{[0-9]*}}, -0.072{{[0-9]*}}, 0.443{{[0-9]*}}, 0.611{{[0-9]*}}, 0.594{{[0-9]*}}, 0.460{{[0-9]*}}]
inductor.graph @gradients {
  %g = inductor.constant "g" value dense<[[[[1.0, -1.0], [0.5, 2.0]]]]> : tensor<1x1x2x2xf32> : tensor<1x1x2x2xf32, #inductor.layout<fixed, [4, 4, 2, 1]>>
  %q = inductor.constant "q" value dense<[[[[1.0, 0.0], [0.0, 2.0]]]]> : tensor<1x1x2x2xf32> : tensor<1x1x2x2xf32, #inductor.layout<fixed, [4, 4, 2, 1]>>
  %k = inductor.constant "k" value dense<[[[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]]]> : tensor<1x1x3x2xf32> : !k
  %v = inductor.constant "v" value dense<[[[[1.0, 2.0], [3.0, 4.0], [5.0, 8.0]]]]> : tensor<1x1x3x2xf32> : !k
  %o = inductor.constant "o" value dense<[[[[3.0000000000000004, 4.767303462381102], [3.5339127895091087, 5.378550386012145]]]]> : tensor<1x1x2x2xf32> : tensor<1x1x2x2xf32, #inductor.layout<fixed, [4, 4, 2, 1]>>
  %l = inductor.constant "l" value dense<[[[1.4580200879470335, 1.8619948040582512]]]> : tensor<1x1x2xf32> : tensor<1x1x2xf32, #inductor.layout<fixed, [2, 2, 1]>>
  %r = inductor.extern "op0" as "buf0" "FallbackKernel" "aten._scaled_dot_product_flash_attention_for_cpu_backward.default"(%g, %q, %k, %v, %o, %l) {call = {args = [#inductor.operand<0>, #inductor.operand<1>, #inductor.operand<2>, #inductor.operand<3>, #inductor.operand<4>, #inductor.operand<5>, 0.000000e+00 : f64, false], kwargs = {scale = 5.000000e-01 : f64}}, kwargs = {scale = 5.000000e-01 : f64}} : (tensor<1x1x2x2xf32, #inductor.layout<fixed, [4, 4, 2, 1]>>, tensor<1x1x2x2xf32, #inductor.layout<fixed, [4, 4, 2, 1]>>, !k, !k, tensor<1x1x2x2xf32, #inductor.layout<fixed, [4, 4, 2, 1]>>, tensor<1x1x2xf32, #inductor.layout<fixed, [2, 2, 1]>>) -> !inductor.results
  %0 = inductor.multi_output "op1" as "buf1" %r [["tuple", 0]] : !inductor.results -> tensor<1x1x2x2xf32, #inductor.layout<fixed, [4, 4, 2, 1]>>
  %1 = inductor.multi_output "op2" as "buf2" %r [["tuple", 1]] : !inductor.results -> !k
  %2 = inductor.multi_output "op3" as "buf3" %r [["tuple", 2]] : !inductor.results -> !k
  inductor.return %0, %1, %2 : tensor<1x1x2x2xf32, #inductor.layout<fixed, [4, 4, 2, 1]>>, !k, !k
}
