// Dimensions that are chosen at run time: one bundle serves every extent.

// RUN: spyre-opt %s --spyre-import-linalg -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: spyre-run %t.mlir --entry product --size S=64 --random-seed 1 --integers 1 --compare %s --compare-entry product | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t.mlir --entry softmax --size S=32 --random-seed 2 --largest 0.25 --compare %s --compare-entry softmax --tolerance 3e-4 | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t.mlir --entry attention --size S=128 --size T=64 --random-seed 3 --largest 0.25 --compare %s --compare-entry attention --tolerance 3e-4 | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t.mlir --entry columns --size S=128 --random-seed 4 --largest 0.25 --compare %s --compare-entry columns --tolerance 3e-4 | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t.mlir --entry heads --size S=128 --random-seed 5 --largest 0.25 --compare %s --compare-entry heads --tolerance 3e-4 | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry product --size S=192 --random-seed 1 --integers 1 --on=card --compare %s --compare-entry product | FileCheck %s --check-prefix=SAME
// SAME: result 0: 0 of {{[0-9]+}} elements differ

// The same bundle on the simulated card, with extents of its own choice.
// RUN: spyre-run %t.mlir --entry product --size S=192 --integers 1 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %t.mlir --entry softmax --size S=64 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %t.mlir --entry columns --size S=64 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// CARD: a bundle, same results on the simulated card

