// Gathers of slices become reads by their coordinates, and scatters a comparison, a search and a gather. What they compute is compared
// with windows at the same places, on the CPU and on the card.

// RUN: spyre-opt %s --spyre-expand-gather-scatter --canonicalize | FileCheck %s
// RUN: spyre-opt %s --spyre-expand-gather-scatter | FileCheck %s --check-prefix=GONE
// RUN: spyre-run %s --entry rows --random-seed 1 --compare %s --compare-entry inserted_rows | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry rows --random-seed 1 --on=card --stats --compare %s --compare-entry inserted_rows 2>&1 | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry pairs --random-seed 2 --compare %s --compare-entry inserted_pairs | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry pairs --random-seed 2 --on=card --stats --compare %s --compare-entry inserted_pairs 2>&1 | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry narrowed --random-seed 3 --float=dl16 --on=card --stats --tolerance 1e-2 --compare %s --compare-entry narrowed 2>&1 | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry integers --random-seed 4 --compare %s --compare-entry inserted_integers | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry nothing --random-seed 5 --compare %s --compare-entry kept | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry gathered --random-seed 6 --compare %s --compare-entry windows | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry gathered --random-seed 6 --on=card --stats --compare %s --compare-entry windows 2>&1 | FileCheck %s --check-prefix=PART
// RUN: not spyre-run %s --entry outside --random-seed 7 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// SAME: result 0: 0 of {{[0-9]+}} elements differ
// CARD: host: 0 elements
// CARD: result 0: 0 of {{[0-9]+}} elements differ
// The host computes the places of slices that have two coordinates, since the card has no arithmetic of integers, and makes the view of
// them, since the card changes sticks of 16 bits only.
// PART-NOT: warning
// PART: device: @gathered_device_0, 128 elements
// PART: result 0: 0 of 128 elements differ

// OUTSIDE: expand.mlir:{{[0-9]+}}:8: offset 8 is outside of the tensor; it may be from 0 to 7

// GONE-NOT: tensor.{{gather|scatter}}

// Rows 5, 0 and 7: the indices have 64 bits, and the chosen dimension stays in the slices.
// CHECK-LABEL: @rows(
// CHECK:         %[[AT:.*]] = linalg.generic {{.*}} outs({{.*}} : tensor<3x1xi32>)
// CHECK:           arith.trunci
// CHECK:         %[[HITS:.*]] = linalg.generic {{.*}} ins(%[[AT]] : tensor<3x1xi32>) outs({{.*}} : tensor<8x3xf16>)
// CHECK:           arith.cmpi eq
// CHECK:           arith.uitofp {{.*}} : i1 to f16
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%[[HITS]] : tensor<8x3xf16>) outs({{.*}} : tensor<8xf16>, tensor<8xi32>)
// CHECK:         linalg.generic
// CHECK:           tensor.extract
// CHECK:           arith.select
func.func @rows(%table: tensor<8x64xf16>, %source: tensor<3x1x64xf16>) -> tensor<8x64xf16> {
  %at = arith.constant dense<[[5], [0], [7]]> : tensor<3x1xi64>
  %0 = tensor.scatter %source into %table[%at] scatter_dims([0]) unique
      : (tensor<3x1x64xf16>, tensor<8x64xf16>, tensor<3x1xi64>) -> tensor<8x64xf16>
  return %0 : tensor<8x64xf16>
}

func.func @inserted_rows(%table: tensor<8x64xf16>, %source: tensor<3x1x64xf16>) -> tensor<8x64xf16> {
  %0 = tensor.extract_slice %source[0, 0, 0] [1, 1, 64] [1, 1, 1] : tensor<3x1x64xf16> to tensor<1x64xf16>
  %1 = tensor.extract_slice %source[1, 0, 0] [1, 1, 64] [1, 1, 1] : tensor<3x1x64xf16> to tensor<1x64xf16>
  %2 = tensor.extract_slice %source[2, 0, 0] [1, 1, 64] [1, 1, 1] : tensor<3x1x64xf16> to tensor<1x64xf16>
  %3 = tensor.insert_slice %0 into %table[5, 0] [1, 64] [1, 1] : tensor<1x64xf16> into tensor<8x64xf16>
  %4 = tensor.insert_slice %1 into %3[0, 0] [1, 64] [1, 1] : tensor<1x64xf16> into tensor<8x64xf16>
  %5 = tensor.insert_slice %2 into %4[7, 0] [1, 64] [1, 1] : tensor<1x64xf16> into tensor<8x64xf16>
  return %5 : tensor<8x64xf16>
}

// Two coordinates of four, and slices that are counted in two dimensions.
// CHECK-LABEL: @pairs(
// CHECK:         linalg.generic {{.*}} outs({{.*}} : tensor<3x4x2xf16>)
// CHECK-COUNT-2: arith.cmpi eq
// CHECK:           arith.andi
func.func @pairs(%table: tensor<3x64x4x2xf16>, %source: tensor<2x1x64x2xf16>) -> tensor<3x64x4x2xf16> {
  %at = arith.constant dense<[[[2, 1]], [[0, 3]]]> : tensor<2x1x2xindex>
  %0 = tensor.scatter %source into %table[%at] scatter_dims([0, 2]) unique
      : (tensor<2x1x64x2xf16>, tensor<3x64x4x2xf16>, tensor<2x1x2xindex>) -> tensor<3x64x4x2xf16>
  return %0 : tensor<3x64x4x2xf16>
}

