// RUN: spyre-opt %s --coarse-tile --spyre-bound-dynamic-dims | FileCheck %s
// RUN: spyre-opt %s --coarse-tile --spyre-bound-dynamic-dims --spyre-specialize-dynamic-dims=sizes=S=192,T=64,U=4 | FileCheck %s --check-prefix=CHOSEN

!t = tensor<?x256xf16>

// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[A:.*]]: tensor<512x256xf16> {spyre.dims = ["S", "D"]}) -> tensor<512x256xf16>
// CHECK-SAME: S = #spyre.dynamic<granularity = 64, max = 512>
// CHECK: %[[S:.*]] = spyre.dim_size "S"
// CHECK-NOT: tensor.dim
// CHECK: %[[INIT:.*]] = spyre.empty : tensor<512x256xf16>
// CHECK: scf.for %[[I:.*]] = %c0 to %[[S]] step %c64 iter_args(%{{.*}} = %[[INIT]]) -> (tensor<512x256xf16>) {
// CHECK: tensor.extract_slice %[[A]][%[[I]], 0] [64, 256] [1, 1] : tensor<512x256xf16> to tensor<64x256xf16>
// CHECK: tensor.insert_slice %{{.*}} : tensor<64x256xf16> into tensor<512x256xf16>
// CHECK: return %{{.*}} : tensor<512x256xf16>

// Tensors keep the room that they have.
// CHOSEN-LABEL: func.func @rows(
// CHOSEN-SAME: S = 512 : i64
// CHOSEN: scf.for %{{.*}} = %c0 to %c192 step %c64
// CHOSEN: tensor.extract_slice %{{.*}} : tensor<512x256xf16> to tensor<64x256xf16>
func.func @rows(%a: !t {spyre.dims = ["S", "D"]}) -> !t
    attributes {spyre.dim_sizes = {D = 256, S = #spyre.dynamic<granularity = 64, max = 512>}} {
  %y = spyre.add %a, %a tile [0: "S" by 64] : !t
  return %y : !t
}

// Nothing to do.
// CHECK-LABEL: func.func @fixed(
// CHECK-SAME: tensor<8x64xf16>
func.func @fixed(%a: tensor<8x64xf16>) -> tensor<8x64xf16> {
  %y = spyre.exp %a : tensor<8x64xf16>
  return %y : tensor<8x64xf16>
}

// Loops by hand, and a permutation.
// CHECK-LABEL: func.func @by_hand(
// CHECK-SAME: %[[A:.*]]: tensor<64x128xf16>
// CHECK: spyre.permute %[[A]] [1, 0] : tensor<64x128xf16> to tensor<128x64xf16>
func.func @by_hand(%a: tensor<64x?xf16> {spyre.dims = ["D", "T"]}) -> tensor<64xf16>
    attributes {spyre.dim_sizes = {D = 64, T = #spyre.dynamic<granularity = 64, max = 128>}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %p = spyre.permute %a [1, 0] : tensor<64x?xf16> to tensor<?x64xf16>
  %s = tensor.dim %p, %c0 : tensor<?x64xf16>
  %zero = spyre.fill dense<0.0> : tensor<64xf16>
  %r = scf.for %i = %c0 to %s step %c64 iter_args(%sum = %zero) -> (tensor<64xf16>) {
    %t = tensor.extract_slice %p[%i, 0] [64, 64] [1, 1] : tensor<?x64xf16> to tensor<64x64xf16>
    %part = spyre.sum %t dims [0] : (tensor<64x64xf16>) -> tensor<64xf16>
    %next = spyre.add %sum, %part : tensor<64xf16>
    scf.yield %next : tensor<64xf16>
  }
  return %r : tensor<64xf16>
}

// With one extent to choose, nothing is after it: no tiles are needed.
// CHECK-LABEL: func.func @single(
// CHECK-SAME: %[[A:.*]]: tensor<4x64xf16>
// CHECK-NEXT: spyre.exp %[[A]] : tensor<4x64xf16>
func.func @single(%a: tensor<?x64xf16> {spyre.dims = ["U", "E"]}) -> tensor<?x64xf16>
    attributes {spyre.dim_sizes = {E = 64, U = #spyre.dynamic<granularity = 4, max = 4>}} {
  %y = spyre.exp %a : tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}
