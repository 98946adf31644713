// The command line says the machine: the fields, or the whole attribute. It replaces what the module says.

// RUN: spyre-opt %s --spyre-set-target='target=cores=8,lx_bytes=0' | FileCheck %s
// RUN: spyre-opt %s --spyre-set-target='target={cores = 8, lx_bytes = 0}' | FileCheck %s
// RUN: spyre-opt %s --spyre-set-target='target=#spyre.target<cores=8,lx_bytes=0>' | FileCheck %s
// CHECK: #spyre.target<cores = 8, lx_bytes = 0>
// CHECK: module attributes {spyre.target =
// RUN: spyre-opt %s --spyre-set-target | FileCheck %s --check-prefix=CARD
// CARD: #spyre.target{{$}}
// CARD: module attributes {spyre.target =

// RUN: not spyre-opt %s --spyre-set-target=target=kernels=8 2>&1 | FileCheck %s --check-prefix=FIELD
// FIELD: error: spyre-set-target: 'kernels=8' is no target; give the fields of #spyre.target, as in cores=8,lx_bytes=0
// RUN: not spyre-opt %s --spyre-set-target=target=cores=0 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: error: 'cores' must be positive, got 0

module attributes {spyre.target = #spyre.target<segments = 4>} {
  func.func @f(%a: tensor<64x64xf16>) -> tensor<64x64xf16> {
    return %a : tensor<64x64xf16>
  }
}
