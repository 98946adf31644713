// Kernels from outside, run. The numbers are NumPy's.

// RUN: spyre-opt %s --convert-inductor-to-linalg -o %t
// RUN: FileCheck %s --check-prefix=IR --input-file %t
// RUN: spyre-run %t --entry mm | FileCheck %s --check-prefix=MM
// RUN: spyre-run %t --entry addmm | FileCheck %s --check-prefix=ADDMM
// RUN: spyre-run %t --entry bmm | FileCheck %s --check-prefix=BMM
// RUN: spyre-run %t --entry convolution | FileCheck %s --check-prefix=CONVOLUTION
// RUN: spyre-run %t --entry sort | FileCheck %s --check-prefix=SORT
// RUN: spyre-run %t --entry topk | FileCheck %s --check-prefix=TOPK
// RUN: spyre-run %t --entry cumsum | FileCheck %s --check-prefix=CUMSUM
// RUN: spyre-run %t --entry scatter_reduce | FileCheck %s --check-prefix=SCATTER_REDUCE
// RUN: spyre-run %t --entry cumprod | FileCheck %s --check-prefix=CUMPROD
// RUN: spyre-run %t --entry logcumsumexp | FileCheck %s --check-prefix=LOGCUMSUMEXP
// RUN: spyre-run %t --entry cummax | FileCheck %s --check-prefix=CUMMAX
// RUN: spyre-run %t --entry cummin | FileCheck %s --check-prefix=CUMMIN
// RUN: spyre-run %t --entry searchsorted | FileCheck %s --check-prefix=SEARCHSORTED
// RUN: spyre-run %t --entry rows | FileCheck %s --check-prefix=ROWS
// RUN: spyre-run %t --entry bucketize | FileCheck %s --check-prefix=BUCKETIZE

// IR-LABEL: func.func @addmm
// IR: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]
// IR-LABEL: func.func @scatter_reduce
// IR-COUNT-2: scf.for
// IR: tensor.insert

