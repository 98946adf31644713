// RUN: spyre-opt %s --split-input-file --spyre-pipeline --mlir-print-local-scope --verify-diagnostics | FileCheck %s

// A layout may tile more dimensions than the one on the stick, here rows by 32. An OpSpec has one stride for each
// dimension, so an operation is refused where layouts are chosen. Behind a reshape it runs.

#two = #spyre.layout<(d0, d1) -> (d0 floordiv 32, d1 floordiv 64, d0 mod 32, d1 mod 64)>
// expected-note @+1 {{the tensor is defined here}}
func.func @rows(%a: tensor<128x256xf16, #two>) -> tensor<128x256xf16> {
  // expected-error @+1 {{spyre-propagate-layouts: dimension 0 runs along 2 device dimensions of the layout (d0, d1) -> (d0 floordiv 32, d1 floordiv 64, d0 mod 32, d1 mod 64), and an OpSpec has one stride for a dimension; use an operation over the dimensions before the reshape; use tensor.expand_shape to add them, and tensor.collapse_shape to remove them}}
  %0 = spyre.exp %a : (tensor<128x256xf16, #two>) -> tensor<128x256xf16>
  return %0 : tensor<128x256xf16>
}

// -----

#two = #spyre.layout<(d0, d1) -> (d0 floordiv 32, d1 floordiv 64, d0 mod 32, d1 mod 64)>
// CHECK: "exp" space [<"c0" = 4 over {{[0-9]+}}>, <"c1" = 32 over {{[0-9]+}}>, <"c2" = 256 over {{[0-9]+}}>]
// CHECK-NEXT: <in arg 0 SEN169_FP16 [4, 4, 32, 64], affine_map<(d0, d1, d2) -> (d0, d2 floordiv 64, d1, d2 mod 64)>>
func.func @expanded(%a: tensor<128x256xf16, #two>) -> tensor<4x32x256xf16> {
  %e = tensor.expand_shape %a [[0, 1], [2]] output_shape [4, 32, 256] : tensor<128x256xf16, #two> into tensor<4x32x256xf16>
  %0 = spyre.exp %e : tensor<4x32x256xf16>
  return %0 : tensor<4x32x256xf16>
}
