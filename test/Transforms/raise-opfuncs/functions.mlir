// Expressions become the OpFunc that computes them, and keep their values.

// RUN: spyre-opt %s --spyre-raise-opfuncs --canonicalize | FileCheck %s
// RUN: spyre-run %s --entry half --random-seed 1 --largest 4 --tolerance 4e-3 --check-pipeline='builtin.module(func.func(spyre-raise-opfuncs,canonicalize,cse))' | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry single --random-seed 2 --largest 4 --tolerance 2e-6 --check-pipeline='builtin.module(func.func(spyre-raise-opfuncs,canonicalize,cse))' | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry exact --random-seed 3 --special-values --check-pipeline='builtin.module(func.func(spyre-raise-opfuncs,canonicalize,cse),spyre-pipeline)' | FileCheck %s --check-prefix=SAME
// SAME: builtin.module(func.func(spyre-raise-opfuncs)): same results

!h = tensor<16x128xf16>
!s = tensor<16x128xf32>

// CHECK-LABEL: func.func @half(
// CHECK-SAME:    %[[X:[^ :]+]]:
func.func @half(%x: !h) -> (!h, !h, !h, !h, !h) {
  %one = spyre.fill dense<1.0> : tensor<1x1xf16>
  %half = spyre.fill dense<0.5> : tensor<1x1xf16>
  %root = spyre.fill dense<0.707> : tensor<1x1xf16>
  // sqrt(2 / pi), 0.044715
  %slope = spyre.fill dense<0.798> : tensor<1x1xf16>
  %cube = spyre.fill dense<0.0447> : tensor<1x1xf16>

  // CHECK: %[[SIGMOID:.+]] = spyre.sigmoid %[[X]]
  %0 = spyre.neg %x : !h
  %1 = spyre.exp %0 : !h
  %2 = spyre.add %1, %one : (!h, tensor<1x1xf16>) -> !h
  %3 = spyre.realdiv %one, %2 : (tensor<1x1xf16>, !h) -> !h

  // CHECK: %[[SILU:.+]] = spyre.silu %[[X]]
  %4 = spyre.mul %3, %x : !h

  // CHECK: %[[ERF:.+]] = spyre.gelufwd %[[X]]
  %5 = spyre.mul %x, %root : (!h, tensor<1x1xf16>) -> !h
  %6 = spyre.erf %5 : !h
  %7 = spyre.add %one, %6 : (tensor<1x1xf16>, !h) -> !h
  %8 = spyre.mul %half, %x : (tensor<1x1xf16>, !h) -> !h
  %9 = spyre.mul %8, %7 : !h

  // CHECK: %[[TANH:.+]] = spyre.gelufwd %[[X]]
  %10 = spyre.mul %x, %x : !h
  %11 = spyre.mul %10, %x : !h
  %12 = spyre.mul %cube, %11 : (tensor<1x1xf16>, !h) -> !h
  %13 = spyre.add %x, %12 : !h
  %14 = spyre.mul %slope, %13 : (tensor<1x1xf16>, !h) -> !h
  %15 = spyre.tanh %14 : !h
  %16 = spyre.add %one, %15 : (tensor<1x1xf16>, !h) -> !h
  %17 = spyre.mul %half, %16 : (tensor<1x1xf16>, !h) -> !h
  %18 = spyre.mul %x, %17 : !h

  // CHECK: %[[LOG:.+]] = spyre.softplus %[[X]] beta 1.0{{.*}} threshold 2.0{{.*}}
  %19 = spyre.exp %x : !h
  %20 = spyre.log1p %19 : !h

  // CHECK: return %[[SIGMOID]], %[[SILU]], %[[ERF]], %[[TANH]], %[[LOG]] :
  return %3, %4, %9, %18, %20 : !h, !h, !h, !h, !h
}

// CHECK-LABEL: func.func @single(
// CHECK-SAME:    %[[X:[^ :]+]]:
func.func @single(%x: !s) -> (!s, !s, !s, !s, !s) {
  %one = spyre.fill dense<1.0> : tensor<1x1xf32>
  %half = spyre.fill dense<0.5> : tensor<1x1xf32>
  %zero = spyre.fill dense<0.0> : tensor<1x1xf32>
  %root = spyre.fill dense<1.41421354> : tensor<1x1xf32>

  // CHECK: %[[SIGMOID:.+]] = spyre.sigmoid %[[X]]
  %0 = spyre.mul %x, %half : (!s, tensor<1x1xf32>) -> !s
  %1 = spyre.tanh %0 : !s
  %2 = spyre.add %1, %one : (!s, tensor<1x1xf32>) -> !s
  %3 = spyre.mul %2, %half : (!s, tensor<1x1xf32>) -> !s

  // CHECK: %[[SILU:.+]] = spyre.silu %[[X]]
  %4 = spyre.sub %zero, %x : (tensor<1x1xf32>, !s) -> !s
  %5 = spyre.exp %4 : !s
  %6 = spyre.add %one, %5 : (tensor<1x1xf32>, !s) -> !s
  %7 = spyre.realdiv %x, %6 : !s

  // CHECK: %[[GELU:.+]] = spyre.gelufwd %[[X]]
  %8 = spyre.realdiv %x, %root : (!s, tensor<1x1xf32>) -> !s
  %9 = spyre.erf %8 : !s
  %10 = spyre.add %9, %one : (!s, tensor<1x1xf32>) -> !s
  %11 = spyre.mul %x, %10 : !s
  %12 = spyre.mul %11, %half : (!s, tensor<1x1xf32>) -> !s

  // CHECK: %[[PLUS:.+]] = spyre.softplus %[[X]]
  %13 = spyre.abs %x : !s
  %14 = spyre.neg %13 : !s
  %15 = spyre.exp %14 : !s
  %16 = spyre.log1p %15 : !s
  %17 = spyre.maximum %x, %zero : (!s, tensor<1x1xf32>) -> !s
  %18 = spyre.add %17, %16 : !s

  // CHECK: %[[ROOT:.+]] = spyre.rsqrt
  %19 = spyre.add %13, %one : (!s, tensor<1x1xf32>) -> !s
  %20 = spyre.sqrt %19 : !s
  %21 = spyre.realdiv %one, %20 : (tensor<1x1xf32>, !s) -> !s

  // CHECK: return %[[SIGMOID]], %[[SILU]], %[[GELU]], %[[PLUS]], %[[ROOT]] :
  return %3, %7, %12, %18, %21 : !s, !s, !s, !s, !s
}

