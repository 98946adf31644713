// Dimensions with dynamic extents: the loop runs up to the extent, in steps of a tile.

// RUN: spyre-opt %s --coarse-tile --split-input-file | FileCheck %s
// RUN: spyre-opt %s --coarse-tile=dry-run --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=PLAN

!t = tensor<?x256xf16>

// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[A:.*]]: tensor<?x256xf16> {spyre.dims = ["S", "D"]}, %[[B:.*]]: tensor<?x256xf16> {spyre.dims = ["S", "D"]}
// CHECK-SAME: S = #spyre.dynamic<granularity = 64, max = 512>
// CHECK-DAG: %[[STEP:.*]] = arith.constant 64 : index
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK: %[[S:.*]] = tensor.dim %[[A]], %[[ZERO]] : tensor<?x256xf16>
// CHECK: %[[INIT:.*]] = spyre.empty(%[[S]]) : tensor<?x256xf16>
// CHECK: %[[Z:.*]] = scf.for %[[I:.*]] = %[[ZERO]] to %[[S]] step %[[STEP]] iter_args(%[[ACC:.*]] = %[[INIT]]) -> (tensor<?x256xf16>) {
// CHECK-NEXT: %[[TA:.*]] = tensor.extract_slice %[[A]][%[[I]], 0] [64, 256] [1, 1] : tensor<?x256xf16> to tensor<64x256xf16>
// CHECK-NEXT: %[[TB:.*]] = tensor.extract_slice %[[B]][%[[I]], 0] [64, 256] [1, 1] : tensor<?x256xf16> to tensor<64x256xf16>
// CHECK-NEXT: %[[Y:.*]] = spyre.add %[[TA]], %[[TB]] : tensor<64x256xf16>
// CHECK-NEXT: %[[TZ:.*]] = spyre.mul %[[Y]], %[[TB]] : tensor<64x256xf16>
// CHECK-NEXT: %[[NEXT:.*]] = tensor.insert_slice %[[TZ]] into %[[ACC]][%[[I]], 0] [64, 256] [1, 1] : tensor<64x256xf16> into tensor<?x256xf16>
// CHECK-NEXT: scf.yield %[[NEXT]]
// CHECK: return %[[Z]] : tensor<?x256xf16>

