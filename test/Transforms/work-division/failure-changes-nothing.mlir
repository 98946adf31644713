// RUN: not spyre-opt %s --spyre-work-division --mlir-print-ir-after-failure 2>&1 | FileCheck %s

// When one operation is refused, those before it have not been divided yet.

// CHECK: error: spyre-work-division: split [64, 1] needs 64 cores, but the target has 32
// CHECK: spyre.exp %arg0 : tensor<64x128xf16>
// CHECK: spyre.neg %{{.+}} split [64, 1] : tensor<64x128xf16>
func.func @f(%a: tensor<64x128xf16>) -> tensor<64x128xf16> {
  %0 = spyre.exp %a : tensor<64x128xf16>
  %1 = spyre.neg %0 split [64, 1] : tensor<64x128xf16>
  return %1 : tensor<64x128xf16>
}
