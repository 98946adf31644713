// Remainders are exact where PyTorch's loops over vectors are not: by infinite and subnormal numbers, and where the quotient is too large.

// RUN: spyre-opt %s --convert-inductor-to-linalg -o %t
// RUN: spyre-run %t --entry rests | FileCheck %s

// CHECK{LITERAL}: result 0: tensor<8xf32> [1.0, 1.0, -1.0, 0.0, 0.0, NaN, NaN, 8.45e-42]
// CHECK-NEXT{LITERAL}: result 1: tensor<8xf32> [1.0, -inf, inf, 0.0, 0.0, NaN, NaN, 8.45e-42]
inductor.graph @rests {
  %a = inductor.constant "a" value dense<[1.0, 1.0, -1.0, 0.0, 3.4e+38, 0x7F800000, 1.0, 1.0]> : tensor<8xf32> : tensor<8xf32, #inductor.layout<fixed, [1]>>
  %b = inductor.constant "b" value dense<[0x7F800000, 0xFF800000, 0x7F800000, 0x7F800000, 0.5, 1.0, 0.0, 1.0e-40]> : tensor<8xf32> : tensor<8xf32, #inductor.layout<fixed, [1]>>
  %fmod = inductor.pointwise "op0" as "buf0" [8] {
  ^bb0(%i: index):
    %x = inductor.load %a at affine_map<(d0) -> (d0)>(%i) : tensor<8xf32, #inductor.layout<fixed, [1]>> -> f32
    %y = inductor.load %b at affine_map<(d0) -> (d0)>(%i) : tensor<8xf32, #inductor.layout<fixed, [1]>> -> f32
    %r = arith.remf %x, %y : f32
    inductor.store %r at affine_map<(d0) -> (d0)>(%i) : f32
  } : tensor<8xf32, #inductor.layout<fixed, [1]>>
  %remainder = inductor.pointwise "op1" as "buf1" [8] {
  ^bb0(%i: index):
    %x = inductor.load %a at affine_map<(d0) -> (d0)>(%i) : tensor<8xf32, #inductor.layout<fixed, [1]>> -> f32
    %y = inductor.load %b at affine_map<(d0) -> (d0)>(%i) : tensor<8xf32, #inductor.layout<fixed, [1]>> -> f32
    %r = inductor.apply "remainder"(%x, %y) : (f32, f32) -> f32
    inductor.store %r at affine_map<(d0) -> (d0)>(%i) : f32
  } : tensor<8xf32, #inductor.layout<fixed, [1]>>
  inductor.return %fmod, %remainder : tensor<8xf32, #inductor.layout<fixed, [1]>>, tensor<8xf32, #inductor.layout<fixed, [1]>>
}
