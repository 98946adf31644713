// Reductions over a dimension on and off the stick, matrix products and
// restickify: the iteration space is that of the result, then what is reduced.

// RUN: spyre-opt %s --split-input-file --spyre-pipeline --mlir-print-local-scope | FileCheck %s

#x = #spyre.layout<(d0, d1, d2) -> (d2 floordiv 64, d1, d0, d2 mod 64)>
#d = #spyre.layout<(d0, d1, d2) -> (d1, d2 floordiv 64, d0, d2 mod 64)>

// CHECK: sdscbundle.op_spec @sdsc_0 "batchmatmul" reduction
// CHECK-SAME: space [<"c0" = 8 over 8>, <"c1" = 128 over 1>, <"c2" = 256 over 1>, <"c3" = 64 over 1>]
// CHECK-NEXT: <in arg 0 SEN169_FP16 [1, 128, 8, 64], affine_map<(d0, d1, d2, d3) -> (d3 floordiv 64, d1, d0, d3 mod 64)>>
// CHECK-NEXT: <in arg 1 SEN169_FP16 [64, 4, 8, 64], affine_map<(d0, d1, d2, d3) -> (d3, d2 floordiv 64, d0, d2 mod 64)>>
// CHECK-NEXT: <out arg 2 SEN169_FP16 [128, 4, 8, 64], affine_map<(d0, d1, d2, d3) -> (d1, d2 floordiv 64, d0, d2 mod 64)>>
func.func @matmul(%x: tensor<8x128x64xf16, #x>, %y: tensor<8x64x256xf16, #d>) -> tensor<8x128x256xf16, #d> {
  %z = spyre.batchmatmul %x, %y split [8, 1, 1, 1]
     : (tensor<8x128x64xf16, #x>, tensor<8x64x256xf16, #d>) -> tensor<8x128x256xf16, #d>
  return %z : tensor<8x128x256xf16, #d>
}

// -----

#x = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#o = #spyre.layout<(d0) -> (d0 floordiv 64, d0 mod 64)>

// Off the stick: the result keeps the stick.
// CHECK: sdscbundle.op_spec @sdsc_0 "sum" reduction
// CHECK-SAME: space [<"c0" = 512 over 4>, <"c1" = 256 over 1>]
// CHECK-NEXT: <in arg 0 SEN169_FP16 [8, 256, 64], affine_map<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>>
// CHECK-NEXT: <out arg 1 SEN169_FP16 [1, 8, 64], affine_map<(d0, d1) -> (0, d0 floordiv 64, d0 mod 64)>>
func.func @off_the_stick(%x: tensor<256x512xf16, #x>) -> tensor<512xf16, #o> {
  %z = spyre.sum %x dims [0] split [4, 1] : (tensor<256x512xf16, #x>) -> tensor<512xf16, #o>
  return %z : tensor<512xf16, #o>
}

// -----

#x = #spyre.layout<(d0, d1, d2) -> (d1, d2 floordiv 64, d0, d2 mod 64)>
#o = #spyre.layout<(d0, d1) -> (d1, d0, 0)>

// On the stick: the result has one element in each stick.
// CHECK: sdscbundle.op_spec @sdsc_0 "max" reduction
// CHECK-NEXT: <in arg 0 SEN169_FP16 [64, 4, 4, 64], affine_map<(d0, d1, d2) -> (d1, d2 floordiv 64, d0, d2 mod 64)>>
// CHECK-NEXT: <out arg 1 SEN169_FP16 [1, 64, 4, 64], affine_map<(d0, d1, d2) -> (0, d1, d0, 0)>>
func.func @on_the_stick(%x: tensor<4x64x256xf16, #x>) -> tensor<4x64xf16, #o> {
  %z = spyre.max %x dims [2] split [4, 2, 1] : (tensor<4x64x256xf16, #x>) -> tensor<4x64xf16, #o>
  return %z : tensor<4x64xf16, #o>
}

// -----

#a = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#b = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>

// CHECK: sdscbundle.op_spec @sdsc_0 "ReStickifyOpHBM" space
// CHECK-NEXT: <in arg 0 SEN169_FP16 [8, 256, 64], affine_map<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>>
// CHECK-NEXT: <out arg 1 SEN169_FP16 [4, 512, 64], affine_map<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>>
func.func @restickify(%x: tensor<256x512xf16, #a>) -> tensor<256x512xf16, #b> {
  %z = spyre.restickify %x split [4, 8] : (tensor<256x512xf16, #a>) -> tensor<256x512xf16, #b>
  return %z : tensor<256x512xf16, #b>
}
