// An operand that is read by quotients and remainders of loops is a table, of which constant positions choose.

// RUN: spyre-opt %s --spyre-hoist-positions --canonicalize | FileCheck %s
// RUN: spyre-run %s --entry repeated --random-seed 1 --check-pipeline='builtin.module(func.func(spyre-hoist-positions))' | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry repeated --random-seed 1 --on=card --stats --compare %s --compare-entry repeated 2>&1 | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry around --random-seed 2 --on=card --stats --compare %s --compare-entry around 2>&1 | FileCheck %s --check-prefix=PART
// RUN: spyre-run %s --entry reduced --random-seed 3 --on=card --stats --compare %s --compare-entry reduced 2>&1 | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry distance --random-seed 4 --on=card --stats --compare %s --compare-entry distance 2>&1 | FileCheck %s --check-prefix=CARD
// SAME: same results
// CARD: host: 0 elements
// CARD: result 0: 0 of {{[0-9]+}} elements differ
// PART: device: @around_device_0,
// PART: result 0: 0 of 576 elements differ

#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Both coordinates are positions of their own.
// CHECK-LABEL: func.func @repeated(
// CHECK:         %[[ROWS:.+]] = linalg.generic {{.*}} outs(%{{.+}} : tensor<10xi32>)
// CHECK:         %[[COLUMNS:.+]] = linalg.generic {{.*}} outs(%{{.+}} : tensor<64xi32>)
// CHECK:         linalg.generic {{.*}} ins(%[[ROWS]], %[[COLUMNS]] : tensor<10xi32>, tensor<64xi32>) {{.*}} attrs = {spyre.dims = ["rows", "columns"]}
// CHECK:           tensor.extract %arg0[%{{.+}}, %{{.+}}]
func.func @repeated(%x: tensor<4x32xf16>) -> tensor<10x64xf16> {
  %0 = tensor.empty() : tensor<10x64xf16>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0 mod 4, d1 floordiv 2)>, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x32xf16>) outs(%0 : tensor<10x64xf16>) attrs = {spyre.dims = ["rows", "columns"]} {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  } -> tensor<10x64xf16>
  return %y : tensor<10x64xf16>
}

// Two loops move one coordinate, and another operand is read as it is. The host computes the coordinate, since the card has no arithmetic
// of integers.
func.func @around(%x: tensor<7x64xf16>, %b: tensor<9x64xf16>) -> tensor<9x64xf16> {
  %0 = tensor.empty() : tensor<9x64xf16>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> ((d0 * 3 + d1 + 2) mod 7, d1)>, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %b : tensor<7x64xf16>, tensor<9x64xf16>) outs(%0 : tensor<9x64xf16>) {
  ^bb0(%in: f16, %bias: f16, %out: f16):
    %r = arith.addf %in, %bias : f16
    linalg.yield %r : f16
  } -> tensor<9x64xf16>
  return %y : tensor<9x64xf16>
}

// A reduced loop has its extent from the other operand.
func.func @reduced(%x: tensor<4xf16>, %w: tensor<8x64xf16>) -> tensor<8xf16> {
  %least = arith.constant 0xFC00 : f16
  %0 = tensor.empty() : tensor<8xf16>
  %1 = linalg.fill ins(%least : f16) outs(%0 : tensor<8xf16>) -> tensor<8xf16>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1 mod 4)>, #all, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %w : tensor<4xf16>, tensor<8x64xf16>) outs(%1 : tensor<8xf16>) {
  ^bb0(%in: f16, %factor: f16, %so_far: f16):
    %p = arith.mulf %in, %factor : f16
    %r = arith.maximumf %so_far, %p : f16
    linalg.yield %r : f16
  } -> tensor<8xf16>
  return %y : tensor<8xf16>
}

// What a body computes by an affine map of positions is known as well.
func.func @distance(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
  %zero = arith.constant 0.0 : f16
  %c0 = arith.constant 0 : index
  %0 = tensor.empty() : tensor<8x64xf16>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x64xf16>) outs(%0 : tensor<8x64xf16>) {
  ^bb0(%in: f16, %out: f16):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %from = affine.apply affine_map<(d0, d1) -> (d0 * 9 - d1)>(%row, %column)
    %seen = arith.cmpi sge, %from, %c0 : index
    %r = arith.select %seen, %in, %zero : f16
    linalg.yield %r : f16
  } -> tensor<8x64xf16>
  return %y : tensor<8x64xf16>
}
