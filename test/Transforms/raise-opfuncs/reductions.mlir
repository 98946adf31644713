// A reduction between two casts is one in 16 bits, bit by bit the same: the sum is one of f32 in both.

// RUN: spyre-opt %s --spyre-raise-opfuncs --canonicalize | FileCheck %s
// RUN: spyre-run %s --entry mean --random-seed 1 --check-pipeline='builtin.module(func.func(spyre-raise-opfuncs,canonicalize,cse),spyre-pipeline)' 2>/dev/null | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry sum --random-seed 2 --check-pipeline='builtin.module(func.func(spyre-raise-opfuncs,canonicalize,cse),spyre-pipeline)' 2>/dev/null | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry stays --random-seed 3 --check-pipeline='builtin.module(func.func(spyre-raise-opfuncs,canonicalize,cse))' 2>/dev/null | FileCheck %s --check-prefix=STAYS
// SAME: builtin.module(func.func(spyre-raise-opfuncs)): same results
// SAME: a bundle, same results on the simulated card
// STAYS: builtin.module(func.func(spyre-raise-opfuncs)): the program is unchanged

// CHECK-LABEL: func.func @mean(
// CHECK-SAME:    %[[X:[^ :]+]]:
// CHECK-NEXT:    %[[M:.+]] = spyre.mean %[[X]] dims [1] : (tensor<128x384xf16>) -> tensor<128xf16>
// CHECK-NEXT:    %[[E:.+]] = tensor.expand_shape %[[M]] {{\[\[}}0, 1]] output_shape [128, 1] : tensor<128xf16> into tensor<128x1xf16>
// CHECK-NEXT:    %[[Y:.+]] = spyre.sub %[[X]], %[[E]]
// CHECK-NEXT:    return %[[Y]]
func.func @mean(%x: tensor<128x384xf16>) -> tensor<128x384xf16> {
  %n = spyre.fill dense<384.0> : tensor<1x1xf32>
  %0 = spyre.dl16tofp32 %x : (tensor<128x384xf16>) -> tensor<128x384xf32>
  %1 = spyre.sum %0 dims [1] : (tensor<128x384xf32>) -> tensor<128xf32>
  %2 = tensor.expand_shape %1 [[0, 1]] output_shape [128, 1] : tensor<128xf32> into tensor<128x1xf32>
  %3 = spyre.realdiv %2, %n : (tensor<128x1xf32>, tensor<1x1xf32>) -> tensor<128x1xf32>
  %4 = spyre.fp32todl16 %3 : (tensor<128x1xf32>) -> tensor<128x1xf16>
  %5 = spyre.sub %x, %4 : (tensor<128x384xf16>, tensor<128x1xf16>) -> tensor<128x384xf16>
  return %5 : tensor<128x384xf16>
}

// CHECK-LABEL: func.func @sum(
// CHECK-SAME:    %[[X:[^ :]+]]:
// CHECK-NEXT:    %[[S:.+]] = spyre.sum %[[X]] dims [0, 2] keepdim : (tensor<4x64x128xf16>) -> tensor<1x64x1xf16>
// CHECK-NEXT:    return %[[S]]
func.func @sum(%x: tensor<4x64x128xf16>) -> tensor<1x64x1xf16> {
  %0 = spyre.dl16tofp32 %x : (tensor<4x64x128xf16>) -> tensor<4x64x128xf32>
  %1 = spyre.sum %0 dims [0, 2] keepdim : (tensor<4x64x128xf32>) -> tensor<1x64x1xf32>
  %2 = spyre.fp32todl16 %1 : (tensor<1x64x1xf32>) -> tensor<1x64x1xf16>
  return %2 : tensor<1x64x1xf16>
}

// The sum is divided by another number, and would be rounded before that.
// CHECK-LABEL: func.func @stays(
// CHECK:         spyre.dl16tofp32
// CHECK:         spyre.sum {{.*}}xf32>
// CHECK:         spyre.realdiv {{.*}}xf32>
// CHECK:         spyre.fp32todl16
func.func @stays(%x: tensor<128x384xf16>) -> tensor<128xf16> {
  %n = spyre.fill dense<383.0> : tensor<1xf32>
  %0 = spyre.dl16tofp32 %x : (tensor<128x384xf16>) -> tensor<128x384xf32>
  %1 = spyre.sum %0 dims [1] : (tensor<128x384xf32>) -> tensor<128xf32>
  %2 = spyre.realdiv %1, %n : (tensor<128xf32>, tensor<1xf32>) -> tensor<128xf32>
  %3 = spyre.fp32todl16 %2 : (tensor<128xf32>) -> tensor<128xf16>
  return %3 : tensor<128xf16>
}
