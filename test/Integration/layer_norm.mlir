// Layer norms as the chain of a pair of moments, its scale and the norm (contract, K29 and K30): on the CPU, after every pass, and as
// bundles on the simulated card, whose memory is poisoned. Rows that end inside of a stick are masked with zeros in front of the moments.

// RUN: for entry in whole few_elements ragged sticks_and_more batches columns one_row wide read_by_product two_norms; do \
// RUN:   spyre-run %s --entry $entry --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' || exit 1; \
// RUN: done | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// CARD-COUNT-10: a bundle, same results on the simulated card

// Tiles of rows: untiled = tiled, and on the card.
// RUN: spyre-opt %s --coarse-tile -o %t.tiled.mlir
// RUN: FileCheck %s --check-prefix=TILED --input-file %t.tiled.mlir
// RUN: spyre-run %s --entry tiled --compare %t.tiled.mlir --random-seed 3 --poison | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry tiled_columns --compare %t.tiled.mlir --random-seed 4 --poison | FileCheck %s --check-prefix=SAME
// RUN: for entry in tiled tiled_columns tiled_and_kept; do \
// RUN:   spyre-run %s --entry $entry --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' || exit 1; \
// RUN: done | FileCheck %s --check-prefix=TILES --implicit-check-not=DIFFER
// TILES-COUNT-3: a bundle, same results on the simulated card
// SAME: result 0: 0 of {{[0-9]+}} elements differ

// Rows are shared by cores, and what is normalised is not.
// RUN: spyre-opt %s --spyre-pipeline=bundle=false | FileCheck %s --check-prefix=PLAN

!t = tensor<64x128xf16>
!w = tensor<1x128xf16>

func.func @whole(%x: !t, %w: !w, %b: !w) -> !t {
  %e = spyre.exx2 %x : (!t) -> tensor<64x2xf16>
  %s = spyre.layernormscale %e eps 0.0009765625 : (tensor<64x2xf16>) -> tensor<64x1xf16>
  %y = spyre.layernormnorm %x, %e, %s, %w, %b : (!t, tensor<64x2xf16>, tensor<64x1xf16>, !w, !w) -> !t
  return %y : !t
}

func.func @few_elements(%x: tensor<5x3xf16>, %w: tensor<3xf16>, %b: tensor<3xf16>) -> tensor<5x3xf16> {
  %e = spyre.exx2 %x : (tensor<5x3xf16>) -> tensor<5x2xf16>
  %s = spyre.layernormscale %e eps 0.5 : (tensor<5x2xf16>) -> tensor<5x1xf16>
  %y = spyre.layernormnorm %x, %e, %s, %w, %b
    : (tensor<5x3xf16>, tensor<5x2xf16>, tensor<5x1xf16>, tensor<3xf16>, tensor<3xf16>) -> tensor<5x3xf16>
  return %y : tensor<5x3xf16>
}

// PLAN-LABEL: func.func @ragged(
// PLAN: spyre.exx2 {{.*}} split [32, 1]
// PLAN: spyre.layernormscale {{.*}} split [32, 1]
// PLAN: spyre.layernormnorm {{.*}} split [32, 1]
func.func @ragged(%x: tensor<64x100xf16>, %w: tensor<1x100xf16>, %b: tensor<1x100xf16>) -> tensor<64x100xf16> {
  %e = spyre.exx2 %x : (tensor<64x100xf16>) -> tensor<64x2xf16>
  %s = spyre.layernormscale %e eps 0.0009765625 : (tensor<64x2xf16>) -> tensor<64x1xf16>
  %y = spyre.layernormnorm %x, %e, %s, %w, %b
    : (tensor<64x100xf16>, tensor<64x2xf16>, tensor<64x1xf16>, tensor<1x100xf16>, tensor<1x100xf16>) -> tensor<64x100xf16>
  return %y : tensor<64x100xf16>
}

