// Pools and a convolution of each channel: the windows of pools are among the constants, and an image's height and width are walked
// by two dimensions; those of the convolution are parameters, and its channels stand in front of height and width.

// RUN: spyre-opt %s --spyre-pipeline=plan=false | FileCheck %s
// RUN: rm -rf %t && mkdir %t
// RUN: spyre-opt %s --spyre-pipeline=plan=false | spyre-translate --spyre-to-bundle - -o %t/bundle
// RUN: spyre-translate --verify-bundle %t/bundle 2>&1 | FileCheck %s --check-prefix=VERIFIED
// RUN: FileCheck %s --check-prefix=MAX --input-file=%t/bundle/sdsc_0.json
// RUN: FileCheck %s --check-prefix=MEAN --input-file=%t/bundle/sdsc_1.json
// RUN: FileCheck %s --check-prefix=DEPTHWISE --input-file=%t/bundle/sdsc_2.json

// VERIFIED: 0 warnings
// MAX:      "totalSize_": 8
// MAX:      "stride_": 2
// MAX:      "windowDim_": "ki"
// MAX-NOT:  "nmap"
// MAX:      "opFuncName": "maxpoolfwd"

// 1/4 in the format of the tensors.
// MEAN:     "name_": "nmap"
// MEAN:     14848
// MEAN:     "opFuncName": "avgpoolfwd"

// DEPTHWISE: "unneededPad_": 0
// DEPTHWISE: "totalSize_": 9
// DEPTHWISE: "opFuncName": "depthwiseconv2dnative"

// CHECK-DAG: #[[$IMAGE:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1 * 2 + d4, d2 * 2 + d5, d3 floordiv 64, d0, d3 mod 64)>
// CHECK-DAG: #[[$RESULT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d2, d3 floordiv 64, d0, d3 mod 64)>
// CHECK-DAG: #[[$SLID:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d3, d1 floordiv 64, d0, d1 mod 64)>

// CHECK:      sdscbundle.op_spec @sdsc_0 "maxpoolfwd" reduction space [
// CHECK-SAME:   <"c0" = 2 over 2>, <"c1" = 4 over 4>, <"c2" = 3 over 3>, <"c3" = 64 over 1>, <"c4" = 2 over 1>, <"c5" = 2 over 1>]
// CHECK-NEXT:   <in arg 0 SEN169_FP16 [8, 6, 1, 2, 64], #[[$IMAGE]]>
// CHECK-NEXT:   <out arg {{[0-9]}} SEN169_FP16 [4, 3, 1, 2, 64], #[[$RESULT]]>]
// CHECK-SAME:   constants <"kernel_h" = 2.000000e+00 : f64, "kernel_w" = 2.000000e+00 : f64, "stride_h" = 2.000000e+00 : f64
// CHECK-SAME:   output_ranges [2, 64, 4, 3]
// CHECK:      sdscbundle.op_spec @sdsc_1 "avgpoolfwd"
// CHECK:        constants <"scaling_factor" = 2.500000e-01 : f64, "kernel_h"
// CHECK:      sdscbundle.op_spec @sdsc_2 "depthwiseconv2dnative" reduction space [
// CHECK-SAME:   <"c0" = 2 over {{[0-9]+}}>, <"c3" = 64 over 1>, <"c1" = 5 over {{[0-9]+}}>, <"c2" = 4 over 1>, <"c4" = 3 over 1>, <"c5" = 3 over 1>]
// CHECK-NEXT:   #[[$SLID]]
// CHECK:        "total_size_i" = 9 : i64, "total_size_j" = 9 : i64, "pad_type" = "padded_fullspan_wunneeded"
func.func @f(%x: tensor<2x8x6x64xf16>, %z: tensor<2x9x9x64xf16>, %w: tensor<3x3x64xf16>, %row: tensor<1x3x64xf16>)
    -> (tensor<2x4x3x64xf16>, tensor<2x4x3x64xf16>, tensor<2x5x4x64xf16>, tensor<2x9x7x64xf16>) {
  %0 = spyre.maxpoolfwd %x window [2, 2] strides [2, 2] : (tensor<2x8x6x64xf16>) -> tensor<2x4x3x64xf16>
  %1 = spyre.avgpoolfwd %x window [2, 2] strides [2, 2] : (tensor<2x8x6x64xf16>) -> tensor<2x4x3x64xf16>
  %2 = spyre.depthwiseconv2dnative %z, %w strides [1, 2] dilations [2, 1] : (tensor<2x9x9x64xf16>, tensor<3x3x64xf16>) -> tensor<2x5x4x64xf16>
  // Along rows, a window has one element, and no entry (K20).
  %3 = spyre.depthwiseconv2dnative %z, %row : (tensor<2x9x9x64xf16>, tensor<1x3x64xf16>) -> tensor<2x9x7x64xf16>
  return %0, %1, %2, %3 : tensor<2x4x3x64xf16>, tensor<2x4x3x64xf16>, tensor<2x5x4x64xf16>, tensor<2x9x7x64xf16>
}