func.func @inserted_pairs(%table: tensor<3x64x4x2xf16>, %source: tensor<2x1x64x2xf16>) -> tensor<3x64x4x2xf16> {
  %0 = tensor.extract_slice %source[0, 0, 0, 0] [1, 1, 64, 2] [1, 1, 1, 1] : tensor<2x1x64x2xf16> to tensor<64x2xf16>
  %1 = tensor.extract_slice %source[1, 0, 0, 0] [1, 1, 64, 2] [1, 1, 1, 1] : tensor<2x1x64x2xf16> to tensor<64x2xf16>
  %2 = tensor.insert_slice %0 into %table[2, 0, 1, 0] [1, 64, 1, 2] [1, 1, 1, 1] : tensor<64x2xf16> into tensor<3x64x4x2xf16>
  %3 = tensor.insert_slice %1 into %2[0, 0, 3, 0] [1, 64, 1, 2] [1, 1, 1, 1] : tensor<64x2xf16> into tensor<3x64x4x2xf16>
  return %3 : tensor<3x64x4x2xf16>
}

// Floats of 32 bits become narrow, and what finds the slices stays as it is.
// CHECK-LABEL: @narrowed(
func.func @narrowed(%table: tensor<8x64xf32>, %source: tensor<2x64xf32>) -> tensor<8x64xf32> {
  %at = arith.constant dense<[[1], [6]]> : tensor<2x1xi32>
  %0 = tensor.scatter %source into %table[%at] scatter_dims([0]) unique
      : (tensor<2x64xf32>, tensor<8x64xf32>, tensor<2x1xi32>) -> tensor<8x64xf32>
  %1 = tensor.empty() : tensor<8x64xf32>
  %2 = linalg.exp ins(%0 : tensor<8x64xf32>) outs(%1 : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %2 : tensor<8x64xf32>
}

// The CPU has tables of anything.
// CHECK-LABEL: @integers(
func.func @integers(%table: tensor<8xi64>, %source: tensor<1xi64>) -> tensor<8xi64> {
  %at = arith.constant dense<3> : tensor<1x1xi16>
  %0 = tensor.scatter %source into %table[%at] scatter_dims([0]) unique
      : (tensor<1xi64>, tensor<8xi64>, tensor<1x1xi16>) -> tensor<8xi64>
  return %0 : tensor<8xi64>
}

func.func @inserted_integers(%table: tensor<8xi64>, %source: tensor<1xi64>) -> tensor<8xi64> {
  %0 = tensor.insert_slice %source into %table[3] [1] [1] : tensor<1xi64> into tensor<8xi64>
  return %0 : tensor<8xi64>
}

// CHECK-LABEL: @nothing(
// CHECK-NEXT:    return %arg0
func.func @nothing(%table: tensor<8x64xf16>) -> tensor<8x64xf16> {
  %source = tensor.empty() : tensor<0x64xf16>
  %at = arith.constant dense<0> : tensor<0x1xi32>
  %0 = tensor.scatter %source into %table[%at] scatter_dims([0]) unique
      : (tensor<0x64xf16>, tensor<8x64xf16>, tensor<0x1xi32>) -> tensor<8x64xf16>
  return %0 : tensor<8x64xf16>
}

func.func @kept(%table: tensor<8x64xf16>) -> tensor<8x64xf16> {
  return %table : tensor<8x64xf16>
}

// Two coordinates again, of the first dimension and the last, which stay with extent 1.
// CHECK-LABEL: @gathered(
// CHECK:         %[[AT:.*]] = linalg.generic {{.*}} outs({{.*}} : tensor<2x2xi32>)
// CHECK:           arith.index_cast
// CHECK:         linalg.generic {{.*}} ins(%[[AT]], %[[AT]] : tensor<2x2xi32>, tensor<2x2xi32>) outs({{.*}} : tensor<2x64xf16>)
// CHECK:           tensor.extract %arg0
func.func @gathered(%table: tensor<3x64x4xf16>) -> tensor<2x1x64x1xf16> {
  %at = arith.constant dense<[[2, 1], [0, 3]]> : tensor<2x2xindex>
  %0 = tensor.gather %table[%at] gather_dims([0, 2]) : (tensor<3x64x4xf16>, tensor<2x2xindex>) -> tensor<2x1x64x1xf16>
  return %0 : tensor<2x1x64x1xf16>
}

func.func @windows(%table: tensor<3x64x4xf16>) -> tensor<2x1x64x1xf16> {
  %0 = tensor.extract_slice %table[2, 0, 1] [1, 64, 1] [1, 1, 1] : tensor<3x64x4xf16> to tensor<1x64x1xf16>
  %1 = tensor.extract_slice %table[0, 0, 3] [1, 64, 1] [1, 1, 1] : tensor<3x64x4xf16> to tensor<1x64x1xf16>
  %2 = tensor.concat dim(0) %0, %1 : (tensor<1x64x1xf16>, tensor<1x64x1xf16>) -> tensor<2x64x1xf16>
  %3 = tensor.expand_shape %2 [[0, 1], [2], [3]] output_shape [2, 1, 64, 1] : tensor<2x64x1xf16> into tensor<2x1x64x1xf16>
  return %3 : tensor<2x1x64x1xf16>
}

func.func @outside(%table: tensor<8x64xf16>) -> tensor<1x64xf16> {
  %at = arith.constant dense<8> : tensor<1x1xi32>
  %0 = tensor.gather %table[%at] gather_dims([0]) : (tensor<8x64xf16>, tensor<1x1xi32>) -> tensor<1x64xf16>
  return %0 : tensor<1x64xf16>
}
