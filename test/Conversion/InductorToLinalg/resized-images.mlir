// Images in another size. The numbers are those of a program in Python, in double precision.

// RUN: spyre-opt %s --convert-inductor-to-linalg -o %t
// RUN: spyre-run %t --entry smaller | FileCheck %s --check-prefix=SMALLER
// RUN: spyre-run %t --entry larger --compare %t --compare-entry larger_expected --tolerance 1e-6
// RUN: spyre-run %t --entry aligned | FileCheck %s --check-prefix=ALIGNED
// RUN: spyre-run %t --entry factors | FileCheck %s --check-prefix=FACTORS
// RUN: spyre-run %t --entry cubic --compare %t --compare-entry cubic_expected --tolerance 1e-6

// A smaller image: the triangle is as wide as the elements of the result are apart. An infinite element is in the windows of two.
// SMALLER: result 0: tensor<1x1x3x3xf32> [inf, 0.187{{[0-9]*}}, 0.201{{[0-9]*}}, 0.146{{[0-9]*}}, 0.365{{[0-9]*}}, 0.239{{[0-9]*}}, 1.274{{[0-9]*}}, -0.267{{[0-9]*}}, 0.259{{[0-9]*}}]
inductor.graph @smaller {
  %x = inductor.constant "x" value dense<[[[[0x7F800000, 0.5, 0.5, -0.5, 0.5, 2.0, -0.5, -1.0], [-1.0, 0.5, 2.0, -1.5, -1.0, 2.0, -1.0, 1.5], [-1.5, -1.0, 1.5, 2.0, -2.0, 2.0, -0.5, -0.5], [1.5, 2.0, 0.0, -0.5, 0.5, 2.0, 0.5, 0.0], [1.5, 2.0, 1.0, -1.5, -1.5, -0.5, 1.5, -1.5]]]]> : tensor<1x1x5x8xf32> : tensor<1x1x5x8xf32, #inductor.layout<fixed, [40, 40, 8, 1]>>
  %y = inductor.extern "op0" as "buf0" "FallbackKernel" "aten._upsample_bilinear2d_aa.default"(%x) {call = {args = [#inductor.operand<0>, [3, 3], false], kwargs = {}}} : (tensor<1x1x5x8xf32, #inductor.layout<fixed, [40, 40, 8, 1]>>) -> tensor<1x1x3x3xf32, #inductor.layout<fixed, [9, 9, 3, 1]>>
  inductor.return %y : tensor<1x1x3x3xf32, #inductor.layout<fixed, [9, 9, 3, 1]>>
}

// A larger image, of several channels.
inductor.graph @larger {
  %x = inductor.constant "x" value dense<[[[[2.0, -2.0, 0.5], [1.0, -1.5, 0.0]], [[0.0, 0.5, 1.5], [2.0, 1.5, -0.5]]]]> : tensor<1x2x2x3xf32> : tensor<1x2x2x3xf32, #inductor.layout<fixed, [12, 6, 3, 1]>>
  %y = inductor.extern "op0" as "buf0" "FallbackKernel" "aten._upsample_bilinear2d_aa.default"(%x) {call = {args = [#inductor.operand<0>, [4, 4], false], kwargs = {}}} : (tensor<1x2x2x3xf32, #inductor.layout<fixed, [12, 6, 3, 1]>>) -> tensor<1x2x4x4xf32, #inductor.layout<fixed, [32, 16, 4, 1]>>
  inductor.return %y : tensor<1x2x4x4xf32, #inductor.layout<fixed, [32, 16, 4, 1]>>
}
inductor.graph @larger_expected {
  %e0 = inductor.constant "e0" value dense<[[[[2.0, -0.5, -1.0625, 0.5], [1.75, -0.515625, -1.03125, 0.375], [1.25, -0.546875, -0.96875, 0.125], [1.0, -0.5625, -0.9375, 0.0]], [[0.0, 0.3125, 0.875, 1.5], [0.5, 0.65625, 0.84375, 1.0], [1.5, 1.34375, 0.78125, 0.0], [2.0, 1.6875, 0.75, -0.5]]]]> : tensor<1x2x4x4xf32> : tensor<1x2x4x4xf32, #inductor.layout<fixed, [32, 16, 4, 1]>>
  inductor.return %e0 : tensor<1x2x4x4xf32, #inductor.layout<fixed, [32, 16, 4, 1]>>
}

// The corners of both images at the same places.
// ALIGNED: result 0: tensor<1x1x2x1xf32> [1.812{{[0-9]*}}, 1.666{{[0-9]*}}]
inductor.graph @aligned {
  %x = inductor.constant "x" value dense<[[[[1.5, 0.5, 0.5, -0.5, 0.5], [2.0, -0.5, -1.0, -1.0, 0.5], [2.0, -1.5, -1.0, 2.0, -1.0], [1.5, -1.5, -1.0, 1.5, 2.0]]]]> : tensor<1x1x4x5xf32> : tensor<1x1x4x5xf32, #inductor.layout<fixed, [20, 20, 5, 1]>>
  %y = inductor.extern "op0" as "buf0" "FallbackKernel" "aten._upsample_bilinear2d_aa.default"(%x) {call = {args = [#inductor.operand<0>, [2, 1], true], kwargs = {}}} : (tensor<1x1x4x5xf32, #inductor.layout<fixed, [20, 20, 5, 1]>>) -> tensor<1x1x2x1xf32, #inductor.layout<fixed, [2, 2, 1, 1]>>
  inductor.return %y : tensor<1x1x2x1xf32, #inductor.layout<fixed, [2, 2, 1, 1]>>
}

// Factors in place of the quotients of sizes.
// FACTORS: result 0: tensor<1x1x2x3xf32> [0.888{{[0-9]*}}, -0.416{{[0-9]*}}, 0.064{{[0-9]*}}, 0.169{{[0-9]*}}, -0.395{{[0-9]*}}, 0.898{{[0-9]*}}]
inductor.graph @factors {
  %x = inductor.constant "x" value dense<[[[[1.5, 0.5, 0.5, -0.5, 0.5], [2.0, -0.5, -1.0, -1.0, 0.5], [2.0, -1.5, -1.0, 2.0, -1.0], [1.5, -1.5, -1.0, 1.5, 2.0], [-2.0, 2.0, -0.5, -0.5, 1.5]]]]> : tensor<1x1x5x5xf32> : tensor<1x1x5x5xf32, #inductor.layout<fixed, [25, 25, 5, 1]>>
  %y = inductor.extern "op0" as "buf0" "FallbackKernel" "aten._upsample_bilinear2d_aa.default"(%x) {call = {args = [#inductor.operand<0>, [2, 3], false, 4.0e-01 : f64, 6.250000e-01 : f64], kwargs = {}}} : (tensor<1x1x5x5xf32, #inductor.layout<fixed, [25, 25, 5, 1]>>) -> tensor<1x1x2x3xf32, #inductor.layout<fixed, [6, 6, 3, 1]>>
  inductor.return %y : tensor<1x1x2x3xf32, #inductor.layout<fixed, [6, 6, 3, 1]>>
}

// A cubic filter, whose weights may be negative.
inductor.graph @cubic {
  %x = inductor.constant "x" value dense<[[[[1.5, 1.0, 0.5, 2.0], [0.5, 2.0, 0.5, 1.0], [-1.5, -0.5, 1.0, 0.5], [-1.0, -1.0, -2.0, -1.0], [0.5, 0.0, -1.5, -1.5], [-2.0, 2.0, -0.5, 1.5]]]]> : tensor<1x1x6x4xf32> : tensor<1x1x6x4xf32, #inductor.layout<fixed, [24, 24, 4, 1]>>
  %y = inductor.extern "op0" as "buf0" "FallbackKernel" "aten._upsample_bicubic2d_aa.default"(%x) {call = {args = [#inductor.operand<0>, [3, 6], false], kwargs = {}}} : (tensor<1x1x6x4xf32, #inductor.layout<fixed, [24, 24, 4, 1]>>) -> tensor<1x1x3x6xf32, #inductor.layout<fixed, [18, 18, 6, 1]>>
  inductor.return %y : tensor<1x1x3x6xf32, #inductor.layout<fixed, [18, 18, 6, 1]>>
}
inductor.graph @cubic_expected {
  %e0 = inductor.constant "e0" value dense<[[[[0.739292006166043, 1.0974649273935513, 1.3118413916008063, 0.7218057492639086, 1.0790056608417424, 1.5651012992732884], [-0.9585425873844915, -0.7354063762909745, -0.49697837150127216, -0.5359944868532656, -0.45756623259991014, -0.3777370429891522], [-0.871008588416648, 0.08921978833374354, 0.6370002324500246, -1.0160681078568103, -0.7714742800886045, -0.08280114512221937]]]]> : tensor<1x1x3x6xf32> : tensor<1x1x3x6xf32, #inductor.layout<fixed, [18, 18, 6, 1]>>
  inductor.return %e0 : tensor<1x1x3x6xf32, #inductor.layout<fixed, [18, 18, 6, 1]>>
}
