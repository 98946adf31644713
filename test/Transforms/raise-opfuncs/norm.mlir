// Layer norms become the chain of a pair of moments, its scale and the norm.

// RUN: spyre-opt %s --spyre-raise-opfuncs --canonicalize --cse | FileCheck %s
// RUN: for f in norm bare weight_only bias_only two_moments quotient scaled_weight; do \
// RUN:   spyre-run %s --entry $f --random-seed 1 --tolerance 2e-2 --check-pipeline='builtin.module(func.func(spyre-raise-opfuncs,canonicalize,cse),spyre-pipeline)' 2>/dev/null; done | FileCheck %s --check-prefix=SAME
// SAME-COUNT-7: a bundle, same results on the simulated card

!t = tensor<128x256xf16>
!c = tensor<128x1xf16>
!w = tensor<1x256xf16>
!n = tensor<1x1xf16>

// CHECK-LABEL: func.func @norm(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<128x256xf16>, %[[W:[^ :]+]]: tensor<1x256xf16>, %[[B:[^ :]+]]: tensor<1x256xf16>)
func.func @norm(%x: !t, %w: !w, %b: !w) -> !t {
  %eps = spyre.fill dense<0.001> : !n
  %0 = spyre.mean %x dims [1] : (!t) -> tensor<128xf16>
  %mean = tensor.expand_shape %0 [[0, 1]] output_shape [128, 1] : tensor<128xf16> into !c
  %1 = spyre.sub %x, %mean : (!t, !c) -> !t
  %2 = spyre.mul %1, %1 : !t
  %3 = spyre.mean %2 dims [1] : (!t) -> tensor<128xf16>
  %4 = tensor.expand_shape %3 [[0, 1]] output_shape [128, 1] : tensor<128xf16> into !c
  %5 = spyre.add %4, %eps : (!c, !n) -> !c
  %scale = spyre.rsqrt %5 : !c
  // CHECK-NOT: spyre.mean
  // CHECK: %[[P:.+]] = spyre.exx2 %[[X]] : (tensor<128x256xf16>) -> tensor<128x2xf16>
  // CHECK: %[[S:.+]] = spyre.layernormscale %[[P]] eps 0.0010{{[0-9]*}} : (tensor<128x2xf16>) -> tensor<128x1xf16>
  // CHECK: %[[Y:.+]] = spyre.layernormnorm %[[X]], %[[P]], %[[S]], %[[W]], %[[B]]
  %6 = spyre.mul %1, %scale : (!t, !c) -> !t
  %7 = spyre.mul %w, %6 : (!w, !t) -> !t
  %8 = spyre.add %7, %b : (!t, !w) -> !t
  // CHECK: return %[[Y]]
  return %8 : !t
}

// Weight and bias are 1 and 0 where there are none (K30).
// CHECK-LABEL: func.func @bare(
func.func @bare(%x: !t) -> !t {
  %mean = spyre.mean %x dims [1] keepdim : (!t) -> !c
  %1 = spyre.sub %x, %mean : (!t, !c) -> !t
  %2 = spyre.mul %1, %1 : !t
  %3 = spyre.mean %2 dims [1] keepdim : (!t) -> !c
  %scale = spyre.rsqrt %3 : !c
  // CHECK-DAG: %[[ONE:.+]] = spyre.fill dense<1.000000e+00> : tensor<1x256xf16>
  // CHECK-DAG: %[[ZERO:.+]] = spyre.fill dense<0.000000e+00> : tensor<1x256xf16>
  // CHECK: spyre.layernormscale %{{.+}} eps 0.000000e+00
  // CHECK: spyre.layernormnorm %{{.+}}, %{{.+}}, %{{.+}}, %[[ONE]], %[[ZERO]]
  %6 = spyre.mul %1, %scale : (!t, !c) -> !t
  return %6 : !t
}

// CHECK-LABEL: func.func @weight_only(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<128x256xf16>, %[[W:[^ :]+]]: tensor<1x256xf16>)
func.func @weight_only(%x: !t, %w: !w) -> !t {
  %mean = spyre.mean %x dims [1] keepdim : (!t) -> !c
  %1 = spyre.sub %x, %mean : (!t, !c) -> !t
  %2 = spyre.mul %1, %1 : !t
  %3 = spyre.mean %2 dims [1] keepdim : (!t) -> !c
  %scale = spyre.rsqrt %3 : !c
  %6 = spyre.mul %1, %scale : (!t, !c) -> !t
  // CHECK: %[[ZERO:.+]] = spyre.fill dense<0.000000e+00> : tensor<1x256xf16>
  // CHECK-COUNT-1: spyre.layernormnorm %[[X]], %{{.+}}, %{{.+}}, %[[W]], %[[ZERO]]
  %7 = spyre.mul %6, %w : (!t, !w) -> !t
  return %7 : !t
}

// CHECK-LABEL: func.func @bias_only(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<128x256xf16>, %[[B:[^ :]+]]: tensor<1x256xf16>)
func.func @bias_only(%x: !t, %b: !w) -> !t {
  %mean = spyre.mean %x dims [1] keepdim : (!t) -> !c
  %1 = spyre.sub %x, %mean : (!t, !c) -> !t
  %2 = spyre.mul %1, %1 : !t
  %3 = spyre.mean %2 dims [1] keepdim : (!t) -> !c
  %scale = spyre.rsqrt %3 : !c
  %6 = spyre.mul %1, %scale : (!t, !c) -> !t
  // CHECK: %[[ONE:.+]] = spyre.fill dense<1.000000e+00> : tensor<1x256xf16>
  // CHECK-COUNT-1: spyre.layernormnorm %[[X]], %{{.+}}, %{{.+}}, %[[ONE]], %[[B]]
  %7 = spyre.add %b, %6 : (!w, !t) -> !t
  return %7 : !t
}

