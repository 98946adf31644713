// Operations without an OpFunc become operations that have one, and compute the same on the CPU and on the simulated card.

// RUN: spyre-opt %s --spyre-decompose | FileCheck %s
// RUN: spyre-run %s --entry trigonometric --random-seed 1 --largest 64 --on=card --compare %s --compare-entry trigonometric --tolerance 1e-5 2>/dev/null | FileCheck %s --check-prefix=FOUR
// RUN: spyre-run %s --entry narrow --random-seed 2 --special-values --check-pipeline='builtin.module(spyre-pipeline)' --tolerance 1e-2 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry exponential --random-seed 3 --special-values --on=card --compare %s --compare-entry exponential --tolerance 1e-4 2>/dev/null | FileCheck %s --check-prefix=FOUR
// RUN: spyre-run %s --entry rounded --random-seed 4 --special-values --check-pipeline='builtin.module(spyre-pipeline)' 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry inverse --random-seed 6 --special-values --on=card --compare %s --compare-entry inverse --tolerance 1e-5 2>/dev/null | FileCheck %s --check-prefix=FOUR
// RUN: spyre-run %s --entry hyperbolic --random-seed 7 --special-values --on=card --compare %s --compare-entry hyperbolic --tolerance 1e-5 2>/dev/null | FileCheck %s --check-prefix=FIVE
// RUN: spyre-run %s --entry signs --random-seed 8 --special-values --on=card --compare %s --compare-entry signs --tolerance 1e-2 2>/dev/null | FileCheck %s --check-prefix=FIVE
// RUN: spyre-run %s --entry remainders --random-seed 9 --special-values --on=card --compare %s --compare-entry remainders 2>/dev/null | FileCheck %s --check-prefix=TWO
// RUN: spyre-run %s --entry hinted --random-seed 5 --check-pipeline='builtin.module(spyre-pipeline)' --tolerance 1e-2 2>/dev/null | FileCheck %s --check-prefix=CARD

// CARD: builtin.module(func.func(spyre-decompose)): same results
// CARD: a bundle, same results on the simulated card
// FOUR-COUNT-4: 0 of 256 elements differ
// TWO-COUNT-2: 0 of 256 elements differ
// FIVE-COUNT-5: 0 of 256 elements differ

// CHECK-NOT: spyre.{{(a?sinh?|a?cosh?|tan|atanh?|atan2|cbrt|copysign|fmod|erf|exp2|expm1|log2|log1p|ceil|trunc|round|roundaway|pow) }}

// CHECK-LABEL: func.func @trigonometric(
// CHECK:         spyre.floor
// CHECK:         spyre.minimum
// CHECK:         spyre.maximum
func.func @trigonometric(%x: tensor<4x64xf32>) -> (tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>) {
  %0 = spyre.sin %x : tensor<4x64xf32>
  %1 = spyre.cos %x : tensor<4x64xf32>
  %2 = spyre.atan %x : tensor<4x64xf32>
  %3 = spyre.erf %x : tensor<4x64xf32>
  return %0, %1, %2, %3 : tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>
}

// CHECK-LABEL: func.func @inverse(
// CHECK:         spyre.sqrt
// CHECK:         spyre.realdiv
func.func @inverse(%x: tensor<4x64xf32>, %y: tensor<1x64xf32>) -> (tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>) {
  %0 = spyre.asin %x : tensor<4x64xf32>
  %1 = spyre.acos %x : tensor<4x64xf32>
  %2 = spyre.atan2 %x, %y : (tensor<4x64xf32>, tensor<1x64xf32>) -> tensor<4x64xf32>
  %3 = spyre.cbrt %x : tensor<4x64xf32>
  return %0, %1, %2, %3 : tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>
}

// CHECK-LABEL: func.func @hyperbolic(
// CHECK:         spyre.tanh
// CHECK:         spyre.log
func.func @hyperbolic(%x: tensor<4x64xf32>) -> (tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>) {
  %0 = spyre.sinh %x : tensor<4x64xf32>
  %1 = spyre.cosh %x : tensor<4x64xf32>
  %2 = spyre.asinh %x : tensor<4x64xf32>
  %3 = spyre.acosh %x : tensor<4x64xf32>
  %4 = spyre.atanh %x : tensor<4x64xf32>
  return %0, %1, %2, %3, %4 : tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>
}

// The sign of the second operand counts if it is a zero; a NaN has none.
// CHECK-LABEL: func.func @signs(
// CHECK:         spyre.reciprocal
// CHECK:         spyre.where3
func.func @signs(%x: tensor<4x64xf16>, %y: tensor<4x64xf16>) -> (tensor<4x64xf16>, tensor<4x64xf16>, tensor<4x64xf16>, tensor<4x64xf16>, tensor<4x64xf16>) {
  %one = spyre.fill dense<1.0> : tensor<1x1xf16>
  %is_number = spyre.equal %y, %y : (tensor<4x64xf16>, tensor<4x64xf16>) -> tensor<4x64xi1>
  %number = spyre.where3 %is_number, %y, %one : (tensor<4x64xi1>, tensor<4x64xf16>, tensor<1x1xf16>) -> tensor<4x64xf16>
  %0 = spyre.copysign %x, %number : tensor<4x64xf16>
  %1 = spyre.trunc %x : tensor<4x64xf16>
  %2 = spyre.roundaway %x : tensor<4x64xf16>
  %3 = spyre.atan2 %x, %y : tensor<4x64xf16>
  %4 = spyre.tan %x : tensor<4x64xf16>
  return %0, %1, %2, %3, %4 : tensor<4x64xf16>, tensor<4x64xf16>, tensor<4x64xf16>, tensor<4x64xf16>, tensor<4x64xf16>
}

