// The layer of a transformer's encoder that PyTorch has as one kernel. The numbers are those of a program in Python, in double precision.

// RUN: spyre-opt %s --convert-inductor-to-linalg -o %t
// RUN: spyre-run %t --entry relu | FileCheck %s --check-prefix=RELU
// RUN: spyre-run %t --entry gelu | FileCheck %s --check-prefix=GELU

// RELU: result 0: tensor<1x2x4xf32> [0.090{{[0-9]*}}, -1.240{{[0-9]*}}, -0.307{{[0-9]*}}, 0.776{{[0-9]*}}, 0.127{{[0-9]*}}, 1.577{{[0-9]*}}, -2.390{{[0-9]*}}, -0.129{{[0-9]*}}]
inductor.graph @relu {
  %x = inductor.constant "x" value dense<[[[1.0, -1.0, 0.5, 2.0], [0.0, 3.0, -2.0, 1.0]]]> : tensor<1x2x4xf32> : tensor<1x2x4xf32, #inductor.layout<fixed, [8, 4, 1]>>
  %w = inductor.constant "w" value dense<[[-0.5, 0.25, -0.25, 0.5], [0.0, -0.5, 0.25, -0.25], [0.5, 0.0, -0.5, 0.25], [-0.25, 0.5, 0.0, -0.5], [0.25, -0.25, 0.5, 0.0], [-0.5, 0.25, -0.25, 0.5], [0.0, -0.5, 0.25, -0.25], [0.5, 0.0, -0.5, 0.25], [-0.25, 0.5, 0.0, -0.5], [0.25, -0.25, 0.5, 0.0], [-0.5, 0.25, -0.25, 0.5], [0.0, -0.5, 0.25, -0.25]]> : tensor<12x4xf32> : tensor<12x4xf32, #inductor.layout<fixed, [4, 1]>>
  %wb = inductor.constant "wb" value dense<[-0.25, 0.0, 0.25, -0.25, 0.0, 0.25, -0.25, 0.0, 0.25, -0.25, 0.0, 0.25]> : tensor<12xf32> : tensor<12xf32, #inductor.layout<fixed, [1]>>
  %p = inductor.constant "p" value dense<[[-0.75, 0.5, 0.0, -0.5], [0.0, -0.5, 0.75, 0.25], [0.75, 0.25, -0.25, -0.75], [-0.25, -0.75, 0.5, 0.0]]> : tensor<4x4xf32> : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
  %pb = inductor.constant "pb" value dense<[0.25, -0.25, 0.5, 0.0]> : tensor<4xf32> : tensor<4xf32, #inductor.layout<fixed, [1]>>
  %n1 = inductor.constant "n1" value dense<[1.0, 2.0, 0.5, 1.0]> : tensor<4xf32> : tensor<4xf32, #inductor.layout<fixed, [1]>>
  %n1b = inductor.constant "n1b" value dense<[0.0, 0.5, 0.0, -0.5]> : tensor<4xf32> : tensor<4xf32, #inductor.layout<fixed, [1]>>
  %n2 = inductor.constant "n2" value dense<[1.0, 1.0, 2.0, 0.5]> : tensor<4xf32> : tensor<4xf32, #inductor.layout<fixed, [1]>>
  %n2b = inductor.constant "n2b" value dense<[0.25, 0.0, 0.0, 0.0]> : tensor<4xf32> : tensor<4xf32, #inductor.layout<fixed, [1]>>
  %a = inductor.constant "a" value dense<[[-1.0, 0.0, 1.0, -0.5], [-1.0, 0.0, 1.0, -0.5]]> : tensor<2x4xf32> : tensor<2x4xf32, #inductor.layout<fixed, [4, 1]>>
  %ab = inductor.constant "ab" value dense<[0.5, -0.5]> : tensor<2xf32> : tensor<2xf32, #inductor.layout<fixed, [1]>>
  %b = inductor.constant "b" value dense<[[-0.5, 1.0], [0.0, -0.5], [0.5, 0.0], [1.0, 0.5]]> : tensor<4x2xf32> : tensor<4x2xf32, #inductor.layout<fixed, [2, 1]>>
  %bb = inductor.constant "bb" value dense<[0.0, 0.25, -0.25, 0.5]> : tensor<4xf32> : tensor<4xf32, #inductor.layout<fixed, [1]>>
  %y = inductor.extern "op0" as "buf0" "FallbackKernel" "aten._transformer_encoder_layer_fwd.default"(%x, %w, %wb, %p, %pb, %n1, %n1b, %n2, %n2b, %a, %ab, %b, %bb) {call = {args = [#inductor.operand<0>, 4, 2, #inductor.operand<1>, #inductor.operand<2>, #inductor.operand<3>, #inductor.operand<4>, false, false, 1.000000e-05 : f64, #inductor.operand<5>, #inductor.operand<6>, #inductor.operand<7>, #inductor.operand<8>, #inductor.operand<9>, #inductor.operand<10>, #inductor.operand<11>, #inductor.operand<12>], kwargs = {}}} : (tensor<1x2x4xf32, #inductor.layout<fixed, [8, 4, 1]>>, tensor<12x4xf32, #inductor.layout<fixed, [4, 1]>>, tensor<12xf32, #inductor.layout<fixed, [1]>>, tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>, tensor<4xf32, #inductor.layout<fixed, [1]>>, tensor<4xf32, #inductor.layout<fixed, [1]>>, tensor<4xf32, #inductor.layout<fixed, [1]>>, tensor<4xf32, #inductor.layout<fixed, [1]>>, tensor<4xf32, #inductor.layout<fixed, [1]>>, tensor<2x4xf32, #inductor.layout<fixed, [4, 1]>>, tensor<2xf32, #inductor.layout<fixed, [1]>>, tensor<4x2xf32, #inductor.layout<fixed, [2, 1]>>, tensor<4xf32, #inductor.layout<fixed, [1]>>) -> tensor<1x2x4xf32, #inductor.layout<fixed, [8, 4, 1]>>
  inductor.return %y : tensor<1x2x4xf32, #inductor.layout<fixed, [8, 4, 1]>>
}

// Norms before attention and before the linear layers.
// GELU: result 0: tensor<1x2x4xf32> [-0.852{{[0-9]*}}, -0.790{{[0-9]*}}, 2.364{{[0-9]*}}, 5.746{{[0-9]*}}, 1.076{{[0-9]*}}, 2.955{{[0-9]*}}, -3.045{{[0-9]*}}, 1.555{{[0-9]*}}]
inductor.graph @gelu {
  %x = inductor.constant "x" value dense<[[[1.0, -1.0, 0.5, 2.0], [0.0, 3.0, -2.0, 1.0]]]> : tensor<1x2x4xf32> : tensor<1x2x4xf32, #inductor.layout<fixed, [8, 4, 1]>>
  %w = inductor.constant "w" value dense<[[-0.5, 0.25, -0.25, 0.5], [0.0, -0.5, 0.25, -0.25], [0.5, 0.0, -0.5, 0.25], [-0.25, 0.5, 0.0, -0.5], [0.25, -0.25, 0.5, 0.0], [-0.5, 0.25, -0.25, 0.5], [0.0, -0.5, 0.25, -0.25], [0.5, 0.0, -0.5, 0.25], [-0.25, 0.5, 0.0, -0.5], [0.25, -0.25, 0.5, 0.0], [-0.5, 0.25, -0.25, 0.5], [0.0, -0.5, 0.25, -0.25]]> : tensor<12x4xf32> : tensor<12x4xf32, #inductor.layout<fixed, [4, 1]>>
  %wb = inductor.constant "wb" value dense<[-0.25, 0.0, 0.25, -0.25, 0.0, 0.25, -0.25, 0.0, 0.25, -0.25, 0.0, 0.25]> : tensor<12xf32> : tensor<12xf32, #inductor.layout<fixed, [1]>>
  %p = inductor.constant "p" value dense<[[-0.75, 0.5, 0.0, -0.5], [0.0, -0.5, 0.75, 0.25], [0.75, 0.25, -0.25, -0.75], [-0.25, -0.75, 0.5, 0.0]]> : tensor<4x4xf32> : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
  %pb = inductor.constant "pb" value dense<[0.25, -0.25, 0.5, 0.0]> : tensor<4xf32> : tensor<4xf32, #inductor.layout<fixed, [1]>>
  %n1 = inductor.constant "n1" value dense<[1.0, 2.0, 0.5, 1.0]> : tensor<4xf32> : tensor<4xf32, #inductor.layout<fixed, [1]>>
  %n1b = inductor.constant "n1b" value dense<[0.0, 0.5, 0.0, -0.5]> : tensor<4xf32> : tensor<4xf32, #inductor.layout<fixed, [1]>>
  %n2 = inductor.constant "n2" value dense<[1.0, 1.0, 2.0, 0.5]> : tensor<4xf32> : tensor<4xf32, #inductor.layout<fixed, [1]>>
  %n2b = inductor.constant "n2b" value dense<[0.25, 0.0, 0.0, 0.0]> : tensor<4xf32> : tensor<4xf32, #inductor.layout<fixed, [1]>>
  %a = inductor.constant "a" value dense<[[-1.0, 0.0, 1.0, -0.5], [-1.0, 0.0, 1.0, -0.5]]> : tensor<2x4xf32> : tensor<2x4xf32, #inductor.layout<fixed, [4, 1]>>
  %ab = inductor.constant "ab" value dense<[0.5, -0.5]> : tensor<2xf32> : tensor<2xf32, #inductor.layout<fixed, [1]>>
  %b = inductor.constant "b" value dense<[[-0.5, 1.0], [0.0, -0.5], [0.5, 0.0], [1.0, 0.5]]> : tensor<4x2xf32> : tensor<4x2xf32, #inductor.layout<fixed, [2, 1]>>
  %bb = inductor.constant "bb" value dense<[0.0, 0.25, -0.25, 0.5]> : tensor<4xf32> : tensor<4xf32, #inductor.layout<fixed, [1]>>
  %y = inductor.extern "op0" as "buf0" "FallbackKernel" "aten._transformer_encoder_layer_fwd.default"(%x, %w, %wb, %p, %pb, %n1, %n1b, %n2, %n2b, %a, %ab, %b, %bb) {call = {args = [#inductor.operand<0>, 4, 2, #inductor.operand<1>, #inductor.operand<2>, #inductor.operand<3>, #inductor.operand<4>, true, true, 1.000000e-05 : f64, #inductor.operand<5>, #inductor.operand<6>, #inductor.operand<7>, #inductor.operand<8>, #inductor.operand<9>, #inductor.operand<10>, #inductor.operand<11>, #inductor.operand<12>], kwargs = {}}} : (tensor<1x2x4xf32, #inductor.layout<fixed, [8, 4, 1]>>, tensor<12x4xf32, #inductor.layout<fixed, [4, 1]>>, tensor<12xf32, #inductor.layout<fixed, [1]>>, tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>, tensor<4xf32, #inductor.layout<fixed, [1]>>, tensor<4xf32, #inductor.layout<fixed, [1]>>, tensor<4xf32, #inductor.layout<fixed, [1]>>, tensor<4xf32, #inductor.layout<fixed, [1]>>, tensor<4xf32, #inductor.layout<fixed, [1]>>, tensor<2x4xf32, #inductor.layout<fixed, [4, 1]>>, tensor<2xf32, #inductor.layout<fixed, [1]>>, tensor<4x2xf32, #inductor.layout<fixed, [2, 1]>>, tensor<4xf32, #inductor.layout<fixed, [1]>>) -> tensor<1x2x4xf32, #inductor.layout<fixed, [8, 4, 1]>>
  inductor.return %y : tensor<1x2x4xf32, #inductor.layout<fixed, [8, 4, 1]>>
}
