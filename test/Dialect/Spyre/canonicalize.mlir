// RUN: spyre-opt %s --canonicalize | FileCheck %s

// Folds, and that none of them touches an operation with a place or with hints:
// a place is written, and hints ask for loops that somebody wants to see.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
#padded = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), size = [1, 128, 64]>
!t = tensor<64x64xf16, #stick>

//===----------------------------------------------------------------------===//
// f(f(x)) = f(x)
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @idempotent(
func.func @idempotent(%x: !t) -> (!t, !t, !t) {
  // CHECK-NEXT: %[[A:.*]] = spyre.abs
  // CHECK-NEXT: %[[F:.*]] = spyre.floor
  // CHECK-NEXT: %[[R:.*]] = spyre.relufwd
  // CHECK-NEXT: return %[[A]], %[[F]], %[[R]]
  %a = spyre.abs %x : !t
  %f = spyre.floor %x : !t
  %r = spyre.relufwd %x : !t
  %aa = spyre.abs %a : !t
  %ff = spyre.floor %f : !t
  %rr = spyre.relufwd %r : !t
  return %aa, %ff, %rr : !t, !t, !t
}

// CHECK-LABEL: func.func @idempotent_planned(
func.func @idempotent_planned(%x: !t) -> (!t, !t, !t, !t, !t, !t) {
  // CHECK-NEXT: spyre.abs
  // CHECK-NEXT: spyre.floor
  // CHECK-NEXT: spyre.relufwd
  // CHECK-NEXT: spyre.abs {{.*}} place lx 0
  // CHECK-NEXT: spyre.floor {{.*}} place lx 0
  // CHECK-NEXT: spyre.relufwd {{.*}} place lx 0
  // CHECK-NEXT: spyre.abs {{.*}} tile [0: "A" in 2]
  // CHECK-NEXT: spyre.floor {{.*}} tile [0: "A" in 2]
  // CHECK-NEXT: spyre.relufwd {{.*}} tile [0: "A" in 2]
  %a = spyre.abs %x : !t
  %f = spyre.floor %x : !t
  %r = spyre.relufwd %x : !t
  %ap = spyre.abs %a place lx 0 : !t
  %fp = spyre.floor %f place lx 0 : !t
  %rp = spyre.relufwd %r place lx 0 : !t
  %at = spyre.abs %a tile [0: "A" in 2] : !t
  %ft = spyre.floor %f tile [0: "A" in 2] : !t
  %rt = spyre.relufwd %r tile [0: "A" in 2] : !t
  return %ap, %fp, %rp, %at, %ft, %rt : !t, !t, !t, !t, !t, !t
}

// The inner operation stays, so its place and hints do not matter.
// CHECK-LABEL: func.func @idempotent_of_planned(
func.func @idempotent_of_planned(%x: !t) -> !t {
  // CHECK-NEXT: %[[A:.*]] = spyre.abs {{.*}} place lx 0
  // CHECK-NEXT: return %[[A]]
  %a = spyre.abs %x place lx 0 : !t
  %aa = spyre.abs %a : !t
  return %aa : !t
}

// A change of layout is not nothing.
// CHECK-LABEL: func.func @idempotent_other_type(
func.func @idempotent_other_type(%x: !t) -> tensor<64x64xf16, #padded> {
  // CHECK-COUNT-2: spyre.abs
  %a = spyre.abs %x : !t
  %aa = spyre.abs %a : (!t) -> tensor<64x64xf16, #padded>
  return %aa : tensor<64x64xf16, #padded>
}