// PLAN: loop 0: dimension "S" in tiles of 64, at most 8
// PLAN: spyre.add {{ *}}operand 0 {{ *}}argument 0 {{ *}}64x256 {{ *}}?x256 {{ *}}window of the full tensor
func.func @rows(%a: !t {spyre.dims = ["S", "D"]}, %b: !t {spyre.dims = ["S", "D"]}) -> !t
    attributes {spyre.dim_sizes = {D = 256, S = #spyre.dynamic<granularity = 64, max = 512>}} {
  %y = spyre.add %a, %b tile [0: "S" by 64] : !t
  %z = spyre.mul %y, %b tile [0: "S" by 64] : !t
  return %z : !t
}

// -----

// The same dimension twice: the inner tiles are of a tile of fixed extent, and counted.
!t = tensor<?x128xf16>

// CHECK: #[[$OFFSET:.*]] = affine_map<(d0, d1) -> (d0 + d1 * 8)>
// CHECK-LABEL: func.func @twice(
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %c24
// CHECK: scf.for %[[J:.*]] = %c0 to %c3 step %c1
// CHECK: affine.apply #[[$OFFSET]](%[[I]], %[[J]])
// CHECK: spyre.exp %{{.*}} : tensor<8x128xf16>
func.func @twice(%a: !t {spyre.dims = ["S", "D"]}) -> !t
    attributes {spyre.dim_sizes = {D = 128, S = #spyre.dynamic<granularity = 24, max = 72>}} {
  %y = spyre.exp %a tile [0: "S" by 24, 1: "S" by 8] : !t
  return %y : !t
}

// -----

// A reduction over it has an accumulator of fixed extent; a tile that is all of it is a loop still.
// CHECK-LABEL: func.func @reduced(
// CHECK: %[[ZERO:.*]] = spyre.fill dense<0.000000e+00> : tensor<256xf32>
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c160 iter_args(%[[SUM:.*]] = %[[ZERO]]) -> (tensor<256xf32>) {
// CHECK: %[[PART:.*]] = spyre.sum %{{.*}} dims [0] : (tensor<160x256xf32>) -> tensor<256xf32>
// CHECK: spyre.add %[[SUM]], %[[PART]]
func.func @reduced(%a: tensor<?x256xf32> {spyre.dims = ["S", "D"]}) -> tensor<256xf32>
    attributes {spyre.dim_sizes = {D = 256, S = #spyre.dynamic<granularity = 160, max = 160>}} {
  %s = spyre.sum %a dims [0] tile [0: "S" by 160] : (tensor<?x256xf32>) -> tensor<256xf32>
  return %s : tensor<256xf32>
}

// -----

// Two dimensions, of one type: each has a bound of its own.
!t = tensor<?x?xf16>

// CHECK-LABEL: func.func @two_dims(
// CHECK-SAME: %[[A:.*]]: tensor<?x?xf16>
// CHECK-DAG: %[[S:.*]] = tensor.dim %[[A]], %c0
// CHECK-DAG: %[[T:.*]] = tensor.dim %[[A]], %c1
// CHECK: spyre.empty(%[[S]], %[[T]]) : tensor<?x?xf16>
// CHECK: scf.for %{{.*}} = %c0 to %[[S]] step %c4
// CHECK: scf.for %{{.*}} = %c0 to %[[T]] step %c64
// CHECK: tensor<4x64xf16>
func.func @two_dims(%a: !t {spyre.dims = ["S", "T"]}, %b: tensor<?xf16> {spyre.dims = ["T"]}) -> !t
    attributes {spyre.dim_sizes = {S = #spyre.dynamic<granularity = 4, max = 12>, T = #spyre.dynamic<granularity = 64, max = 192>}} {
  %y = spyre.add %a, %b tile [0: "S" by 4, 1: "T" by 64] : (!t, tensor<?xf16>) -> !t
  return %y : !t
}

// -----

// What an outer loop over another dimension makes between its loops has the dynamic extent itself.
// CHECK-LABEL: func.func @between(
// CHECK: scf.for %{{.*}} = %c0 to %c2 step %c1
// CHECK:   spyre.empty(%{{.*}}) : tensor<?x64xf32>
// CHECK:   scf.for %{{.*}} = %c0 to %{{.*}} step %c16
// CHECK:   scf.for %{{.*}} = %c0 to %{{.*}} step %c16
!x = tensor<?x128xf32>
func.func @between(%x: !x {spyre.dims = ["S", "E"]}) -> !x
    attributes {spyre.dim_sizes = {E = 128, S = #spyre.dynamic<granularity = 16, max = 64>}} {
  %e = spyre.abs %x tile [0: "E" in 2, 1: "S" by 16] : !x
  %s = spyre.sum %e dims [0] keepdim tile [0: "E" in 2, 1: "S" by 16] : (!x) -> tensor<1x128xf32>
  %y = spyre.realdiv %e, %s tile [0: "E" in 2, 1: "S" by 16] : (!x, tensor<1x128xf32>) -> !x
  return %y : !x
}

// -----

// only-dynamic leaves other functions for later.
// RUN: spyre-opt %s --coarse-tile=only-dynamic --split-input-file | FileCheck %s --check-prefix=ONLY

// ONLY-LABEL: func.func @rows(
// ONLY: scf.for
// ONLY-LABEL: func.func @fixed(
// ONLY: spyre.exp %{{.*}} tile [0: "A" in 2]
func.func @fixed(%a: tensor<128x64xf16> {spyre.dims = ["A", "B"]}) -> tensor<128x64xf16> {
  %y = spyre.exp %a tile [0: "A" in 2] : tensor<128x64xf16>
  return %y : tensor<128x64xf16>
}
