// RUN: spyre-opt %s --pass-pipeline="builtin.module(func.func(spyre-work-division),builtin.module(func.func(spyre-work-division)))" | FileCheck %s

// The number of cores is the target's, that of the innermost module that states one.

// CHECK-LABEL: func.func @one_core
// CHECK:       spyre.exp %arg0 split [1, 1]
// CHECK-LABEL: func.func @eight_cores
// CHECK:       spyre.exp %arg0 split [8, 1]
module attributes {spyre.target = #spyre.target<cores = 8>} {
  module attributes {spyre.target = #spyre.target<cores = 1>} {
    func.func @one_core(%a: tensor<512x128xf16>) -> tensor<512x128xf16> {
      %0 = spyre.exp %a : tensor<512x128xf16>
      return %0 : tensor<512x128xf16>
    }
  }
  func.func @eight_cores(%a: tensor<512x128xf16>) -> tensor<512x128xf16> {
    %0 = spyre.exp %a : tensor<512x128xf16>
    return %0 : tensor<512x128xf16>
  }
}
