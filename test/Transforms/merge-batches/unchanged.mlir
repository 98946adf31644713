// RUN: spyre-opt %s > %t.input
// RUN: spyre-opt %s --spyre-merge-batches | diff %t.input -

// Products with layouts, with a division over cores, with a dynamic extent, and with one element of K stay as they are.

#five = #spyre.layout<(d0, d1, d2, d3, d4) -> (d1, d2, d3, d4 floordiv 64, d0, d4 mod 64)>

func.func @layouts(%a: tensor<2x3x4x32x64xf16, #five>, %b: tensor<2x3x4x64x64xf16, #five>) {
  %0 = spyre.batchmatmul %a, %b : (tensor<2x3x4x32x64xf16, #five>, tensor<2x3x4x64x64xf16, #five>) -> tensor<2x3x4x32x64xf16, #five>
  return
}

func.func @divided(%a: tensor<2x3x4x32x64xf16>, %b: tensor<2x3x4x64x64xf16>) {
  %0 = spyre.batchmatmul %a, %b split [2, 1, 1, 1, 1, 1] : (tensor<2x3x4x32x64xf16>, tensor<2x3x4x64x64xf16>) -> tensor<2x3x4x32x64xf16>
  return
}

func.func @dynamic(%a: tensor<2x3x?x32x64xf16>, %b: tensor<2x3x?x64x64xf16>) {
  %0 = spyre.batchmatmul %a, %b : (tensor<2x3x?x32x64xf16>, tensor<2x3x?x64x64xf16>) -> tensor<2x3x?x32x64xf16>
  return
}

func.func @outer(%a: tensor<2x3x4x32x1xf16>, %b: tensor<2x3x4x1x64xf16>) {
  %0 = spyre.batchmatmul %a, %b : (tensor<2x3x4x32x1xf16>, tensor<2x3x4x1x64xf16>) -> tensor<2x3x4x32x64xf16>
  return
}