// A product of matrices.
// MM{LITERAL}: result 0: tensor<2x4xf32> [5.5, 4.0, 2.5, 1.0, 1.0, 4.0, 7.0, 10.0]
inductor.graph @mm {
  %a = inductor.constant "a" value dense<[[-2.0, -1.0, 0.0], [1.0, 2.0, 3.0]]> : tensor<2x3xf32> : tensor<2x3xf32, #inductor.layout<fixed, [3, 1]>>
  %b = inductor.constant "b" value dense<[[-2.5, -2.0, -1.5, -1.0], [-0.5, 0.0, 0.5, 1.0], [1.5, 2.0, 2.5, 3.0]]> : tensor<3x4xf32> : tensor<3x4xf32, #inductor.layout<fixed, [4, 1]>>
  %y = inductor.extern "op0" as "buf0" "ExternKernelOut" "aten.mm.out"(%a, %b) {kernel = "extern_kernels.mm"} : (tensor<2x3xf32, #inductor.layout<fixed, [3, 1]>>, tensor<3x4xf32, #inductor.layout<fixed, [4, 1]>>) -> tensor<2x4xf32, #inductor.layout<fixed, [4, 1]>>
  inductor.return %y : tensor<2x4xf32, #inductor.layout<fixed, [4, 1]>>
}

// A product with a factor, and a bias with another.
// ADDMM{LITERAL}: result 0: tensor<2x4xf32> [4.75, 0.0, 21.25, 1.5, 2.5, 0.0, 23.5, 6.0]
inductor.graph @addmm {
  %c = inductor.constant "c" value dense<[1.0, -1.0, 10.0, 0.5]> : tensor<4xf32> : tensor<4xf32, #inductor.layout<fixed, [1]>>
  %a = inductor.constant "a" value dense<[[-2.0, -1.0, 0.0], [1.0, 2.0, 3.0]]> : tensor<2x3xf32> : tensor<2x3xf32, #inductor.layout<fixed, [3, 1]>>
  %b = inductor.constant "b" value dense<[[-2.5, -2.0, -1.5, -1.0], [-0.5, 0.0, 0.5, 1.0], [1.5, 2.0, 2.5, 3.0]]> : tensor<3x4xf32> : tensor<3x4xf32, #inductor.layout<fixed, [4, 1]>>
  %y = inductor.extern "op0" as "buf0" "ExternKernelOut" "aten.addmm.out"(%c, %a, %b) {kernel = "extern_kernels.addmm", kwargs = {alpha = 5.000000e-01 : f64, beta = 2 : i64}} : (tensor<4xf32, #inductor.layout<fixed, [1]>>, tensor<2x3xf32, #inductor.layout<fixed, [3, 1]>>, tensor<3x4xf32, #inductor.layout<fixed, [4, 1]>>) -> tensor<2x4xf32, #inductor.layout<fixed, [4, 1]>>
  inductor.return %y : tensor<2x4xf32, #inductor.layout<fixed, [4, 1]>>
}

// Products of matrices, the second ones transposed in memory.
// BMM{LITERAL}: result 0: tensor<2x2x4xf32> [5.5, 4.0, 2.5, 1.0, 1.0, 4.0, 7.0, 10.0, -4.0, -4.0, -4.0, -4.0, 0.5, -4.0, -8.5, -13.0]
inductor.graph @bmm {
  %a = inductor.constant "a" value dense<[[[-2.0, -1.0, 0.0], [1.0, 2.0, 3.0]], [[-1.0, 0.0, 1.0], [2.0, 3.0, 4.0]]]> : tensor<2x2x3xf32> : tensor<2x2x3xf32, #inductor.layout<fixed, [6, 3, 1]>>
  %b = inductor.constant "b" value dense<[[[-2.5, -0.5, 1.5], [-2.0, 0.0, 2.0], [-1.5, 0.5, 2.5], [-1.0, 1.0, 3.0]], [[2.5, 0.5, -1.5], [2.0, -0.0, -2.0], [1.5, -0.5, -2.5], [1.0, -1.0, -3.0]]]> : tensor<2x4x3xf32> : tensor<2x4x3xf32, #inductor.layout<fixed, [12, 3, 1]>>
  %t = inductor.view %b : tensor<2x4x3xf32, #inductor.layout<fixed, [12, 3, 1]>> -> tensor<2x3x4xf32, #inductor.layout<fixed, [12, 1, 3]>>
  %y = inductor.extern "op0" as "buf0" "ExternKernelOut" "aten.bmm.out"(%a, %t) {kernel = "extern_kernels.bmm"} : (tensor<2x2x3xf32, #inductor.layout<fixed, [6, 3, 1]>>, tensor<2x3x4xf32, #inductor.layout<fixed, [12, 1, 3]>>) -> tensor<2x2x4xf32, #inductor.layout<fixed, [8, 4, 1]>>
  inductor.return %y : tensor<2x2x4xf32, #inductor.layout<fixed, [8, 4, 1]>>
}

// A convolution with strides and padding.
// CONVOLUTION{LITERAL}: result 0: tensor<1x1x3x3xf32> [2.5, 5.375, 3.625, 5.5, 12.25, 7.5, 6.5, 17.25, 11.5]
inductor.graph @convolution {
  %a = inductor.constant "a" value dense<[[[[0.0, 0.125, 0.25, 0.375], [0.5, 0.625, 0.75, 0.875], [1.0, 1.125, 1.25, 1.375], [1.5, 1.625, 1.75, 1.875], [2.0, 2.125, 2.25, 2.375]], [[2.5, 2.625, 2.75, 2.875], [3.0, 3.125, 3.25, 3.375], [3.5, 3.625, 3.75, 3.875], [4.0, 4.125, 4.25, 4.375], [4.5, 4.625, 4.75, 4.875]]]]> : tensor<1x2x5x4xf32> : tensor<1x2x5x4xf32, #inductor.layout<fixed, [40, 20, 4, 1]>>
  %w = inductor.constant "w" value dense<[[[[1.0, 0.0], [2.0, -1.0]], [[0.0, 1.0], [1.0, 1.0]]]]> : tensor<1x2x2x2xf32> : tensor<1x2x2x2xf32, #inductor.layout<fixed, [8, 4, 2, 1]>>
  %y = inductor.extern "op0" as "buf0" "ExternKernelAlloc" "aten.convolution.default"(%a, %w) {kernel = "extern_kernels.convolution", kwargs = {stride = [2, 2], padding = [1, 1], dilation = [1, 1], transposed = false, output_padding = [0, 0], groups = 1 : i64, bias = unit}} : (tensor<1x2x5x4xf32, #inductor.layout<fixed, [40, 20, 4, 1]>>, tensor<1x2x2x2xf32, #inductor.layout<fixed, [8, 4, 2, 1]>>) -> tensor<1x1x3x3xf32, #inductor.layout<fixed, [9, 9, 3, 1]>>
  inductor.return %y : tensor<1x1x3x3xf32, #inductor.layout<fixed, [9, 9, 3, 1]>>
}

// A stable sort. NaN is the largest.
// SORT{LITERAL}: result 0: tensor<2x5xf32> [-2.0, 1.0, 1.0, 3.0, NaN, -1.0, 0.0, 5.0, 5.0, inf]
// SORT-NEXT{LITERAL}: result 1: tensor<2x5xi64> [4, 1, 3, 0, 2, 3, 0, 1, 2, 4]
inductor.graph @sort {
  %a = inductor.constant "a" value dense<[[3.0, 1.0, 0x7FC00000, 1.0, -2.0], [0.0, 5.0, 5.0, -1.0, 0x7F800000]]> : tensor<2x5xf32> : tensor<2x5xf32, #inductor.layout<fixed, [5, 1]>>
  %r = inductor.extern "op0" as "buf0" "FallbackKernel" "aten.sort.stable"(%a) {call = {args = [#inductor.operand<0>], kwargs = {stable = true, dim = -1, descending = false}}, kwargs = {stable = true, dim = -1, descending = false}} : (tensor<2x5xf32, #inductor.layout<fixed, [5, 1]>>) -> !inductor.results
  %v = inductor.multi_output "op1" as "buf1" %r [["tuple", 0]] : !inductor.results -> tensor<2x5xf32, #inductor.layout<fixed, [5, 1]>>
  %n = inductor.multi_output "op2" as "buf2" %r [["tuple", 1]] : !inductor.results -> tensor<2x5xi64, #inductor.layout<fixed, [5, 1]>>
  inductor.return %v, %n outputs [#inductor.operand<0>, #inductor.operand<1>] : tensor<2x5xf32, #inductor.layout<fixed, [5, 1]>>, tensor<2x5xi64, #inductor.layout<fixed, [5, 1]>>
}

// The smallest elements.
// TOPK{LITERAL}: result 0: tensor<2x2xf32> [-2.0, 1.0, -1.0, 0.0]
// TOPK-NEXT{LITERAL}: result 1: tensor<2x2xi64> [4, 1, 3, 0]
inductor.graph @topk {
  %a = inductor.constant "a" value dense<[[3.0, 1.0, 0x7FC00000, 1.0, -2.0], [0.0, 5.0, 5.0, -1.0, 0x7F800000]]> : tensor<2x5xf32> : tensor<2x5xf32, #inductor.layout<fixed, [5, 1]>>
  %r = inductor.extern "op0" as "buf0" "FallbackKernel" "aten.topk.default"(%a) {call = {args = [#inductor.operand<0>, 2, 1, false, true]}} : (tensor<2x5xf32, #inductor.layout<fixed, [5, 1]>>) -> !inductor.results
  %v = inductor.multi_output "op1" as "buf1" %r [["tuple", 0]] : !inductor.results -> tensor<2x2xf32, #inductor.layout<fixed, [2, 1]>>
  %n = inductor.multi_output "op2" as "buf2" %r [["tuple", 1]] : !inductor.results -> tensor<2x2xi64, #inductor.layout<fixed, [2, 1]>>
  inductor.return %v, %n outputs [#inductor.operand<0>, #inductor.operand<1>] : tensor<2x2xf32, #inductor.layout<fixed, [2, 1]>>, tensor<2x2xi64, #inductor.layout<fixed, [2, 1]>>
}

// Sums so far along the first dimension.
// CUMSUM{LITERAL}: result 0: tensor<4x4xf32> [-2.0, -1.75, -1.5, -1.25, -3.0, -2.5, -2.0, -1.5, -3.0, -2.25, -1.5, -0.75, -2.0, -1.0, 0.0, 1.0]
inductor.graph @cumsum {
  %a = inductor.constant "a" value dense<[[-2.0, -1.75, -1.5, -1.25], [-1.0, -0.75, -0.5, -0.25], [0.0, 0.25, 0.5, 0.75], [1.0, 1.25, 1.5, 1.75]]> : tensor<4x4xf32> : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
  %y = inductor.extern "op0" as "buf0" "FallbackKernel" "aten.cumsum.default"(%a) {call = {args = [#inductor.operand<0>, 0]}} : (tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>) -> tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
  inductor.return %y : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
}

// A sum at places that are the same.
// SCATTER_REDUCE{LITERAL}: result 0: tensor<3x2xf32> [6.0, 1.0, 17.0, 1.0, 1.0, 43.0]
inductor.graph @scatter_reduce {
  %a = inductor.constant "a" value dense<[[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]> : tensor<3x2xf32> : tensor<3x2xf32, #inductor.layout<fixed, [2, 1]>>
  %n = inductor.constant "n" value dense<[[0, 2], [0, 2], [1, 2]]> : tensor<3x2xi64> : tensor<3x2xi64, #inductor.layout<fixed, [2, 1]>>
  %b = inductor.constant "b" value dense<[[1.0, 2.0], [4.0, 8.0], [16.0, 32.0]]> : tensor<3x2xf32> : tensor<3x2xf32, #inductor.layout<fixed, [2, 1]>>
  %y = inductor.extern "op0" as "buf0" "ScatterFallback" "aten.scatter_reduce_.two"(%a, %n, %b) mutates [0] {constant_args = [0], kwargs = {reduce = "sum", include_self = true}} : (tensor<3x2xf32, #inductor.layout<fixed, [2, 1]>>, tensor<3x2xi64, #inductor.layout<fixed, [2, 1]>>, tensor<3x2xf32, #inductor.layout<fixed, [2, 1]>>) -> tensor<3x2xf32, #inductor.layout<fixed, [2, 1]>>
  inductor.return %y : tensor<3x2xf32, #inductor.layout<fixed, [2, 1]>>
}

// Products so far along the last dimension.
// CUMPROD{LITERAL}: result 0: tensor<2x4xf32> [1.0, 2.0, -3.0, -9.0, 0.5, -1.0, -4.0, -0.0]
inductor.graph @cumprod {
  %a = inductor.constant "a" value dense<[[1.0, 2.0, -1.5, 3.0], [0.5, -2.0, 4.0, 0.0]]> : tensor<2x4xf32> : tensor<2x4xf32, #inductor.layout<fixed, [4, 1]>>
  %y = inductor.extern "op0" as "buf0" "FallbackKernel" "aten.cumprod.default"(%a) {call = {args = [#inductor.operand<0>, 1]}} : (tensor<2x4xf32, #inductor.layout<fixed, [4, 1]>>) -> tensor<2x4xf32, #inductor.layout<fixed, [4, 1]>>
  inductor.return %y : tensor<2x4xf32, #inductor.layout<fixed, [4, 1]>>
}

// Logarithms of sums of exponentials so far: infinities are exact, and large numbers are none.
// LOGCUMSUMEXP: result 0: tensor<2x4xf32> [-inf, 0.0, 1.3132{{[0-9]+}}, 100.0, 1000.0, 1001.313{{[0-9]*}}, inf, inf]
inductor.graph @logcumsumexp {
  %a = inductor.constant "a" value dense<[[0xFF800000, 0.0, 1.0, 100.0], [1000.0, 1001.0, 0x7F800000, 0.0]]> : tensor<2x4xf32> : tensor<2x4xf32, #inductor.layout<fixed, [4, 1]>>
  %y = inductor.extern "op0" as "buf0" "FallbackKernel" "aten.logcumsumexp.default"(%a) {call = {args = [#inductor.operand<0>, -1]}} : (tensor<2x4xf32, #inductor.layout<fixed, [4, 1]>>) -> tensor<2x4xf32, #inductor.layout<fixed, [4, 1]>>
  inductor.return %y : tensor<2x4xf32, #inductor.layout<fixed, [4, 1]>>
}

// The largest elements so far, and the last place that has it. NaN is the largest.
// CUMMAX{LITERAL}: result 0: tensor<2x5xf32> [1.0, 3.0, 3.0, NaN, NaN, 2.0, 2.0, 2.0, 5.0, 5.0]
// CUMMAX-NEXT{LITERAL}: result 1: tensor<2x5xi64> [0, 1, 2, 3, 3, 0, 0, 2, 3, 3]
inductor.graph @cummax {
  %a = inductor.constant "a" value dense<[[1.0, 3.0, 3.0, 0x7FC00000, 4.0], [2.0, 1.0, 2.0, 5.0, 0.0]]> : tensor<2x5xf32> : tensor<2x5xf32, #inductor.layout<fixed, [5, 1]>>
  %r = inductor.extern "op0" as "buf0" "FallbackKernel" "aten.cummax.default"(%a) {call = {args = [#inductor.operand<0>, 1]}} : (tensor<2x5xf32, #inductor.layout<fixed, [5, 1]>>) -> !inductor.results
  %v = inductor.multi_output "op1" as "buf1" %r [["tuple", 0]] : !inductor.results -> tensor<2x5xf32, #inductor.layout<fixed, [5, 1]>>
  %n = inductor.multi_output "op2" as "buf2" %r [["tuple", 1]] : !inductor.results -> tensor<2x5xi64, #inductor.layout<fixed, [5, 1]>>
  inductor.return %v, %n outputs [#inductor.operand<0>, #inductor.operand<1>] : tensor<2x5xf32, #inductor.layout<fixed, [5, 1]>>, tensor<2x5xi64, #inductor.layout<fixed, [5, 1]>>
}

// The smallest integers so far, along the first dimension.
// CUMMIN{LITERAL}: result 0: tensor<2x3xi64> [3, 1, 2, 0, 1, 2]
// CUMMIN-NEXT{LITERAL}: result 1: tensor<2x3xi64> [0, 0, 0, 1, 0, 1]
inductor.graph @cummin {
  %a = inductor.constant "a" value dense<[[3, 1, 2], [0, 4, 2]]> : tensor<2x3xi64> : tensor<2x3xi64, #inductor.layout<fixed, [3, 1]>>
  %r = inductor.extern "op0" as "buf0" "FallbackKernel" "aten.cummin.default"(%a) {call = {args = [#inductor.operand<0>, 0]}} : (tensor<2x3xi64, #inductor.layout<fixed, [3, 1]>>) -> !inductor.results
  %v = inductor.multi_output "op1" as "buf1" %r [["tuple", 0]] : !inductor.results -> tensor<2x3xi64, #inductor.layout<fixed, [3, 1]>>
  %n = inductor.multi_output "op2" as "buf2" %r [["tuple", 1]] : !inductor.results -> tensor<2x3xi64, #inductor.layout<fixed, [3, 1]>>
  inductor.return %v, %n outputs [#inductor.operand<0>, #inductor.operand<1>] : tensor<2x3xi64, #inductor.layout<fixed, [3, 1]>>, tensor<2x3xi64, #inductor.layout<fixed, [3, 1]>>
}

// Places in one sequence. That of NaN is behind all elements.
// SEARCHSORTED{LITERAL}: result 0: tensor<2x3xi64> [1, 0, 4, 3, 4, 3]
inductor.graph @searchsorted {
  %a = inductor.constant "a" value dense<[-1.0, 0.5, 0.5, 2.0]> : tensor<4xf32> : tensor<4xf32, #inductor.layout<fixed, [1]>>
  %b = inductor.constant "b" value dense<[[0.5, -3.0, 0x7FC00000], [2.0, 9.0, 0.625]]> : tensor<2x3xf32> : tensor<2x3xf32, #inductor.layout<fixed, [3, 1]>>
  %y = inductor.extern "op0" as "buf0" "FallbackKernel" "aten.searchsorted.Tensor"(%a, %b) {call = {args = [#inductor.operand<0>, #inductor.operand<1>], kwargs = {}}, kwargs = {}} : (tensor<4xf32, #inductor.layout<fixed, [1]>>, tensor<2x3xf32, #inductor.layout<fixed, [3, 1]>>) -> tensor<2x3xi64, #inductor.layout<fixed, [3, 1]>>
  inductor.return %y : tensor<2x3xi64, #inductor.layout<fixed, [3, 1]>>
}

// Places in a sequence for each row, behind equal elements.
// ROWS{LITERAL}: result 0: tensor<2x2xi64> [2, 3, 2, 0]
inductor.graph @rows {
  %a = inductor.constant "a" value dense<[[0, 2, 4], [1, 1, 3]]> : tensor<2x3xi64> : tensor<2x3xi64, #inductor.layout<fixed, [3, 1]>>
  %b = inductor.constant "b" value dense<[[2, 5], [1, 0]]> : tensor<2x2xi64> : tensor<2x2xi64, #inductor.layout<fixed, [2, 1]>>
  %y = inductor.extern "op0" as "buf0" "FallbackKernel" "aten.searchsorted.Tensor"(%a, %b) {call = {args = [#inductor.operand<0>, #inductor.operand<1>], kwargs = {side = "right"}}, kwargs = {side = "right"}} : (tensor<2x3xi64, #inductor.layout<fixed, [3, 1]>>, tensor<2x2xi64, #inductor.layout<fixed, [2, 1]>>) -> tensor<2x2xi64, #inductor.layout<fixed, [2, 1]>>
  inductor.return %y : tensor<2x2xi64, #inductor.layout<fixed, [2, 1]>>
}

// The same by the name of buckets, with the operands swapped.
// BUCKETIZE{LITERAL}: result 0: tensor<2x3xi32> [3, 0, 4, 4, 4, 3]
inductor.graph @bucketize {
  %a = inductor.constant "a" value dense<[[0.5, -3.0, 0x7FC00000], [2.0, 9.0, 0.625]]> : tensor<2x3xf32> : tensor<2x3xf32, #inductor.layout<fixed, [3, 1]>>
  %b = inductor.constant "b" value dense<[-1.0, 0.5, 0.5, 2.0]> : tensor<4xf32> : tensor<4xf32, #inductor.layout<fixed, [1]>>
  %y = inductor.extern "op0" as "buf0" "FallbackKernel" "aten.bucketize.Tensor"(%a, %b) {call = {args = [#inductor.operand<0>, #inductor.operand<1>], kwargs = {out_int32 = true, right = true}}, kwargs = {out_int32 = true, right = true}} : (tensor<2x3xf32, #inductor.layout<fixed, [3, 1]>>, tensor<4xf32, #inductor.layout<fixed, [1]>>) -> tensor<2x3xi32, #inductor.layout<fixed, [3, 1]>>
  inductor.return %y : tensor<2x3xi32, #inductor.layout<fixed, [3, 1]>>
}
