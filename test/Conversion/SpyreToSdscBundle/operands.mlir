// RUN: spyre-opt %s --split-input-file --spyre-pipeline --mlir-print-local-scope | FileCheck %s

// A static window is a constant in the coordinates.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>

// CHECK: sdscbundle.op_spec @sdsc_0 "exp"
// CHECK-NEXT: <in arg 0 SEN169_FP16 [8, 256, 64], affine_map<(d0, d1) -> (d1 floordiv 64 + 2, d0 + 3, d1 mod 64)>>
// CHECK-NEXT: <out arg 1 SEN169_FP16 [2, 64, 64], affine_map<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>>
module attributes {spyre.target = #spyre.target<cores = 1>} {
  func.func @slice(%x: tensor<256x512xf16, #stick>) -> tensor<64x128xf16, #stick> {
    %w = tensor.extract_slice %x[3, 128] [64, 128] [1, 1]
       : tensor<256x512xf16, #stick> to tensor<64x128xf16, #stick>
    %y = spyre.exp %w : tensor<64x128xf16, #stick>
    return %y : tensor<64x128xf16, #stick>
  }
}

// -----

// Tensors of lower rank get outer device dimensions of extent 1.

#s1 = #spyre.layout<(d0) -> (d0 floordiv 64, d0 mod 64)>
#s2 = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>

// CHECK: sdscbundle.op_spec @sdsc_0 "add"
// CHECK-NEXT: <in arg 0
// CHECK-NEXT: <in arg 1 SEN169_FP16 [1, 8, 64], affine_map<(d0, d1) -> (0, d1 floordiv 64, d1 mod 64)>>
module attributes {spyre.target = #spyre.target<cores = 1>} {
  func.func @bias(%x: tensor<256x512xf16, #s2>, %b: tensor<512xf16, #s1>) -> tensor<256x512xf16, #s2> {
    %y = spyre.add %x, %b : (tensor<256x512xf16, #s2>, tensor<512xf16, #s1>) -> tensor<256x512xf16, #s2>
    return %y : tensor<256x512xf16, #s2>
  }
}

// -----

// A sparse operand has one element in each stick.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#sparse = #spyre.layout<(d0, d1) -> (0, d0, 0)>

// CHECK: sdscbundle.op_spec @sdsc_0 "mul"
// CHECK-NEXT: <in arg 0
// CHECK-NEXT: <in arg 1 SEN169_FP16 [1, 256, 64], affine_map<(d0, d1) -> (0, d0, 0)>>
module attributes {spyre.target = #spyre.target<cores = 8>} {
  func.func @col(%x: tensor<256x512xf16, #stick>, %c: tensor<256x1xf16, #sparse>) -> tensor<256x512xf16, #stick> {
    %y = spyre.mul %x, %c : (tensor<256x512xf16, #stick>, tensor<256x1xf16, #sparse>) -> tensor<256x512xf16, #stick>
    return %y : tensor<256x512xf16, #stick>
  }
}

// -----

// Constants of the OpFunc, reductions, and tensors without a layout, which have
// the default one.

// CHECK: sdscbundle.op_spec @sdsc_0 "clip"
// CHECK-NEXT: <in arg 0 SEN169_FP16 [8, 256, 64], affine_map<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>>
// CHECK-NEXT: <out{{.*}} constants <"clipMax" = 2.250000e+00 : f64, "clipMin" = -1.500000e+00 : f64>
// CHECK: sdscbundle.op_spec @sdsc_1 "mean" reduction space [<"c0" = 512 over {{[0-9]+}}>, <"c1" = 256 over 1>]
// CHECK-NEXT: affine_map<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
// CHECK-NEXT: <out{{.*}} constants <"scaling_factor" = 3.906250e-03 : f64>
func.func @reduce(%x: tensor<256x512xf16>) -> tensor<512xf16> {
  %y = spyre.clip %x min -1.5 max 2.25 : tensor<256x512xf16>
  %m = spyre.mean %y dims [0] : (tensor<256x512xf16>) -> tensor<512xf16>
  return %m : tensor<512xf16>
}
