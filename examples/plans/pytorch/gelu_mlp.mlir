// Linear(1024, 4096), GELU and Linear(4096, 1024) of 2,048 rows in f16, as spyre_mlir.torch exports them.

#layout = #inductor.layout<fixed, [1024, 1]>
#layout1 = #inductor.layout<fixed, [1]>
#layout2 = #inductor.layout<fixed, [4096, 1]>
#layout3 = #inductor.layout<fixed, [1, 1024]>
#layout4 = #inductor.layout<flexible, [4096, 1]>
#layout5 = #inductor.layout<fixed, [1, 4096]>
#map = affine_map<(d0, d1) -> (d0, d1)>
module {
  inductor.graph @gelu_mlp attributes {backend = {cpu = "CppScheduling"}, device = "cpu", number = 30 : i64, torch = "2.12.0+cu130"} {
    %arg0_1 = inductor.input "arg0_1" : tensor<2048x1024xf16, #layout>
    %arg1_1 = inductor.input "arg1_1" : tensor<4096x1024xf16, #layout>
    %arg2_1 = inductor.input "arg2_1" : tensor<4096xf16, #layout1>
    %arg3_1 = inductor.input "arg3_1" : tensor<1024x4096xf16, #layout2>
    %arg4_1 = inductor.input "arg4_1" : tensor<1024xf16, #layout1>
    %0 = inductor.view %arg1_1 : tensor<4096x1024xf16, #layout> -> tensor<1024x4096xf16, #layout3>
    %buf0 = inductor.extern "op0" as "buf0" "ExternKernelOut" "aten.addmm.out"(%arg2_1, %arg0_1, %0) {constant_args = [], kernel = "extern_kernels.addmm", kwargs = {alpha = 1 : i64, beta = 1 : i64}, origin = "addmm", origins = ["addmm", "permute"]} : (tensor<4096xf16, #layout1>, tensor<2048x1024xf16, #layout>, tensor<1024x4096xf16, #layout3>) -> tensor<2048x4096xf16, #layout4>
    %buf1 = inductor.pointwise "op1" as "buf1" [2048, 4096] {
    ^bb0(%i0: index, %i1: index):
      %2 = inductor.load %buf0 at #map(%i0, %i1) : tensor<2048x4096xf16, #layout4> -> f32
      %w2 = inductor.to_dtype %2 from f16 to f32 compute : f32 -> f32
      %cst = arith.constant 5.000000e-01 : f32
      %3 = arith.mulf %w2, %cst : f32
      %4 = inductor.load %buf0 at #map(%i0, %i1) : tensor<2048x4096xf16, #layout4> -> f32
      %w4 = inductor.to_dtype %4 from f16 to f32 compute : f32 -> f32
      %cst_0 = arith.constant {exact = 0.70710678118654757 : f64} 0.707106769 : f32
      %5 = arith.mulf %w4, %cst_0 : f32
      %6 = math.erf %5 : f32
      %cst_1 = arith.constant 1.000000e+00 : f32
      %7 = arith.addf %6, %cst_1 : f32
      %8 = arith.mulf %3, %7 : f32
      %9 = inductor.to_dtype %8 from f32 to f16 compute : f32 -> f32
      inductor.store %9 at #map(%i0, %i1) : f32
    } {origin = "mul_2", origins = ["add", "erf", "mul", "mul_1", "mul_2"]} : tensor<2048x4096xf16, #layout4>
    %1 = inductor.view %arg3_1 : tensor<1024x4096xf16, #layout2> -> tensor<4096x1024xf16, #layout5>
    %buf2 = inductor.extern "op2" as "buf2" "ExternKernelOut" "aten.addmm.out"(%arg4_1, %buf1, %1) {constant_args = [], kernel = "extern_kernels.addmm", kwargs = {alpha = 1 : i64, beta = 1 : i64}, origin = "addmm_1", origins = ["add", "addmm_1", "erf", "mul", "mul_1", "mul_2", "permute_1"]} : (tensor<1024xf16, #layout1>, tensor<2048x4096xf16, #layout4>, tensor<4096x1024xf16, #layout5>) -> tensor<2048x1024xf16, #layout>
    inductor.return %buf2 : tensor<2048x1024xf16, #layout>
  }
}