// The mean of squares less the square of the mean, which is not negative.
// CHECK-LABEL: func.func @two_moments(
func.func @two_moments(%x: !t) -> !t {
  %eps = spyre.fill dense<0.001> : !n
  %mean = spyre.mean %x dims [1] keepdim : (!t) -> !c
  %0 = spyre.mul %x, %x : !t
  %1 = spyre.mean %0 dims [1] keepdim : (!t) -> !c
  %2 = spyre.mul %mean, %mean : !c
  %3 = spyre.sub %1, %2 : !c
  %4 = spyre.relufwd %3 : !c
  %5 = spyre.add %eps, %4 : (!n, !c) -> !c
  %scale = spyre.rsqrt %5 : !c
  %6 = spyre.sub %x, %mean : (!t, !c) -> !t
  // CHECK-NOT: spyre.sub
  // CHECK: spyre.layernormnorm
  %7 = spyre.mul %scale, %6 : (!c, !t) -> !t
  return %7 : !t
}

// CHECK-LABEL: func.func @quotient(
func.func @quotient(%x: !t, %w: !w) -> !t {
  %eps = spyre.fill dense<0.001> : !n
  %mean = spyre.mean %x dims [1] keepdim : (!t) -> !c
  %0 = spyre.sub %x, %mean : (!t, !c) -> !t
  %1 = spyre.mul %0, %0 : !t
  %2 = spyre.mean %1 dims [1] keepdim : (!t) -> !c
  %3 = spyre.add %2, %eps : (!c, !n) -> !c
  %deviation = spyre.sqrt %3 : !c
  %4 = spyre.mul %0, %w : (!t, !w) -> !t
  // CHECK-NOT: spyre.sub
  // CHECK: spyre.layernormnorm
  %5 = spyre.realdiv %4, %deviation : (!t, !c) -> !t
  return %5 : !t
}

// The scale and the weight are multiplied first.
// CHECK-LABEL: func.func @scaled_weight(
func.func @scaled_weight(%x: !t, %w: !w, %b: !w) -> !t {
  %eps = spyre.fill dense<0.001> : !n
  %mean = spyre.mean %x dims [1] keepdim : (!t) -> !c
  %0 = spyre.sub %x, %mean : (!t, !c) -> !t
  %1 = spyre.mul %0, %0 : !t
  %2 = spyre.mean %1 dims [1] keepdim : (!t) -> !c
  %3 = spyre.add %2, %eps : (!c, !n) -> !c
  %scale = spyre.rsqrt %3 : !c
  %4 = spyre.mul %scale, %w : (!c, !w) -> !t
  %5 = spyre.mul %0, %4 : !t
  // CHECK-NOT: spyre.sub
  // CHECK: spyre.layernormnorm
  %6 = spyre.add %5, %b : (!t, !w) -> !t
  return %6 : !t
}

// Rows of 32 bits that are no whole sticks have no mask (K10).
// CHECK-LABEL: func.func @wide_and_ragged(
func.func @wide_and_ragged(%x: tensor<128x100xf32>, %y: tensor<128x96xf32>) -> (tensor<128x100xf32>, tensor<128x96xf32>) {
  %mean = spyre.mean %x dims [1] keepdim : (tensor<128x100xf32>) -> tensor<128x1xf32>
  %0 = spyre.sub %x, %mean : (tensor<128x100xf32>, tensor<128x1xf32>) -> tensor<128x100xf32>
  %1 = spyre.mul %0, %0 : tensor<128x100xf32>
  %2 = spyre.mean %1 dims [1] keepdim : (tensor<128x100xf32>) -> tensor<128x1xf32>
  %scale = spyre.rsqrt %2 : tensor<128x1xf32>
  // CHECK: %[[RAGGED:.+]] = spyre.mul %{{.+}}, %{{.+}} : (tensor<128x100xf32>, tensor<128x1xf32>)
  %3 = spyre.mul %0, %scale : (tensor<128x100xf32>, tensor<128x1xf32>) -> tensor<128x100xf32>
  %mean_y = spyre.mean %y dims [1] keepdim : (tensor<128x96xf32>) -> tensor<128x1xf32>
  %4 = spyre.sub %y, %mean_y : (tensor<128x96xf32>, tensor<128x1xf32>) -> tensor<128x96xf32>
  %5 = spyre.mul %4, %4 : tensor<128x96xf32>
  %6 = spyre.mean %5 dims [1] keepdim : (tensor<128x96xf32>) -> tensor<128x1xf32>
  %scale_y = spyre.rsqrt %6 : tensor<128x1xf32>
  // CHECK: %[[WHOLE:.+]] = spyre.layernormnorm
  %7 = spyre.mul %4, %scale_y : (tensor<128x96xf32>, tensor<128x1xf32>) -> tensor<128x96xf32>
  // CHECK: return %[[RAGGED]], %[[WHOLE]]
  return %3, %7 : tensor<128x100xf32>, tensor<128x96xf32>
}
