// Passes in a wrong order, or without one that they need: the error says which comes first.

// The right order.
// RUN: spyre-opt %s --spyre-pipeline -o /dev/null

// Scopes are hints before they are loops.
// RUN: not spyre-opt %s --coarse-tile 2>&1 | FileCheck %s --check-prefix=SCOPES
// SCOPES: error: coarse-tile: the function has 'spyre.tile_scopes', which --spyre-assign-dim-hints has to turn into hints first

// Layouts are chosen and then taken for granted.
// RUN: spyre-opt %s --spyre-assign-dim-hints --spyre-propagate-layouts -o %t.candidates.mlir
// RUN: not spyre-opt %t.candidates.mlir --spyre-work-division 2>&1 | FileCheck %s --check-prefix=DIVISION-LAYOUT
// RUN: not spyre-opt %t.candidates.mlir --spyre-scratchpad-planning 2>&1 | FileCheck %s --check-prefix=PLANNING-LAYOUT
// RUN: not spyre-opt %t.candidates.mlir --convert-spyre-to-sdscbundle 2>&1 | FileCheck %s --check-prefix=CONVERSION-LAYOUT
// DIVISION-LAYOUT: error: spyre-work-division: the layout of this value is not chosen yet; --spyre-insert-restickify comes first
// PLANNING-LAYOUT: error: spyre-scratchpad-planning: the layout of this value is not chosen yet; --spyre-insert-restickify comes first
// CONVERSION-LAYOUT: error: convert-spyre-to-sdscbundle: the layout of this value is not chosen yet; --spyre-insert-restickify comes first

// Without any, every value has the default one, which may not go together.
// RUN: not spyre-opt %s --spyre-assign-dim-hints --spyre-constants-to-arguments --coarse-tile --spyre-work-division --spyre-scratchpad-planning --convert-spyre-to-sdscbundle 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NO-LAYOUT
// NO-LAYOUT: error: convert-spyre-to-sdscbundle: operand #0 has dimension 0 of the iteration space on its stick, but the result has dimension 1; --spyre-propagate-layouts, --spyre-optimize-restickify and --spyre-insert-restickify choose layouts that agree
// NO-LAYOUT-NEXT: spyre.add

// Loops are made before places are given, and before work is divided.
// RUN: spyre-opt %s --spyre-assign-dim-hints --spyre-propagate-layouts --spyre-optimize-restickify --spyre-insert-restickify -o %t.laid-out.mlir
// RUN: not spyre-opt %t.laid-out.mlir --spyre-scratchpad-planning --coarse-tile 2>&1 | FileCheck %s --check-prefix=PLANNED-TILING
// RUN: not spyre-opt %t.laid-out.mlir --spyre-work-division --coarse-tile 2>&1 | FileCheck %s --check-prefix=DIVIDED-TILING
// PLANNED-TILING: error: coarse-tile: operation already has a place; --coarse-tile comes before --spyre-scratchpad-planning
// DIVIDED-TILING: error: coarse-tile: split of dimension {{.*}} does not divide the tile's extent {{.*}}; without a split, --spyre-work-division chooses one after --coarse-tile

// Planning counts on the division of the work, and on the arguments.
// RUN: not spyre-opt %t.laid-out.mlir --spyre-scratchpad-planning --spyre-work-division 2>&1 | FileCheck %s --check-prefix=PLANNED-DIVISION
// RUN: not spyre-opt %t.laid-out.mlir --spyre-scratchpad-planning --spyre-constants-to-arguments 2>&1 | FileCheck %s --check-prefix=PLANNED-CONSTANTS
// PLANNED-DIVISION: error: spyre-work-division: operation has a place, so it already runs on one core; --spyre-work-division comes before --spyre-scratchpad-planning
// PLANNED-CONSTANTS: error: spyre-constants-to-arguments: operation already has a place, but an additional argument changes the numbers of the results; run the pass before --spyre-scratchpad-planning

// The conversion needs a plan, and a device without literals.
// RUN: not spyre-opt %t.laid-out.mlir --spyre-constants-to-arguments --convert-spyre-to-sdscbundle 2>&1 | FileCheck %s --check-prefix=NO-PLACE
// RUN: not spyre-opt %t.laid-out.mlir --spyre-scratchpad-planning --convert-spyre-to-sdscbundle 2>&1 | FileCheck %s --check-prefix=LITERAL
// NO-PLACE: error: convert-spyre-to-sdscbundle: value has no place; --spyre-scratchpad-planning gives it one
// LITERAL: error: convert-spyre-to-sdscbundle: spyre.fill has no form in a bundle; --spyre-constants-to-arguments makes it an argument, before planning

func.func @f(%a: tensor<128x256xf16> {spyre.dims = ["B", "A"]}, %b: tensor<256x128xf16> {spyre.dims = ["A", "B"]}) -> tensor<256x128xf16>
    attributes {spyre.tile_scopes = [#spyre.tile_scope<"A" in 2>]} {
  %one = spyre.fill dense<1.0> : tensor<256x128xf16>
  %t = spyre.permute %a [1, 0] : tensor<128x256xf16> to tensor<256x128xf16>
  %y = spyre.add %t, %b : tensor<256x128xf16>
  %z = spyre.mul %y, %one : tensor<256x128xf16>
  return %z : tensor<256x128xf16>
}
