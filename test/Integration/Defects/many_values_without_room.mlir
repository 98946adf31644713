// Many small values, such as those of a cosine, have no room beside a product in small scratchpads. Each order in which they may leave
// was a way of its own for the search that divides the work, so that it did not end.

// RUN: spyre-opt %s --spyre-plan | FileCheck %s
// RUN: spyre-run %s --largest 0.25 --tolerance 2e-2 --check-pipeline='builtin.module(spyre-pipeline{plan=true})' | FileCheck %s --check-prefix=CARD
// CHECK-LABEL: func.func @f(
// CHECK: spyre.batchmatmul
// CARD: same results
// CARD-NOT: different

module attributes {spyre.target = #spyre.target<cores = 4, lx_bytes = 8192, lx_reserved_bytes = 0, lx_backend_percent = 0>} {
func.func @f(%a0: tensor<64x128xf16>, %a1: tensor<64x128xf16>, %a2: tensor<128x512xf16>, %a3: tensor<512x128xf16>) -> tensor<64x128xf16> {
  %v1 = spyre.cos %a1 : tensor<64x128xf16>
  %v2 = spyre.batchmatmul %a0, %a2 : (tensor<64x128xf16>, tensor<128x512xf16>) -> tensor<64x512xf16>
  %v3 = spyre.neg %v2 : tensor<64x512xf16>
  %v4 = spyre.batchmatmul %v3, %a3 : (tensor<64x512xf16>, tensor<512x128xf16>) -> tensor<64x128xf16>
  %v5 = spyre.mul %v4, %v1 : tensor<64x128xf16>
  return %v5 : tensor<64x128xf16>
}
}
