// The device reduces floats. Integers of 32 bits are combined half by half, which wraps as on the host. The card has no arithmetic of
// integers, so the host combines them, unless the target lists an exception that allows sums.

// RUN: spyre-opt %s --spyre-import-linalg | FileCheck %s
// RUN: spyre-run %s --entry sum --input %S/Inputs/words.npy --on=card --stats --compare %s --compare-entry sum 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: spyre-run %s --entry down --input %S/Inputs/words.npy --on=card --stats --compare %s --compare-entry down 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: spyre-run %s --entry both --input %S/Inputs/words.npy --on=card --stats --compare %s --compare-entry both 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: spyre-run %s --entry extremes --input %S/Inputs/words.npy --on=card --stats --compare %s --compare-entry extremes 2>&1 | FileCheck %s --check-prefixes=HOST,SECOND
// RUN: spyre-run %s --entry product --random-seed 1 --on=card --stats --compare %s --compare-entry product 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: spyre-run %s --entry matmul --random-seed 2 --on=card --stats --compare %s --compare-entry matmul 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: spyre-run %s --entry window --random-seed 3 --on=card --stats --compare %s --compare-entry window 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: spyre-opt %s --spyre-import-linalg=host=true --remarks-filter=spyre-outline-device -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: spyre-opt %s --spyre-set-target='target={exceptions=["int32-arithmetic"]}' -o %t.mlir
// The strict pipeline knows the exceptions of the target. It would be better if --on=card checked its bundles with them as well.
// RUN: spyre-run %t.mlir --entry down --input %S/Inputs/words.npy --check-pipeline='builtin.module(spyre-import-linalg,spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// REMARK-COUNT-6: Function=sum | Reason="'add' computes in SEN169_FP16 or IEEE_FP32, but tensor 0 is IEEE_INT32", Remark="'spyre.add' stays on the host"
// REMARK:         Function=extremes | Reason="'maximum' computes in {{.+}} Remark="'spyre.maximum' stays on the host"
// REMARK:         Function=product | Reason="'mul' computes in {{.+}} Remark="'spyre.mul' stays on the host"
// HOST: host: {{[1-9][0-9]*}} elements
// HOST: 0.0 % of the work is the device's
// HOST: result 0: 0 of {{[0-9]+}} elements differ
// CARD: a bundle, same results on the simulated card
// SECOND: result 1: 0 of 8 elements differ

#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
#none = affine_map<(d0, d1) -> ()>
#left = affine_map<(d0, d1, d2) -> (d0, d2)>
#right = affine_map<(d0, d1, d2) -> (d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>
#line = affine_map<(d0) -> (d0)>

// 64 elements take six additions.
// CHECK-LABEL: func.func @sum(
// CHECK:         spyre.add %{{.+}}, %{{.+}} : tensor<8x32xi32>
// CHECK:         spyre.add %{{.+}}, %{{.+}} : tensor<8x16xi32>
// CHECK:         spyre.add %{{.+}}, %{{.+}} : tensor<8x1xi32>
// CHECK-NOT:     spyre.add
// CHECK-NOT:     spyre.sum
func.func @sum(%x: tensor<8x64xi32>) -> tensor<8xi32> {
  %zero = arith.constant 0 : i32
  %0 = tensor.empty() : tensor<8xi32>
  %1 = linalg.fill ins(%zero : i32) outs(%0 : tensor<8xi32>) -> tensor<8xi32>
  %y = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x64xi32>) outs(%1 : tensor<8xi32>) {
  ^bb0(%in: i32, %so_far: i32):
    %r = arith.addi %so_far, %in : i32
    linalg.yield %r : i32
  } -> tensor<8xi32>
  return %y : tensor<8xi32>
}

