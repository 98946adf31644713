// The rows of a layer norm are normalised as a whole. A group that is listed cannot cut them, and hints leave the norm outside of the loop.

// RUN: not spyre-opt %s --coarse-tile="groups=@norm:0:2@1" 2>&1 | FileCheck %s --check-prefix=MOMENTS
// RUN: not spyre-opt %s --coarse-tile="groups=@norm:2:2@1" 2>&1 | FileCheck %s --check-prefix=NORM
// RUN: spyre-opt %s --coarse-tile="groups=@norm:0-2:2@0" | FileCheck %s --check-prefix=ROWS
// RUN: spyre-opt %s --coarse-tile --remarks-filter=coarse-tile --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// ROWS-LABEL: func.func @norm(
// ROWS:         scf.for
// ROWS:           spyre.exx2 {{.*}} : (tensor<32x256xf16>) -> tensor<32x2xf16>
// ROWS:           spyre.layernormscale {{.*}} : (tensor<32x2xf16>) -> tensor<32x1xf16>
// ROWS:           spyre.layernormnorm {{.*}} -> tensor<32x256xf16>
func.func @norm(%x: tensor<64x256xf16>, %w: tensor<256xf16>) -> tensor<64x256xf16> {
  // MOMENTS: [[#@LINE+1]]:{{.*}}: error: coarse-tile: dimension 1 is normalised by this operation, which takes rows as a whole; tile another dimension
  %e = spyre.exx2 %x : (tensor<64x256xf16>) -> tensor<64x2xf16>
  %s = spyre.layernormscale %e eps 1.0e-5 : (tensor<64x2xf16>) -> tensor<64x1xf16>
  // NORM: [[#@LINE+1]]:{{.*}}: error: coarse-tile: dimension 1 is normalised by this operation, which takes rows as a whole; tile another dimension
  %y = spyre.layernormnorm %x, %e, %s, %w, %w
    : (tensor<64x256xf16>, tensor<64x2xf16>, tensor<64x1xf16>, tensor<256xf16>, tensor<256xf16>) -> tensor<64x256xf16>
  return %y : tensor<64x256xf16>
}

func.func @hinted(%x: tensor<64x256xf16> {spyre.dims = ["R", "C"]}) -> (tensor<64x256xf16>, tensor<64x1xf16>) {
  %a = spyre.exp %x tile [0: "C" in 2] : tensor<64x256xf16>
  // REMARK: NormalisedDimension
  // REMARK-SAME: Dimension=C
  %e = spyre.exx2 %a tile [0: "C" in 2] : (tensor<64x256xf16>) -> tensor<64x2xf16>
  %s = spyre.layernormscale %e eps 1.0e-5 : (tensor<64x2xf16>) -> tensor<64x1xf16>
  return %a, %s : tensor<64x256xf16>, tensor<64x1xf16>
}
