// The root mean square of numbers up to 1024: their squares are larger than all numbers of f16. The card's own format has them, so that the
// function that is narrowed is stored in it.

// RUN: spyre-opt %s --spyre-import-linalg=host=true | FileCheck %s
// RUN: spyre-run %s --on=card --compare %s --random-seed 1 --tolerance 2e-2 --stats 2>&1 | FileCheck %s --check-prefix=CARD
// CHECK: func.func private @rms_device_0({{.*}} attributes {spyre.device, spyre.narrowed}
// CHECK-NOT: f32
// CARD: 100.0 % of the work is the device's
// CARD: result 0: 0 of 1024 elements differ
func.func @rms(%x: tensor<8x128xf16>) -> tensor<8x128xf16> {
  %n = spyre.fill dense<7.8125e-03> : tensor<1x1xf32>
  %k = spyre.fill dense<512.0> : tensor<1x1xf32>
  %0 = spyre.dl16tofp32 %x : (tensor<8x128xf16>) -> tensor<8x128xf32>
  %s = spyre.mul %0, %k : (tensor<8x128xf32>, tensor<1x1xf32>) -> tensor<8x128xf32>
  %1 = spyre.mul %s, %s : tensor<8x128xf32>
  %2 = spyre.sum %1 dims [1] keepdim : (tensor<8x128xf32>) -> tensor<8x1xf32>
  %3 = spyre.mul %2, %n : (tensor<8x1xf32>, tensor<1x1xf32>) -> tensor<8x1xf32>
  %4 = spyre.rsqrt %3 : tensor<8x1xf32>
  %5 = spyre.mul %s, %4 : (tensor<8x128xf32>, tensor<8x1xf32>) -> tensor<8x128xf32>
  %6 = spyre.fp32todl16 %5 : (tensor<8x128xf32>) -> tensor<8x128xf16>
  return %6 : tensor<8x128xf16>
}
