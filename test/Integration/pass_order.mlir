// Tiling before the layouts are chosen, between the passes that choose them, and after: the same numbers.

// RUN: spyre-run %s --special-values --passes spyre-assign-dim-hints,coarse-tile,spyre-pad-matmul,spyre-propagate-layouts,spyre-optimize-restickify,spyre-insert-restickify,spyre-work-division,spyre-scratchpad-planning | FileCheck %s
// RUN: spyre-run %s --special-values --passes spyre-assign-dim-hints,spyre-pad-matmul,spyre-propagate-layouts,coarse-tile,spyre-optimize-restickify,spyre-insert-restickify,spyre-work-division,spyre-scratchpad-planning | FileCheck %s
// RUN: spyre-run %s --special-values --passes spyre-assign-dim-hints,spyre-pad-matmul,spyre-propagate-layouts,spyre-optimize-restickify,coarse-tile,spyre-insert-restickify,spyre-work-division,spyre-scratchpad-planning | FileCheck %s
// RUN: spyre-run %s --special-values --passes spyre-assign-dim-hints,spyre-pad-matmul,spyre-propagate-layouts,spyre-optimize-restickify,spyre-insert-restickify,coarse-tile,spyre-work-division,spyre-scratchpad-planning | FileCheck %s

// CHECK-DAG: coarse-tile{{.*}}: same results
// CHECK-DAG: spyre-insert-restickify{{.*}}: same results
// CHECK-DAG: spyre-scratchpad-planning{{.*}}: same results

// There are loops, and there are copies to other layouts in them.
// RUN: spyre-opt %s --spyre-assign-dim-hints --coarse-tile --spyre-propagate-layouts --spyre-optimize-restickify --spyre-insert-restickify | FileCheck %s --check-prefix=FIRST
// RUN: spyre-opt %s --spyre-assign-dim-hints --spyre-propagate-layouts --spyre-optimize-restickify --spyre-insert-restickify --coarse-tile | FileCheck %s --check-prefix=LAST
// FIRST: scf.for
// FIRST:   spyre.restickify
// FIRST:   spyre.add
// LAST: scf.for
// LAST:   spyre.restickify
// LAST:   spyre.add

// Both are bundles.
// RUN: spyre-opt %s --spyre-assign-dim-hints --coarse-tile --spyre-pad-matmul --spyre-propagate-layouts --spyre-optimize-restickify --spyre-insert-restickify --spyre-constants-to-arguments --spyre-work-division --spyre-scratchpad-planning --convert-spyre-to-sdscbundle | FileCheck %s --check-prefix=BUNDLE
// RUN: spyre-opt %s --spyre-pipeline | FileCheck %s --check-prefix=BUNDLE
// BUNDLE: scf.for
// BUNDLE: sdscbundle.sdsc_execute

func.func @f(%a: tensor<128x256xf16> {spyre.dims = ["B", "A"]}, %b: tensor<256x128xf16> {spyre.dims = ["A", "B"]},
             %m: tensor<256x100xf16> {spyre.dims = ["A", "K"]}, %k: tensor<100x128xf16> {spyre.dims = ["K", "B"]}) -> tensor<256x128xf16>
    attributes {spyre.tile_scopes = [#spyre.tile_scope<"A" in 2>]} {
  %t = spyre.permute %a [1, 0] : tensor<128x256xf16> to tensor<256x128xf16>
  %y = spyre.add %t, %b : tensor<256x128xf16>
  %w = spyre.batchmatmul %m, %k : (tensor<256x100xf16>, tensor<100x128xf16>) -> tensor<256x128xf16>
  %q = spyre.mul %y, %w : tensor<256x128xf16>
  return %q : tensor<256x128xf16>
}
