// Operations without an OpFunc become operations that have one, and compute the same on the CPU and on the simulated card.

// RUN: spyre-opt %s --spyre-decompose | FileCheck %s
// RUN: spyre-run %s --entry trigonometric --random-seed 1 --largest 64 --check-pipeline='builtin.module(spyre-pipeline)' --tolerance 1e-5 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry narrow --random-seed 2 --special-values --check-pipeline='builtin.module(spyre-pipeline)' --tolerance 1e-2 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry exponential --random-seed 3 --special-values --check-pipeline='builtin.module(spyre-pipeline)' --tolerance 1e-4 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry rounded --random-seed 4 --special-values --check-pipeline='builtin.module(spyre-pipeline)' 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry hinted --random-seed 5 --check-pipeline='builtin.module(spyre-pipeline)' --tolerance 1e-2 2>/dev/null | FileCheck %s --check-prefix=CARD

// CARD: builtin.module(func.func(spyre-decompose)): same results
// CARD: a bundle, same results on the simulated card

// CHECK-NOT: spyre.{{(sin|cos|atan|erf|exp2|expm1|log2|log1p|ceil|round|pow) }}

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
