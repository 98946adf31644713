// Softmax over columns, tiled over rows: reductions inside a loop, no element off by a bit.

// RUN: cat %s %S/Inputs/compare.mlir | spyre-opt --coarse-tile --convert-spyre-to-linalg=poison --spyre-lower-to-llvm \
// RUN:   | mlir-runner -e main --entry-point-result=void --shared-libs=%{runner-libs} | FileCheck %s
// RUN: cat %s %S/Inputs/compare.mlir | spyre-opt --coarse-tile | FileCheck %s --check-prefix=TILED

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#sparse = #spyre.layout<(d0, d1) -> (0, d0, d1 mod 64)>
!t = tensor<8x256xf16, #stick>
!column = tensor<8x1xf16, #sparse>

// TILED-LABEL: func.func @f(
// TILED:         scf.for
// TILED:           spyre.max {{.*}} dims [1] keepdim
// TILED-SAME:        tensor<4x256xf16
// TILED:           spyre.realdiv
func.func @f(%x: !t {spyre.dims = ["A", "B"]}, %w: !t {spyre.dims = ["A", "B"]}) -> !t {
  %m = spyre.max %x dims [1] keepdim tile [0: "A" in 2] : (!t) -> !column
  %d = spyre.sub %x, %m tile [0: "A" in 2] : (!t, !column) -> !t
  %e = spyre.exp %d tile [0: "A" in 2] : !t
  %s = spyre.sum %e dims [1] keepdim tile [0: "A" in 2] : (!t) -> !column
  %p = spyre.realdiv %e, %s tile [0: "A" in 2] : (!t, !column) -> !t
  %q = spyre.mul %p, %w tile [0: "A" in 2] : !t
  return %q : !t
}

func.func @f_ref(%x: !t, %w: !t) -> !t {
  %m = spyre.max %x dims [1] keepdim : (!t) -> !column
  %d = spyre.sub %x, %m : (!t, !column) -> !t
  %e = spyre.exp %d : !t
  %s = spyre.sum %e dims [1] keepdim : (!t) -> !column
  %p = spyre.realdiv %e, %s : (!t, !column) -> !t
  %q = spyre.mul %p, %w : !t
  return %q : !t
}

