// Kernels of integers, of no elements, and of a bias that has no weight, run. The numbers are those of PyTorch 2.15.

// RUN: spyre-opt %s --convert-inductor-to-linalg -o %t
// RUN: spyre-run %t --entry unweighted | FileCheck %s --check-prefix=UNWEIGHTED
// RUN: spyre-run %t --entry unweighted_batches | FileCheck %s --check-prefix=UNWEIGHTED_BATCHES
// RUN: spyre-run %t --entry integers | FileCheck %s --check-prefix=INTEGERS
// RUN: spyre-run %t --entry nothing | FileCheck %s --check-prefix=NOTHING
// RUN: spyre-run %t --entry nothing_with_bias | FileCheck %s --check-prefix=NOTHING_WITH_BIAS
// RUN: spyre-run %t --entry sum_of_i32 | FileCheck %s --check-prefix=SUM_OF_I32
// RUN: spyre-run %t --entry sum_of_u8 | FileCheck %s --check-prefix=SUM_OF_U8
// RUN: spyre-run %t --entry sum_as_i8 | FileCheck %s --check-prefix=SUM_AS_I8
// RUN: spyre-run %t --entry sum_of_i32_as_f32 | FileCheck %s --check-prefix=SUM_OF_I32_AS_F32
// RUN: spyre-run %t --entry sum_of_f32_as_i64 | FileCheck %s --check-prefix=SUM_OF_F32_AS_I64
// RUN: spyre-run %t --entry sum_in_a_tuple | FileCheck %s --check-prefix=SUM_IN_A_TUPLE
// RUN: spyre-run %t --entry product_of_i32 | FileCheck %s --check-prefix=PRODUCT_OF_I32
// RUN: spyre-run %t --entry product_of_f32_as_i64 | FileCheck %s --check-prefix=PRODUCT_OF_F32_AS_I64
// RUN: spyre-run %t --entry parts | FileCheck %s --check-prefix=PARTS

