// RUN: spyre-opt %s --split-input-file --spyre-generalize-named-ops --spyre-name-loops | FileCheck %s
// RUN: spyre-opt %s --split-input-file --spyre-generalize-named-ops --spyre-name-loops --spyre-name-loops | FileCheck %s

// A loop that nobody has named gets a name, which the argument it comes from declares.
// CHECK-LABEL: func.func @product(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<96x512xf16> {spyre.dims = ["dim0", "_untracked_512"]}, %[[W:[^ :]+]]: tensor<512x256xf16>, %
// CHECK:       linalg.generic
// CHECK-SAME:    spyre.dims = ["dim0", "_untracked_256"]
// CHECK-SAME:    spyre.tile = [#spyre.tile_hint<0 : "dim0" in 3>]
func.func @product(%x: tensor<96x512xf16>, %w: tensor<512x256xf16>, %o: tensor<96x256xf16>) -> tensor<96x256xf16> {
  %0 = linalg.matmul {spyre.tile = [#spyre.tile_hint<0 : "d0" in 3>]}
    ins(%x, %w : tensor<96x512xf16>, tensor<512x256xf16>) outs(%o : tensor<96x256xf16>) -> tensor<96x256xf16>
  return %0 : tensor<96x256xf16>
}

// -----

// The reduced loop, too; both operands are read along it.
// CHECK-LABEL: func.func @reduced(
// CHECK-SAME:    tensor<96x512xf16> {spyre.dims = ["_untracked_96", "dim0"]}, %{{[^ :]+}}: tensor<512x256xf16> {spyre.dims = ["dim0", "_untracked_256"]}, %
// CHECK:       linalg.generic
// CHECK-NOT:     spyre.dims
// CHECK-SAME:    spyre.tile = [#spyre.tile_hint<0 : "dim0" by 128>]
func.func @reduced(%x: tensor<96x512xf16>, %w: tensor<512x256xf16>, %o: tensor<96x256xf16>) -> tensor<96x256xf16> {
  %0 = linalg.matmul {spyre.tile = [#spyre.tile_hint<0 : "d2" by 128>]}
    ins(%x, %w : tensor<96x512xf16>, tensor<512x256xf16>) outs(%o : tensor<96x256xf16>) -> tensor<96x256xf16>
  return %0 : tensor<96x256xf16>
}

// -----

// The next operation finds the name, behind a transposition and a reshape.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME:    tensor<96x512xf16> {spyre.dims = ["dim0", "_untracked_512"]}
// CHECK:       linalg.generic
// CHECK-SAME:    spyre.tile = [#spyre.tile_hint<0 : "dim0" in 3>]
// CHECK:       linalg.generic
// CHECK:       tensor.expand_shape
// CHECK:       linalg.generic
// CHECK-SAME:    spyre.tile = [#spyre.tile_hint<0 : "dim0" in 3>]
func.func @chain(%x: tensor<96x512xf16>, %t: tensor<512x96xf16>, %o: tensor<96x512xf16>, %p: tensor<8x64x96xf16>)
    -> tensor<8x64x96xf16> {
  %0 = linalg.exp {spyre.tile = [#spyre.tile_hint<0 : "d0" in 3>]}
    ins(%x : tensor<96x512xf16>) outs(%o : tensor<96x512xf16>) -> tensor<96x512xf16>
  %1 = linalg.transpose ins(%0 : tensor<96x512xf16>) outs(%t : tensor<512x96xf16>) permutation = [1, 0]
  %2 = tensor.expand_shape %1 [[0, 1], [2]] output_shape [8, 64, 96] : tensor<512x96xf16> into tensor<8x64x96xf16>
  %3 = linalg.tanh {spyre.tile = [#spyre.tile_hint<0 : "d2" in 3>]}
    ins(%2 : tensor<8x64x96xf16>) outs(%p : tensor<8x64x96xf16>) -> tensor<8x64x96xf16>
  return %3 : tensor<8x64x96xf16>
}

// -----

// A name that is declared stays, and a dimension with a merged one has both.
// CHECK-LABEL: func.func @declared(
// CHECK-SAME:    {spyre.dims = ["d1", [#spyre.merged<"H" of 8, "D" of 64>, "dim0"]]}
// CHECK:       spyre.tile = [#spyre.tile_hint<0 : "d1" in 3>, #spyre.tile_hint<1 : "dim0" in 2>, #spyre.tile_hint<2 : "d1" in 2>]
func.func @declared(%x: tensor<96x512xf16> {spyre.dims = ["d1", #spyre.merged<"H" of 8, "D" of 64>]}, %o: tensor<96x512xf16>)
    -> tensor<96x512xf16> {
  %0 = linalg.exp {spyre.tile = [#spyre.tile_hint<0 : "d0" in 3>, #spyre.tile_hint<1 : "d01" in 2>, #spyre.tile_hint<2 : "d1" in 2>]}
    ins(%x : tensor<96x512xf16>) outs(%o : tensor<96x512xf16>) -> tensor<96x512xf16>
  return %0 : tensor<96x512xf16>
}

// -----

// Both loops of the scores move along the rows of x. The hint means one of them.
// CHECK-LABEL: func.func @scores(
// CHECK-SAME:    tensor<96x512xf16> {spyre.dims = ["S", "E"]}
// CHECK:       spyre.dims = ["S", "dim0"]
// CHECK-SAME:    spyre.tile = [#spyre.tile_hint<0 : "dim0" in 3>]
func.func @scores(%x: tensor<96x512xf16> {spyre.dims = ["S", "E"]}, %o: tensor<96x96xf16>) -> tensor<96x96xf16> {
  %0 = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    {spyre.tile = [#spyre.tile_hint<0 : "d1" in 3>]}
    ins(%x, %x : tensor<96x512xf16>, tensor<96x512xf16>) outs(%o : tensor<96x96xf16>) -> tensor<96x96xf16>
  return %0 : tensor<96x96xf16>
}

// -----

// Softmax becomes the operations that it stands for, each with the hint.
// CHECK-LABEL: func.func @softmax(
// CHECK-SAME:    {spyre.dims = ["dim0", "_untracked_512"]}
// CHECK:       linalg.generic {{.*}} "reduction"]
// CHECK-SAME:    spyre.tile = [#spyre.tile_hint<0 : "dim0" in 3>]
// CHECK:       linalg.generic
// CHECK-SAME:    spyre.tile = [#spyre.tile_hint<0 : "dim0" in 3>]
// CHECK:       linalg.generic {{.*}} "reduction"]
// CHECK-SAME:    spyre.tile = [#spyre.tile_hint<0 : "dim0" in 3>]
// CHECK:       linalg.generic
// CHECK-SAME:    spyre.tile = [#spyre.tile_hint<0 : "dim0" in 3>]
// CHECK-NOT:   linalg.softmax
func.func @softmax(%x: tensor<96x512xf16>) -> tensor<96x512xf16> {
  %o = tensor.empty() : tensor<96x512xf16>
  %0 = linalg.softmax {spyre.tile = [#spyre.tile_hint<0 : "d0" in 3>]} dimension(1) ins(%x : tensor<96x512xf16>) outs(%o : tensor<96x512xf16>) -> tensor<96x512xf16>
  return %0 : tensor<96x512xf16>
}

// -----

// Nothing is named where no hint numbers a loop.
// CHECK-LABEL: func.func @names(
// CHECK-SAME:    %{{[^ :]+}}: tensor<96x512xf16>, %
// CHECK:       spyre.tile = [#spyre.tile_hint<0 : "rows" in 3>]
func.func @names(%x: tensor<96x512xf16>, %o: tensor<96x512xf16>) -> tensor<96x512xf16> {
  %0 = linalg.exp {spyre.tile = [#spyre.tile_hint<0 : "rows" in 3>]}
    ins(%x : tensor<96x512xf16>) outs(%o : tensor<96x512xf16>) -> tensor<96x512xf16>
  return %0 : tensor<96x512xf16>
}
