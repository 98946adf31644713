// A product of 8-bit integers: the compiled program has the numbers of the reference, and the host computes it beside what the card does.

// RUN: spyre-run %s --entry f --random-seed 1 --integers 127 --check-pipeline='builtin.module(convert-spyre-to-linalg,spyre-lower-to-llvm)' | FileCheck %s --check-prefix=SAME --implicit-check-not=DIFFER
// RUN: spyre-opt %s --spyre-outline-device --remarks-filter=spyre-outline-device -o %t.mlir 2>%t.remarks
// RUN: FileCheck %s --input-file %t.mlir
// RUN: FileCheck %s --input-file %t.remarks --check-prefix=REMARK
// RUN: spyre-run %s --entry beside --random-seed 2 --integers 1 --on=card --compare %s --compare-entry beside | FileCheck %s --check-prefix=CARD
// SAME: same results
// REMARK: Function=f | Reason="'batchmatmulint8' reads its second operand in sticks of two rows of 64 columns (K22), and sources differ in their order
// CARD: result 0: 0 of 4096 elements differ

// CHECK-LABEL: func.func @f(
// CHECK-NOT:     call
// CHECK:         spyre.batchmatmulint8
func.func @f(%a: tensor<64x100xi8>, %b: tensor<100x64xi8>) -> tensor<64x64xbf16> {
  %0 = spyre.batchmatmulint8 %a, %b : (tensor<64x100xi8>, tensor<100x64xi8>) -> tensor<64x64xbf16>
  return %0 : tensor<64x64xbf16>
}

// CHECK-LABEL: func.func @beside(
// CHECK:         spyre.batchmatmulint8
// CHECK:         call @beside_device_0
func.func @beside(%a: tensor<64x100xi8>, %b: tensor<100x64xi8>, %x: tensor<64x64xf16>, %w: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %0 = spyre.batchmatmulint8 %a, %b : (tensor<64x100xi8>, tensor<100x64xi8>) -> tensor<64x64xf16>
  %1 = spyre.batchmatmul %x, %w : tensor<64x64xf16>
  %2 = spyre.add %0, %1 : tensor<64x64xf16>
  return %2 : tensor<64x64xf16>
}
