// RUN: spyre-opt %s --coarse-tile | FileCheck %s --check-prefix=TILED
// RUN: spyre-opt %s --coarse-tile -o %t.tiled.mlir
// RUN: spyre-opt %t.tiled.mlir --spyre-unroll-loops -o %t.unrolled.mlir
// RUN: spyre-opt %t.tiled.mlir --spyre-work-division --spyre-scratchpad-planning -o %t.planned.mlir
// RUN: spyre-run %s --compare %t.tiled.mlir --random-seed 1 --special-values --poison | FileCheck %s
// RUN: spyre-run %s --compare %t.unrolled.mlir --random-seed 2 --special-values --poison | FileCheck %s
// RUN: spyre-run %s --compare %t.planned.mlir --random-seed 3 --special-values --poison | FileCheck %s

// Operations between those of a group go behind its loops: the numbers stay the same. So do they with names that go
// through reshapes, and with tiles by size.

// CHECK: result 0: 0 of 16384 elements differ{{$}}
// CHECK: result 1: 0 of 16384 elements differ{{$}}
// CHECK: result 2: 0 of 16384 elements differ{{$}}

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#nest = #spyre.layout<(d0, d1, d2) -> (d2 floordiv 64, d0, d1, d2 mod 64)>
!t = tensor<64x256xf16, #stick>
!e = tensor<16x4x256xf16, #nest>

// TILED-LABEL: func.func @f(
// TILED:         %[[Y:.+]]:2 = scf.for
// TILED:           scf.for
// TILED:             spyre.exp
// TILED:             spyre.add
// TILED:         %[[U:.+]] = spyre.neg %[[Y]]#0
// TILED:         spyre.mul %[[U]]
// TILED:         tensor.expand_shape %[[Y]]#1
// TILED:         scf.for {{.*}} to %c4
// TILED:           spyre.abs {{.*}} : tensor<4x4x256xf16
func.func @f(%a: !t {spyre.dims = [#spyre.merged<"H" of 16, "D" of 4>, "B"]}, %b: !t) -> (!t, !t, !e) {
  %y = spyre.exp %a tile [0: "H" by 8, 1: "B" by 128] : !t
  %u = spyre.neg %y : !t
  %v = spyre.mul %u, %b : !t
  %z = spyre.add %y, %b tile [0: "H" by 8, 1: "B" by 128] : !t
  %e = tensor.expand_shape %z [[0, 1], [2]] output_shape [16, 4, 256] : !t into !e
  %w = spyre.abs %e tile [2: "H" by 4] : !e
  return %z, %v, %w : !t, !t, !e
}
