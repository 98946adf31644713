// Values that cross the boundary of loops, or do not: tiled = untiled, on poisoned memory.

// RUN: spyre-opt %s --coarse-tile -o %t.tiled.mlir
// RUN: FileCheck %s --input-file %t.tiled.mlir
// RUN: spyre-run %s --entry uses --compare %t.tiled.mlir --random-seed 1 --poison --special-values | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry invariant --compare %t.tiled.mlir --random-seed 2 --poison --special-values | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry ranks --compare %t.tiled.mlir --random-seed 3 --poison --special-values | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry views --compare %t.tiled.mlir --random-seed 4 --poison --special-values | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry layouts --compare %t.tiled.mlir --random-seed 5 --poison --special-values | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry units --compare %t.tiled.mlir --random-seed 6 --poison --special-values | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry whole_in_tiles --compare %t.tiled.mlir --random-seed 7 --poison --special-values | FileCheck %s --check-prefix=SAME
// RUN: spyre-opt %s --coarse-tile="groups=@two_at_one_level:2:2@0+2,@two_at_one_level:3-4:2@0+1+2" -o %t.groups.mlir
// RUN: FileCheck %s --input-file %t.groups.mlir --check-prefix=GROUPS
// RUN: spyre-run %s --entry two_at_one_level --compare %t.groups.mlir --random-seed 8 --poison | FileCheck %s --check-prefix=SAME

// Exit codes say the rest.
// SAME: result 0: 0 of

!t = tensor<16x256xf16>

// Inside only (a), outside only (c), both (b), a result of the function (d), read by another group in other tiles (b, d), and
// not at all (e).
// CHECK-LABEL: func.func @uses(
// CHECK:         %[[R:.+]]:3 = scf.for
// CHECK:           %[[A:.+]] = spyre.add
// CHECK-NOT:       insert_slice %[[A]]
// CHECK:           scf.yield %{{[^,]+}}, %{{[^,]+}}, %{{[^,]+}} :
// CHECK:         spyre.exp %[[R]]#
// CHECK:         scf.for
// CHECK:           extract_slice %[[R]]#{{.}}[0, %{{.+}}] [16, 64]
func.func @uses(%x: !t {spyre.dims = ["A", "B"]}, %y: !t {spyre.dims = ["A", "B"]}) -> (!t, !t, !t) {
  %a = spyre.add %x, %y tile [0: "A" in 4] : !t
  %b = spyre.sub %a, %y tile [0: "A" in 4] : !t
  %c = spyre.abs %a tile [0: "A" in 4] : !t
  %d = spyre.maximum %b, %x tile [0: "A" in 4] : !t
  %e = spyre.neg %d tile [0: "A" in 4] : !t
  %f = spyre.exp %c : !t
  %g = spyre.minimum %b, %d tile [1: "B" in 4] : !t
  return %d, %f, %g : !t, !t, !t
}

// Computed once in front of the loops; in front of the inner loop; and in every iteration of the outer one.
// CHECK-LABEL: func.func @invariant(
// CHECK:         spyre.exp %arg1
// CHECK:         scf.for
// CHECK:           spyre.neg %{{.+}} : tensor<4x1xf16>
// CHECK:           scf.for
// CHECK:             spyre.abs %{{.+}} : tensor<1x64xf16>
func.func @invariant(%x: !t {spyre.dims = ["A", "B"]}, %s: tensor<1x1xf16>, %c: tensor<16x1xf16> {spyre.dims = ["A", "B"]}, %r: tensor<1x256xf16> {spyre.dims = ["A", "B"]}) -> (!t, tensor<1x1xf16>, tensor<16x1xf16>, tensor<1x256xf16>) {
  %0 = spyre.exp %s tile [0: "A" in 4, 1: "B" in 4] : tensor<1x1xf16>
  %1 = spyre.abs %r tile [0: "A" in 4, 1: "B" in 4] : tensor<1x256xf16>
  %2 = spyre.add %x, %1 tile [0: "A" in 4, 1: "B" in 4] : (!t, tensor<1x256xf16>) -> !t
  %3 = spyre.neg %c tile [0: "A" in 4, 1: "B" in 4] : tensor<16x1xf16>
  %4 = spyre.mul %2, %3 tile [0: "A" in 4, 1: "B" in 4] : (!t, tensor<16x1xf16>) -> !t
  %5 = spyre.sub %4, %0 tile [0: "A" in 4, 1: "B" in 4] : (!t, tensor<1x1xf16>) -> !t
  return %5, %0, %3, %1 : !t, tensor<1x1xf16>, tensor<16x1xf16>, tensor<1x256xf16>
}

