// A cast between 16 and 32 bits changes the order of elements, and the host copies tensors in the standard order. So a cast of what the
// host has, or reads, is the host's; one between operations of the device is not.

// RUN: spyre-opt %s --spyre-outline-device | FileCheck %s
// RUN: spyre-run %s --entry ends --random-seed 1 --largest 1 --on=card --stats --compare %s --compare-entry ends --tolerance 1e-2 2>&1 | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry between --random-seed 1 --largest 1 --on=card --stats --compare %s --compare-entry between --tolerance 1e-2 2>&1 | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry joined --random-seed 1 --largest 1 --on=card --stats --compare %s --compare-entry joined --tolerance 1e-2 2>&1 | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry reduced --random-seed 1 --largest 1 --on=card --stats --compare %s --compare-entry reduced --tolerance 1e-2 2>&1 | FileCheck %s --check-prefix=CARD
// CARD-NOT: warning
// CARD: device: @{{[a-z]+}}_device_0, {{[1-9][0-9]*}} elements
// CARD: result 0: 0 of {{[0-9]+}} elements differ

// The first and the last cast.
// CHECK-LABEL: func.func @ends(
// CHECK:         %[[X:.+]] = spyre.fp32todl16 %arg0
// CHECK:         %[[Y:.+]] = call @ends_device_0(%[[X]])
// CHECK:         spyre.dl16tofp32 %[[Y]]
func.func @ends(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %0 = spyre.fp32todl16 %x : (tensor<8x64xf32>) -> tensor<8x64xf16>
  %1 = spyre.sqrt %0 : tensor<8x64xf16>
  %2 = spyre.tanh %1 : tensor<8x64xf16>
  %3 = spyre.dl16tofp32 %2 : (tensor<8x64xf16>) -> tensor<8x64xf32>
  return %3 : tensor<8x64xf32>
}

// Both casts of operations of the device.
func.func @between(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
  %0 = spyre.dl16tofp32 %x : (tensor<8x64xf16>) -> tensor<8x64xf32>
  %1 = spyre.exp %0 : tensor<8x64xf32>
  %2 = spyre.fp32todl16 %1 : (tensor<8x64xf32>) -> tensor<8x64xf16>
  return %2 : tensor<8x64xf16>
}

// What is added to a cast's result is in the standard order, so the result is, too.
// CHECK-LABEL: func.func @joined(
// CHECK:         %[[WIDE:.+]] = spyre.dl16tofp32
// CHECK:         %[[SUM:.+]] = call @joined_device_{{[0-9]}}(%[[WIDE]], %arg1)
// CHECK:         spyre.fp32todl16 %[[SUM]]
func.func @joined(%x: tensor<8x64xf16>, %w: tensor<8x64xf32>) -> tensor<8x64xf16> {
  %0 = spyre.dl16tofp32 %x : (tensor<8x64xf16>) -> tensor<8x64xf32>
  %1 = spyre.add %0, %w : tensor<8x64xf32>
  %2 = spyre.exp %1 : tensor<8x64xf32>
  %3 = spyre.exp %2 : tensor<8x64xf32>
  %4 = spyre.mul %3, %2 : tensor<8x64xf32>
  %5 = spyre.fp32todl16 %4 : (tensor<8x64xf32>) -> tensor<8x64xf16>
  return %5 : tensor<8x64xf16>
}

// A sum along the stick has one element in each, whatever the order of its terms.
func.func @reduced(%x: tensor<8x64xf16>) -> tensor<8xf32> {
  %0 = spyre.dl16tofp32 %x : (tensor<8x64xf16>) -> tensor<8x64xf32>
  %1 = spyre.sum %0 dims [1] : (tensor<8x64xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK-LABEL: func.func private @ends_device_0(
// CHECK-NOT:     spyre.{{fp32todl16|dl16tofp32}}
// CHECK:         return
// CHECK-LABEL: func.func private @between_device_0(
// CHECK:         spyre.dl16tofp32
// CHECK:         spyre.exp
// CHECK:         spyre.fp32todl16
// CHECK-LABEL: func.func private @reduced_device_0(
// CHECK:         spyre.dl16tofp32
// CHECK:         spyre.sum
