// A layer norm, as a bundle: one operation behind its statistics.

// RUN: spyre-opt %s --spyre-raise-opfuncs --canonicalize | FileCheck %s
// RUN: spyre-run %s --random-seed 1 --tolerance 2e-2 --check-pipeline='builtin.module(func.func(spyre-raise-opfuncs,canonicalize,cse),spyre-pipeline)' 2>/dev/null | FileCheck %s --check-prefix=SAME
// SAME: a bundle, same results on the simulated card

// CHECK-LABEL: func.func @norm(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<128x256xf16>, %[[W:[^ :]+]]: tensor<1x256xf16>, %[[B:[^ :]+]]: tensor<1x256xf16>)
func.func @norm(%x: tensor<128x256xf16>, %w: tensor<1x256xf16>, %b: tensor<1x256xf16>) -> tensor<128x256xf16> {
  %eps = spyre.fill dense<0.001> : tensor<1x1xf16>
  %0 = spyre.mean %x dims [1] : (tensor<128x256xf16>) -> tensor<128xf16>
  // CHECK: %[[M:.+]] = tensor.expand_shape
  %mean = tensor.expand_shape %0 [[0, 1]] output_shape [128, 1] : tensor<128xf16> into tensor<128x1xf16>
  %1 = spyre.sub %x, %mean : (tensor<128x256xf16>, tensor<128x1xf16>) -> tensor<128x256xf16>
  %2 = spyre.mul %1, %1 : tensor<128x256xf16>
  %3 = spyre.mean %2 dims [1] : (tensor<128x256xf16>) -> tensor<128xf16>
  %4 = tensor.expand_shape %3 [[0, 1]] output_shape [128, 1] : tensor<128xf16> into tensor<128x1xf16>
  %5 = spyre.add %4, %eps : (tensor<128x1xf16>, tensor<1x1xf16>) -> tensor<128x1xf16>
  // CHECK: %[[S:.+]] = spyre.rsqrt
  %scale = spyre.rsqrt %5 : tensor<128x1xf16>
  // CHECK: %[[Y:.+]] = spyre.layernormnorm %[[X]], %[[M]], %[[S]], %[[W]], %[[B]]
  %6 = spyre.mul %1, %scale : (tensor<128x256xf16>, tensor<128x1xf16>) -> tensor<128x256xf16>
  %7 = spyre.mul %w, %6 : (tensor<1x256xf16>, tensor<128x256xf16>) -> tensor<128x256xf16>
  %8 = spyre.add %7, %b : (tensor<128x256xf16>, tensor<1x256xf16>) -> tensor<128x256xf16>
  // CHECK: return %[[Y]]
  return %8 : tensor<128x256xf16>
}
