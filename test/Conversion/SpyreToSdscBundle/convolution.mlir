// A convolution: its windows are in the extras, and an image's height and width are walked by two dimensions.

// RUN: spyre-opt %s --spyre-pipeline 2>/dev/null | FileCheck %s

// CHECK-DAG: #[[$IMAGE:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1 * 2 + d5, d2 + d6 * 3, d4 floordiv 64, d0, d4 mod 64)>
// CHECK-DAG: #[[$WEIGHT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d6, d4, d3 floordiv 64, d5, d3 mod 64)>
// CHECK-DAG: #[[$RESULT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d2, d3 floordiv 64, d0, d3 mod 64)>

// CHECK:      sdscbundle.op_spec @sdsc_0 "conv2d" reduction space [
// CHECK-SAME:   <"c0" = 2 over 2>, <"c1" = 4 over 1>, <"c2" = 3 over 3>, <"c3" = 96 over 1>, <"c4" = 64 over 1>, <"c5" = 3 over 1>, <"c6" = 3 over 1>]
// CHECK-NEXT:   <in arg 0 SEN169_FP16 [9, 9, 1, 2, 64], #[[$IMAGE]]>
// CHECK-NEXT:   <in arg 1 SEN169_FP16 [3, 64, 2, 3, 64], #[[$WEIGHT]]>
// CHECK-NEXT:   <out arg 2 SEN169_FP16 [4, 3, 2, 2, 64], #[[$RESULT]]>]
// CHECK-SAME:   info <"conv_params" = <"kernel_h" = 3 : i64, "kernel_w" = 3 : i64, "stride_h" = 2 : i64, "stride_w" = 1 : i64, "pad_h" = 0 : i64, "pad_w" = 0 : i64, "dil_h" = 1 : i64, "dil_w" = 3 : i64>>
// CHECK-SAME:   output_ranges [2, 96, 4, 3]
func.func @strided(%x: tensor<2x9x9x64xf16>, %w: tensor<3x3x64x96xf16>) -> tensor<2x4x3x96xf16> {
  %0 = spyre.conv2d %x, %w strides [2, 1] dilations [1, 3] : (tensor<2x9x9x64xf16>, tensor<3x3x64x96xf16>) -> tensor<2x4x3x96xf16>
  return %0 : tensor<2x4x3x96xf16>
}
