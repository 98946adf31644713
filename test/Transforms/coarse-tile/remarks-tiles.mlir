// RUN: spyre-opt %s --coarse-tile --split-input-file --verify-diagnostics
// RUN: spyre-opt %s --coarse-tile --split-input-file 2> /dev/null | FileCheck %s

// What the pass does otherwise than one might think, it says.

!t = tensor<256x512xf16>
!c = tensor<256x1xf16>

// CHECK-LABEL: func.func @second_loop
// CHECK:         scf.for
// CHECK:           spyre.max
// CHECK:         }
// CHECK:         scf.for
// CHECK:           spyre.sub
func.func @second_loop(%x: !t {spyre.dims = ["A", "B"]}) -> !t {
  // expected-note @+1 {{computed here}}
  %m = spyre.max %x dims [1] keepdim tile [0: "B" in 2] : (!t) -> !c
  // expected-remark @+1 {{coarse-tile: operand #1 is complete only after the loop over dimension "B", so a second loop over it follows}}
  %d = spyre.sub %x, %m tile [0: "B" in 2] : (!t, !c) -> !t
  return %d : !t
}

// -----

!t = tensor<256x512xf16>
!c = tensor<256x1xf16>

// What lacks the dimension of the loop is behind it, and needs no second one: no remark.
// CHECK-LABEL: func.func @behind_the_loop
// CHECK:         scf.for
// CHECK:           spyre.max
// CHECK:         }
// CHECK-NOT:     scf.for
// CHECK:         spyre.neg
func.func @behind_the_loop(%x: !t {spyre.dims = ["A", "B"]}) -> !c {
  %m = spyre.max %x dims [1] keepdim tile [0: "B" in 2] : (!t) -> !c
  %n = spyre.neg %m tile [0: "B" in 2] : !c
  return %n : !c
}

// -----

!t = tensor<256x512xf16>

// Independent operations share the second loop. The outer loop is one.
// CHECK-LABEL: func.func @shared_loops
// CHECK-COUNT-3: scf.for
// CHECK-NOT:     scf.for
func.func @shared_loops(%x: !t {spyre.dims = ["A", "B"]}) -> (!t, !t) {
  // expected-note @+1 {{computed here}}
  %m = spyre.max %x dims [1] keepdim tile [0: "A" in 2, 1: "B" in 2] : (!t) -> tensor<256x1xf16>
  %n = spyre.min %x dims [1] keepdim tile [0: "A" in 2, 1: "B" in 2] : (!t) -> tensor<256x1xf16>
  // expected-remark @+1 {{complete only after the loop over dimension "B"}}
  %d = spyre.sub %x, %m tile [0: "A" in 2, 1: "B" in 2] : (!t, tensor<256x1xf16>) -> !t
  %e = spyre.sub %x, %n tile [0: "A" in 2, 1: "B" in 2] : (!t, tensor<256x1xf16>) -> !t
  return %d, %e : !t, !t
}

// -----

// Fewer tiles than asked for: whole sticks, and what rounding up leaves.
// CHECK-LABEL: func.func @whole_sticks
// CHECK:         scf.for %{{.+}} = %{{.+}} to %c8
func.func @whole_sticks(%x: tensor<256x512xf16> {spyre.dims = ["A", "B"]}) -> tensor<256x512xf16> {
  // expected-remark @+1 {{coarse-tile: dimension "B" of extent 512 is cut into tiles of 64, which make 8, and not into 16 tiles: without layouts, the stick is taken to be the last dimension of each tensor, and has 64; after the passes that choose layouts, other tiles may be possible}}
  %y = spyre.exp %x tile [0: "B" in 16] : tensor<256x512xf16>
  return %y : tensor<256x512xf16>
}

// -----

// CHECK-LABEL: func.func @fewer_tiles
// CHECK:         scf.for %{{.+}} = %{{.+}} to %c4
// CHECK:         spyre.exp %{{.+}} : tensor<1x512xf16>
func.func @fewer_tiles(%x: tensor<9x512xf16> {spyre.dims = ["A", "B"]}) -> tensor<9x512xf16> {
  // expected-remark @+1 {{coarse-tile: dimension "A" of extent 9 cannot be cut into 7 tiles; tiles of 2 make 5}}
  %y = spyre.exp %x tile [0: "A" in 7] : tensor<9x512xf16>
  return %y : tensor<9x512xf16>
}

// -----

// A stick of one operation is a stick of the whole group.
#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
// CHECK-LABEL: func.func @sticks_of_the_group
// CHECK:         scf.for %{{.+}} = %{{.+}} to %c4
// CHECK:           spyre.exp %{{.+}} : tensor<64x512xf16
// CHECK:           spyre.restickify %{{.+}} : (tensor<64x512xf16
func.func @sticks_of_the_group(%x: tensor<256x512xf16, #rows> {spyre.dims = ["A", "B"]}) -> tensor<256x512xf16, #cols> {
  %y = spyre.exp %x tile [0: "A" in 8] : tensor<256x512xf16, #rows>
  // expected-remark @-1 {{dimension "A" of extent 256 cannot be cut into 8 tiles in whole sticks of 64; tiles of 64 make 4}}
  %z = spyre.restickify %y tile [0: "A" in 8] : (tensor<256x512xf16, #rows>) -> tensor<256x512xf16, #cols>
  return %z : tensor<256x512xf16, #cols>
}

// -----

// One tile is no loop.
// CHECK-LABEL: func.func @one_tile
// CHECK-NEXT:    spyre.exp
func.func @one_tile(%x: tensor<8x48xf16> {spyre.dims = ["A", "B"]}) -> tensor<8x48xf16> {
  // expected-remark @+1 {{dimension "B" of extent 48 is cut into tiles of 48, which make 1, and not into 2 tiles: without layouts,}}
  %y = spyre.exp %x tile [0: "B" in 2] : tensor<8x48xf16>
  return %y : tensor<8x48xf16>
}