//===----------------------------------------------------------------------===//
// -(-x) = x
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @neg_neg(
// CHECK-SAME: %[[X:.*]]: tensor
func.func @neg_neg(%x: !t) -> !t {
  // CHECK-NEXT: return %[[X]]
  %0 = spyre.neg %x : !t
  %1 = spyre.neg %0 : !t
  return %1 : !t
}

// CHECK-LABEL: func.func @neg_neg_planned(
func.func @neg_neg_planned(%x: !t) -> (!t, !t, !t, !t) {
  // CHECK-NEXT: %[[N:.*]] = spyre.neg %{{.*}} : tensor
  // CHECK-NEXT: spyre.neg %[[N]] place lx 0
  // CHECK-NEXT: spyre.neg %[[N]] tile [0: "A" in 2]
  // CHECK-NEXT: %[[P:.*]] = spyre.neg %{{.*}} place lx 0
  // CHECK-NEXT: spyre.neg %[[P]] : tensor
  // CHECK-NEXT: %[[T:.*]] = spyre.neg %{{.*}} tile [0: "A" in 2]
  // CHECK-NEXT: spyre.neg %[[T]] : tensor
  %0 = spyre.neg %x : !t
  %1 = spyre.neg %0 place lx 0 : !t
  %2 = spyre.neg %0 tile [0: "A" in 2] : !t
  %3 = spyre.neg %x place lx 0 : !t
  %4 = spyre.neg %3 : !t
  %5 = spyre.neg %x tile [0: "A" in 2] : !t
  %6 = spyre.neg %5 : !t
  return %1, %2, %4, %6 : !t, !t, !t, !t
}

//===----------------------------------------------------------------------===//
// f(x, x) = x, and a choice between x and x
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @same_operands(
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor
func.func @same_operands(%x: !t, %c: tensor<64x64xi1, #stick>) -> (!t, !t, !t) {
  // CHECK-NEXT: return %[[X]], %[[X]], %[[X]]
  %0 = spyre.maximum %x, %x : !t
  %1 = spyre.minimum %x, %x : !t
  %2 = spyre.where3 %c, %x, %x : (tensor<64x64xi1, #stick>, !t, !t) -> !t
  return %0, %1, %2 : !t, !t, !t
}

// CHECK-LABEL: func.func @same_operands_planned(
func.func @same_operands_planned(%x: !t, %c: tensor<64x64xi1, #stick>) -> (!t, !t, !t, !t, !t, !t) {
  // CHECK-NEXT: spyre.maximum {{.*}} place lx 0
  // CHECK-NEXT: spyre.minimum {{.*}} place lx 0
  // CHECK-NEXT: spyre.where3 {{.*}} place lx 0
  // CHECK-NEXT: spyre.maximum {{.*}} tile [0: "A" in 2]
  // CHECK-NEXT: spyre.minimum {{.*}} tile [0: "A" in 2]
  // CHECK-NEXT: spyre.where3 {{.*}} tile [0: "A" in 2]
  %0 = spyre.maximum %x, %x place lx 0 : !t
  %1 = spyre.minimum %x, %x place lx 0 : !t
  %2 = spyre.where3 %c, %x, %x place lx 0 : (tensor<64x64xi1, #stick>, !t, !t) -> !t
  %3 = spyre.maximum %x, %x tile [0: "A" in 2] : !t
  %4 = spyre.minimum %x, %x tile [0: "A" in 2] : !t
  %5 = spyre.where3 %c, %x, %x tile [0: "A" in 2] : (tensor<64x64xi1, #stick>, !t, !t) -> !t
  return %0, %1, %2, %3, %4, %5 : !t, !t, !t, !t, !t, !t
}

// A broadcast is not nothing.
// CHECK-LABEL: func.func @same_operands_broadcast(
func.func @same_operands_broadcast(%x: tensor<1x64xf16>, %c: tensor<8x64xi1>) -> tensor<8x64xf16> {
  // CHECK-NEXT: spyre.where3
  %0 = spyre.where3 %c, %x, %x : (tensor<8x64xi1>, tensor<1x64xf16>, tensor<1x64xf16>) -> tensor<8x64xf16>
  return %0 : tensor<8x64xf16>
}

//===----------------------------------------------------------------------===//
// Moves that go nowhere
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @moves(
// CHECK-SAME: %[[X:.*]]: tensor
func.func @moves(%x: !t) -> (!t, !t) {
  // CHECK-NEXT: return %[[X]], %[[X]]
  %0 = spyre.copy %x : !t
  %1 = spyre.restickify %x : !t
  return %0, %1 : !t, !t
}

// CHECK-LABEL: func.func @moves_planned(
func.func @moves_planned(%x: !t) -> (!t, !t, !t, !t) {
  // CHECK-NEXT: spyre.copy {{.*}} place lx 0
  // CHECK-NEXT: spyre.restickify {{.*}} place lx 0
  // CHECK-NEXT: spyre.copy {{.*}} tile [0: "A" in 2]
  // CHECK-NEXT: spyre.restickify {{.*}} tile [0: "A" in 2]
  %0 = spyre.copy %x place lx 0 : !t
  %1 = spyre.restickify %x place lx 0 : !t
  %2 = spyre.copy %x tile [0: "A" in 2] : !t
  %3 = spyre.restickify %x tile [0: "A" in 2] : !t
  return %0, %1, %2, %3 : !t, !t, !t, !t
}

// CHECK-LABEL: func.func @moves_somewhere(
func.func @moves_somewhere(%x: !t) -> (tensor<64x64xf16, #padded>, tensor<64x64xf16, #cols>) {
  // CHECK-NEXT: spyre.copy
  // CHECK-NEXT: spyre.restickify
  %0 = spyre.copy %x : (!t) -> tensor<64x64xf16, #padded>
  %1 = spyre.restickify %x : (!t) -> tensor<64x64xf16, #cols>
  return %0, %1 : tensor<64x64xf16, #padded>, tensor<64x64xf16, #cols>
}

//===----------------------------------------------------------------------===//
// Permutations
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @permute_identity(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor
func.func @permute_identity(%x: !t, %s: tensor<f16>) -> (!t, tensor<f16>) {
  // CHECK-NEXT: return %[[X]], %{{.*}}
  %0 = spyre.permute %x [0, 1] : !t to !t
  %1 = spyre.permute %s [] : tensor<f16> to tensor<f16>
  return %0, %1 : !t, tensor<f16>
}

// An exchange of equal extents is no identity, and neither is one that leaves the layout open.
// CHECK-LABEL: func.func @permute_kept(
func.func @permute_kept(%x: !t, %y: tensor<64x64xf16>) -> (tensor<64x64xf16, #cols>, tensor<64x64xf16>, tensor<64x64xf16>) {
  // CHECK-NEXT: spyre.permute %{{.*}} [1, 0] : tensor<64x64xf16, #{{.*}}> to tensor<64x64xf16, #{{.*}}>
  // CHECK-NEXT: spyre.permute %{{.*}} [1, 0] : tensor<64x64xf16> to tensor<64x64xf16>
  // CHECK-NEXT: spyre.permute %{{.*}} [0, 1] : tensor<64x64xf16, #{{.*}}> to tensor<64x64xf16>
  %0 = spyre.permute %x [1, 0] : !t to tensor<64x64xf16, #cols>
  %1 = spyre.permute %y [1, 0] : tensor<64x64xf16> to tensor<64x64xf16>
  %2 = spyre.permute %x [0, 1] : !t to tensor<64x64xf16>
  return %0, %1, %2 : tensor<64x64xf16, #cols>, tensor<64x64xf16>, tensor<64x64xf16>
}

// There and back.
// CHECK-LABEL: func.func @permute_back(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor
func.func @permute_back(%x: !t) -> !t {
  // CHECK-NEXT: return %[[X]]
  %0 = spyre.permute %x [1, 0] : !t to tensor<64x64xf16, #cols>
  %1 = spyre.permute %0 [1, 0] : tensor<64x64xf16, #cols> to !t
  return %1 : !t
}

// Two become one. [1, 2, 0] of [0, 2, 1] takes dimensions 2, 1 and 0 of the source; the other way around it is [1, 0, 2].
// CHECK-LABEL: func.func @permute_of_permute(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor
func.func @permute_of_permute(%x: tensor<2x3x4xf16>) -> (tensor<4x3x2xf16>, tensor<3x2x4xf16>) {
  // CHECK-NEXT: %[[A:.*]] = spyre.permute %[[X]] [2, 1, 0] : tensor<2x3x4xf16> to tensor<4x3x2xf16>
  // CHECK-NEXT: %[[B:.*]] = spyre.permute %[[X]] [1, 0, 2] : tensor<2x3x4xf16> to tensor<3x2x4xf16>
  // CHECK-NEXT: return %[[A]], %[[B]]
  %0 = spyre.permute %x [0, 2, 1] : tensor<2x3x4xf16> to tensor<2x4x3xf16>
  %1 = spyre.permute %0 [1, 2, 0] : tensor<2x4x3xf16> to tensor<4x3x2xf16>
  %2 = spyre.permute %x [1, 2, 0] : tensor<2x3x4xf16> to tensor<3x4x2xf16>
  %3 = spyre.permute %2 [0, 2, 1] : tensor<3x4x2xf16> to tensor<3x2x4xf16>
  return %1, %3 : tensor<4x3x2xf16>, tensor<3x2x4xf16>
}

// Three turns are none, and a view that somebody else reads stays.
// CHECK-LABEL: func.func @permute_chain(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor
func.func @permute_chain(%x: tensor<2x3x4xf16>) -> (tensor<2x3x4xf16>, tensor<3x4x2xf16>) {
  // CHECK-NEXT: %[[A:.*]] = spyre.permute %[[X]] [1, 2, 0]
  // CHECK-NEXT: return %[[X]], %[[A]]
  %0 = spyre.permute %x [1, 2, 0] : tensor<2x3x4xf16> to tensor<3x4x2xf16>
  %1 = spyre.permute %0 [1, 2, 0] : tensor<3x4x2xf16> to tensor<4x2x3xf16>
  %2 = spyre.permute %1 [1, 2, 0] : tensor<4x2x3xf16> to tensor<2x3x4xf16>
  return %2, %0 : tensor<2x3x4xf16>, tensor<3x4x2xf16>
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

// Fills are constants: equal ones become one, at the start of the function, and
// they are the right operand where the order does not matter.
// CHECK-LABEL: func.func @fills(
// CHECK-SAME: %[[X:.*]]: tensor
func.func @fills(%x: !t) -> (!t, !t) {
  // CHECK-NEXT: %[[C:.*]] = spyre.fill dense<1.000000e+00>
  // CHECK-NEXT: %[[E:.*]] = spyre.exp %[[X]]
  // CHECK-NEXT: %[[A:.*]] = spyre.add %[[E]], %[[C]]
  // CHECK-NEXT: %[[S:.*]] = spyre.sub %[[C]], %[[X]]
  // CHECK-NEXT: return %[[A]], %[[S]]
  %e = spyre.exp %x : !t
  %c0 = spyre.fill dense<1.0> : !t
  %a = spyre.add %c0, %e : !t
  %c1 = spyre.fill dense<1.0> : !t
  %s = spyre.sub %c1, %x : !t
  return %a, %s : !t, !t
}

// Fills of other layouts are other constants.
// CHECK-LABEL: func.func @fills_of_two_layouts(
func.func @fills_of_two_layouts() -> (!t, tensor<64x64xf16, #cols>) {
  // CHECK-COUNT-2: spyre.fill
  %0 = spyre.fill dense<1.0> : !t
  %1 = spyre.fill dense<1.0> : tensor<64x64xf16, #cols>
  return %0, %1 : !t, tensor<64x64xf16, #cols>
}

// In a graph region permutations may go round in a circle. They are left alone.

// CHECK-LABEL: module @circle
module @circle {
  %0 = spyre.permute %1 [1, 0] : tensor<4x8xf16> to tensor<8x4xf16>
  %1 = spyre.permute %0 [1, 0] : tensor<8x4xf16> to tensor<4x8xf16>
}
