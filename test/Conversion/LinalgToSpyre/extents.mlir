// Shapes that are computed: the extents follow from the operations that read the reshaped tensor.

// RUN: spyre-opt %s --pass-pipeline='builtin.module(func.func(spyre-infer-extents))' --split-input-file | FileCheck %s
// RUN: spyre-run %s --entry axis --input %S/Inputs/planes.npy --input %S/Inputs/one.npy --expect %S/Inputs/planes_summed.npy 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry axis --on=card --input %S/Inputs/planes.npy --input %S/Inputs/one.npy --expect %S/Inputs/planes_summed.npy 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: not spyre-run %s --entry axis --input %S/Inputs/planes.npy --input %S/Inputs/zero.npy 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not spyre-run %s --entry not_determined --input %S/Inputs/planes.npy --input %S/Inputs/one.npy 2>&1 | FileCheck %s --check-prefix=REFUSED
// SAME: result 0: 0 of 8 elements differ
// OTHER: error: {{.*}}extents.mlir:[[#@LINE+22]]:8: an assertion of the program does not hold: dimension 0 of the reshape must have the extent 2
// REFUSED: extents.mlir:[[#@LINE+42]]:8: error: 'tensor.reshape' is not compiled for the CPU

#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#kept = affine_map<(d0, d1, d2) -> (d0, d2)>

// A sum whose axis is an input: the tensor of 2 x 3 x 4 is read as 1 x 6 x 4 for axis 0, and the result says that it is 2 x 3 x 4.
// CHECK-LABEL: func.func @axis(
// CHECK-SAME:    %[[X:.+]]: tensor<2x3x4xf32>
// CHECK:         cf.assert %{{.+}}, "dimension 0 of the reshape must have the extent 2"
// CHECK:         cf.assert %{{.+}}, "dimension 1 of the reshape must have the extent 3"
// CHECK:         cf.assert %{{.+}}, "dimension 2 of the reshape must have the extent 4"
// CHECK-NOT:     tensor.reshape
// CHECK:         linalg.generic {{.*}} ins(%[[X]] : tensor<2x3x4xf32>)
func.func @axis(%x: tensor<2x3x4xf32>, %axis: tensor<1xi64>) -> tensor<2x4xf32> {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i64
  %three = arith.constant 3 : i64
  %four = arith.constant 4 : i64
  %at = tensor.extract %axis[%c0] : tensor<1xi64>
  %rows = arith.addi %at, %one : i64
  %shape = tensor.from_elements %rows, %three, %four : tensor<3xi64>
  %r = tensor.reshape %x(%shape) : (tensor<2x3x4xf32>, tensor<3xi64>) -> tensor<?x?x?xf32>
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<2x4xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<2x4xf32>) -> tensor<2x4xf32>
  %y = linalg.generic {indexing_maps = [#all, #kept], iterator_types = ["parallel", "reduction", "parallel"]} ins(%r : tensor<?x?x?xf32>) outs(%1 : tensor<2x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %out, %in : f32
    linalg.yield %s : f32
  } -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// Two extents that nothing says.
// CHECK-LABEL: func.func @not_determined(
// CHECK:         tensor.reshape
func.func @not_determined(%x: tensor<2x3x4xf32>, %axis: tensor<1xi64>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %four = arith.constant 4 : i64
  %shape = tensor.from_elements %two, %three, %four : tensor<3xi64>
  %r = tensor.reshape %x(%shape) : (tensor<2x3x4xf32>, tensor<3xi64>) -> tensor<?x?x?xf32>
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<4xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#all, affine_map<(d0, d1, d2) -> (d2)>], iterator_types = ["reduction", "reduction", "parallel"]} ins(%r : tensor<?x?x?xf32>) outs(%1 : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %out, %in : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// One extent is what the number of elements leaves; other users read the tensor as it was.
// CHECK-LABEL: func.func @other_users(
// CHECK:         %[[R:.+]] = tensor.collapse_shape %{{.+}} {{\[}}[0, 1], [2]] : tensor<2x3x4xf32> into tensor<6x4xf32>
// CHECK:         %[[OPEN:.+]] = tensor.cast %[[R]] : tensor<6x4xf32> to tensor<?x4xf32>
// CHECK:         tensor.dim %[[OPEN]]
// CHECK:         return %[[OPEN]]
func.func @other_users(%x: tensor<2x3x4xf32>, %shape: tensor<2xindex>) -> (tensor<?x4xf32>, index) {
  %c0 = arith.constant 0 : index
  %r = tensor.reshape %x(%shape) : (tensor<2x3x4xf32>, tensor<2xindex>) -> tensor<?x4xf32>
  %d = tensor.dim %r, %c0 : tensor<?x4xf32>
  return %r, %d : tensor<?x4xf32>, index
}

// -----

// Canonicalization has put a cast between them.
// CHECK-LABEL: func.func @cast(
// CHECK-NOT:     tensor.reshape
// CHECK-NOT:     tensor.cast
// CHECK:         linalg.generic {{.*}} ins(%{{.+}} : tensor<2x3x4xf32>)
func.func @cast(%x: tensor<6x4xf32>, %shape: tensor<3xi64>) -> tensor<2x4xf32> {
  %r = tensor.reshape %x(%shape) : (tensor<6x4xf32>, tensor<3xi64>) -> tensor<?x?x?xf32>
  %c = tensor.cast %r : tensor<?x?x?xf32> to tensor<2x?x4xf32>
  %0 = tensor.empty() : tensor<2x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d2)>], iterator_types = ["parallel", "reduction", "parallel"]} ins(%c : tensor<2x?x4xf32>) outs(%0 : tensor<2x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

// No shape with these extents has so many elements.
// CHECK-LABEL: func.func @too_many(
// CHECK:         tensor.reshape
func.func @too_many(%x: tensor<2x3xf32>, %shape: tensor<2xi64>) -> tensor<?x4xf32> {
  %r = tensor.reshape %x(%shape) : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}
