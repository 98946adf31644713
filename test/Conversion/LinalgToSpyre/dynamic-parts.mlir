// Beside dynamic dimensions: concatenations, pads, masks by positions, views that cut sticks. Nothing asks for
// tiles, and one bundle serves every extent.

// RUN: spyre-opt %s --spyre-import-linalg -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: spyre-run %t.mlir --entry rotated --size S=64 --random-seed 1 --compare %s --compare-entry rotated | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t.mlir --entry padded --size S=192 --random-seed 2 --compare %s --compare-entry padded | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t.mlir --entry split --size S=128 --random-seed 3 --compare %s --compare-entry split | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry masked --size S=64 --size T=128 --random-seed 4 --on=card --compare %s --compare-entry masked | FileCheck %s --check-prefix=SAME
// SAME: result 0: 0 of {{[0-9]+}} elements differ

// RUN: spyre-run %t.mlir --entry joined --size S=192 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %t.mlir --entry rotated --size S=64 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %t.mlir --entry padded --size S=64 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %t.mlir --entry split --size S=256 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %t.mlir --entry given --size S=192 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %t.mlir --entry shifted --size S=128 --random-seed 5 --compare %s --compare-entry shifted --tolerance 1e-2 | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t.mlir --entry both --size S=128 --random-seed 5 --compare %s --compare-entry both --tolerance 1e-2 | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t.mlir --entry window --size S=128 --random-seed 5 --compare %s --compare-entry window --tolerance 1e-2 | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t.mlir --entry shifted --size S=64 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %t.mlir --entry shifted --size S=256 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %t.mlir --entry both --size S=64 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %t.mlir --entry both --size S=128 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %t.mlir --entry window --size S=192 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// CARD: a bundle, same results on the simulated card

// The card has no comparison of integers, so the host compares positions, and the bundle of the rest serves every extent.
// RUN: spyre-opt %s --spyre-import-linalg=host=true --remarks-filter=spyre-outline-device -o /dev/null 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: spyre-run %s --entry masked --size S=128 --size T=64 --random-seed 4 --on=card --stats --compare %s --compare-entry masked 2>&1 | FileCheck %s --check-prefix=PART --implicit-check-not="not for all"
// RUN: spyre-run %s --entry masked --size S=256 --size T=128 --random-seed 4 --on=card --stats --compare %s --compare-entry masked 2>&1 | FileCheck %s --check-prefix=PART --implicit-check-not="not for all"
// HOST: Function=masked | Reason="'lesserequal' computes in SEN169_FP16 or IEEE_FP32, but tensor 0 is IEEE_INT32", Remark="'spyre.lesserequal' stays on the host"
// HOST-NOT: StaysOnHost
// PART: device: @masked_device_0
// PART: result 0: 0 of {{[0-9]+}} elements differ

// Parts that nothing makes, and a result that nothing reads, are copied: the copies are in the loop.
// CHECK-LABEL: func.func @joined(
// CHECK:         %[[EMPTY:.*]] = spyre.empty(%{{.*}}) : tensor<?x128xf16>
// CHECK:         %[[A:.*]] = spyre.copy %arg0
// CHECK:         %[[FIRST:.*]] = tensor.insert_slice %[[A]] into %[[EMPTY]][0, 0] [%{{.*}}, 64] [1, 1]
// CHECK:         %[[B:.*]] = spyre.copy %arg1
// CHECK:         %[[BOTH:.*]] = tensor.insert_slice %[[B]] into %[[FIRST]][0, 64] [%{{.*}}, 64] [1, 1]
// CHECK:         %[[COPY:.*]] = spyre.copy %[[BOTH]]
// CHECK:         return %[[COPY]]
func.func @joined(%a: tensor<?x64xf16> {spyre.dims = ["S", "D"]}, %b: tensor<?x64xf16> {spyre.dims = ["S", "D"]}) -> tensor<?x128xf16>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %0 = tensor.concat dim(1) %a, %b : (tensor<?x64xf16>, tensor<?x64xf16>) -> tensor<?x128xf16>
  return %0 : tensor<?x128xf16>
}

