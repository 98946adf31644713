// Loops of different steps over one dimension: what may be chosen becomes a multiple of all of them.

// RUN: spyre-opt %s --coarse-tile --verify-diagnostics | FileCheck %s
// RUN: spyre-opt %s --spyre-pipeline 2>/dev/null | FileCheck %s --check-prefix=BUNDLE
// RUN: spyre-run %s --size S=48 --random-seed 1 --check-pipeline 'builtin.module(spyre-pipeline)' 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: not spyre-run %s --size S=8 --random-seed 1 --check-pipeline 'builtin.module(spyre-pipeline)' 2>&1 | FileCheck %s --check-prefix=REFUSED

// CHECK: S = #spyre.dynamic<granularity = 24, max = 96>
// CHECK: scf.for %{{.*}} = %c0 to %[[S:.*]] step %c8
// CHECK: scf.for %{{.*}} = %c0 to %[[S]] step %c12

// BUNDLE: !sdscbundle.input_arg<index, granularity=24, max_value=96>
// BUNDLE: scf.for %{{.*}} = %c0 to %[[S:.*]] step %c8
// BUNDLE: scf.for %{{.*}} = %c0 to %[[S]] step %c12

// CARD: a bundle, same results on the simulated card
// REFUSED: the extent of "S" must be a positive multiple of 24 and at most 96, got 8

// expected-remark @+1 {{coarse-tile: loops over tiles of 12 leave multiples of 24 of "S" to choose, where the function declared multiples of 8}}
func.func @steps(%a: tensor<?x64xf16> {spyre.dims = ["S", "D"]}) -> tensor<?x64xf16>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 8, max = 96>}} {
  %y = spyre.exp %a tile [0: "S" by 8] : tensor<?x64xf16>
  %z = spyre.add %y, %a tile [1: "S" by 12] : tensor<?x64xf16>
  return %z : tensor<?x64xf16>
}
