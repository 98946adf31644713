// RUN: spyre-opt %s --split-input-file --spyre-pipeline --mlir-print-local-scope | FileCheck %s

// A gather is an identity: the indices have a name, and a coordinate of the table is a symbol that stands for them.

// The whole table along its rows, half of its sticks, and a stick of indices, in two loops.
// CHECK: sdscbundle.op_spec @sdsc_0 "identity" space [<"c0" = 32 over 1>, <"c1" = 128 over 1>] loops [2, 2]
// CHECK-NEXT: <in arg 0 IEEE_INT32 [1, 2, 32], affine_map<(d0, d1) -> (0, d0 floordiv 32, d0 mod 32)>, advance = [32, 0], name = "indices">
// CHECK-NEXT: <in arg 1 SEN169_FP16 [4, 1000, 64], affine_map<(d0, d1)[s0] -> (d1 floordiv 64, s0, d1 mod 64)>, advance = [0, 128000], name = "table", indirect = ["indices"]>
// CHECK-NEXT: <out arg 2 SEN169_FP16 [4, 64, 64], affine_map<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>, advance = [2048, 8192]>
func.func @rows(%i: tensor<64xi32> {spyre.dims = ["N"]}, %t: tensor<1000x256xf16> {spyre.dims = ["R", "E"]}) -> tensor<64x256xf16> {
  %0 = spyre.gather %i, %t dim 0 tile [0: "N" in 2, 1: "E" in 2] : (tensor<64xi32>, tensor<1000x256xf16>) -> tensor<64x256xf16>
  return %0 : tensor<64x256xf16>
}

// -----

// Indices of two dimensions, in place of the one between.
// CHECK: sdscbundle.op_spec @sdsc_0 "identity" space [<"c0" = 8 over 1>, <"c1" = 4 over 1>, <"c2" = 32 over 1>, <"c3" = 64 over 1>]
// CHECK-NEXT: <in arg 0 IEEE_INT32 [1, 1, 1, 4, 32], affine_map<(d0, d1, d2, d3) -> (0, 0, d2 floordiv 32, d1, d2 mod 32)>, name = "indices">
// CHECK-NEXT: <in arg 1 SEN169_FP16 [1, 100, 1, 8, 64], affine_map<(d0, d1, d2, d3)[s0] -> (0, s0, d3 floordiv 64, d0, d3 mod 64)>, name = "table", indirect = ["indices"]>
func.func @two_dimensions(%i: tensor<4x32xi32>, %t: tensor<8x100x64xf16>) -> tensor<8x4x32x64xf16> {
  %0 = spyre.gather %i, %t dim 1 : (tensor<4x32xi32>, tensor<8x100x64xf16>) -> tensor<8x4x32x64xf16>
  return %0 : tensor<8x4x32x64xf16>
}

// -----

// Indices from the third stick on.
// CHECK: in arg 0 IEEE_INT32 [1, 3, 32], affine_map<(d0, d1) -> (0, d0 floordiv 32 + 2, d0 mod 32)>, name = "indices">
func.func @window(%i: tensor<96xi32>, %t: tensor<100x64xf16>) -> tensor<32x64xf16> {
  %w = tensor.extract_slice %i[64] [32] [1] : tensor<96xi32> to tensor<32xi32>
  %0 = spyre.gather %w, %t dim 0 : (tensor<32xi32>, tensor<100x64xf16>) -> tensor<32x64xf16>
  return %0 : tensor<32x64xf16>
}