// The halves of a rotary embedding. What an operation makes is not copied.
// CHECK-LABEL: func.func @rotated(
// CHECK:         %[[NEG:.*]] = spyre.neg
// CHECK:         tensor.insert_slice %[[NEG]] into
// CHECK:         %[[WHOLE:.*]] = tensor.insert_slice
// CHECK-NEXT:    spyre.mul %[[WHOLE]], %{{.*}}
func.func @rotated(%x: tensor<?x128xf16> {spyre.dims = ["S", "D"]}, %sin: tensor<?x128xf16> {spyre.dims = ["S", "D"]}) -> tensor<?x128xf16>
    attributes {spyre.dim_sizes = {D = 128, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %c0 = arith.constant 0 : index
  %s = tensor.dim %x, %c0 : tensor<?x128xf16>
  %a = tensor.extract_slice %x[0, 0] [%s, 64] [1, 1] : tensor<?x128xf16> to tensor<?x64xf16>
  %b = tensor.extract_slice %x[0, 64] [%s, 64] [1, 1] : tensor<?x128xf16> to tensor<?x64xf16>
  %half = tensor.empty(%s) : tensor<?x64xf16>
  %n = linalg.negf ins(%b : tensor<?x64xf16>) outs(%half : tensor<?x64xf16>) -> tensor<?x64xf16>
  %r = tensor.concat dim(1) %n, %a : (tensor<?x64xf16>, tensor<?x64xf16>) -> tensor<?x128xf16>
  %e = tensor.empty(%s) : tensor<?x128xf16>
  %y = linalg.mul ins(%r, %sin : tensor<?x128xf16>, tensor<?x128xf16>) outs(%e : tensor<?x128xf16>) -> tensor<?x128xf16>
  return %y : tensor<?x128xf16>
}

// Positions are a constant of the largest extent, and as many of them as are chosen. The host compares them, and the card does more
// with what they choose from than it takes to hand the choice over.
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @masked(
// CHECK-SAME:    %[[COLUMNS:arg1]]: tensor<128xi64> {spyre.constant = dense<"0x000000000000000001000000000000000200
// CHECK-SAME:    %[[ROWS:arg2]]: tensor<256xi64> {spyre.constant = dense<"0x000000000000000001000000000000000200
// CHECK:         tensor.extract_slice %[[COLUMNS]][0] [%{{.*}}] [1] {spyre.dims = ["T"]} : tensor<128xi64> to tensor<?xi64>
// CHECK:         tensor.extract_slice %[[ROWS]][0] [%{{.*}}] [1] {spyre.dims = ["S"]} : tensor<256xi64> to tensor<?xi64>
// CHECK:         spyre.lesserequal
func.func @masked(%x: tensor<?x?xf16> {spyre.dims = ["S", "T"]}) -> tensor<?x?xf16>
    attributes {spyre.dim_sizes = {S = #spyre.dynamic<granularity = 64, max = 256>, T = #spyre.dynamic<granularity = 64, max = 128>}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %low = arith.constant -6.0e+4 : f16
  %s = tensor.dim %x, %c0 : tensor<?x?xf16>
  %t = tensor.dim %x, %c1 : tensor<?x?xf16>
  %e = tensor.empty(%s, %t) : tensor<?x?xf16>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x?xf16>) outs(%e : tensor<?x?xf16>) {
  ^bb0(%in: f16, %out: f16):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %seen = arith.cmpi sle, %j, %i : index
    %square = arith.mulf %in, %in : f16
    %r = arith.select %seen, %square, %low : f16
    linalg.yield %r : f16
  } -> tensor<?x?xf16>
  return %y : tensor<?x?xf16>
}

// What is padded with is made along the dimension of what is padded.
// CHECK-LABEL: func.func @padded(
// CHECK:         %[[FILL:.*]] = spyre.fill dense<1.000000e+00> : tensor<1x2xf16>
// CHECK:         %[[FIRST:.*]] = tensor.extract_slice %arg0[0, 0] [%{{.*}}, 1] [1, 1]
// CHECK:         %[[ANY:.*]] = spyre.equal %[[FIRST]], %[[FIRST]]
// CHECK:         spyre.where3 %[[ANY]], %[[FILL]], %[[FILL]] : (tensor<?x1xi1>, tensor<1x2xf16>, tensor<1x2xf16>) -> tensor<?x2xf16>
func.func @padded(%x: tensor<?x60xf16> {spyre.dims = ["S", "D"]}) -> tensor<?x64xf16>
    attributes {spyre.dim_sizes = {D = 60, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %one = arith.constant 1.0 : f16
  %y = tensor.pad %x low[0, 2] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %one : f16
  } : tensor<?x60xf16> to tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// A view that cuts sticks is one of a copy, in the loop as well.
// CHECK-LABEL: func.func @split(
// CHECK:         %[[COPY:.*]] = spyre.copy %arg0
// CHECK:         %[[VIEW:.*]] = tensor.expand_shape %[[COPY]]
// CHECK:         spyre.exp %[[VIEW]]
func.func @split(%x: tensor<?x64xf16> {spyre.dims = ["S", "D"]}) -> tensor<?x2x32xf16>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %c0 = arith.constant 0 : index
  %s = tensor.dim %x, %c0 : tensor<?x64xf16>
  %v = tensor.expand_shape %x [[0], [1, 2]] output_shape [%s, 2, 32] : tensor<?x64xf16> into tensor<?x2x32xf16>
  %e = tensor.empty(%s) : tensor<?x2x32xf16>
  %y = linalg.exp ins(%v : tensor<?x2x32xf16>) outs(%e : tensor<?x2x32xf16>) -> tensor<?x2x32xf16>
  return %y : tensor<?x2x32xf16>
}

// What is returned as it was given is copied, in the loop.
// CHECK-LABEL: func.func @given(
// CHECK:         %[[VIEW:.*]] = spyre.permute %arg0
// CHECK:         %[[COPY:.*]] = spyre.copy %[[VIEW]]
// CHECK:         return %[[COPY]]
func.func @given(%x: tensor<?x64xf16> {spyre.dims = ["S", "D"]}) -> tensor<64x?xf16>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %c0 = arith.constant 0 : index
  %s = tensor.dim %x, %c0 : tensor<?x64xf16>
  %e = tensor.empty(%s) : tensor<64x?xf16>
  %t = linalg.transpose ins(%x : tensor<?x64xf16>) outs(%e : tensor<64x?xf16>) permutation = [1, 0]
  return %t : tensor<64x?xf16>
}

// Rows that the smallest extent has.
// CHECK-LABEL: func.func @shifted(
// CHECK:         tensor.extract_slice %arg0[1, 0] [2, 64] [1, 1] : tensor<?x64xf32> to tensor<2x64xf32>
func.func @shifted(%a: tensor<?x64xf32> {spyre.dims = ["S", "D"]}, %b: tensor<2x64xf32>) -> tensor<2x64xf32>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %x = tensor.extract_slice %a[1, 0] [2, 64] [1, 1] : tensor<?x64xf32> to tensor<2x64xf32>
  %e = tensor.empty() : tensor<2x64xf32>
  %r = linalg.add ins(%x, %b : tensor<2x64xf32>, tensor<2x64xf32>) outs(%e : tensor<2x64xf32>) -> tensor<2x64xf32>
  return %r : tensor<2x64xf32>
}

