// A program that has device operations beside those of linalg is narrowed as a whole: their constants are rounded, and their casts between
// f32 and f16, which are the same now, go away.

// RUN: spyre-opt %s --spyre-narrow-floats | FileCheck %s
// RUN: spyre-run %s --entry f --on=card --float=dl16 --compare %s --compare-entry f --random-seed 1 --tolerance 1e-2 --stats 2>&1 | FileCheck %s --check-prefix=CARD
// CARD: host: 0 elements
// CARD: result 0: 0 of 6144 elements differ

// CHECK-LABEL: func.func @f(
// CHECK:         arith.truncf %{{.*}} : tensor<96x64xf32> to tensor<96x64xf16>
// CHECK-NEXT:    spyre.fill dense<5.000000e-01> : tensor<96x64xf16>
// CHECK-NEXT:    spyre.fill dense<6.550400e+04> : tensor<1x1xf16>
// CHECK-NEXT:    %[[S:.*]] = spyre.add
// CHECK-NEXT:    %[[M:.*]] = spyre.minimum %[[S]]
// CHECK-NEXT:    %[[P:.*]] = spyre.mul %[[M]], %[[M]] : tensor<96x64xf16>
// CHECK-NEXT:    arith.extf %[[P]] : tensor<96x64xf16> to tensor<96x64xf32>
func.func @f(%x: tensor<96x64xf32>) -> tensor<96x64xf32> {
  %half = spyre.fill dense<0.5> : tensor<96x64xf32>
  %large = spyre.fill dense<1.0e9> : tensor<1x1xf32>
  %0 = spyre.add %x, %half : tensor<96x64xf32>
  %1 = spyre.minimum %0, %large : (tensor<96x64xf32>, tensor<1x1xf32>) -> tensor<96x64xf32>
  %2 = spyre.fp32todl16 %1 : (tensor<96x64xf32>) -> tensor<96x64xf16>
  %3 = spyre.mul %2, %2 : tensor<96x64xf16>
  %4 = spyre.dl16tofp32 %3 : (tensor<96x64xf16>) -> tensor<96x64xf32>
  return %4 : tensor<96x64xf32>
}
