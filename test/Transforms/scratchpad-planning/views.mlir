// RUN: spyre-opt %s --spyre-scratchpad-planning | FileCheck %s
// RUN: spyre-run %s --entry permuted --check-pipeline='builtin.module(func.func(spyre-scratchpad-planning),convert-spyre-to-sdscbundle)' | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry split --check-pipeline='builtin.module(func.func(spyre-scratchpad-planning),convert-spyre-to-sdscbundle)' | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry merged --check-pipeline='builtin.module(func.func(spyre-scratchpad-planning),convert-spyre-to-sdscbundle)' | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry other_slices --check-pipeline='builtin.module(func.func(spyre-scratchpad-planning),convert-spyre-to-sdscbundle)' | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry inner_part --check-pipeline='builtin.module(func.func(spyre-scratchpad-planning),convert-spyre-to-sdscbundle)' | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry inserted --check-pipeline='builtin.module(func.func(spyre-scratchpad-planning),convert-spyre-to-sdscbundle)' | FileCheck %s --check-prefix=CARD

// CARD: a bundle, same results on the simulated card

// What is read through views is in the scratchpad, where each core reads a view of its own slice.

#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
#three = #spyre.layout<(d0, d1, d2) -> (d2 floordiv 64, d0, d1, d2 mod 64)>
!a = tensor<64x128xf16, #rows>
!p = tensor<128x64xf16, #cols>
!e = tensor<8x8x128xf16, #three>

// CHECK-LABEL: func.func @permuted(
// CHECK:         spyre.exp %{{.+}} split [16, 1] place lx 0
func.func @permuted(%x: !a) -> !p {
  %y = spyre.exp %x split [16, 1] : !a
  %p = spyre.permute %y [1, 0] : !a to !p
  %z = spyre.neg %p split [1, 16] : !p
  return %z : !p
}

// CHECK-LABEL: func.func @split(
// CHECK:         spyre.exp %{{.+}} split [4, 1] place lx 0
func.func @split(%x: !a) -> !e {
  %y = spyre.exp %x split [4, 1] : !a
  %e = tensor.expand_shape %y [[0, 1], [2]] output_shape [8, 8, 128] : !a into !e
  %z = spyre.neg %e split [4, 1, 1] : !e
  return %z : !e
}

// CHECK-LABEL: func.func @merged(
// CHECK:         spyre.exp %{{.+}} split [4, 1, 1] place lx 0
func.func @merged(%x: !e) -> !a {
  %y = spyre.exp %x split [4, 1, 1] : !e
  %c = tensor.collapse_shape %y [[0, 1], [2]] : !e into !a
  %z = spyre.neg %c split [4, 1] : !a
  return %z : !a
}

// Slices of another dimension are on other cores.
// CHECK-LABEL: func.func @other_slices(
// CHECK:         spyre.exp %{{.+}} split [2, 1] place pool
func.func @other_slices(%x: !a) -> !p {
  %y = spyre.exp %x split [2, 1] : !a
  %p = spyre.permute %y [1, 0] : !a to !p
  %z = spyre.neg %p split [2, 1] : !p
  return %z : !p
}

// Nor are slices of an inner part slices of the whole.
// CHECK-LABEL: func.func @inner_part(
// CHECK:         spyre.exp %{{.+}} split [4, 1] place pool
func.func @inner_part(%x: !a) -> !e {
  %y = spyre.exp %x split [4, 1] : !a
  %e = tensor.expand_shape %y [[0, 1], [2]] output_shape [8, 8, 128] : !a into !e
  %z = spyre.neg %e split [1, 4, 1] : !e
  return %z : !e
}

// What is inserted and reshaped is copied into the window: nothing reshapes a window.
// CHECK-LABEL: func.func @inserted(
// CHECK:         %[[Y:.+]] = spyre.exp %{{.+}} split [4, 1] place lx 0
// CHECK:         %[[C:.+]] = spyre.copy %[[Y]] split [4, 1] place window
// CHECK:         tensor.insert_slice %[[C]]
func.func @inserted(%x: !a) -> (tensor<128x128xf16, #rows>, !e) {
  %n = spyre.empty : tensor<128x128xf16, #rows>
  %i = spyre.neg %x split [4, 1] : !a
  %y = spyre.exp %x split [4, 1] : !a
  %e = tensor.expand_shape %y [[0, 1], [2]] output_shape [8, 8, 128] : !a into !e
  %z = spyre.neg %e split [4, 1, 1] : !e
  %r = tensor.insert_slice %i into %n[0, 0] [64, 128] [1, 1] : !a into tensor<128x128xf16, #rows>
  %s = tensor.insert_slice %y into %r[64, 0] [64, 128] [1, 1] : !a into tensor<128x128xf16, #rows>
  return %s, %z : tensor<128x128xf16, #rows>, !e
}