// Operands of other ranks than the result's, by name and by position.
// CHECK-LABEL: func.func @ranks(
// CHECK:         tensor.extract_slice %arg1[%{{.+}}] [64]
// CHECK:         tensor.extract_slice %arg2[%{{.+}}, 0] [4, 1]
func.func @ranks(%x: tensor<3x8x128xf16> {spyre.dims = ["A", "B", "C"]}, %v: tensor<128xf16>, %w: tensor<8x1xf16>, %s: tensor<f16>) -> tensor<3x8x128xf16> {
  %0 = spyre.add %x, %v tile [0: "C" in 2, 1: "B" in 2, 2: "A" in 3] : (tensor<3x8x128xf16>, tensor<128xf16>) -> tensor<3x8x128xf16>
  %1 = spyre.sub %0, %w tile [0: "C" in 2, 1: "B" in 2, 2: "A" in 3] : (tensor<3x8x128xf16>, tensor<8x1xf16>) -> tensor<3x8x128xf16>
  %2 = spyre.maximum %1, %s tile [0: "C" in 2, 1: "B" in 2, 2: "A" in 3] : (tensor<3x8x128xf16>, tensor<f16>) -> tensor<3x8x128xf16>
  return %2 : tensor<3x8x128xf16>
}

// Views with an offset and a step as operands, and windows of what the group computes.
// CHECK-LABEL: func.func @views(
// CHECK:         %[[V:.+]] = tensor.extract_slice %arg0[1, 0] [8, 256] [2, 1]
// CHECK:         scf.for
// CHECK:           tensor.extract_slice %[[V]][%{{.+}}, 0] [2, 256] [1, 1]
func.func @views(%x: !t {spyre.dims = ["A", "B"]}, %y: tensor<8x256xf16> {spyre.dims = ["A", "B"]}) -> (tensor<8x256xf16>, tensor<3x128xf16>) {
  %v = tensor.extract_slice %x[1, 0] [8, 256] [2, 1] : !t to tensor<8x256xf16>
  %w = tensor.extract_slice %x[5, 0] [8, 256] [1, 1] : !t to tensor<8x256xf16>
  %0 = spyre.add %v, %y tile [0: "A" in 4] : tensor<8x256xf16>
  %1 = spyre.sub %0, %w tile [0: "A" in 4] : tensor<8x256xf16>
  %2 = tensor.extract_slice %1[4, 64] [3, 128] [1, 1] : tensor<8x256xf16> to tensor<3x128xf16>
  return %0, %2 : tensor<8x256xf16>, tensor<3x128xf16>
}

#rows = #spyre.layout<(d0, d1) -> (d0, d1 floordiv 64, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
#sparse = #spyre.layout<(d0, d1) -> (0, d0, 0)>
!p = tensor<128x128xf16, #rows>
!q = tensor<128x128xf16, #cols>

// Permuted layouts, sparse sticks, and a change of layout between.
// CHECK-LABEL: func.func @layouts(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             spyre.max {{.*}} -> tensor<64x1xf16, #{{.+}}>
// CHECK:             spyre.maximum {{.*}} : tensor<64x1xf16, #{{.+}}>
func.func @layouts(%x: !p {spyre.dims = ["A", "B"]}, %y: !q {spyre.dims = ["A", "B"]}) -> (!q, tensor<128x1xf16, #sparse>) {
  %0 = spyre.neg %x tile [0: "A" in 2, 1: "B" in 2] : !p
  %1 = spyre.restickify %0 tile [0: "A" in 2, 1: "B" in 2] : (!p) -> !q
  %2 = spyre.sub %1, %y tile [0: "A" in 2, 1: "B" in 2] : !q
  %3 = spyre.max %0 dims [1] keepdim tile [0: "A" in 2, 1: "B" in 2] : (!p) -> tensor<128x1xf16, #sparse>
  return %2, %3 : !q, tensor<128x1xf16, #sparse>
}

