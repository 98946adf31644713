// RUN: spyre-opt %s --spyre-choose-tiles=goal=span | FileCheck %s
// RUN: spyre-opt %s --spyre-choose-tiles=goal=traffic | FileCheck %s --check-prefix=TRAFFIC
// RUN: spyre-opt %s --spyre-choose-tiles=goal=traffic,span | FileCheck %s --check-prefix=BOTH
// RUN: spyre-opt %s --spyre-choose-tiles -o %t.default.mlir
// RUN: spyre-opt %s --spyre-choose-tiles=goal=traffic,span | diff %t.default.mlir -

// Operations with tensors of which a core would reach further than 65535 * 4096 bytes.

!t = tensor<1x8195x256x64xf16>

// CHECK-LABEL: func.func @example(
// CHECK: spyre.add %{{.*}} tile [10000: "auto0" in 5] {spyre.dims = ["_untracked_1", "auto0", "_untracked_256", "_untracked_64"]} :
// TRAFFIC-LABEL: func.func @example(
// TRAFFIC-NOT: tile
// BOTH-LABEL: func.func @example(
// BOTH: spyre.add %{{.*}} tile [10000: "auto0" in 5]
func.func @example(%a: !t, %b: !t) -> !t {
  %x = spyre.add %a, %b : !t
  return %x : !t
}

// Pointwise operations in a row are one group. With traffic, the value between them also fits into the scratchpads.
// CHECK-LABEL: func.func @neighbours(
// CHECK: spyre.add %{{.*}} tile [10000: "H" in 5] :
// CHECK: spyre.exp %{{.*}} tile [10000: "H" in 5] :
// TRAFFIC-LABEL: func.func @neighbours(
// TRAFFIC: spyre.add %{{.*}} tile [10000: "W" in 8] :
// TRAFFIC: spyre.exp %{{.*}} tile [10000: "W" in 8] :
// BOTH-LABEL: func.func @neighbours(
// BOTH: spyre.add %{{.*}} tile [10000: "H" in 5, 10001: "W" in 2] :
// BOTH: spyre.exp %{{.*}} tile [10000: "H" in 5, 10001: "W" in 2] :
func.func @neighbours(%a: !t {spyre.dims = ["N", "H", "W", "C"]}, %b: !t) -> !t {
  %x = spyre.add %a, %b : !t
  %y = spyre.exp %x : !t
  return %y : !t
}

// An operation between them that fits is in no group; what is behind it, in another.
// CHECK-LABEL: func.func @between(
// CHECK: spyre.neg %{{.*}} tile [10000: "auto0" in 5]
// CHECK: spyre.exp %{{[^ ]*}} : tensor<64x64xf16>
// CHECK: spyre.abs %{{.*}} tile [10001: "auto1" in 5]
func.func @between(%a: !t, %c: tensor<64x64xf16>) -> (!t, tensor<64x64xf16>) {
  %x = spyre.neg %a : !t
  %z = spyre.exp %c : tensor<64x64xf16>
  %y = spyre.abs %x : !t
  return %y, %z : !t, tensor<64x64xf16>
}

// Other tiles are another group: 8196 in 2 is within the limit.
// CHECK-LABEL: func.func @others(
// CHECK: spyre.neg %{{.*}} tile [10000: "auto0" in 5]
// CHECK: spyre.abs %{{.*}} tile [10001: "auto1" in 2]
func.func @others(%a: !t, %b: tensor<1x8196x256x64xf16>) -> (!t, tensor<1x8196x256x64xf16>) {
  %x = spyre.neg %a : !t
  %y = spyre.abs %b : tensor<1x8196x256x64xf16>
  return %x, %y : !t, tensor<1x8196x256x64xf16>
}

// 8190 rows are within the limit.
// CHECK-LABEL: func.func @within(
// CHECK-NOT: tile
func.func @within(%a: tensor<1x8190x256x64xf16>) -> tensor<1x8190x256x64xf16> {
  %x = spyre.exp %a : tensor<1x8190x256x64xf16>
  return %x : tensor<1x8190x256x64xf16>
}
