// RUN: spyre-opt %s --spyre-assign-dim-hints | FileCheck %s --implicit-check-not=tile_scopes
// RUN: spyre-opt %s --spyre-assign-dim-hints -o %t.once.mlir
// RUN: spyre-opt %t.once.mlir --spyre-assign-dim-hints | diff %t.once.mlir -

// Scopes around operations become hints, ids ascending with nesting.

!t = tensor<256x512xf16>

// CHECK-LABEL: func.func @nested(
// CHECK-NEXT:    spyre.add %arg0, %arg0 tile [0: "A" in 2, 1: "B" by 128] :
// CHECK-NEXT:    spyre.exp %{{.*}} tile [0: "A" in 2, 1: "B" by 128] :
// CHECK-NEXT:    spyre.neg %{{.*}} tile [0: "A" in 2] :
func.func @nested(%a: !t {spyre.dims = ["A", "B"]}) -> !t
    attributes {spyre.tile_scopes = [#spyre.tile_scope<"A" in 2>, #spyre.tile_scope<"B" by 128, ops 0 to 1>]} {
  %x = spyre.add %a, %a : !t
  %y = spyre.exp %x : !t
  %z = spyre.neg %y : !t
  return %z : !t
}

// Several dimensions in one scope are as many loops, the first outermost.
// CHECK-LABEL: func.func @several_dimensions(
// CHECK:         spyre.exp %{{.*}} tile [0: "B" in 4, 1: "A" in 2] :
func.func @several_dimensions(%a: !t {spyre.dims = ["A", "B"]}) -> !t
    attributes {spyre.tile_scopes = [#spyre.tile_scope<"B" in 4, "A" in 2>]} {
  %y = spyre.exp %a : !t
  return %y : !t
}

// Hints that are there are inside of the scopes.
// CHECK-LABEL: func.func @own_hints(
// CHECK-NEXT:    spyre.exp %{{.*}} tile [0: "A" in 2, 1: "B" in 4] :
// CHECK-NEXT:    spyre.neg %{{.*}} tile [1: "B" in 4, 3: "A" in 2] :
func.func @own_hints(%a: !t {spyre.dims = ["A", "B"]}) -> !t
    attributes {spyre.tile_scopes = [#spyre.tile_scope<"A" in 2, ops 0 to 0>]} {
  %y = spyre.exp %a tile [0: "B" in 4] : !t
  %z = spyre.neg %y tile [0: "B" in 4, 2: "A" in 2] : !t
  return %z : !t
}

// The scopes of a loop are inside those of the function. Operations are counted within what has the scope.
// CHECK-LABEL: func.func @loops(
// CHECK:         spyre.exp %arg0 tile [0: "A" in 2] :
// CHECK:         scf.for
// CHECK:           spyre.abs %{{.*}} tile [0: "A" in 2, 1: "B" in 4] :
// CHECK:           spyre.neg %{{.*}} tile [1: "B" in 4, 2: "A" in 8] :
// CHECK:         spyre.log %{{.*}} : tensor
func.func @loops(%a: !t {spyre.dims = ["A", "B"]}) -> !t
    attributes {spyre.tile_scopes = [#spyre.tile_scope<"A" in 2, ops 0 to 1>]} {
  %lb = arith.constant 0 : index
  %ub = arith.constant 4 : index
  %step = arith.constant 1 : index
  %y = spyre.exp %a : !t
  %r = scf.for %i = %lb to %ub step %step iter_args(%acc = %y) -> !t {
    %n = spyre.abs %acc : !t
    %m = spyre.neg %n : !t
    scf.yield %m : !t
  } {spyre.tile_scopes = [#spyre.tile_scope<"B" in 4>, #spyre.tile_scope<"A" in 8, ops 1 to 1>]}
  %z = spyre.log %r : !t
  return %z : !t
}

// A dynamic dimension is in tiles, whatever is asked for others.
// CHECK-LABEL: func.func @open(
// CHECK-NEXT:    spyre.exp %{{.*}} tile [0: "S" by 32, 1: "D" in 2] :
// CHECK-NEXT:    spyre.neg %{{.*}} tile [0: "S" by 32] :
func.func @open(%a: tensor<?x128xf16> {spyre.dims = ["S", "D"]}) -> tensor<?x128xf16>
    attributes {spyre.dim_sizes = {D = 128, S = #spyre.dynamic<granularity = 32, max = 128>}} {
  %x = spyre.exp %a tile [0: "D" in 2] : tensor<?x128xf16>
  %y = spyre.neg %x : tensor<?x128xf16>
  return %y : tensor<?x128xf16>
}

// What one operation asks for it, all do.
// CHECK-LABEL: func.func @open_by(
// CHECK-NEXT:    spyre.exp %{{.*}} tile [0: "T" by 32, 2: "S" by 64] :
// CHECK-NEXT:    spyre.neg %{{.*}} tile [0: "T" by 32, 2: "S" by 64] :
func.func @open_by(%a: tensor<?x?xf16> {spyre.dims = ["S", "T"]}) -> tensor<?x?xf16>
    attributes {spyre.dim_sizes = {S = #spyre.dynamic<granularity = 32, max = 128>, T = #spyre.dynamic<granularity = 32, max = 128>}} {
  %x = spyre.exp %a : tensor<?x?xf16>
  %y = spyre.neg %x tile [1: "S" by 64] : tensor<?x?xf16>
  return %y : tensor<?x?xf16>
}

// Where an operation reduces one of two, the loop over the other is around its own.
// CHECK-LABEL: func.func @open_reduced(
// CHECK-NEXT:    spyre.exp %{{.*}} tile [0: "S" by 32, 1: "T" by 32] :
// CHECK-NEXT:    spyre.sum %{{.*}} dims [0] tile [2: "T" by 32, 3: "S" by 32] :
// CHECK-NEXT:    spyre.sum %{{.*}} dims [1] tile [0: "S" by 32, 1: "T" by 32] :
func.func @open_reduced(%a: tensor<?x?xf16> {spyre.dims = ["S", "T"]}) -> (tensor<?xf16>, tensor<?xf16>)
    attributes {spyre.dim_sizes = {S = #spyre.dynamic<granularity = 32, max = 128>, T = #spyre.dynamic<granularity = 32, max = 128>}} {
  %x = spyre.exp %a : tensor<?x?xf16>
  %y = spyre.sum %x dims [0] : (tensor<?x?xf16>) -> tensor<?xf16>
  %z = spyre.sum %x dims [1] : (tensor<?x?xf16>) -> tensor<?xf16>
  return %y, %z : tensor<?xf16>, tensor<?xf16>
}

// So it is around one that something asks for.
// CHECK-LABEL: func.func @open_inside(
// CHECK-NEXT:    spyre.exp %{{.*}} tile [0: "S" by 32, 1: "T" by 64] :
// CHECK-NEXT:    spyre.sum %{{.*}} dims [0] tile [1: "T" by 64, 2: "S" by 32] :
func.func @open_inside(%a: tensor<?x?xf16> {spyre.dims = ["S", "T"]}) -> tensor<?xf16>
    attributes {spyre.dim_sizes = {S = #spyre.dynamic<granularity = 32, max = 128>, T = #spyre.dynamic<granularity = 32, max = 128>}} {
  %x = spyre.exp %a tile [0: "T" by 64] : tensor<?x?xf16>
  %y = spyre.sum %x dims [0] : (tensor<?x?xf16>) -> tensor<?xf16>
  return %y : tensor<?xf16>
}
