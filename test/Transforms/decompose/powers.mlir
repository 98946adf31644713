// A power with a constant exponent is products or a root where it can be one. Any other one takes a logarithm in f32, which the card
// lacks, so the host computes it.

// RUN: spyre-opt %s --spyre-decompose | FileCheck %s
// RUN: spyre-run %s --entry any --random-seed 1 --special-values --check-pipeline='builtin.module(func.func(spyre-decompose))' --tolerance 1e-4 | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry rows --random-seed 2 --check-pipeline='builtin.module(func.func(spyre-decompose))' --tolerance 1e-2 | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry any --random-seed 1 --special-values --on=card --compare %s --compare-entry any --stats 2>&1 | FileCheck %s --check-prefix=ONHOST
// RUN: spyre-run %s --entry rows --random-seed 2 --on=card --compare %s --compare-entry rows --stats 2>&1 | FileCheck %s --check-prefix=ONHOST
// RUN: spyre-opt %s --spyre-outline-device --remarks-filter=spyre-outline-device -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: spyre-run %s --entry cube --random-seed 3 --special-values --check-pipeline='builtin.module(spyre-pipeline)' --tolerance 1e-2 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry wider_exponent --random-seed 4 --check-pipeline='builtin.module(spyre-pipeline)' --tolerance 1e-2 2>/dev/null | FileCheck %s --check-prefix=CARD

// RUN: spyre-run %s --entry ends | FileCheck %s --check-prefix=ENDS
// RUN: spyre-run %s --entry ends --check-pipeline='builtin.module(func.func(spyre-decompose))' | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry ends --on=card | FileCheck %s --check-prefix=ENDS
// RUN: spyre-opt %s --spyre-raise-opfuncs --spyre-decompose | FileCheck %s --check-prefix=RAISED

// SAME: builtin.module(func.func(spyre-decompose)): same results
// ONHOST: 0.0 % of the work is the device's
// ONHOST: result 0: 0 of 256 elements differ
// REMARK: Function=any | Reason="'log' computes in SEN169_FP16, but tensor 0 is IEEE_FP32", Remark="'spyre.pow' stays on the host"
// REMARK: Function=rows | Reason="'log' computes in SEN169_FP16, but tensor 0 is IEEE_FP32", Remark="'spyre.pow' stays on the host"
// REMARK: Function=simple | Reason="'sqrt' computes in SEN169_FP16, but tensor 0 is IEEE_FP32", Remark="'spyre.pow' stays on the host"
// REMARK: Function=ends | Reason="'log' computes in SEN169_FP16, but tensor 0 is IEEE_FP32", Remark="'spyre.pow' stays on the host"
// REMARK: Function=ends | Reason="'log' computes in SEN169_FP16, but tensor 0 is IEEE_FP32", Remark="'spyre.pow' stays on the host"
// REMARK-NOT: StaysOnHost
// CARD: builtin.module(func.func(spyre-decompose)): same results
// CARD: a bundle, same results on the simulated card

// CHECK-NOT: spyre.pow

// CHECK-LABEL: func.func @any(
// CHECK:         spyre.log
// CHECK:         spyre.exp
func.func @any(%x: tensor<4x64xf32>, %y: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %0 = spyre.pow %x, %y : tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}

// CHECK-LABEL: func.func @rows(
// CHECK:         spyre.fp32todl16 %{{.+}} : (tensor<4x64xf32>) -> tensor<4x64xf16>
func.func @rows(%x: tensor<4x64xf16>, %y: tensor<64xf16>) -> tensor<4x64xf16> {
  %p = spyre.abs %x : tensor<4x64xf16>
  %0 = spyre.pow %p, %y : (tensor<4x64xf16>, tensor<64xf16>) -> tensor<4x64xf16>
  return %0 : tensor<4x64xf16>
}

// CHECK-LABEL: func.func @cube(
// CHECK-SAME:      %[[X:.+]]: tensor<4x64xf16>)
// CHECK:         %[[S:.+]] = spyre.mul %[[X]], %[[X]] : tensor<4x64xf16>
// CHECK-NEXT:    %[[C:.+]] = spyre.mul %[[S]], %[[X]] : tensor<4x64xf16>
// CHECK-NEXT:    return %[[C]]
func.func @cube(%x: tensor<4x64xf16>) -> tensor<4x64xf16> {
  %y = spyre.fill dense<3.0> : tensor<1x1xf16>
  %0 = spyre.pow %x, %y : (tensor<4x64xf16>, tensor<1x1xf16>) -> tensor<4x64xf16>
  return %0 : tensor<4x64xf16>
}

