// RUN: spyre-opt %s --coarse-tile | FileCheck %s
// RUN: spyre-opt %s --coarse-tile -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Windows of indices, and windows of tables along what is not chosen from.

// Every dimension but the chosen one, at its level; the chosen one is whole.
// CHECK-LABEL: func.func @levels(
// CHECK:         scf.for %[[B:.+]] = %c0 to %c2
// CHECK:           scf.for %[[H:.+]] = %c0 to %c4
// CHECK:             scf.for %[[S:.+]] = %c0 to %c3
// CHECK-DAG:           %[[I:.+]] = tensor.extract_slice %arg0[%{{.+}}, %{{.+}}] [2, 32] [1, 1] : tensor<4x96xi32> to tensor<2x32xi32>
// CHECK-DAG:           %[[T:.+]] = tensor.extract_slice %arg1[%{{.+}}, 0, 0] [2, 100, 64] [1, 1, 1] : tensor<8x100x64xf16> to tensor<2x100x64xf16>
// CHECK:               spyre.gather %[[I]], %[[T]] dim 1 : (tensor<2x32xi32>, tensor<2x100x64xf16>) -> tensor<2x2x32x64xf16>
// CHECK:               tensor.insert_slice %{{.+}} into %{{.+}}[%{{.+}}, %{{.+}}, %{{.+}}, 0] [2, 2, 32, 64]
func.func @levels(%i: tensor<4x96xi32> {spyre.dims = ["B", "S"]}, %t: tensor<8x100x64xf16> {spyre.dims = ["H", "R", "E"]}) -> tensor<8x4x96x64xf16> {
  %0 = spyre.gather %i, %t dim 1 tile [0: "B" in 2, 1: "H" in 4, 2: "S" by 32] : (tensor<4x96xi32>, tensor<8x100x64xf16>) -> tensor<8x4x96x64xf16>
  return %0 : tensor<8x4x96x64xf16>
}

// Without names: positions are those of the result.
// CHECK-LABEL: func.func @in_the_stick(
// CHECK:         scf.for
// CHECK:           tensor.extract_slice %arg1[0, %{{.+}}] [100, 64] [1, 1]
// CHECK:           spyre.gather %arg0, %{{.+}} dim 0 : (tensor<40xi32>, tensor<100x64xf16>) -> tensor<40x64xf16>
func.func @in_the_stick(%i: tensor<40xi32> {spyre.dims = ["N"]}, %t: tensor<100x256xf16> {spyre.dims = ["R", "E"]}) -> tensor<40x256xf16> {
  %0 = spyre.gather %i, %t dim 0 tile [0: "E" in 4] : (tensor<40xi32>, tensor<100x256xf16>) -> tensor<40x256xf16>
  return %0 : tensor<40x256xf16>
}

// 33 indices in two tiles are a stick and one.
// CHECK-LABEL: func.func @ragged(
// CHECK:           spyre.gather {{.*}} : (tensor<32xi32>, tensor<100x64xf16>) -> tensor<32x64xf16>
// CHECK:           spyre.gather {{.*}} : (tensor<1xi32>, tensor<100x64xf16>) -> tensor<1x64xf16>
func.func @ragged(%i: tensor<33xi32> {spyre.dims = ["N"]}, %t: tensor<100x64xf16> {spyre.dims = ["R", "E"]}) -> tensor<33x64xf16> {
  %0 = spyre.gather %i, %t dim 0 tile [0: "N" in 2] : (tensor<33xi32>, tensor<100x64xf16>) -> tensor<33x64xf16>
  return %0 : tensor<33x64xf16>
}

// A scope for the chosen dimension has no loop around the gather, which lacks it.
// CHECK-LABEL: func.func @chosen_only(
// CHECK-NOT:     scf.for
// CHECK:         spyre.gather %arg0, %arg1
func.func @chosen_only(%i: tensor<64xi32> {spyre.dims = ["N"]}, %t: tensor<100x64xf16> {spyre.dims = ["R", "E"]}) -> tensor<64x64xf16> {
  // REMARK: [[#@LINE+1]]:8: warning: coarse-tile: no operation of this group has a dimension named "R" of more than one element; hint scope 0 is ignored
  %0 = spyre.gather %i, %t dim 0 tile [0: "R" in 2] : (tensor<64xi32>, tensor<100x64xf16>) -> tensor<64x64xf16>
  return %0 : tensor<64x64xf16>
}

// A table made in the group is complete behind the loop over what is chosen from.
// CHECK-LABEL: func.func @made_in_the_group(
// CHECK:         %[[T:.+]] = scf.for
// CHECK:           spyre.neg
// CHECK:         scf.for
// CHECK:           spyre.gather %{{.+}}, %[[T]] dim 0
func.func @made_in_the_group(%i: tensor<128xi32> {spyre.dims = ["R"]}, %t: tensor<128x64xf16> {spyre.dims = ["R", "E"]}) -> tensor<128x64xf16> {
  %0 = spyre.neg %t tile [0: "R" by 32] : tensor<128x64xf16>
  // REMARK: [[#@LINE+1]]:8: remark: coarse-tile: operand #1 is complete only after the loop over {{.*}}, so a second loop over it follows
  %1 = spyre.gather %i, %0 dim 0 tile [0: "R" by 32] : (tensor<128xi32>, tensor<128x64xf16>) -> tensor<128x64xf16>
  return %1 : tensor<128x64xf16>
}

// One that is made in tiles of another dimension is complete in each of them, for all the rows.
// CHECK-LABEL: func.func @made_in_a_tile(
// CHECK:         scf.for
// CHECK:           %[[T:.+]] = spyre.neg %{{.+}} : tensor<100x64xf16>
// CHECK:           spyre.gather %arg0, %[[T]] dim 0
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @made_in_a_tile(%i: tensor<64xi32> {spyre.dims = ["N"]}, %t: tensor<100x128xf16> {spyre.dims = ["R", "E"]}) -> tensor<64x128xf16> {
  %0 = spyre.neg %t tile [0: "E" in 2] : tensor<100x128xf16>
  %1 = spyre.gather %i, %0 dim 0 tile [0: "E" in 2] : (tensor<64xi32>, tensor<100x128xf16>) -> tensor<64x128xf16>
  return %1 : tensor<64x128xf16>
}
