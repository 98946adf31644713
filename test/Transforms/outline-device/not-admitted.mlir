// Operations in formats that the contract of the target lacks stay on the host, with the reason: those with an OpFunc, and those that are
// decomposed into such ones. What is admitted goes to the device.

// RUN: spyre-opt %s --spyre-outline-device --remarks-filter=spyre-outline-device -o %t.mlir 2>%t.remarks
// RUN: FileCheck %s --input-file %t.mlir
// RUN: FileCheck %s --input-file %t.remarks --check-prefix=REMARK
// RUN: spyre-run %s --entry mixed --random-seed 1 --on=card --stats --compare %s --compare-entry mixed 2>&1 | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry sixteen --random-seed 2 --integers 1 --on=card --stats --compare %s --compare-entry sixteen 2>&1 | FileCheck %s --check-prefix=SIXTEEN

// The same program for a target with exceptions: sums of integers and roots of f32 are the device's, and nothing else is.
// RUN: spyre-opt %s --spyre-set-target='target={exceptions=["int32-arithmetic", "fp32-roots"]}' --spyre-outline-device --remarks-filter=spyre-outline-device -o %t.exceptions.mlir 2>%t.exceptions
// RUN: FileCheck %s --input-file %t.exceptions.mlir --check-prefix=ALLOWED
// RUN: FileCheck %s --input-file %t.exceptions --check-prefix=LEFT --implicit-check-not=Function=integers --implicit-check-not=Function=decomposed

// REMARK:      not-admitted.mlir:[[#@LINE+8]]:{{[0-9]+}}: remark: [Missed] StaysOnHost | Category:spyre-outline-device | Function=integers | Reason="'add' computes in SEN169_FP16 or IEEE_FP32, but tensor 0 is IEEE_INT32", Remark="'spyre.add' stays on the host"
// CHECK-LABEL: func.func @integers(
// CHECK-NOT:     call
// CHECK:         spyre.add
// CHECK:         return
// ALLOWED-LABEL: func.func @integers(
// ALLOWED:         call @integers_device_0
func.func @integers(%x: tensor<64x64xi32>) -> tensor<64x64xi32> {
  %0 = spyre.add %x, %x : tensor<64x64xi32>
  return %0 : tensor<64x64xi32>
}

// REMARK:      Function=tanh | Reason="'tanh' computes in SEN169_FP16, but tensor 0 is IEEE_FP32", Remark="'spyre.tanh' stays on the host"
// LEFT:        Function=tanh | Reason="'tanh' computes in
// CHECK-LABEL: func.func @tanh(
// CHECK-NOT:     call
// CHECK:         spyre.tanh
func.func @tanh(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = spyre.tanh %x : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// REMARK:      Function=product | Reason="'batchmatmul' computes in SEN169_FP16, but tensor 0 is IEEE_FP32", Remark="'spyre.batchmatmul' stays on the host"
// LEFT:        Function=product | Reason="'batchmatmul' computes in
// CHECK-LABEL: func.func @product(
// CHECK-NOT:     call
// CHECK:         spyre.batchmatmul
func.func @product(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = spyre.batchmatmul %x, %x : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// An OpFunc that the reference compiler itself says the card lacks, in any format.
// REMARK:      Function=elements | Reason="'prod' is not in the table of OpFuncs of SuperDSC-Bundle 1.0.0 {{.+}}", Remark="'spyre.prod' stays on the host"
// LEFT:        Function=elements | Reason="'prod' is not in the table
// CHECK-LABEL: func.func @elements(
// CHECK-NOT:     call
// CHECK:         spyre.prod
func.func @elements(%x: tensor<64x64xf16>) -> tensor<64xf16> {
  %0 = spyre.prod %x dims [0] : (tensor<64x64xf16>) -> tensor<64xf16>
  return %0 : tensor<64xf16>
}

// A formula has a root. The operation stays one: the formula was only looked at.
// REMARK:      Function=decomposed | Reason="'sqrt' computes in SEN169_FP16, but tensor 0 is IEEE_FP32", Remark="'spyre.acos' stays on the host"
// CHECK-LABEL: func.func @decomposed(
// CHECK-NOT:     spyre.sqrt
// CHECK:         %[[Y:.+]] = spyre.acos %arg0
// CHECK-NEXT:    return %[[Y]]
// ALLOWED-LABEL: func.func @decomposed(
// ALLOWED:         call @decomposed_device_0
func.func @decomposed(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = spyre.acos %x : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// A formula has a root and a logarithm, and the reason is the first of them. With roots, it is the logarithm.
// REMARK:      Function=asinh | Reason="'sqrt' computes in SEN169_FP16, but tensor 0 is IEEE_FP32", Remark="'spyre.asinh' stays on the host"
// LEFT:        Function=asinh | Reason="'log' computes in SEN169_FP16, but tensor 0 is IEEE_FP32", Remark="'spyre.asinh' stays on the host"
func.func @asinh(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = spyre.asinh %x : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// What is admitted goes to the device, before and after what is not.
// REMARK:      Function=mixed | Reason="'log' computes in SEN169_FP16, but tensor 0 is IEEE_FP32", Remark="'spyre.log' stays on the host"
// REMARK-NOT:  StaysOnHost
// CHECK-LABEL: func.func @mixed(
// CHECK:         %[[E:.+]] = call @mixed_device_0(%arg0)
// CHECK-NEXT:    %[[L:.+]] = spyre.log %[[E]]
// CHECK-NEXT:    %[[Y:.+]] = call @mixed_device_1(%[[L]]
// CARD:        device: @mixed_device_0, 8192 elements
// CARD-NEXT:   device: @mixed_device_1, 8192 elements
// CARD-NEXT:   host: 4096 elements
// CARD:        result 0: 0 of 4096 elements differ
func.func @mixed(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = spyre.exp %x : tensor<64x64xf32>
  %1 = spyre.add %0, %0 : tensor<64x64xf32>
  %2 = spyre.log %1 : tensor<64x64xf32>
  %3 = spyre.add %2, %x : tensor<64x64xf32>
  %4 = spyre.exp %3 : tensor<64x64xf32>
  return %4 : tensor<64x64xf32>
}

// All of these are admitted in 16 bits, and so is a restickify.
// CHECK-LABEL: func.func @sixteen(
// CHECK:         %[[Y:.+]]:2 = call @sixteen_device_0(%arg0)
// CHECK-NEXT:    return %[[Y]]#0, %[[Y]]#1
// SIXTEEN:     host: 0 elements
// SIXTEEN:     result 0: 0 of 4096 elements differ
// SIXTEEN:     result 1: 0 of 4096 elements differ
func.func @sixteen(%x: tensor<64x64xf16>) -> (tensor<64x64xf16>, tensor<64x64xf16>) {
  %0 = spyre.batchmatmul %x, %x : tensor<64x64xf16>
  %1 = spyre.tanh %0 : tensor<64x64xf16>
  %2 = spyre.sigmoid %x : tensor<64x64xf16>
  %3 = spyre.permute %2 [1, 0] : tensor<64x64xf16> to tensor<64x64xf16>
  %4 = spyre.add %1, %3 : tensor<64x64xf16>
  return %1, %4 : tensor<64x64xf16>, tensor<64x64xf16>
}