// Dimensions of extent 1 anywhere, and tiles of extent 1.
// CHECK-LABEL: func.func @units(
// CHECK:         scf.for %{{.+}} = %{{.+}} to %c5
// CHECK:           tensor.extract_slice %arg0[0, %{{.+}}, 0, 0] [1, 1, 1, 128]
func.func @units(%x: tensor<1x5x1x128xf16> {spyre.dims = ["A", "B", "C", "D"]}, %y: tensor<1x1x1x128xf16> {spyre.dims = ["A", "B", "C", "D"]}) -> (tensor<1x5x1x128xf16>, tensor<1x5x1x1xf16>) {
  %0 = spyre.add %x, %y tile [0: "B" in 5] : (tensor<1x5x1x128xf16>, tensor<1x1x1x128xf16>) -> tensor<1x5x1x128xf16>
  %1 = spyre.max %0 dims [3] keepdim tile [0: "B" in 5] : (tensor<1x5x1x128xf16>) -> tensor<1x5x1x1xf16>
  %2 = spyre.sub %0, %1 tile [0: "B" in 5] : (tensor<1x5x1x128xf16>, tensor<1x5x1x1xf16>) -> tensor<1x5x1x128xf16>
  return %2, %1 : tensor<1x5x1x128xf16>, tensor<1x5x1x1xf16>
}

// A value that the group computes in tiles and reads whole, and one that it computes whole and reads in tiles.
// CHECK-LABEL: func.func @whole_in_tiles(
// CHECK:         spyre.exp %arg1
// CHECK:         scf.for
// CHECK:           spyre.add
// CHECK:         spyre.prod
func.func @whole_in_tiles(%x: !t {spyre.dims = ["A", "B"]}, %y: !t {spyre.dims = ["C", "B"]}) -> (!t, tensor<2x2xf16>) {
  %0 = spyre.exp %y tile [0: "A" in 4] : !t
  %1 = spyre.add %x, %0 tile [0: "A" in 4] : !t
  %2 = tensor.extract_slice %1[0, 0] [2, 256] [1, 1] : !t to tensor<2x256xf16>
  %3 = tensor.expand_shape %2 [[0], [1, 2]] output_shape [2, 2, 128] : tensor<2x256xf16> into tensor<2x2x128xf16>
  %4 = spyre.prod %3 dims [2] : (tensor<2x2x128xf16>) -> tensor<2x2xf16>
  return %1, %4 : !t, tensor<2x2xf16>
}

// One level that divides several dimensions, of which one is reduced: a loop for each.
// GROUPS-LABEL: func.func @two_at_one_level(
// GROUPS:         spyre.floor
// GROUPS:         scf.for %{{.+}} = %{{.+}} to %c2
// GROUPS:           scf.for %{{.+}} = %{{.+}} to %c2
// GROUPS:             spyre.sum {{.*}} (tensor<8x128xf16>) -> tensor<8x1xf16>
// GROUPS:         scf.for %{{.+}} = %{{.+}} to %c2
// GROUPS:           scf.for %{{.+}} = %{{.+}} to %c2
// GROUPS:             scf.for %{{.+}} = %{{.+}} to %c2
// GROUPS:               spyre.batchmatmul {{.*}} (tensor<8x128xf16>, tensor<128x64xf16>) -> tensor<8x64xf16>
// GROUPS:             }
// GROUPS:             spyre.neg
func.func @two_at_one_level(%x: !t, %y: tensor<256x128xf16>) -> (tensor<16x1xf16>, tensor<16x128xf16>) {
  %i = spyre.floor %x : !t
  %j = spyre.floor %y : tensor<256x128xf16>
  %0 = spyre.sum %i dims [1] keepdim : (!t) -> tensor<16x1xf16>
  %1 = spyre.batchmatmul %i, %j : (!t, tensor<256x128xf16>) -> tensor<16x128xf16>
  %2 = spyre.neg %1 : tensor<16x128xf16>
  return %0, %2 : tensor<16x1xf16>, tensor<16x128xf16>
}