#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
#column = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: func.func @product(
// CHECK-SAME:    tensor<?x128xf16> {spyre.dims = ["S", "D"]}
// CHECK-SAME:    -> tensor<?x256xf16>
// CHECK-SAME:    spyre.dim_sizes = {D = 128 : i64, S = #spyre.dynamic<granularity = 64, max = 256>}
// CHECK-NOT:     linalg
// CHECK:         spyre.batchmatmul %{{.*}} tile [0: "S" by 64] : (tensor<?x128xf16>, tensor<128x256xf16>) -> tensor<?x256xf16>
// CHECK:         spyre.add
// CHECK:         spyre.relufwd %{{.*}} tile [0: "S" by 64] : tensor<?x256xf16>
func.func @product(%a: tensor<?x128xf16> {spyre.dims = ["S", "D"]}, %w: tensor<128x256xf16>, %b: tensor<256xf16>) -> tensor<?x256xf16>
    attributes {spyre.dim_sizes = {D = 128, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f16
  %s = tensor.dim %a, %c0 : tensor<?x128xf16>
  %e = tensor.empty(%s) : tensor<?x256xf16>
  %i = linalg.fill ins(%zero : f16) outs(%e : tensor<?x256xf16>) -> tensor<?x256xf16>
  %m = linalg.matmul {spyre.tile = [#spyre.tile_hint<0 : "S" by 64>]} ins(%a, %w : tensor<?x128xf16>, tensor<128x256xf16>) outs(%i : tensor<?x256xf16>) -> tensor<?x256xf16>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%m, %b : tensor<?x256xf16>, tensor<256xf16>) outs(%e : tensor<?x256xf16>) attrs = {spyre.tile = [#spyre.tile_hint<0 : "S" by 64>]} {
  ^bb0(%in: f16, %bias: f16, %out: f16):
    %t = arith.addf %in, %bias : f16
    %r = arith.maximumf %t, %zero : f16
    linalg.yield %r : f16
  } -> tensor<?x256xf16>
  return %y : tensor<?x256xf16>
}

// CHECK-LABEL: func.func @softmax(
// CHECK-NOT:     linalg
// CHECK:         spyre.max %{{.*}} dims [1]
// CHECK:         spyre.exp
// CHECK:         spyre.sum %{{.*}} dims [1]
func.func @softmax(%a: tensor<?x96xf16> {spyre.dims = ["S", "D"]}) -> tensor<?x96xf16>
    attributes {spyre.dim_sizes = {D = 96, S = #spyre.dynamic<granularity = 32, max = 128>}} {
  %c0 = arith.constant 0 : index
  %s = tensor.dim %a, %c0 : tensor<?x96xf16>
  %e = tensor.empty(%s) : tensor<?x96xf16>
  %y = linalg.softmax {spyre.tile = [#spyre.tile_hint<0 : "S" by 32>]} dimension(1) ins(%a : tensor<?x96xf16>) outs(%e : tensor<?x96xf16>) -> tensor<?x96xf16>
  return %y : tensor<?x96xf16>
}

// Two extents, one of which is reduced.
// CHECK-LABEL: func.func @attention(
// CHECK-NOT:     linalg
// CHECK:         spyre.batchmatmul {{.*}} -> tensor<?x?xf16>
// CHECK:         spyre.batchmatmul {{.*}} (tensor<?x?xf16>, tensor<?x64xf16>) -> tensor<?x64xf16>
func.func @attention(%q: tensor<?x64xf16> {spyre.dims = ["S", "E"]}, %k: tensor<?x64xf16> {spyre.dims = ["T", "E"]}, %v: tensor<?x64xf16> {spyre.dims = ["T", "E"]}) -> tensor<?x64xf16>
    attributes {spyre.dim_sizes = {E = 64, S = #spyre.dynamic<granularity = 64, max = 256>, T = #spyre.dynamic<granularity = 64, max = 128>}} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f16
  %scale = arith.constant 0.125 : f16
  %s = tensor.dim %q, %c0 : tensor<?x64xf16>
  %t = tensor.dim %k, %c0 : tensor<?x64xf16>
  %e = tensor.empty(%s, %t) : tensor<?x?xf16>
  %i = linalg.fill ins(%zero : f16) outs(%e : tensor<?x?xf16>) -> tensor<?x?xf16>
  %p = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%q, %k : tensor<?x64xf16>, tensor<?x64xf16>) outs(%i : tensor<?x?xf16>) -> tensor<?x?xf16>
  %n = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<?x?xf16>) outs(%e : tensor<?x?xf16>) {
  ^bb0(%in: f16, %out: f16):
    %r = arith.mulf %in, %scale : f16
    linalg.yield %r : f16
  } -> tensor<?x?xf16>
  %x = linalg.softmax dimension(1) ins(%n : tensor<?x?xf16>) outs(%e : tensor<?x?xf16>) -> tensor<?x?xf16>
  %oe = tensor.empty(%s) : tensor<?x64xf16>
  %oi = linalg.fill ins(%zero : f16) outs(%oe : tensor<?x64xf16>) -> tensor<?x64xf16>
  %o = linalg.matmul ins(%x, %v : tensor<?x?xf16>, tensor<?x64xf16>) outs(%oi : tensor<?x64xf16>) -> tensor<?x64xf16>
  return %o : tensor<?x64xf16>
}

// Sums of columns, from a tensor that is transposed, and a number that is compared with as a tensor.
// CHECK-LABEL: func.func @columns(
// CHECK:         dense<5.000000e-01> : tensor<1x1xf16>
// CHECK:         spyre.permute
// CHECK:         spyre.sum
func.func @columns(%a: tensor<64x?xf16> {spyre.dims = ["D", "S"]}) -> tensor<?xf16>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 128>}} {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f16
  %half = arith.constant 0.5 : f16
  %s = tensor.dim %a, %c1 : tensor<64x?xf16>
  %e = tensor.empty(%s) : tensor<?x64xf16>
  %t = linalg.transpose ins(%a : tensor<64x?xf16>) outs(%e : tensor<?x64xf16>) permutation = [1, 0] {spyre.tile = [#spyre.tile_hint<0 : "S" by 64>]}
  %h = linalg.fill ins(%half : f16) outs(%e : tensor<?x64xf16>) -> tensor<?x64xf16>
  %m = linalg.max {spyre.tile = [#spyre.tile_hint<0 : "S" by 64>]} ins(%t, %h : tensor<?x64xf16>, tensor<?x64xf16>) outs(%e : tensor<?x64xf16>) -> tensor<?x64xf16>
  %re = tensor.empty(%s) : tensor<?xf16>
  %ri = linalg.fill ins(%zero : f16) outs(%re : tensor<?xf16>) -> tensor<?xf16>
  %r = linalg.generic {indexing_maps = [#all, #column], iterator_types = ["parallel", "reduction"]} ins(%m : tensor<?x64xf16>) outs(%ri : tensor<?xf16>) attrs = {spyre.tile = [#spyre.tile_hint<0 : "S" by 64>]} {
  ^bb0(%in: f16, %sum: f16):
    %n = arith.addf %in, %sum : f16
    linalg.yield %n : f16
  } -> tensor<?xf16>
  return %r : tensor<?xf16>
}

// A dimension of a tensor that is split beside the one that is chosen.
// CHECK-LABEL: func.func @heads(
// CHECK:         tensor.expand_shape %{{.*}} {{\[\[}}0], [1, 2]] output_shape [%{{.*}}, 2, 64] : tensor<?x128xf16> into tensor<?x2x64xf16>
// CHECK:         spyre.permute
func.func @heads(%a: tensor<?x128xf16> {spyre.dims = ["S", "D"]}) -> tensor<2x?x64xf16>
    attributes {spyre.dim_sizes = {D = 128, S = #spyre.dynamic<granularity = 64, max = 128>}} {
  %c0 = arith.constant 0 : index
  %s = tensor.dim %a, %c0 : tensor<?x128xf16>
  %x = tensor.expand_shape %a [[0], [1, 2]] output_shape [%s, 2, 64] : tensor<?x128xf16> into tensor<?x2x64xf16>
  %e = tensor.empty(%s) : tensor<2x?x64xf16>
  %t = linalg.transpose ins(%x : tensor<?x2x64xf16>) outs(%e : tensor<2x?x64xf16>) permutation = [1, 0, 2]
  %y = linalg.exp ins(%t : tensor<2x?x64xf16>) outs(%e : tensor<2x?x64xf16>) -> tensor<2x?x64xf16>
  return %y : tensor<2x?x64xf16>
}
