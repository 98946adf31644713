// RUN: spyre-opt %s --coarse-tile="groups=@nowhere:0:2,@f:0:2@0+0" --mlir-disable-threading -o /dev/null 2>&1 | FileCheck %s --implicit-check-not="warning:"
// RUN: spyre-opt %s --coarse-tile="groups=@reduced:0:2@1" 2> /dev/null | FileCheck %s --check-prefix=REDUCED
// RUN: spyre-opt %s --coarse-tile="groups=@kept:0:2@2" 2> /dev/null | FileCheck %s --check-prefix=KEPT

// What explicit groups leave out is said, and dimensions are numbered as in the iteration space.

!t = tensor<64x256xf16>

// CHECK: warning: coarse-tile: groups= names the function @nowhere, which is not there
// CHECK: [[#@LINE+3]]:8: warning: coarse-tile: dimension 0 is given twice for one level, with 2; give it once, or use two levels, separated by '/'
// CHECK: [[#@LINE+3]]:8: warning: coarse-tile: groups= lists all operations to tile, so the hints here have no effect; leave groups= out, or name all groups there
func.func @f(%a: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.exp %a : !t
  %z = spyre.neg %y tile [0: "B" in 4] : !t
  return %z : !t
}

// CHECK: [[#@LINE+1]]:1: warning: coarse-tile: groups= lists all operations to tile, so 'spyre.tile_scopes' of the function have no effect; leave groups= out, or name all groups there
func.func @scopes(%a: !t {spyre.dims = ["A", "B"]}) -> !t attributes {spyre.tile_scopes = [#spyre.tile_scope<"A" in 4>]} {
  %y = spyre.exp %a : !t
  return %y : !t
}

// The reduced dimension is behind those of the result: 1, where dimension 0 of the operand is reduced.
// REDUCED-LABEL: func.func @reduced(
// REDUCED:         scf.for
// REDUCED:           tensor.extract_slice %{{.+}}[%{{.+}}, 0] [32, 256] [1, 1]
// REDUCED:           spyre.add
func.func @reduced(%a: !t) -> tensor<256xf16> {
  %s = spyre.sum %a dims [0] : (!t) -> tensor<256xf16>
  return %s : tensor<256xf16>
}

// With keepdim it is behind those of the result as well.
// KEPT-LABEL: func.func @kept(
// KEPT:         scf.for
// KEPT:           tensor.extract_slice %{{.+}}[%{{.+}}, 0] [32, 256] [1, 1]
// KEPT:           spyre.add
func.func @kept(%a: !t) -> tensor<1x256xf16> {
  %s = spyre.sum %a dims [0] keepdim : (!t) -> tensor<1x256xf16>
  return %s : tensor<1x256xf16>
}