// The rows are computed, so that the end of the last stick holds what an operation has left there.
func.func @sticks_and_more(%a: tensor<48x300xf16>, %w: tensor<1x300xf16>, %b: tensor<1x300xf16>) -> tensor<48x300xf16> {
  %x = spyre.exp %a : tensor<48x300xf16>
  %e = spyre.exx2 %x : (tensor<48x300xf16>) -> tensor<48x2xf16>
  %s = spyre.layernormscale %e eps 0.0009765625 : (tensor<48x2xf16>) -> tensor<48x1xf16>
  %y = spyre.layernormnorm %x, %e, %s, %w, %b
    : (tensor<48x300xf16>, tensor<48x2xf16>, tensor<48x1xf16>, tensor<1x300xf16>, tensor<1x300xf16>) -> tensor<48x300xf16>
  return %y : tensor<48x300xf16>
}

func.func @batches(%x: tensor<3x8x96xf16>, %w: tensor<96xf16>, %b: tensor<1x1x96xf16>) -> tensor<3x8x96xf16> {
  %e = spyre.exx2 %x : (tensor<3x8x96xf16>) -> tensor<3x8x2xf16>
  %s = spyre.layernormscale %e eps 0.0 : (tensor<3x8x2xf16>) -> tensor<3x8x1xf16>
  %y = spyre.layernormnorm %x, %e, %s, %w, %b
    : (tensor<3x8x96xf16>, tensor<3x8x2xf16>, tensor<3x8x1xf16>, tensor<96xf16>, tensor<1x1x96xf16>) -> tensor<3x8x96xf16>
  return %y : tensor<3x8x96xf16>
}

// Columns of the data are on its sticks, so it is restickified.
func.func @columns(%a: tensor<128x64xf16>, %w: !w, %b: !w) -> !t {
  %x = spyre.permute %a [1, 0] : tensor<128x64xf16> to !t
  %e = spyre.exx2 %x : (!t) -> tensor<64x2xf16>
  %s = spyre.layernormscale %e eps 0.0009765625 : (tensor<64x2xf16>) -> tensor<64x1xf16>
  %y = spyre.layernormnorm %x, %e, %s, %w, %b : (!t, tensor<64x2xf16>, tensor<64x1xf16>, !w, !w) -> !t
  return %y : !t
}

func.func @one_row(%x: tensor<200xf16>, %w: tensor<200xf16>, %b: tensor<200xf16>) -> tensor<200xf16> {
  %e = spyre.exx2 %x : (tensor<200xf16>) -> tensor<2xf16>
  %s = spyre.layernormscale %e eps 0.0009765625 : (tensor<2xf16>) -> tensor<1xf16>
  %y = spyre.layernormnorm %x, %e, %s, %w, %b
    : (tensor<200xf16>, tensor<2xf16>, tensor<1xf16>, tensor<200xf16>, tensor<200xf16>) -> tensor<200xf16>
  return %y : tensor<200xf16>
}

// Three sticks of 32 bits.
func.func @wide(%x: tensor<64x96xf32>, %w: tensor<1x96xf32>, %b: tensor<1x96xf32>) -> tensor<64x96xf32> {
  %e = spyre.exx2 %x : (tensor<64x96xf32>) -> tensor<64x2xf32>
  %s = spyre.layernormscale %e eps 0.0009765625 : (tensor<64x2xf32>) -> tensor<64x1xf32>
  %y = spyre.layernormnorm %x, %e, %s, %w, %b
    : (tensor<64x96xf32>, tensor<64x2xf32>, tensor<64x1xf32>, tensor<1x96xf32>, tensor<1x96xf32>) -> tensor<64x96xf32>
  return %y : tensor<64x96xf32>
}

// The end of the rows of a norm is no number, so it is cleared in front of a product (K18).
func.func @read_by_product(%x: tensor<64x100xf16>, %w: tensor<1x100xf16>, %b: tensor<1x100xf16>, %m: tensor<100x64xf16>) -> tensor<64x64xf16> {
  %e = spyre.exx2 %x : (tensor<64x100xf16>) -> tensor<64x2xf16>
  %s = spyre.layernormscale %e eps 0.0009765625 : (tensor<64x2xf16>) -> tensor<64x1xf16>
  %y = spyre.layernormnorm %x, %e, %s, %w, %b
    : (tensor<64x100xf16>, tensor<64x2xf16>, tensor<64x1xf16>, tensor<1x100xf16>, tensor<1x100xf16>) -> tensor<64x100xf16>
  %z = spyre.batchmatmul %y, %m : (tensor<64x100xf16>, tensor<100x64xf16>) -> tensor<64x64xf16>
  return %z : tensor<64x64xf16>
}