// The sine of 16-bit floats is computed in f32. The error function is computed as they are.
// CHECK-LABEL: func.func @narrow(
// CHECK-SAME:      %[[X:.+]]: tensor<4x64xf16>,
// CHECK:         %[[W:.+]] = spyre.dl16tofp32 %[[X]] : (tensor<4x64xf16>) -> tensor<4x64xf32>
// CHECK:         spyre.fp32todl16 %{{.+}} : (tensor<4x64xf32>) -> tensor<4x64xf16>
// CHECK-NOT:     f32
// CHECK:         spyre.tanh %{{.+}} : tensor<4x64xf16>
func.func @narrow(%x: tensor<4x64xf16>, %y: tensor<4x64xf16>) -> (tensor<4x64xf16>, tensor<4x64xf16>, tensor<4x64xf16>) {
  %0 = spyre.sin %x : tensor<4x64xf16>
  %1 = spyre.erf %x : tensor<4x64xf16>
  %2 = spyre.atan %y : tensor<4x64xf16>
  return %0, %1, %2 : tensor<4x64xf16>, tensor<4x64xf16>, tensor<4x64xf16>
}

// CHECK-LABEL: func.func @exponential(
// CHECK:         spyre.exp
// CHECK:         spyre.tanh
// CHECK:         spyre.log
// CHECK:         spyre.realdiv
func.func @exponential(%x: tensor<4x64xf32>) -> (tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>) {
  %0 = spyre.exp2 %x : tensor<4x64xf32>
  %1 = spyre.expm1 %x : tensor<4x64xf32>
  %2 = spyre.log1p %x : tensor<4x64xf32>
  %3 = spyre.log2 %x : tensor<4x64xf32>
  return %0, %1, %2, %3 : tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>
}

// Exact, signs of zeros included.
// CHECK-LABEL: func.func @rounded(
// CHECK:         %[[N:.+]] = spyre.neg
// CHECK-NEXT:    %[[F:.+]] = spyre.floor %[[N]]
// CHECK-NEXT:    spyre.neg %[[F]]
func.func @rounded(%x: tensor<4x64xf16>) -> (tensor<4x64xf16>, tensor<4x64xf16>) {
  %0 = spyre.ceil %x : tensor<4x64xf16>
  %1 = spyre.round %x : tensor<4x64xf16>
  return %0, %1 : tensor<4x64xf16>, tensor<4x64xf16>
}

// What is made has the hints of its reader, and the last operation the layout of the result.
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK-LABEL: func.func @hinted(
// CHECK:         spyre.exp {{.*}} tile [0: "A" in 2]
// CHECK:         spyre.mul {{.*}} tile [0: "A" in 2] : (tensor<4x64xf16>, tensor<4x64xf16>) -> tensor<4x64xf16, #
func.func @hinted(%x: tensor<4x64xf16, #stick> {spyre.dims = ["A", "B"]}) -> tensor<4x64xf16, #stick> {
  %0 = spyre.expm1 %x : tensor<4x64xf16, #stick>
  %1 = spyre.neg %0 tile [0: "A" in 2] : tensor<4x64xf16, #stick>
  return %1 : tensor<4x64xf16, #stick>
}

// A long division of three stages, and of f32 with the divisor in two parts.
// CHECK-LABEL: func.func @remainders(
// CHECK-COUNT-3: spyre.realdiv
// CHECK-NOT:     spyre.realdiv
// CHECK:         spyre.fp32todl16
// CHECK-COUNT-3: spyre.realdiv
// CHECK-NOT:     spyre.realdiv
// CHECK:         return
func.func @remainders(%x: tensor<4x64xf16>, %w: tensor<4x64xf32>) -> (tensor<4x64xf16>, tensor<4x64xf32>) {
  %row = spyre.fill dense<0.3> : tensor<1x64xf16>
  %three = spyre.fill dense<-3.0> : tensor<1x1xf32>
  %near = spyre.fill dense<1.0e+09> : tensor<1x1xf32>
  // Farther than the stages reach.
  %bounded = spyre.minimum %w, %near : (tensor<4x64xf32>, tensor<1x1xf32>) -> tensor<4x64xf32>
  %far = spyre.fill dense<-1.0e+09> : tensor<1x1xf32>
  %within = spyre.maximum %bounded, %far : (tensor<4x64xf32>, tensor<1x1xf32>) -> tensor<4x64xf32>
  %0 = spyre.fmod %x, %row : (tensor<4x64xf16>, tensor<1x64xf16>) -> tensor<4x64xf16>
  %1 = spyre.fmod %within, %three : (tensor<4x64xf32>, tensor<1x1xf32>) -> tensor<4x64xf32>
  return %0, %1 : tensor<4x64xf16>, tensor<4x64xf32>
}
