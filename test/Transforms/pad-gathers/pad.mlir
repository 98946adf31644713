// RUN: split-file %s %t
// RUN: spyre-opt %t/single.mlir --spyre-pad-gathers | FileCheck %t/single.mlir
// RUN: spyre-opt %t/others.mlir --spyre-pad-gathers | FileCheck %t/others.mlir
// RUN: spyre-run %t/single.mlir --entry rows --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=SAME --implicit-check-not=DIFFER
// RUN: spyre-run %t/single.mlir --entry square --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=SAME --implicit-check-not=DIFFER
// RUN: spyre-opt %t/cut.mlir --spyre-pad-gathers | FileCheck %t/cut.mlir
// RUN: spyre-run %t/cut.mlir --entry cut --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=SAME --implicit-check-not=DIFFER
// RUN: spyre-run %t/cut.mlir --entry one_left --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=SAME --implicit-check-not=DIFFER
// RUN: spyre-run %t/cut.mlir --entry inner --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=SAME --implicit-check-not=DIFFER
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

//--- cut.mlir
// A core has whole sticks of 32 indices, or less than one (K44): what follows the last whole stick is a gather of its own.
// CHECK-LABEL: func.func @cut(
// CHECK-SAME: %[[I:.*]]: tensor<40xi32>, %[[T:.*]]: tensor<320x64xf16>
func.func @cut(%i: tensor<40xi32>, %t: tensor<320x64xf16>) -> tensor<40x64xf16> {
  // CHECK: %[[EMPTY:.*]] = spyre.empty : tensor<40x64xf16>
  // CHECK: %[[STICK:.*]] = tensor.extract_slice %[[I]][0] [32] [1]
  // CHECK: %[[FIRST:.*]] = spyre.gather %[[STICK]], %[[T]] dim 0 : (tensor<32xi32>, tensor<320x64xf16>) -> tensor<32x64xf16>
  // CHECK: %[[HALF:.*]] = tensor.insert_slice %[[FIRST]] into %[[EMPTY]][0, 0] [32, 64] [1, 1]
  // CHECK: %[[REST:.*]] = tensor.extract_slice %[[I]][32] [8] [1]
  // CHECK: %[[LAST:.*]] = spyre.gather %[[REST]], %[[T]] dim 0 : (tensor<8xi32>, tensor<320x64xf16>) -> tensor<8x64xf16>
  // CHECK: %[[ALL:.*]] = tensor.insert_slice %[[LAST]] into %[[HALF]][32, 0] [8, 64] [1, 1]
  // CHECK: return %[[ALL]]
  %r = spyre.gather %i, %t dim 0 : (tensor<40xi32>, tensor<320x64xf16>) -> tensor<40x64xf16>
  return %r : tensor<40x64xf16>
}

// The one that is left is doubled in turn.
// CHECK-LABEL: func.func @one_left(
func.func @one_left(%i: tensor<33xi32>, %t: tensor<320x64xf16>) -> tensor<33x64xf16> {
  // CHECK: spyre.gather %{{.*}} : (tensor<32xi32>, tensor<320x64xf16>) -> tensor<32x64xf16>
  // CHECK: %[[ONE:.*]] = tensor.extract_slice %{{.*}}[32] [1] [1]
  // CHECK: %[[TWO:.*]] = spyre.copy %[[ONE]] : (tensor<1xi32>) -> tensor<2xi32>
  // CHECK: %[[ROWS:.*]] = spyre.gather %[[TWO]], %{{.*}} dim 0 : (tensor<2xi32>, tensor<320x64xf16>) -> tensor<2x64xf16>
  // CHECK: %[[ROW:.*]] = tensor.extract_slice %[[ROWS]][0, 0] [1, 64] [1, 1]
  // CHECK: tensor.insert_slice %[[ROW]] into %{{.*}}[32, 0] [1, 64] [1, 1]
  %r = spyre.gather %i, %t dim 0 : (tensor<33xi32>, tensor<320x64xf16>) -> tensor<33x64xf16>
  return %r : tensor<33x64xf16>
}

// The last dimension of several indices is cut, which is not the first one of the result.
// CHECK-LABEL: func.func @inner(
func.func @inner(%i: tensor<3x100xi32>, %t: tensor<4x20x64xf16>) -> tensor<4x3x100x64xf16> {
  // CHECK: spyre.gather %{{.*}} dim 1 : (tensor<3x96xi32>, tensor<4x20x64xf16>) -> tensor<4x3x96x64xf16>
  // CHECK: tensor.insert_slice %{{.*}}[0, 0, 0, 0] [4, 3, 96, 64]
  // CHECK: spyre.gather %{{.*}} dim 1 : (tensor<3x4xi32>, tensor<4x20x64xf16>) -> tensor<4x3x4x64xf16>
  // CHECK: tensor.insert_slice %{{.*}}[0, 0, 96, 0] [4, 3, 4, 64]
  %r = spyre.gather %i, %t dim 1 : (tensor<3x100xi32>, tensor<4x20x64xf16>) -> tensor<4x3x100x64xf16>
  return %r : tensor<4x3x100x64xf16>
}

// Whole sticks stay as they are.
// CHECK-LABEL: func.func @whole(
// CHECK-NOT: tensor.extract_slice
func.func @whole(%i: tensor<64xi32>, %t: tensor<320x64xf16>) -> tensor<64x64xf16> {
  // CHECK: spyre.gather %{{.*}} dim 0 : (tensor<64xi32>, tensor<320x64xf16>) -> tensor<64x64xf16>
  %r = spyre.gather %i, %t dim 0 : (tensor<64xi32>, tensor<320x64xf16>) -> tensor<64x64xf16>
  return %r : tensor<64x64xf16>
}
