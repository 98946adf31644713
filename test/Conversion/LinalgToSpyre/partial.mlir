// With `partial`, what has no device operation stays as it is, and a remark has the reason.

// RUN: spyre-opt %s --convert-linalg-to-spyre=partial=true --canonicalize --remarks-filter=convert-linalg-to-spyre --remark-format=emitRemark 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: spyre-run %s --random-seed 1 --on=card --compare %s --stats 2>&1 | FileCheck %s --check-prefix=CARD

// CHECK-LABEL: func.func @f(
// CHECK:         %[[S:.+]] = spyre.tanh
// CHECK:         linalg.generic {{.*}} ins(%[[S]] :
// CHECK:           arith.ori
// REMARK: partial.mlir:[[#@LINE+17]]:{{[0-9]+}}: remark: [Missed] StaysOnHost | Category:convert-linalg-to-spyre | Function=f | Reason="no device operation computes 'arith.ori' of i32", Remark="'linalg.generic' stays on the host"
// REMARK-NOT: StaysOnHost

// CARD: device: @f_device_0, 4096 elements
// CARD: host: 2048 elements
// CARD: 66.7 % of the work is the device's
// CARD: result 0: 0 of 2048 elements differ

#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @f(%x: tensor<32x64xf16>) -> tensor<32x64xf16> {
  %e = tensor.empty() : tensor<32x64xf16>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<32x64xf16>) outs(%e : tensor<32x64xf16>) {
  ^bb0(%in: f16, %out: f16):
    %s = arith.mulf %in, %in : f16
    %y = math.tanh %s : f16
    linalg.yield %y : f16
  } -> tensor<32x64xf16>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<32x64xf16>) outs(%e : tensor<32x64xf16>) {
  ^bb0(%in: f16, %out: f16):
    %bits = arith.fptosi %in : f16 to i32
    %one_bit = arith.constant 1 : i32
    %odd = arith.ori %bits, %one_bit : i32
    %y = arith.sitofp %odd : i32 to f16
    linalg.yield %y : f16
  } -> tensor<32x64xf16>
  return %1 : tensor<32x64xf16>
}
