// Expressions that only look like an OpFunc stay.

// RUN: spyre-opt %s --spyre-raise-opfuncs | FileCheck %s

!h = tensor<16x128xf16>
!s = tensor<16x128xf32>

// CHECK-NOT: spyre.{{sigmoid|silu|gelufwd|softplus|relufwd|clip|exx2|layernormnorm|rsqrt|reciprocal}}

// Another number.
func.func @numbers(%x: !s, %y: !s) -> (!s, !s, !s) {
  %one = spyre.fill dense<1.0> : tensor<1x1xf32>
  %near = spyre.fill dense<1.001> : tensor<1x1xf32>
  %half = spyre.fill dense<0.5> : tensor<1x1xf32>
  %root = spyre.fill dense<0.7071> : tensor<1x1xf32>
  %0 = spyre.neg %x : !s
  %1 = spyre.exp %0 : !s
  %2 = spyre.add %1, %near : (!s, tensor<1x1xf32>) -> !s
  %3 = spyre.realdiv %near, %2 : (tensor<1x1xf32>, !s) -> !s
  %4 = spyre.mul %x, %root : (!s, tensor<1x1xf32>) -> !s
  %5 = spyre.erf %4 : !s
  %6 = spyre.add %5, %one : (!s, tensor<1x1xf32>) -> !s
  %7 = spyre.mul %x, %6 : !s
  %8 = spyre.mul %7, %half : (!s, tensor<1x1xf32>) -> !s
  %9 = spyre.mul %3, %y : !s
  return %3, %8, %9 : !s, !s, !s
}

// The number next to 1.
func.func @next(%x: !h) -> !h {
  %next = spyre.fill dense<0x3C01> : tensor<1x1xf16>
  %0 = spyre.neg %x : !h
  %1 = spyre.exp %0 : !h
  %2 = spyre.add %1, %next : (!h, tensor<1x1xf16>) -> !h
  %3 = spyre.realdiv %next, %2 : (tensor<1x1xf16>, !h) -> !h
  return %3 : !h
}

// The form with the hyperbolic tangent is not exact enough for f32.
func.func @tangent(%x: !s) -> !s {
  %one = spyre.fill dense<1.0> : tensor<1x1xf32>
  %half = spyre.fill dense<0.5> : tensor<1x1xf32>
  %slope = spyre.fill dense<0.797884583> : tensor<1x1xf32>
  %cube = spyre.fill dense<0.044715> : tensor<1x1xf32>
  %0 = spyre.mul %x, %x : !s
  %1 = spyre.mul %0, %x : !s
  %2 = spyre.mul %1, %cube : (!s, tensor<1x1xf32>) -> !s
  %3 = spyre.add %x, %2 : !s
  %4 = spyre.mul %3, %slope : (!s, tensor<1x1xf32>) -> !s
  %5 = spyre.tanh %4 : !s
  %6 = spyre.add %5, %one : (!s, tensor<1x1xf32>) -> !s
  %7 = spyre.mul %6, %half : (!s, tensor<1x1xf32>) -> !s
  %8 = spyre.mul %7, %x : !s
  return %8 : !s
}

// Bounds the other way round, and a choice that is 0 where x is NaN.
func.func @bounds(%x: !h) -> (!h, !h) {
  %zero = spyre.fill dense<0.0> : tensor<1x1xf16>
  %low = spyre.fill dense<-1.0> : tensor<1x1xf16>
  %high = spyre.fill dense<2.0> : tensor<1x1xf16>
  %0 = spyre.maximum %x, %high : (!h, tensor<1x1xf16>) -> !h
  %1 = spyre.minimum %0, %low : (!h, tensor<1x1xf16>) -> !h
  %2 = spyre.greaterthan %x, %zero : (!h, tensor<1x1xf16>) -> tensor<16x128xi1>
  %3 = spyre.where3 %2, %x, %zero : (tensor<16x128xi1>, !h, tensor<1x1xf16>) -> !h
  return %1, %3 : !h, !h
}

// The result is larger than what the OpFunc would read, or the operands of a norm are no rows and columns.
func.func @shapes(%x: tensor<1x128xf16>, %y: !h, %w: !h) -> (!h, !h) {
  %zero = spyre.fill dense<0.0> : !h
  %0 = spyre.maximum %x, %zero : (tensor<1x128xf16>, !h) -> !h
  %1 = spyre.sub %y, %x : (!h, tensor<1x128xf16>) -> !h
  %2 = spyre.mul %1, %w : !h
  %3 = spyre.mul %2, %w : !h
  %4 = spyre.add %3, %x : (!h, tensor<1x128xf16>) -> !h
  return %0, %4 : !h, !h
}

// The statistics are of other data, over other dimensions, or not those of a norm.
func.func @norms(%x: !h, %y: !h, %w: tensor<1x128xf16>) -> (!h, !h, !h, !h) {
  %eps = spyre.fill dense<0.001> : tensor<1x1xf16>
  %mean = spyre.mean %x dims [1] keepdim : (!h) -> tensor<16x1xf16>
  %0 = spyre.sub %x, %mean : (!h, tensor<16x1xf16>) -> !h
  %1 = spyre.sub %y, %mean : (!h, tensor<16x1xf16>) -> !h
  %2 = spyre.mul %0, %0 : !h
  %3 = spyre.mean %2 dims [1] keepdim : (!h) -> tensor<16x1xf16>
  %4 = spyre.add %3, %eps : (tensor<16x1xf16>, tensor<1x1xf16>) -> tensor<16x1xf16>
  %5 = spyre.sqrt %4 : tensor<16x1xf16>
  // The data of another tensor.
  %6 = spyre.realdiv %1, %5 : (!h, tensor<16x1xf16>) -> !h
  // A variance of other numbers.
  %7 = spyre.mul %1, %1 : !h
  %8 = spyre.mean %7 dims [1] keepdim : (!h) -> tensor<16x1xf16>
  %9 = spyre.sqrt %8 : tensor<16x1xf16>
  %10 = spyre.realdiv %0, %9 : (!h, tensor<16x1xf16>) -> !h
  // Columns.
  %11 = spyre.mean %x dims [0] keepdim : (!h) -> tensor<1x128xf16>
  %12 = spyre.sub %x, %11 : (!h, tensor<1x128xf16>) -> !h
  %13 = spyre.mul %12, %12 : !h
  %14 = spyre.mean %13 dims [0] keepdim : (!h) -> tensor<1x128xf16>
  %15 = spyre.sqrt %14 : tensor<1x128xf16>
  %16 = spyre.realdiv %12, %15 : (!h, tensor<1x128xf16>) -> !h
  // Twice the weight.
  %17 = spyre.add %5, %5 : tensor<16x1xf16>
  %18 = spyre.realdiv %0, %17 : (!h, tensor<16x1xf16>) -> !h
  return %6, %10, %16, %18 : !h, !h, !h, !h
}