// Bit by bit the same, with infinities, zeros and NaN.
// CHECK-LABEL: func.func @exact(
// CHECK-SAME:    %[[X:[^ :]+]]:
func.func @exact(%x: !h) -> (!h, !h, !h, !h) {
  %zero = spyre.fill dense<0.0> : tensor<1x1xf16>
  %low = spyre.fill dense<-1.0> : tensor<1x1xf16>
  %high = spyre.fill dense<2.0> : tensor<1x1xf16>
  %one = spyre.fill dense<1.0> : tensor<1x1xf16>
  // CHECK: %[[RELU:.+]] = spyre.relufwd %[[X]]
  %0 = spyre.maximum %zero, %x : (tensor<1x1xf16>, !h) -> !h
  // CHECK: %[[CLIP:.+]] = spyre.clip %[[X]] min -1.0{{.*}} max 2.0
  %1 = spyre.maximum %x, %low : (!h, tensor<1x1xf16>) -> !h
  %2 = spyre.minimum %1, %high : (!h, tensor<1x1xf16>) -> !h
  // CHECK: %[[SIX:.+]] = spyre.clip %[[X]] min -1.0{{.*}} max 2.0
  %3 = spyre.minimum %high, %x : (tensor<1x1xf16>, !h) -> !h
  %4 = spyre.maximum %low, %3 : (tensor<1x1xf16>, !h) -> !h
  // CHECK: %[[R:.+]] = spyre.reciprocal %[[X]]
  %5 = spyre.realdiv %one, %x : (tensor<1x1xf16>, !h) -> !h
  // CHECK: return %[[RELU]], %[[CLIP]], %[[SIX]], %[[R]] :
  return %0, %2, %4, %5 : !h, !h, !h, !h
}

// Bounds of 0 and 6, in either order.
// RUN: spyre-run %s --entry six --random-seed 4 --special-values --check-pipeline='builtin.module(func.func(spyre-raise-opfuncs,canonicalize,cse),spyre-pipeline)' | FileCheck %s --check-prefix=SAME
// CHECK-LABEL: func.func @six(
// CHECK-SAME:    %[[X:[^ :]+]]:
func.func @six(%x: !h) -> (!h, !h, !h) {
  %zero = spyre.fill dense<0.0> : tensor<1x1xf16>
  %six = spyre.fill dense<6.0> : tensor<1x1xf16>
  %five = spyre.fill dense<5.0> : tensor<1x1xf16>
  // CHECK: %[[INNER_ZERO:.+]] = spyre.relu6fwd %[[X]]
  %0 = spyre.maximum %x, %zero : (!h, tensor<1x1xf16>) -> !h
  %1 = spyre.minimum %six, %0 : (tensor<1x1xf16>, !h) -> !h
  // CHECK: %[[INNER_SIX:.+]] = spyre.relu6fwd %[[X]]
  %2 = spyre.minimum %x, %six : (!h, tensor<1x1xf16>) -> !h
  %3 = spyre.maximum %2, %zero : (!h, tensor<1x1xf16>) -> !h
  // CHECK: %[[RELU:.+]] = spyre.relufwd %[[X]]
  // CHECK: %[[FIVE:.+]] = spyre.minimum %[[RELU]]
  %4 = spyre.maximum %x, %zero : (!h, tensor<1x1xf16>) -> !h
  %5 = spyre.minimum %4, %five : (!h, tensor<1x1xf16>) -> !h
  // CHECK: return %[[INNER_ZERO]], %[[INNER_SIX]], %[[FIVE]] :
  return %1, %3, %5 : !h, !h, !h
}

// The OpFunc computes in 16 bits alone.
// CHECK-LABEL: func.func @six_of_32_bits(
// CHECK-NOT:     relu6fwd
// CHECK:         return
func.func @six_of_32_bits(%x: !s) -> !s {
  %zero = spyre.fill dense<0.0> : tensor<1x1xf32>
  %six = spyre.fill dense<6.0> : tensor<1x1xf32>
  %0 = spyre.maximum %x, %zero : (!s, tensor<1x1xf32>) -> !s
  %1 = spyre.minimum %0, %six : (!s, tensor<1x1xf32>) -> !s
  return %1 : !s
}
