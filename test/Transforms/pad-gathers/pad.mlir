// RUN: split-file %s %t
// RUN: spyre-opt %t/single.mlir --spyre-pad-gathers | FileCheck %t/single.mlir
// RUN: spyre-opt %t/others.mlir --spyre-pad-gathers | FileCheck %t/others.mlir
// RUN: spyre-run %t/single.mlir --entry rows --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=SAME --implicit-check-not=DIFFER
// RUN: spyre-run %t/single.mlir --entry square --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=SAME --implicit-check-not=DIFFER
// SAME: a bundle, same results on the simulated card

// No document shows a gather by one index, so there are two of them, and the first one's element is taken.

//--- single.mlir
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[I:.*]]: tensor<1xi32>, %[[T:.*]]: tensor<320x64xf16>
func.func @rows(%i: tensor<1xi32>, %t: tensor<320x64xf16>) -> tensor<1x64xf16> {
  // CHECK: %[[TWO:.*]] = spyre.copy %[[I]] : (tensor<1xi32>) -> tensor<2xi32>
  // CHECK: %[[ROWS:.*]] = spyre.gather %[[TWO]], %[[T]] dim 0 : (tensor<2xi32>, tensor<320x64xf16>) -> tensor<2x64xf16>
  // CHECK: %[[ROW:.*]] = tensor.extract_slice %[[ROWS]][0, 0] [1, 64] [1, 1] : tensor<2x64xf16> to tensor<1x64xf16>
  %r = spyre.gather %i, %t dim 0 : (tensor<1xi32>, tensor<320x64xf16>) -> tensor<1x64xf16>
  // CHECK: return %[[ROW]]
  return %r : tensor<1x64xf16>
}

// The last dimension of several is doubled.
// CHECK-LABEL: func.func @square(
func.func @square(%i: tensor<1x1xi32>, %t: tensor<4x20x64xf16>) -> tensor<4x1x1x64xf16> {
  // CHECK: spyre.gather %{{.*}}, %{{.*}} dim 1 : (tensor<1x2xi32>, tensor<4x20x64xf16>) -> tensor<4x1x2x64xf16>
  // CHECK: tensor.extract_slice %{{.*}}[0, 0, 0, 0] [4, 1, 1, 64] [1, 1, 1, 1]
  %r = spyre.gather %i, %t dim 1 : (tensor<1x1xi32>, tensor<4x20x64xf16>) -> tensor<4x1x1x64xf16>
  return %r : tensor<4x1x1x64xf16>
}

//--- others.mlir
#one = #spyre.layout<(d0) -> (d0 floordiv 32, d0 mod 32)>
// CHECK-LABEL: func.func @several(
// CHECK-NOT: spyre.copy
func.func @several(%i: tensor<3xi32>, %t: tensor<320x64xf16>) -> tensor<3x64xf16> {
  // CHECK: spyre.gather %{{.*}}, %{{.*}} dim 0 : (tensor<3xi32>, tensor<320x64xf16>) -> tensor<3x64xf16>
  %r = spyre.gather %i, %t dim 0 : (tensor<3xi32>, tensor<320x64xf16>) -> tensor<3x64xf16>
  return %r : tensor<3x64xf16>
}

// CHECK-LABEL: func.func @with_a_layout(
// CHECK-NOT: spyre.copy
func.func @with_a_layout(%i: tensor<1xi32, #one>, %t: tensor<320x64xf16>) -> tensor<1x64xf16> {
  // CHECK: spyre.gather %{{.*}}, %{{.*}} dim 0
  %r = spyre.gather %i, %t dim 0 : (tensor<1xi32, #one>, tensor<320x64xf16>) -> tensor<1x64xf16>
  return %r : tensor<1x64xf16>
}
