// The counter after a loop that counts: the first value that is not below the bound, or its start where there is no iteration.

// RUN: spyre-opt %s --spyre-uplift-loops --canonicalize | FileCheck %s
// RUN: spyre-opt %s --spyre-uplift-loops -o %t.mlir
// RUN: spyre-run %s --entry constant --integers 9 --random-seed 1 | FileCheck %s --check-prefix=CONSTANT
// RUN: spyre-run %s --entry constant --integers 9 --random-seed 1 --compare %t.mlir | FileCheck %s --check-prefix=SAME
// RUN: for seed in 1 2 3 4 5 6 7 8; do spyre-run %s --entry computed --integers 9 --random-seed $seed --compare %t.mlir | FileCheck %s --check-prefix=SAME; done
// RUN: for seed in 1 2 3 4 5 6 7 8; do spyre-run %s --entry swapped --integers 9 --random-seed $seed --compare %t.mlir | FileCheck %s --check-prefix=SAME; done
// RUN: for seed in 1 2 3 4; do spyre-run %s --entry not_above --integers 9 --random-seed $seed --compare %t.mlir | FileCheck %s --check-prefix=SAME; done
// RUN: for seed in 1 2 3 4; do spyre-run %s --entry down --integers 9 --random-seed $seed --compare %t.mlir | FileCheck %s --check-prefix=SAME; done
// RUN: spyre-run %s --entry far --integers 9 --random-seed 1 --compare %t.mlir | FileCheck %s --check-prefix=SAME
// SAME: result 0: 0 of 1 elements differ
// SAME-NEXT: result 1: 0 of 1 elements differ

// CHECK-LABEL: func.func @constant(
// CHECK: %[[LAST:.*]] = arith.constant dense<11> : tensor<1xi32>
// CHECK: scf.for
// CHECK: return %[[LAST]]
// CONSTANT: result 0: tensor<1xi32> [11]
func.func @constant(%x: tensor<1xi32>) -> (tensor<1xi32>, tensor<1xi32>) {
  %start = arith.constant 2 : i32
  %step = arith.constant 3 : i32
  %end = arith.constant 10 : i32
  %0:2 = scf.while (%i = %start, %t = %x) : (i32, tensor<1xi32>) -> (i32, tensor<1xi32>) {
    %go = arith.cmpi slt, %i, %end : i32
    scf.condition(%go) %i, %t : i32, tensor<1xi32>
  } do {
  ^bb0(%i: i32, %t: tensor<1xi32>):
    %next = arith.addi %i, %step : i32
    %u = func.call @add(%t, %i) : (tensor<1xi32>, i32) -> tensor<1xi32>
    scf.yield %next, %u : i32, tensor<1xi32>
  }
  %1 = tensor.from_elements %0#0 : tensor<1xi32>
  return %1, %0#1 : tensor<1xi32>, tensor<1xi32>
}

// A computed bound, at or below the start or above it.
// CHECK-LABEL: func.func @computed(
// CHECK: scf.for
// CHECK-NOT: scf.while
func.func @computed(%x: tensor<1xi32>, %bound: tensor<1xi32>) -> (tensor<1xi32>, tensor<1xi32>) {
  %c0 = arith.constant 0 : index
  %start = arith.constant -2 : i32
  %step = arith.constant 4 : i32
  %end = tensor.extract %bound[%c0] : tensor<1xi32>
  %0:2 = scf.while (%i = %start, %t = %x) : (i32, tensor<1xi32>) -> (i32, tensor<1xi32>) {
    %go = arith.cmpi slt, %i, %end : i32
    scf.condition(%go) %i, %t : i32, tensor<1xi32>
  } do {
  ^bb0(%i: i32, %t: tensor<1xi32>):
    %next = arith.addi %i, %step : i32
    %u = func.call @add(%t, %i) : (tensor<1xi32>, i32) -> tensor<1xi32>
    scf.yield %next, %u : i32, tensor<1xi32>
  }
  %1 = tensor.from_elements %0#0 : tensor<1xi32>
  return %1, %0#1 : tensor<1xi32>, tensor<1xi32>
}