// One pair for two norms, one of them of what the other has left.
func.func @two_norms(%x: !t, %w: !w, %b: !w) -> (!t, !t) {
  %e = spyre.exx2 %x : (!t) -> tensor<64x2xf16>
  %s = spyre.layernormscale %e eps 0.0009765625 : (tensor<64x2xf16>) -> tensor<64x1xf16>
  %y = spyre.layernormnorm %x, %e, %s, %w, %b : (!t, tensor<64x2xf16>, tensor<64x1xf16>, !w, !w) -> !t
  %z = spyre.layernormnorm %y, %e, %s, %b, %w : (!t, tensor<64x2xf16>, tensor<64x1xf16>, !w, !w) -> !t
  return %y, %z : !t, !t
}

// TILED-LABEL: func.func @tiled(
// TILED:         scf.for
// TILED:           spyre.exx2 {{.*}} : (tensor<16x100xf16>) -> tensor<16x2xf16>
// TILED:           spyre.layernormscale {{.*}} : (tensor<16x2xf16>) -> tensor<16x1xf16>
// TILED:           spyre.layernormnorm {{.*}} -> tensor<16x100xf16>
func.func @tiled(%x: tensor<64x100xf16> {spyre.dims = ["R", "C"]}, %w: tensor<1x100xf16>, %b: tensor<1x100xf16>) -> tensor<64x100xf16> {
  %e = spyre.exx2 %x tile [0: "R" in 4] : (tensor<64x100xf16>) -> tensor<64x2xf16>
  %s = spyre.layernormscale %e eps 0.0009765625 tile [0: "R" in 4] : (tensor<64x2xf16>) -> tensor<64x1xf16>
  %y = spyre.layernormnorm %x, %e, %s, %w, %b tile [0: "R" in 4]
    : (tensor<64x100xf16>, tensor<64x2xf16>, tensor<64x1xf16>, tensor<1x100xf16>, tensor<1x100xf16>) -> tensor<64x100xf16>
  return %y : tensor<64x100xf16>
}

// A scope of columns cuts what is around a norm, and not the norm.
// TILED-LABEL: func.func @tiled_columns(
// TILED:         scf.for
// TILED:           spyre.exp {{.*}} : tensor<64x128xf16>
// TILED:         spyre.exx2 {{.*}} : (tensor<64x256xf16>) -> tensor<64x2xf16>
// TILED:         spyre.layernormnorm {{.*}} -> tensor<64x256xf16>
func.func @tiled_columns(%a: tensor<64x256xf16> {spyre.dims = ["R", "C"]}, %w: tensor<1x256xf16>, %b: tensor<1x256xf16>) -> tensor<64x256xf16> {
  %x = spyre.exp %a tile [0: "C" in 2] : tensor<64x256xf16>
  %e = spyre.exx2 %x tile [0: "C" in 2] : (tensor<64x256xf16>) -> tensor<64x2xf16>
  %s = spyre.layernormscale %e eps 0.0009765625 : (tensor<64x2xf16>) -> tensor<64x1xf16>
  %y = spyre.layernormnorm %x, %e, %s, %w, %b tile [0: "C" in 2]
    : (tensor<64x256xf16>, tensor<64x2xf16>, tensor<64x1xf16>, tensor<1x256xf16>, tensor<1x256xf16>) -> tensor<64x256xf16>
  return %y : tensor<64x256xf16>
}

// Pairs that tiles make and that are read after the loop: a window of pairs is a window of sticks.
func.func @tiled_and_kept(%x: tensor<64x100xf16> {spyre.dims = ["R", "C"]}, %w: tensor<1x100xf16>, %b: tensor<1x100xf16>) -> tensor<64x100xf16> {
  %e = spyre.exx2 %x tile [0: "R" in 4] : (tensor<64x100xf16>) -> tensor<64x2xf16>
  %s = spyre.layernormscale %e eps 0.0009765625 : (tensor<64x2xf16>) -> tensor<64x1xf16>
  %y = spyre.layernormnorm %x, %e, %s, %w, %b
    : (tensor<64x100xf16>, tensor<64x2xf16>, tensor<64x1xf16>, tensor<1x100xf16>, tensor<1x100xf16>) -> tensor<64x100xf16>
  return %y : tensor<64x100xf16>
}