// A bias without weight is not looked at, though it has NaN.
// UNWEIGHTED{LITERAL}: result 0: tensor<2x2xf32> [2.0, 4.0, 6.0, 8.0]
inductor.graph @unweighted {
  %c = inductor.constant "c" value dense<[0x7FC00000, 0x7F800000]> : tensor<2xf32> : tensor<2xf32, #inductor.layout<fixed, [1]>>
  %a = inductor.constant "a" value dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32> : tensor<2x2xf32, #inductor.layout<fixed, [2, 1]>>
  %b = inductor.constant "b" value dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> : tensor<2x2xf32, #inductor.layout<fixed, [2, 1]>>
  %y = inductor.extern "op0" as "buf0" "FallbackKernel" "aten.addmm.out"(%c, %a, %b) {kernel = "extern_kernels.addmm", kwargs = {alpha = 2 : i64, beta = 0 : i64}} : (tensor<2xf32, #inductor.layout<fixed, [1]>>, tensor<2x2xf32, #inductor.layout<fixed, [2, 1]>>, tensor<2x2xf32, #inductor.layout<fixed, [2, 1]>>) -> tensor<2x2xf32, #inductor.layout<fixed, [2, 1]>>
  inductor.return %y : tensor<2x2xf32, #inductor.layout<fixed, [2, 1]>>
}

// The bias of several products is not looked at either.
// UNWEIGHTED_BATCHES{LITERAL}: result 0: tensor<1x2x2xf32> [1.0, 2.0, 3.0, 4.0]
inductor.graph @unweighted_batches {
  %c = inductor.constant "c" value dense<0x7FC00000> : tensor<1x2x2xf32> : tensor<1x2x2xf32, #inductor.layout<fixed, [4, 2, 1]>>
  %a = inductor.constant "a" value dense<[[[1.0, 0.0], [0.0, 1.0]]]> : tensor<1x2x2xf32> : tensor<1x2x2xf32, #inductor.layout<fixed, [4, 2, 1]>>
  %b = inductor.constant "b" value dense<[[[1.0, 2.0], [3.0, 4.0]]]> : tensor<1x2x2xf32> : tensor<1x2x2xf32, #inductor.layout<fixed, [4, 2, 1]>>
  %y = inductor.extern "op0" as "buf0" "FallbackKernel" "aten.baddbmm.out"(%c, %a, %b) {kernel = "extern_kernels.baddbmm", kwargs = {alpha = 1 : i64, beta = 0 : i64}} : (tensor<1x2x2xf32, #inductor.layout<fixed, [4, 2, 1]>>, tensor<1x2x2xf32, #inductor.layout<fixed, [4, 2, 1]>>, tensor<1x2x2xf32, #inductor.layout<fixed, [4, 2, 1]>>) -> tensor<1x2x2xf32, #inductor.layout<fixed, [4, 2, 1]>>
  inductor.return %y : tensor<1x2x2xf32, #inductor.layout<fixed, [4, 2, 1]>>
}

// A product of integers with a bias.
// INTEGERS{LITERAL}: result 0: tensor<2x2xi64> [23, 18, 47, 50]
inductor.graph @integers {
  %c = inductor.constant "c" value dense<[1, -2]> : tensor<2xi64> : tensor<2xi64, #inductor.layout<fixed, [1]>>
  %a = inductor.constant "a" value dense<[[1, 2], [3, 4]]> : tensor<2x2xi64> : tensor<2x2xi64, #inductor.layout<fixed, [2, 1]>>
  %b = inductor.constant "b" value dense<[[2, 4], [4, 4]]> : tensor<2x2xi64> : tensor<2x2xi64, #inductor.layout<fixed, [2, 1]>>
  %y = inductor.extern "op0" as "buf0" "FallbackKernel" "aten.addmm.out"(%c, %a, %b) {kernel = "extern_kernels.addmm", kwargs = {alpha = 2 : i64, beta = 3 : i64}} : (tensor<2xi64, #inductor.layout<fixed, [1]>>, tensor<2x2xi64, #inductor.layout<fixed, [2, 1]>>, tensor<2x2xi64, #inductor.layout<fixed, [2, 1]>>) -> tensor<2x2xi64, #inductor.layout<fixed, [2, 1]>>
  inductor.return %y : tensor<2x2xi64, #inductor.layout<fixed, [2, 1]>>
}

// A product along no elements is 0.
// NOTHING{LITERAL}: result 0: tensor<2x3xf32> [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
inductor.graph @nothing {
  %a = inductor.constant "a" value dense<> : tensor<2x0xf32> : tensor<2x0xf32, #inductor.layout<fixed, [0, 1]>>
  %b = inductor.constant "b" value dense<> : tensor<0x3xf32> : tensor<0x3xf32, #inductor.layout<fixed, [3, 1]>>
  %y = inductor.extern "op0" as "buf0" "FallbackKernel" "aten.mm.out"(%a, %b) {kernel = "extern_kernels.mm"} : (tensor<2x0xf32, #inductor.layout<fixed, [0, 1]>>, tensor<0x3xf32, #inductor.layout<fixed, [3, 1]>>) -> tensor<2x3xf32, #inductor.layout<fixed, [3, 1]>>
  inductor.return %y : tensor<2x3xf32, #inductor.layout<fixed, [3, 1]>>
}

// With a bias, it is the bias.
// NOTHING_WITH_BIAS{LITERAL}: result 0: tensor<2x3xf32> [1.0, 2.0, 3.0, 1.0, 2.0, 3.0]
inductor.graph @nothing_with_bias {
  %c = inductor.constant "c" value dense<[1.0, 2.0, 3.0]> : tensor<3xf32> : tensor<3xf32, #inductor.layout<fixed, [1]>>
  %a = inductor.constant "a" value dense<> : tensor<2x0xf32> : tensor<2x0xf32, #inductor.layout<fixed, [0, 1]>>
  %b = inductor.constant "b" value dense<> : tensor<0x3xf32> : tensor<0x3xf32, #inductor.layout<fixed, [3, 1]>>
  %y = inductor.extern "op0" as "buf0" "FallbackKernel" "aten.addmm.out"(%c, %a, %b) {kernel = "extern_kernels.addmm"} : (tensor<3xf32, #inductor.layout<fixed, [1]>>, tensor<2x0xf32, #inductor.layout<fixed, [0, 1]>>, tensor<0x3xf32, #inductor.layout<fixed, [3, 1]>>) -> tensor<2x3xf32, #inductor.layout<fixed, [3, 1]>>
  inductor.return %y : tensor<2x3xf32, #inductor.layout<fixed, [3, 1]>>
}

// A sum of integers is one of i64.
// SUM_OF_I32{LITERAL}: result 0: tensor<3xi64> [2147483647, 4294967294, 6442450941]
inductor.graph @sum_of_i32 {
  %a = inductor.constant "a" value dense<2147483647> : tensor<3xi32> : tensor<3xi32, #inductor.layout<fixed, [1]>>
  %y = inductor.extern "op0" as "buf0" "FallbackKernel" "aten.cumsum.default"(%a) {call = {args = [#inductor.operand<0>], kwargs = {dim = 0 : i64, dtype = "i64"}}, kwargs = {dim = 0 : i64, dtype = "i64"}} : (tensor<3xi32, #inductor.layout<fixed, [1]>>) -> tensor<3xi64, #inductor.layout<fixed, [1]>>
  inductor.return %y : tensor<3xi64, #inductor.layout<fixed, [1]>>
}

// Integers without a sign have none in the sum.
// SUM_OF_U8{LITERAL}: result 0: tensor<3xi64> [200, 400, 401]
inductor.graph @sum_of_u8 {
  %a = inductor.constant "a" value dense<[200, 200, 1]> : tensor<3xui8> : tensor<3xui8, #inductor.layout<fixed, [1]>>
  %y = inductor.extern "op0" as "buf0" "FallbackKernel" "aten.cumsum.default"(%a) {call = {args = [#inductor.operand<0>, 0]}} : (tensor<3xui8, #inductor.layout<fixed, [1]>>) -> tensor<3xi64, #inductor.layout<fixed, [1]>>
  inductor.return %y : tensor<3xi64, #inductor.layout<fixed, [1]>>
}

// A sum that the program wants narrow wraps around.
// SUM_AS_I8{LITERAL}: result 0: tensor<3xi8> [100, -56, 44]
inductor.graph @sum_as_i8 {
  %a = inductor.constant "a" value dense<100> : tensor<3xi32> : tensor<3xi32, #inductor.layout<fixed, [1]>>
  %y = inductor.extern "op0" as "buf0" "FallbackKernel" "aten.cumsum.default"(%a) {call = {args = [#inductor.operand<0>, 0]}} : (tensor<3xi32, #inductor.layout<fixed, [1]>>) -> tensor<3xi8, #inductor.layout<fixed, [1]>>
  inductor.return %y : tensor<3xi8, #inductor.layout<fixed, [1]>>
}

// Integers are floats before they are added.
// SUM_OF_I32_AS_F32{LITERAL}: result 0: tensor<3xf32> [2147483600.0, 4294967300.0, 6442451000.0]
inductor.graph @sum_of_i32_as_f32 {
  %a = inductor.constant "a" value dense<2147483647> : tensor<3xi32> : tensor<3xi32, #inductor.layout<fixed, [1]>>
  %y = inductor.extern "op0" as "buf0" "FallbackKernel" "aten.cumsum.default"(%a) {call = {args = [#inductor.operand<0>, 0]}} : (tensor<3xi32, #inductor.layout<fixed, [1]>>) -> tensor<3xf32, #inductor.layout<fixed, [1]>>
  inductor.return %y : tensor<3xf32, #inductor.layout<fixed, [1]>>
}

// Floats are cut off before they are added.
// SUM_OF_F32_AS_I64{LITERAL}: result 0: tensor<4xi64> [1, 2, 1, 4]
inductor.graph @sum_of_f32_as_i64 {
  %a = inductor.constant "a" value dense<[1.75, 1.75, -1.75, 3.5]> : tensor<4xf32> : tensor<4xf32, #inductor.layout<fixed, [1]>>
  %y = inductor.extern "op0" as "buf0" "FallbackKernel" "aten.cumsum.default"(%a) {call = {args = [#inductor.operand<0>, 0]}} : (tensor<4xf32, #inductor.layout<fixed, [1]>>) -> tensor<4xi64, #inductor.layout<fixed, [1]>>
  inductor.return %y : tensor<4xi64, #inductor.layout<fixed, [1]>>
}

// A kernel with a tuple of results says its type where a result is taken.
// SUM_IN_A_TUPLE{LITERAL}: result 0: tensor<3xi64> [2147483647, 4294967294, 6442450941]
inductor.graph @sum_in_a_tuple {
  %a = inductor.constant "a" value dense<2147483647> : tensor<3xi32> : tensor<3xi32, #inductor.layout<fixed, [1]>>
  %t = inductor.extern "op0" as "buf0" "FallbackKernel" "aten.cumsum.default"(%a) {call = {args = [#inductor.operand<0>, 0]}} : (tensor<3xi32, #inductor.layout<fixed, [1]>>) -> !inductor.results
  %y = inductor.multi_output "op1" as "buf1" %t [] : !inductor.results -> tensor<3xi64, #inductor.layout<fixed, [1]>>
  inductor.return %y : tensor<3xi64, #inductor.layout<fixed, [1]>>
}

// A product of integers is one of i64.
// PRODUCT_OF_I32{LITERAL}: result 0: tensor<3xi64> [100000, 10000000000, 1000000000000000]
inductor.graph @product_of_i32 {
  %a = inductor.constant "a" value dense<100000> : tensor<3xi32> : tensor<3xi32, #inductor.layout<fixed, [1]>>
  %y = inductor.extern "op0" as "buf0" "FallbackKernel" "aten.cumprod.default"(%a) {call = {args = [#inductor.operand<0>, 0]}} : (tensor<3xi32, #inductor.layout<fixed, [1]>>) -> tensor<3xi64, #inductor.layout<fixed, [1]>>
  inductor.return %y : tensor<3xi64, #inductor.layout<fixed, [1]>>
}

// Floats are cut off before they are multiplied.
// PRODUCT_OF_F32_AS_I64{LITERAL}: result 0: tensor<3xi64> [2, 6, -6]
inductor.graph @product_of_f32_as_i64 {
  %a = inductor.constant "a" value dense<[2.5, 3.75, -1.5]> : tensor<3xf32> : tensor<3xf32, #inductor.layout<fixed, [1]>>
  %y = inductor.extern "op0" as "buf0" "FallbackKernel" "aten.cumprod.default"(%a) {call = {args = [#inductor.operand<0>, 0]}} : (tensor<3xf32, #inductor.layout<fixed, [1]>>) -> tensor<3xi64, #inductor.layout<fixed, [1]>>
  inductor.return %y : tensor<3xi64, #inductor.layout<fixed, [1]>>
}

// Parts one behind the other along the last dimension; one without elements is none.
// PARTS{LITERAL}: result 0: tensor<2x3xi8> [1, 5, 6, 2, 7, 8]
inductor.graph @parts {
  %a = inductor.constant "a" value dense<[[1], [2]]> : tensor<2x1xi8> : tensor<2x1xi8, #inductor.layout<fixed, [1, 1]>>
  %e = inductor.constant "e" value dense<> : tensor<0xi8> : tensor<0xi8, #inductor.layout<fixed, [1]>>
  %b = inductor.constant "b" value dense<[[5, 6], [7, 8]]> : tensor<2x2xi8> : tensor<2x2xi8, #inductor.layout<fixed, [2, 1]>>
  %y = inductor.extern "op0" as "buf0" "FallbackKernel" "aten.cat.default"(%a, %e, %b) {call = {args = [[#inductor.operand<0>, #inductor.operand<1>, #inductor.operand<2>], -1], kwargs = {}}} : (tensor<2x1xi8, #inductor.layout<fixed, [1, 1]>>, tensor<0xi8, #inductor.layout<fixed, [1]>>, tensor<2x2xi8, #inductor.layout<fixed, [2, 1]>>) -> tensor<2x3xi8, #inductor.layout<fixed, [3, 1]>>
  inductor.return %y : tensor<2x3xi8, #inductor.layout<fixed, [3, 1]>>
}