// CHECK-LABEL: func.func @simple(
// CHECK-SAME:      %[[X:.+]]: tensor<4x64xf32>)
// CHECK:         spyre.fill dense<-1.0
// CHECK:         %[[ONE:.+]] = spyre.fill dense<1.000000e+00> : tensor<4x64xf32>
// CHECK:         %[[ROOT:.+]] = spyre.sqrt
// CHECK:         %[[INVERSE:.+]] = spyre.reciprocal %[[X]]
// CHECK:         return %[[ONE]], %[[X]], %[[ROOT]], %[[INVERSE]]
func.func @simple(%x: tensor<4x64xf32>) -> (tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>) {
  %zero = spyre.fill dense<0.0> : tensor<4x64xf32>
  %one = spyre.fill dense<1.0> : tensor<4x64xf32>
  %half = spyre.fill dense<0.5> : tensor<4x64xf32>
  %minus = spyre.fill dense<-1.0> : tensor<4x64xf32>
  %0 = spyre.pow %x, %zero : tensor<4x64xf32>
  %1 = spyre.pow %x, %one : tensor<4x64xf32>
  %2 = spyre.pow %x, %half : tensor<4x64xf32>
  %3 = spyre.pow %x, %minus : tensor<4x64xf32>
  return %0, %1, %2, %3 : tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>
}

// CHECK-LABEL: func.func @wider_exponent(
// CHECK:         spyre.copy %{{.+}} : (tensor<64xf16>) -> tensor<4x64xf16>
func.func @wider_exponent(%x: tensor<64xf16>) -> tensor<4x64xf16> {
  %y = spyre.fill dense<2.0> : tensor<4x64xf16>
  %0 = spyre.pow %x, %y : (tensor<64xf16>, tensor<4x64xf16>) -> tensor<4x64xf16>
  return %0 : tensor<4x64xf16>
}

// Powers of negative infinity and of a negative zero are those of C, though their roots are not.
// ENDS{LITERAL}: result 0: tensor<4xf16> [inf, 0.0, NaN, 2.0]
// ENDS-NEXT{LITERAL}: result 1: tensor<4xf16> [0.0, inf, NaN, 0.5]
// ENDS-NEXT{LITERAL}: result 2: tensor<4xf32> [inf, 0.0, NaN, 8.0]
// ENDS-NEXT{LITERAL}: result 3: tensor<4xf32> [0.0, inf, NaN, 0.125]
func.func @ends() -> (tensor<4xf16>, tensor<4xf16>, tensor<4xf32>, tensor<4xf32>) {
  %x = arith.constant dense<[0xFC00, -0.0, -4.0, 4.0]> : tensor<4xf16>
  %w = arith.constant dense<[0xFF800000, -0.0, -4.0, 4.0]> : tensor<4xf32>
  %half = spyre.fill dense<0.5> : tensor<1xf16>
  %minus_half = spyre.fill dense<-0.5> : tensor<1xf16>
  %more = spyre.fill dense<1.5> : tensor<1xf32>
  %less = spyre.fill dense<-1.5> : tensor<1xf32>
  %0 = spyre.pow %x, %half : (tensor<4xf16>, tensor<1xf16>) -> tensor<4xf16>
  %1 = spyre.pow %x, %minus_half : (tensor<4xf16>, tensor<1xf16>) -> tensor<4xf16>
  %2 = spyre.pow %w, %more : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  %3 = spyre.pow %w, %less : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf16>, tensor<4xf16>, tensor<4xf32>, tensor<4xf32>
}

// What has no sign needs no care: an inverse root is one operation.
// RAISED-LABEL: func.func @variance(
// RAISED-NOT:     spyre.where3
// RAISED:         spyre.rsqrt
// RAISED-NEXT:    return
func.func @variance(%x: tensor<4x64xf16>) -> tensor<4x64xf16> {
  %minus_half = spyre.fill dense<-0.5> : tensor<1x1xf16>
  %small = spyre.fill dense<0.01> : tensor<1x1xf16>
  %square = spyre.mul %x, %x : tensor<4x64xf16>
  %more = spyre.add %square, %small : (tensor<4x64xf16>, tensor<1x1xf16>) -> tensor<4x64xf16>
  %0 = spyre.pow %more, %minus_half : (tensor<4x64xf16>, tensor<1x1xf16>) -> tensor<4x64xf16>
  return %0 : tensor<4x64xf16>
}
