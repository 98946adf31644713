// RUN: spyre-opt %s --coarse-tile | FileCheck %s --implicit-check-not="tile ["

// What a level does to a loop: order, counts, one dimension at two levels, counts of 1, tiles of extent 1.

!t = tensor<256x512xf16>

// CHECK-DAG: #[[$TWO_LEVELS:.+]] = affine_map<(d0, d1) -> (d0 * 64 + d1 * 32)>
// CHECK-DAG: #[[$ROW:.+]] = affine_map<(d0) -> (d0)>
// CHECK-DAG: #[[$COLS:.+]] = affine_map<(d0) -> (d0 * 128)>

// A dimension that two scopes name is cut twice: 256 by 4 is 64, by 2 is 32.
// CHECK-LABEL: func.func @same_dimension_twice
// CHECK:       scf.for %[[I:.+]] = %{{.+}} to %c4 step %c1
// CHECK:         scf.for %[[J:.+]] = %{{.+}} to %c2 step %c1
// CHECK:           %[[AT:.+]] = affine.apply #[[$TWO_LEVELS]](%[[I]], %[[J]])
// CHECK:           tensor.extract_slice %arg0[%[[AT]], 0] [32, 512] [1, 1]
// CHECK:           tensor.insert_slice %{{.+}} into %{{.+}}[%[[AT]], 0] [32, 512] [1, 1]
func.func @same_dimension_twice(%a: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.exp %a tile [3: "A" in 4, 7: "A" in 2] : !t
  return %y : !t
}

// The smallest scope is the outermost loop, whatever dimension it names.
// CHECK-LABEL: func.func @columns_outside
// CHECK:       scf.for %[[I:.+]] = %{{.+}} to %c4 step %c1
// CHECK:         scf.for %[[J:.+]] = %{{.+}} to %c256 step %c1
// CHECK-DAG:       %[[ROW:.+]] = affine.apply #[[$ROW]](%[[J]])
// CHECK-DAG:       %[[COL:.+]] = affine.apply #[[$COLS]](%[[I]])
// CHECK:           tensor.extract_slice %arg0[%[[ROW]], %[[COL]]] [1, 128] [1, 1]
func.func @columns_outside(%a: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.exp %a tile [1: "B" in 4, 2: "A" in 256] : !t
  return %y : !t
}

// Tiles of one row: every row is written, and an operand that is broadcast over the rows does not move, although
// its extent is now that of the tile.
// CHECK-LABEL: func.func @tile_of_one_row
// CHECK:       scf.for %[[I:.+]] = %{{.+}} to %c256 step %c1 iter_args(%[[ACC:.+]] = %{{.+}})
// CHECK-NEXT:    %[[ROW:.+]] = affine.apply #[[$ROW]](%[[I]])
// CHECK-NEXT:    %[[T:.+]] = tensor.extract_slice %arg0[%[[ROW]], 0] [1, 512] [1, 1]
// CHECK-NEXT:    %[[Y:.+]] = spyre.add %[[T]], %arg1 : tensor<1x512xf16>
// CHECK-NEXT:    tensor.insert_slice %[[Y]] into %[[ACC]][%[[ROW]], 0] [1, 512] [1, 1]
func.func @tile_of_one_row(%a: !t {spyre.dims = ["A", "B"]}, %row: tensor<1x512xf16> {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.add %a, %row tile [0: "A" in 256] : (!t, tensor<1x512xf16>) -> !t
  return %y : !t
}

// A level of one tile is no loop; the others stay.
// CHECK-LABEL: func.func @a_count_of_one
// CHECK:       scf.for
// CHECK-NOT:   scf.for
// CHECK:       tensor.extract_slice %arg0[0, %{{.+}}] [256, 128] [1, 1]
func.func @a_count_of_one(%a: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.exp %a tile [0: "A" in 1, 1: "B" in 4] : !t
  return %y : !t
}

// The hint is honoured by doing nothing.
// CHECK-LABEL: func.func @only_counts_of_one
// CHECK-NEXT:  %[[Y:.+]] = spyre.exp %arg0 : tensor<256x512xf16>
// CHECK-NEXT:  return %[[Y]]
func.func @only_counts_of_one(%a: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.exp %a tile [0: "A" in 1] : !t
  return %y : !t
}

// Tiles by size: the number follows from the extent, that of the outer level's tile where a dimension is cut twice.
// CHECK-LABEL: func.func @by_size
// CHECK:       scf.for %{{.+}} = %{{.+}} to %c4
// CHECK:         scf.for %{{.+}} = %{{.+}} to %c2
// CHECK:           scf.for %{{.+}} = %{{.+}} to %c8
// CHECK:             spyre.exp {{.*}} : tensor<32x64xf16>
func.func @by_size(%a: tensor<256x512xf16> {spyre.dims = ["A", "B"]}) -> tensor<256x512xf16> {
  %y = spyre.exp %a tile [0: "A" by 64, 1: "A" by 32, 2: "B" by 64] : tensor<256x512xf16>
  return %y : tensor<256x512xf16>
}

// A tile that is no smaller than the dimension is no loop.
// CHECK-LABEL: func.func @by_a_large_size
// CHECK-NOT:   scf.for
// CHECK:       spyre.exp %arg0 : tensor<256x512xf16>
func.func @by_a_large_size(%a: tensor<256x512xf16> {spyre.dims = ["A", "B"]}) -> tensor<256x512xf16> {
  %y = spyre.exp %a tile [0: "A" by 512] : tensor<256x512xf16>
  return %y : tensor<256x512xf16>
}