// Along the other dimension, from a number on.
// CHECK-LABEL: func.func @down(
func.func @down(%x: tensor<8x64xi32>) -> tensor<64xi32> {
  %start = arith.constant 2147483647 : i32
  %0 = tensor.empty() : tensor<64xi32>
  %1 = linalg.fill ins(%start : i32) outs(%0 : tensor<64xi32>) -> tensor<64xi32>
  %y = linalg.generic {indexing_maps = [#all, #column], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<8x64xi32>) outs(%1 : tensor<64xi32>) {
  ^bb0(%in: i32, %so_far: i32):
    %r = arith.addi %in, %so_far : i32
    linalg.yield %r : i32
  } -> tensor<64xi32>
  return %y : tensor<64xi32>
}

// Along both.
func.func @both(%x: tensor<8x64xi32>) -> tensor<i32> {
  %zero = arith.constant 0 : i32
  %0 = tensor.empty() : tensor<i32>
  %1 = linalg.fill ins(%zero : i32) outs(%0 : tensor<i32>) -> tensor<i32>
  %y = linalg.generic {indexing_maps = [#all, #none], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<8x64xi32>) outs(%1 : tensor<i32>) {
  ^bb0(%in: i32, %so_far: i32):
    %r = arith.addi %so_far, %in : i32
    linalg.yield %r : i32
  } -> tensor<i32>
  return %y : tensor<i32>
}

// The largest and the smallest integer are compared with what they begin with.
func.func @extremes(%x: tensor<8x64xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
  %least = arith.constant -2147483648 : i32
  %most = arith.constant 2147483647 : i32
  %0 = tensor.empty() : tensor<8xi32>
  %1 = linalg.fill ins(%least : i32) outs(%0 : tensor<8xi32>) -> tensor<8xi32>
  %2 = linalg.fill ins(%most : i32) outs(%0 : tensor<8xi32>) -> tensor<8xi32>
  %y:2 = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x64xi32>) outs(%1, %2 : tensor<8xi32>, tensor<8xi32>) {
  ^bb0(%in: i32, %largest: i32, %smallest: i32):
    %r = arith.maxsi %largest, %in : i32
    %s = arith.minsi %smallest, %in : i32
    linalg.yield %r, %s : i32, i32
  } -> (tensor<8xi32>, tensor<8xi32>)
  return %y#0, %y#1 : tensor<8xi32>, tensor<8xi32>
}

// An extent that is odd at every half: 7, 3, 1.
// CHECK-LABEL: func.func @product(
// CHECK-COUNT-4: spyre.mul
// CHECK-NOT:     spyre.mul
func.func @product(%x: tensor<5x7xi32>) -> tensor<5xi32> {
  %one = arith.constant 1 : i32
  %0 = tensor.empty() : tensor<5xi32>
  %1 = linalg.fill ins(%one : i32) outs(%0 : tensor<5xi32>) -> tensor<5xi32>
  %y = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<5x7xi32>) outs(%1 : tensor<5xi32>) {
  ^bb0(%in: i32, %so_far: i32):
    %r = arith.muli %so_far, %in : i32
    linalg.yield %r : i32
  } -> tensor<5xi32>
  return %y : tensor<5xi32>
}

// A matrix product of the device is one of floats.
// CHECK-LABEL: func.func @matmul(
// CHECK-NOT:     spyre.batchmatmul
func.func @matmul(%x: tensor<4x67xi32>, %w: tensor<67x70xi32>) -> tensor<4x70xi32> {
  %zero = arith.constant 0 : i32
  %0 = tensor.empty() : tensor<4x70xi32>
  %1 = linalg.fill ins(%zero : i32) outs(%0 : tensor<4x70xi32>) -> tensor<4x70xi32>
  %y = linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<4x67xi32>, tensor<67x70xi32>) outs(%1 : tensor<4x70xi32>) {
  ^bb0(%a: i32, %b: i32, %so_far: i32):
    %p = arith.muli %a, %b : i32
    %r = arith.addi %so_far, %p : i32
    linalg.yield %r : i32
  } -> tensor<4x70xi32>
  return %y : tensor<4x70xi32>
}

// The positions of a window are added one by one.
func.func @window(%x: tensor<66xi32>, %w: tensor<3xi32>) -> tensor<64xi32> {
  %zero = arith.constant 0 : i32
  %0 = tensor.empty() : tensor<64xi32>
  %1 = linalg.fill ins(%zero : i32) outs(%0 : tensor<64xi32>) -> tensor<64xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0 + d1)>, #column, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %w : tensor<66xi32>, tensor<3xi32>) outs(%1 : tensor<64xi32>) {
  ^bb0(%a: i32, %b: i32, %so_far: i32):
    %p = arith.muli %a, %b : i32
    %r = arith.addi %so_far, %p : i32
    linalg.yield %r : i32
  } -> tensor<64xi32>
  return %y : tensor<64xi32>
}
