// torch.softmax(x, dim=-1) of 2,048 rows in f16, as spyre_mlir.torch exports it.

#layout = #inductor.layout<fixed, [4096, 1]>
#layout1 = #inductor.layout<fixed, [1, 2048]>
#layout2 = #inductor.layout<fixed, [1, 0], size = [2048, 4096]>
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0, 0)>
module {
  inductor.graph @softmax attributes {backend = {cpu = "CppScheduling"}, device = "cpu", number = 0 : i64, torch = "2.15.0+cu132"} {
    %arg0_1 = inductor.input "arg0_1" : tensor<2048x4096xf16, #layout>
    %buf0 = inductor.reduction "op0" as "buf0" max [2048, 1] over [4096] from f32 hint "INNER" {
    ^bb0(%i0: index, %i1: index):
      %0 = inductor.load %arg0_1 at #map(%i0, %i1) : tensor<2048x4096xf16, #layout> -> f32
      %1 = inductor.to_dtype %0 from f16 to f32 compute : f32 -> f32
      inductor.store %1 at #map1(%i0, %i1) : f32
    } {origin = "amax", origins = ["amax", "convert_element_type"]} : tensor<2048x1xf32, #layout1>
    %buf1 = inductor.pointwise "op1" as "buf1" [2048, 4096] {
    ^bb0(%i0: index, %i1: index):
      %0 = inductor.load %arg0_1 at #map(%i0, %i1) : tensor<2048x4096xf16, #layout> -> f32
      %1 = inductor.to_dtype %0 from f16 to f32 compute : f32 -> f32
      %2 = inductor.load %buf0 at #map(%i0, %i1) view #layout2 : tensor<2048x1xf32, #layout1> -> f32
      %3 = arith.subf %1, %2 : f32
      %4 = math.exp %3 : f32
      inductor.store %4 at #map(%i0, %i1) : f32
    } {origin = "exp", origins = ["convert_element_type", "exp", "sub"]} : tensor<2048x4096xf32, #layout>
    %buf2 = inductor.reduction "op2" as "buf2" sum [2048, 1] over [4096] from f32 hint "INNER" {
    ^bb0(%i0: index, %i1: index):
      %0 = inductor.load %buf1 at #map(%i0, %i1) : tensor<2048x4096xf32, #layout> -> f32
      inductor.store %0 at #map1(%i0, %i1) : f32
    } {origin = "sum_1", origins = ["sum_1"]} : tensor<2048x1xf32, #layout1>
    %buf3 = inductor.pointwise "op3" as "buf3" [2048, 4096] {
    ^bb0(%i0: index, %i1: index):
      %0 = inductor.load %buf1 at #map(%i0, %i1) : tensor<2048x4096xf32, #layout> -> f32
      %1 = inductor.load %buf2 at #map(%i0, %i1) view #layout2 : tensor<2048x1xf32, #layout1> -> f32
      %2 = arith.divf %0, %1 : f32
      %3 = inductor.to_dtype %2 from f32 to f16 compute : f32 -> f32
      inductor.store %3 at #map(%i0, %i1) : f32
    } {origin = "convert_element_type_1", origins = ["convert_element_type_1", "div"]} : tensor<2048x4096xf16, #layout>
    inductor.return %buf3 : tensor<2048x4096xf16, #layout>
  }
}