// The bound on the left, and a start that is computed.
// CHECK-LABEL: func.func @swapped(
// CHECK: scf.for
func.func @swapped(%x: tensor<1xi32>, %first: tensor<1xi32>) -> (tensor<1xi32>, tensor<1xi32>) {
  %c0 = arith.constant 0 : index
  %start = tensor.extract %first[%c0] : tensor<1xi32>
  %step = arith.constant 2 : i32
  %end = arith.constant 3 : i32
  %0:2 = scf.while (%i = %start, %t = %x) : (i32, tensor<1xi32>) -> (i32, tensor<1xi32>) {
    %go = arith.cmpi sgt, %end, %i : i32
    scf.condition(%go) %i, %t : i32, tensor<1xi32>
  } do {
  ^bb0(%i: i32, %t: tensor<1xi32>):
    %next = arith.addi %step, %i : i32
    %u = func.call @add(%t, %i) : (tensor<1xi32>, i32) -> tensor<1xi32>
    scf.yield %next, %u : i32, tensor<1xi32>
  }
  %1 = tensor.from_elements %0#0 : tensor<1xi32>
  return %1, %0#1 : tensor<1xi32>, tensor<1xi32>
}

// Other comparisons, and steps below zero, stay as they are.
// CHECK-LABEL: func.func @not_above(
// CHECK: scf.while
func.func @not_above(%x: tensor<1xi32>, %bound: tensor<1xi32>) -> (tensor<1xi32>, tensor<1xi32>) {
  %c0 = arith.constant 0 : index
  %start = arith.constant -2 : i32
  %step = arith.constant 1 : i32
  %end = tensor.extract %bound[%c0] : tensor<1xi32>
  %0:2 = scf.while (%i = %start, %t = %x) : (i32, tensor<1xi32>) -> (i32, tensor<1xi32>) {
    %go = arith.cmpi sle, %i, %end : i32
    scf.condition(%go) %i, %t : i32, tensor<1xi32>
  } do {
  ^bb0(%i: i32, %t: tensor<1xi32>):
    %next = arith.addi %i, %step : i32
    %u = func.call @add(%t, %i) : (tensor<1xi32>, i32) -> tensor<1xi32>
    scf.yield %next, %u : i32, tensor<1xi32>
  }
  %1 = tensor.from_elements %0#0 : tensor<1xi32>
  return %1, %0#1 : tensor<1xi32>, tensor<1xi32>
}

// CHECK-LABEL: func.func @down(
// CHECK: scf.while
func.func @down(%x: tensor<1xi32>, %bound: tensor<1xi32>) -> (tensor<1xi32>, tensor<1xi32>) {
  %c0 = arith.constant 0 : index
  %start = arith.constant 5 : i32
  %step = arith.constant -2 : i32
  %end = tensor.extract %bound[%c0] : tensor<1xi32>
  %0:2 = scf.while (%i = %start, %t = %x) : (i32, tensor<1xi32>) -> (i32, tensor<1xi32>) {
    %go = arith.cmpi slt, %end, %i : i32
    scf.condition(%go) %i, %t : i32, tensor<1xi32>
  } do {
  ^bb0(%i: i32, %t: tensor<1xi32>):
    %next = arith.addi %i, %step : i32
    %u = func.call @add(%t, %i) : (tensor<1xi32>, i32) -> tensor<1xi32>
    scf.yield %next, %u : i32, tensor<1xi32>
  }
  %1 = tensor.from_elements %0#0 : tensor<1xi32>
  return %1, %0#1 : tensor<1xi32>, tensor<1xi32>
}

// The distance of the bounds has one bit more than they have.
// CHECK-LABEL: func.func @far(
// CHECK: scf.for
func.func @far(%x: tensor<1xi8>) -> (tensor<1xi8>, tensor<1xi8>) {
  %start = arith.constant -128 : i8
  %step = arith.constant 5 : i8
  %end = arith.constant 120 : i8
  %0:2 = scf.while (%i = %start, %t = %x) : (i8, tensor<1xi8>) -> (i8, tensor<1xi8>) {
    %go = arith.cmpi slt, %i, %end : i8
    scf.condition(%go) %i, %t : i8, tensor<1xi8>
  } do {
  ^bb0(%i: i8, %t: tensor<1xi8>):
    %next = arith.addi %i, %step : i8
    %c0 = arith.constant 0 : index
    %e = tensor.extract %t[%c0] : tensor<1xi8>
    %s = arith.addi %e, %i : i8
    %u = tensor.from_elements %s : tensor<1xi8>
    scf.yield %next, %u : i8, tensor<1xi8>
  }
  %1 = tensor.from_elements %0#0 : tensor<1xi8>
  return %1, %0#1 : tensor<1xi8>, tensor<1xi8>
}

func.func private @add(%t: tensor<1xi32>, %i: i32) -> tensor<1xi32> {
  %c0 = arith.constant 0 : index
  %e = tensor.extract %t[%c0] : tensor<1xi32>
  %s = arith.addi %e, %i : i32
  %u = tensor.from_elements %s : tensor<1xi32>
  return %u : tensor<1xi32>
}
