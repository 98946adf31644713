// RUN: spyre-opt %s --spyre-assign-dim-hints | FileCheck %s --implicit-check-not=tile_scopes --implicit-check-not=divide
// RUN: spyre-opt %s --spyre-assign-dim-hints -o %t.once.mlir
// RUN: spyre-opt %t.once.mlir --spyre-assign-dim-hints | diff %t.once.mlir -
// RUN: spyre-opt %s --spyre-assign-dim-hints --coarse-tile --spyre-work-division | FileCheck %s --check-prefix=TILED

// Cores for dimensions by name become splits, which tiling and work division keep.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#flipped = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
!t = tensor<256x512xf16, #stick>

// Dimensions that are not named are not divided, and what has none of the names is left to work division.
// CHECK-LABEL: func.func @own(
// CHECK:         spyre.exp %{{.*}} split [8, 1] :
// CHECK:         spyre.neg %{{.*}} split [4, 8] :
// CHECK:         spyre.abs %{{.*}} split [1, 1] :
// CHECK:         spyre.log %{{[a-z]*[0-9]+}} : tensor
// TILED-LABEL: func.func @own(
// TILED:         spyre.log %{{.*}} split [32, 1] :
func.func @own(%a: !t {spyre.dims = ["A", "B"]}, %b: !t) -> (!t, !t, !t, !t) {
  %w = spyre.exp %a divide ["A" over 8] : !t
  %x = spyre.neg %w divide ["B" over 8, "A" over 4] : !t
  %y = spyre.abs %x divide ["A" over 1] : !t
  %z = spyre.log %b divide ["A" over 2] : !t
  return %w, %x, %y, %z : !t, !t, !t, !t
}

// Of a name that several scopes divide, the innermost counts, and the operation's own before it.
// CHECK-LABEL: func.func @scopes(
// CHECK:         spyre.exp %{{.*}} tile [0: "A" in 2] split [8, 1] :
// CHECK:         scf.for
// CHECK:           spyre.neg %{{.*}} tile [0: "A" in 2] split [4, 2] :
// CHECK:           spyre.abs %{{.*}} tile [0: "A" in 2] split [16, 2] :
// CHECK:         spyre.log %{{.*}} tile [0: "A" in 2] : tensor
func.func @scopes(%a: !t {spyre.dims = ["A", "B"]}) -> !t
    attributes {spyre.tile_scopes = [#spyre.tile_scope<"A" in 2>, #spyre.tile_scope<"A" over 8, ops 0 to 2>]} {
  %lb = arith.constant 0 : index
  %ub = arith.constant 4 : index
  %step = arith.constant 1 : index
  %w = spyre.exp %a : !t
  %r = scf.for %i = %lb to %ub step %step iter_args(%acc = %w) -> !t {
    %x = spyre.neg %acc : !t
    %y = spyre.abs %x divide ["A" over 16] : !t
    scf.yield %y : !t
  } {spyre.tile_scopes = [#spyre.tile_scope<"A" over 4, "B" over 2>]}
  %z = spyre.log %r : !t
  return %z : !t
}

// The dimension of a name is where the name is: behind a permutation, a reduction and a product, and where others were
// merged with it.
// CHECK-LABEL: func.func @positions(
// CHECK:         spyre.permute
// CHECK:         spyre.exp %{{.*}} split [1, 4] :
// CHECK:         spyre.max %{{.*}} split [4, 1] :
// CHECK:         spyre.batchmatmul %{{.*}} split [4, 2, 1] :
// CHECK:         tensor.collapse_shape
// CHECK:         spyre.neg %{{.*}} split [4] :
func.func @positions(%a: tensor<256x512xf16> {spyre.dims = ["A", "B"]}, %b: tensor<512x128xf16> {spyre.dims = ["B", "C"]})
    -> (tensor<512x256xf16>, tensor<256xf16>, tensor<256x128xf16>, tensor<131072xf16>)
    attributes {spyre.tile_scopes = [#spyre.tile_scope<"A" over 4>]} {
  %p = spyre.permute %a [1, 0] : tensor<256x512xf16> to tensor<512x256xf16>
  %w = spyre.exp %p : tensor<512x256xf16>
  %x = spyre.max %a dims [1] : (tensor<256x512xf16>) -> tensor<256xf16>
  %y = spyre.batchmatmul %a, %b divide ["C" over 2] : (tensor<256x512xf16>, tensor<512x128xf16>) -> tensor<256x128xf16>
  %m = tensor.collapse_shape %a [[0, 1]] : tensor<256x512xf16> into tensor<131072xf16>
  %z = spyre.neg %m : tensor<131072xf16>
  return %w, %x, %y, %z : tensor<512x256xf16>, tensor<256xf16>, tensor<256x128xf16>, tensor<131072xf16>
}

// It is sticks that are divided, of the dimension that a layout puts on the stick.
// CHECK-LABEL: func.func @sticks(
// CHECK:         spyre.exp %{{.*}} split [4, 1] :
func.func @sticks(%a: tensor<256x500xf16, #flipped> {spyre.dims = ["A", "B"]}) -> tensor<256x500xf16, #flipped> {
  %y = spyre.exp %a divide ["A" over 4] : tensor<256x500xf16, #flipped>
  return %y : tensor<256x500xf16, #flipped>
}

// Of 64 rows in a tile, 8 cores have 8 each.
// CHECK-LABEL: func.func @tiles(
// CHECK:         spyre.exp %{{.*}} tile [0: "A" in 4] split [8, 4] :
// TILED-LABEL: func.func @tiles(
// TILED:         scf.for
// TILED:           spyre.exp %{{.*}} split [8, 4] : tensor<64x512xf16
func.func @tiles(%a: !t {spyre.dims = ["A", "B"]}) -> !t attributes {spyre.tile_scopes = [#spyre.tile_scope<"A" in 4, "A" over 8, "B" over 4>]} {
  %y = spyre.exp %a : !t
  return %y : !t
}

// What is combined in a loop is divided as its parts are.
// TILED-LABEL: func.func @accumulated(
// TILED:         scf.for
// TILED:           spyre.sum %{{.*}} split [16, 1, 1] :
// TILED:           spyre.add %{{.*}} split [16, 1] :
func.func @accumulated(%a: !t {spyre.dims = ["A", "B"]}) -> tensor<256x1xf16> {
  %y = spyre.sum %a dims [1] keepdim tile [0: "B" in 4] divide ["A" over 16] : (!t) -> tensor<256x1xf16>
  return %y : tensor<256x1xf16>
}
