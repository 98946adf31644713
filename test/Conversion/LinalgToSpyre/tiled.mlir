// Hints and names that are written on structured operations reach the device operations, and the loops are made from them.

// RUN: spyre-opt %s --spyre-import-linalg | FileCheck %s
// RUN: spyre-opt %s --spyre-import-linalg --coarse-tile | FileCheck %s --check-prefix=LOOPS
// RUN: spyre-run %s --entry rows --random-seed 1 --largest 0.25 --tolerance 3e-2 --check-pipeline='builtin.module(spyre-import-linalg,spyre-pipeline)' 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry attention --random-seed 2 --largest 0.25 --tolerance 3e-2 --check-pipeline='builtin.module(spyre-import-linalg,spyre-pipeline)' 2>/dev/null | FileCheck %s --check-prefix=CARD
// CARD: a bundle, same results on the simulated card

#all = affine_map<(d0, d1) -> (d0, d1)>
#columns = affine_map<(d0, d1) -> (d1)>

// The rows are a name of an argument, and every operation of the chain has a hint for them.
// CHECK-LABEL: func.func @rows(
// CHECK:         spyre.batchmatmul {{.*}} tile [0: "rows" in 3]
// CHECK:         spyre.add {{.*}} tile [0: "rows" in 3]
// CHECK:         spyre.relufwd {{.*}} tile [0: "rows" in 3]
// CHECK:         spyre.batchmatmul {{.*}} tile [0: "rows" in 3]
// LOOPS-LABEL: func.func @rows(
// LOOPS-COUNT-1: scf.for
// LOOPS:           spyre.batchmatmul {{.*}} -> tensor<32x512xf16>
// LOOPS:           spyre.relufwd {{.*}} tensor<32x512xf16>
// LOOPS:           spyre.batchmatmul {{.*}} -> tensor<32x128xf16>
// LOOPS-NOT:     scf.for
// LOOPS:         return
func.func @rows(%x: tensor<96x384xf16> {spyre.dims = ["rows", "in"]}, %w: tensor<384x512xf16>, %b: tensor<512xf16>, %v: tensor<512x128xf16>) -> tensor<96x128xf16> {
  %zero = arith.constant 0.0 : f16
  %0 = tensor.empty() : tensor<96x512xf16>
  %1 = linalg.fill ins(%zero : f16) outs(%0 : tensor<96x512xf16>) -> tensor<96x512xf16>
  %2 = linalg.matmul {spyre.tile = [#spyre.tile_hint<0 : "rows" in 3>]} ins(%x, %w : tensor<96x384xf16>, tensor<384x512xf16>) outs(%1 : tensor<96x512xf16>) -> tensor<96x512xf16>
  %3 = linalg.generic {indexing_maps = [#all, #columns, #all], iterator_types = ["parallel", "parallel"], spyre.tile = [#spyre.tile_hint<0 : "rows" in 3>]}
      ins(%2, %b : tensor<96x512xf16>, tensor<512xf16>) outs(%0 : tensor<96x512xf16>) {
  ^bb0(%in: f16, %bias: f16, %out: f16):
    %sum = arith.addf %in, %bias : f16
    %relu = arith.maximumf %sum, %zero : f16
    linalg.yield %relu : f16
  } -> tensor<96x512xf16>
  %4 = tensor.empty() : tensor<96x128xf16>
  %5 = linalg.fill ins(%zero : f16) outs(%4 : tensor<96x128xf16>) -> tensor<96x128xf16>
  %6 = linalg.matmul {spyre.tile = [#spyre.tile_hint<0 : "rows" in 3>]} ins(%3, %v : tensor<96x512xf16>, tensor<512x128xf16>) outs(%5 : tensor<96x128xf16>) -> tensor<96x128xf16>
  return %6 : tensor<96x128xf16>
}

// Loops by number: the rows of the queries, over scores, softmax and the mixture. Both dimensions of the scores come from the rows
// of x, and only one of them is cut.
// CHECK-LABEL: func.func @attention(
// CHECK:         spyre.batchmatmul {{.*}} tile [0: "dim0" in 4]
// CHECK:         spyre.exp {{.*}} tile [0: "dim0" in 4]
// CHECK:         spyre.realdiv {{.*}} tile [0: "dim0" in 4]
// CHECK:         spyre.batchmatmul {{.*}} tile [0: "dim0" in 4]
// LOOPS-LABEL: func.func @attention(
// LOOPS-COUNT-1: scf.for
// LOOPS:           spyre.batchmatmul {{.*}} -> tensor<64x256xf16>
// LOOPS:           spyre.exp {{.*}} tensor<64x256xf16>
// LOOPS:           spyre.batchmatmul {{.*}} -> tensor<64x64xf16>
// LOOPS-NOT:     scf.for
// LOOPS:         return
func.func @attention(%q: tensor<256x64xf16>, %k: tensor<256x64xf16>, %v: tensor<256x64xf16>) -> tensor<256x64xf16> {
  %zero = arith.constant 0.0 : f16
  %0 = tensor.empty() : tensor<256x256xf16>
  %1 = linalg.fill ins(%zero : f16) outs(%0 : tensor<256x256xf16>) -> tensor<256x256xf16>
  %2 = linalg.matmul indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>]
    {spyre.tile = [#spyre.tile_hint<0 : "d0" in 4>]}
    ins(%q, %k : tensor<256x64xf16>, tensor<256x64xf16>) outs(%1 : tensor<256x256xf16>) -> tensor<256x256xf16>
  %3 = linalg.softmax {spyre.tile = [#spyre.tile_hint<0 : "d0" in 4>]} dimension(1) ins(%2 : tensor<256x256xf16>) outs(%0 : tensor<256x256xf16>) -> tensor<256x256xf16>
  %4 = tensor.empty() : tensor<256x64xf16>
  %5 = linalg.fill ins(%zero : f16) outs(%4 : tensor<256x64xf16>) -> tensor<256x64xf16>
  %6 = linalg.matmul {spyre.tile = [#spyre.tile_hint<0 : "d0" in 4>]} ins(%3, %v : tensor<256x256xf16>, tensor<256x64xf16>) outs(%5 : tensor<256x64xf16>) -> tensor<256x64xf16>
  return %6 : tensor<256x64xf16>
}