// One of them beside all.
// CHECK-LABEL: func.func @both(
// CHECK:         tensor.extract_slice %{{.+}}[5, 0] [1, 64] [1, 1] : tensor<?x64xf16> to tensor<1x64xf16>
func.func @both(%a: tensor<?x64xf16> {spyre.dims = ["S", "D"]}) -> tensor<?x64xf16>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %c0 = arith.constant 0 : index
  %s = tensor.dim %a, %c0 : tensor<?x64xf16>
  %e = tensor.empty(%s) : tensor<?x64xf16>
  %0 = linalg.exp ins(%a : tensor<?x64xf16>) outs(%e : tensor<?x64xf16>) -> tensor<?x64xf16>
  %x = tensor.extract_slice %0[5, 0] [1, 64] [1, 1] : tensor<?x64xf16> to tensor<1x64xf16>
  %y = tensor.collapse_shape %x [[0, 1]] : tensor<1x64xf16> into tensor<64xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%0, %y : tensor<?x64xf16>, tensor<64xf16>) outs(%e : tensor<?x64xf16>) {
  ^bb0(%i: f16, %j: f16, %o: f16):
    %p = arith.subf %i, %j : f16
    linalg.yield %p : f16
  } -> tensor<?x64xf16>
  return %r : tensor<?x64xf16>
}

// A window of them, as a convolution reads it.
// CHECK-LABEL: func.func @window(
// CHECK:         tensor.extract_slice %arg0[4, 0] [3, 64] [1, 1] : tensor<?x64xf16> to tensor<3x64xf16>
func.func @window(%a: tensor<?x64xf16> {spyre.dims = ["S", "D"]}, %w: tensor<3xf16>, %e: tensor<64xf16>) -> tensor<64xf16>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1 + 4, d0)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%a, %w : tensor<?x64xf16>, tensor<3xf16>) outs(%e : tensor<64xf16>) {
  ^bb0(%in: f16, %f: f16, %sum: f16):
    %p = arith.mulf %in, %f : f16
    %x = arith.addf %p, %sum : f16
    linalg.yield %x : f16
  } -> tensor<64xf16>
  return %r : tensor<64xf16>
}
