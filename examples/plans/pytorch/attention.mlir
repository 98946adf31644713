// torch.nn.functional.scaled_dot_product_attention of 32 heads in f16, as spyre_mlir.torch exports it.

#layout = #inductor.layout<fixed, [8388608, 262144, 128, 1]>
#layout1 = #inductor.layout<fixed, [262144, 128, 1]>
#layout2 = #inductor.layout<fixed, [262144, 1, 128]>
#layout3 = #inductor.layout<fixed, [4194304, 2048, 1]>
#layout4 = #inductor.layout<fixed, [134217728, 4194304, 2048, 1], size = [1, 32, 2048, 2048]>
#layout5 = #inductor.layout<fixed, [65536, 2048, 1, 65536]>
#layout6 = #inductor.layout<fixed, [0, 2048, 1, 0], size = [1, 32, 2048, 2048]>
#layout7 = #inductor.layout<flexible, [134217728, 4194304, 2048, 1]>
#layout8 = #inductor.layout<fixed, [134217728, 4194304, 2048, 1]>
#map = affine_map<(d0, d1, d2) -> (0, d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (0, d0, d1, 0)>
module {
  inductor.graph @attention attributes {backend = {cpu = "CppScheduling"}, device = "cpu", number = 48 : i64, torch = "2.12.0+cu130"} {
    %arg0_1 = inductor.input "arg0_1" : tensor<1x32x2048x128xf16, #layout>
    %arg1_1 = inductor.input "arg1_1" : tensor<1x32x2048x128xf16, #layout>
    %arg2_1 = inductor.input "arg2_1" : tensor<1x32x2048x128xf16, #layout>
    %0 = inductor.view %arg1_1 : tensor<1x32x2048x128xf16, #layout> -> tensor<32x2048x128xf16, #layout1>
    %1 = inductor.view %arg0_1 : tensor<1x32x2048x128xf16, #layout> -> tensor<32x128x2048xf16, #layout2>
    %buf0 = inductor.extern "op0" as "buf0" "ExternKernelOut" "aten.bmm.out"(%0, %1) {constant_args = [], kernel = "extern_kernels.bmm", kwargs = {}, origin = "bmm", origins = ["bmm", "permute", "view", "view_1"]} : (tensor<32x2048x128xf16, #layout1>, tensor<32x128x2048xf16, #layout2>) -> tensor<32x2048x2048xf16, #layout3>
    %buf1 = inductor.reduction "op1" as "buf1" max [1, 32, 2048, 1] over [2048] from f32 hint "DEFAULT" {
    ^bb0(%i0: index, %i1: index, %i2: index):
      %5 = inductor.load %buf0 at #map(%i0, %i1, %i2) view #layout4 : tensor<32x2048x2048xf16, #layout3> -> f32
      %cst = arith.constant {dtype = "f16", exact = 11.313708498984761 : f64} 11.3137083 : f32
      %6 = arith.divf %5, %cst : f32
      %7 = inductor.to_dtype %6 from f16 to f32 compute : f32 -> f32
      inductor.store %7 at #map1(%i0, %i1, %i2) : f32
    } {origin = "amax", origins = ["amax", "convert_element_type_2", "div", "view_2"]} : tensor<1x32x2048x1xf32, #layout5>
    %buf2 = inductor.pointwise "op2" as "buf2" [1, 32, 2048, 2048] {
    ^bb0(%i0: index, %i1: index, %i2: index):
      %5 = inductor.load %buf0 at #map(%i0, %i1, %i2) view #layout4 : tensor<32x2048x2048xf16, #layout3> -> f32
      %cst = arith.constant {dtype = "f16", exact = 11.313708498984761 : f64} 11.3137083 : f32
      %6 = arith.divf %5, %cst : f32
      %7 = inductor.to_dtype %6 from f16 to f32 compute : f32 -> f32
      %8 = inductor.load %buf1 at #map(%i0, %i1, %i2) view #layout6 : tensor<1x32x2048x1xf32, #layout5> -> f32
      %9 = arith.subf %7, %8 : f32
      %10 = math.exp %9 : f32
      inductor.store %10 at #map(%i0, %i1, %i2) : f32
    } {origin = "exp", origins = ["convert_element_type_2", "div", "exp", "sub", "view_2"]} : tensor<1x32x2048x2048xf32, #layout7>
    %buf3 = inductor.reduction "op3" as "buf3" sum [1, 32, 2048, 1] over [2048] from f32 hint "DEFAULT" {
    ^bb0(%i0: index, %i1: index, %i2: index):
      %5 = inductor.load %buf2 at #map(%i0, %i1, %i2) : tensor<1x32x2048x2048xf32, #layout7> -> f32
      inductor.store %5 at #map1(%i0, %i1, %i2) : f32
    } {origin = "sum_1", origins = ["sum_1"]} : tensor<1x32x2048x1xf32, #layout5>
    %buf4 = inductor.pointwise "op4" as "buf4" [1, 32, 2048, 2048] {
    ^bb0(%i0: index, %i1: index, %i2: index):
      %5 = inductor.load %buf2 at #map(%i0, %i1, %i2) : tensor<1x32x2048x2048xf32, #layout7> -> f32
      %6 = inductor.load %buf3 at #map(%i0, %i1, %i2) view #layout6 : tensor<1x32x2048x1xf32, #layout5> -> f32
      %7 = arith.divf %5, %6 : f32
      %8 = inductor.to_dtype %7 from f32 to f16 compute : f32 -> f32
      inductor.store %8 at #map(%i0, %i1, %i2) : f32
    } {origin = "expand_2", origins = ["convert_element_type_3", "div_1"]} : tensor<1x32x2048x2048xf16, #layout8>
    %2 = inductor.view %buf4 : tensor<1x32x2048x2048xf16, #layout8> -> tensor<32x2048x2048xf16, #layout3>
    %3 = inductor.view %arg2_1 : tensor<1x32x2048x128xf16, #layout> -> tensor<32x2048x128xf16, #layout1>
    %buf5 = inductor.extern "op5" as "buf5" "ExternKernelOut" "aten.bmm.out"(%2, %3) {constant_args = [], kernel = "extern_kernels.bmm", kwargs = {}, origin = "bmm_1", origins = ["bmm_1", "convert_element_type_3", "div_1", "view_3", "view_4"]} : (tensor<32x2048x2048xf16, #layout3>, tensor<32x2048x128xf16, #layout1>) -> tensor<32x2048x128xf16, #layout1>
    %4 = inductor.view %buf5 : tensor<32x2048x128xf16, #layout1> -> tensor<1x32x2048x128xf16, #layout>
    inductor.return %4 : tensor<1x32x2048x128xf16, #layout>
  }
}
