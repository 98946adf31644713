// RUN: not spyre-opt %s --spyre-scratchpad-planning --mlir-print-ir-after-failure 2>&1 | FileCheck %s --implicit-check-not=spyre.copy --implicit-check-not=place

// The pool overflows, which is the last thing that is found out. The copies that the planner made on the way, of the
// argument that is returned and of the one that is inserted, are gone, and nothing has a place.

// CHECK: error: spyre-scratchpad-planning: value of 8192 bytes does not fit into the pool of 8192 bytes
// CHECK: func.func @f
// CHECK: %[[Y:.+]] = spyre.exp %arg0
// CHECK: %[[Z:.+]] = spyre.neg %[[Y]]
// CHECK: tensor.insert_slice %arg0 into
// CHECK: %[[S:.+]] = spyre.add %[[Y]], %[[Z]]
// CHECK: return %[[S]], %arg0, %{{.+}} :
module attributes {spyre.target = #spyre.target<lx_bytes = 256, lx_reserved_bytes = 128, segment_bytes = 16384, segment_reserved_bytes = 8192>} {
  func.func @f(%a: tensor<64x64xf16>) -> (tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>) {
    %0 = spyre.exp %a : tensor<64x64xf16>
    %1 = spyre.neg %0 : tensor<64x64xf16>
    %e = spyre.empty : tensor<64x64xf16>
    %n = tensor.insert_slice %a into %e[0, 0] [64, 64] [1, 1] : tensor<64x64xf16> into tensor<64x64xf16>
    %2 = spyre.add %0, %1 : tensor<64x64xf16>
    return %2, %a, %n : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>
  }
}
