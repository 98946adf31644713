// RUN: spyre-opt %s --spyre-propagate-named-dims | FileCheck %s
// RUN: spyre-opt %s --spyre-propagate-named-dims --spyre-propagate-named-dims | FileCheck %s

// Names through permutations, reshapes and slices. Running the pass again changes nothing.

// CHECK-LABEL: func.func @merge_and_split(
// CHECK:         tensor.collapse_shape {{.*}} {spyre.dims = ["S", #spyre.merged<"H" of 8, "D" of 64>]}
// CHECK:         spyre.exp {{.*}} {spyre.dims = ["S", #spyre.merged<"H" of 8, "D" of 64>]}
// CHECK:         spyre.permute {{.*}} {spyre.dims = [#spyre.merged<"H" of 8, "D" of 64>, "S"]}
// CHECK:         tensor.expand_shape {{.*}} {spyre.dims = ["H", "D", "S"]}
func.func @merge_and_split(%a: tensor<128x8x64xf16> {spyre.dims = ["S", "H", "D"]}) -> tensor<8x64x128xf16> {
  %c = tensor.collapse_shape %a [[0], [1, 2]] : tensor<128x8x64xf16> into tensor<128x512xf16>
  %y = spyre.exp %c : tensor<128x512xf16>
  %p = spyre.permute %y [1, 0] : tensor<128x512xf16> to tensor<512x128xf16>
  %e = tensor.expand_shape %p [[0, 1], [2]] output_shape [8, 64, 128] : tensor<512x128xf16> into tensor<8x64x128xf16>
  return %e : tensor<8x64x128xf16>
}

// A part of a merged dimension may be merged as well. An extent of 1 takes no name and gives none.
// CHECK-LABEL: func.func @regroup(
// CHECK:         tensor.collapse_shape {{.*}} {spyre.dims = [#spyre.merged<"B" of 2, "S" of 128, "H" of 8>]}
// CHECK:         tensor.expand_shape {{.*}} {spyre.dims = ["B", "_untracked_1", #spyre.merged<"S" of 128, "H" of 8>]}
func.func @regroup(%a: tensor<2x128x1x8xf16> {spyre.dims = ["B", "S", "one", "H"]}) -> tensor<2x1x1024xf16> {
  %c = tensor.collapse_shape %a [[0, 1, 2, 3]] : tensor<2x128x1x8xf16> into tensor<2048xf16>
  %e = tensor.expand_shape %c [[0, 1, 2]] output_shape [2, 1, 1024] : tensor<2048xf16> into tensor<2x1x1024xf16>
  return %e : tensor<2x1x1024xf16>
}

// What has no name keeps its place in what is merged, and may be split anywhere.
// CHECK-LABEL: func.func @placeholders(
// CHECK:         spyre.dims = [#spyre.merged<"S" of 128, "_untracked_8" of 8>]
// CHECK:         spyre.dims = ["S", "_untracked_2", "_untracked_4"]
func.func @placeholders(%a: tensor<128x8xf16> {spyre.dims = ["S", "_untracked_8"]}) -> tensor<128x2x4xf16> {
  %c = tensor.collapse_shape %a [[0, 1]] : tensor<128x8xf16> into tensor<1024xf16>
  %e = tensor.expand_shape %c [[0, 1, 2]] output_shape [128, 2, 4] : tensor<1024xf16> into tensor<128x2x4xf16>
  return %e : tensor<128x2x4xf16>
}

// A name beats a placeholder, also inside of what is merged.
// CHECK-LABEL: func.func @names_win(
// CHECK:         spyre.add {{.*}} {spyre.dims = [#spyre.merged<"S" of 128, "H" of 8>]}
func.func @names_win(%a: tensor<1024xf16> {spyre.dims = [#spyre.merged<"S" of 128, "_untracked_8" of 8>]},
                     %b: tensor<1024xf16> {spyre.dims = [#spyre.merged<"_untracked_128" of 128, "H" of 8>]}) -> tensor<1024xf16> {
  %y = spyre.add %a, %b : tensor<1024xf16>
  return %y : tensor<1024xf16>
}

// A dimension with two names is split by whichever fits.
// CHECK-LABEL: func.func @either_name(
// CHECK:         tensor.expand_shape {{.*}} {spyre.dims = ["H", "D"]}
func.func @either_name(%a: tensor<512xf16> {spyre.dims = [["E", #spyre.merged<"H" of 8, "D" of 64>]]}) -> tensor<8x64xf16> {
  %e = tensor.expand_shape %a [[0, 1]] output_shape [8, 64] : tensor<512xf16> into tensor<8x64xf16>
  return %e : tensor<8x64xf16>
}

// A slice keeps names; of what is merged, whole elements of the outermost. Dropped dimensions take theirs with them.
// CHECK-LABEL: func.func @slices(
// CHECK:         tensor.extract_slice {{.*}} {spyre.dims = ["S", #spyre.merged<"H" of 2, "D" of 64>]}
// CHECK:         tensor.extract_slice {{.*}} {spyre.dims = ["S", "_untracked_96"]}
// CHECK:         tensor.extract_slice {{.*}} {spyre.dims = [#spyre.merged<"H" of 8, "D" of 64>]}
// CHECK:         tensor.insert_slice {{.*}} {spyre.dims = ["S", #spyre.merged<"H" of 8, "D" of 64>]}
func.func @slices(%a: tensor<128x512xf16> {spyre.dims = ["S", #spyre.merged<"H" of 8, "D" of 64>]})
    -> (tensor<4x128xf16>, tensor<4x96xf16>, tensor<512xf16>, tensor<128x512xf16>) {
  %x = tensor.extract_slice %a[4, 128] [4, 128] [1, 1] : tensor<128x512xf16> to tensor<4x128xf16>
  %y = tensor.extract_slice %a[4, 128] [4, 96] [1, 1] : tensor<128x512xf16> to tensor<4x96xf16>
  %z = tensor.extract_slice %a[4, 0] [1, 512] [1, 1] : tensor<128x512xf16> to tensor<512xf16>
  %w = tensor.insert_slice %x into %a[0, 0] [4, 128] [1, 1] : tensor<4x128xf16> into tensor<128x512xf16>
  return %x, %y, %z, %w : tensor<4x128xf16>, tensor<4x96xf16>, tensor<512xf16>, tensor<128x512xf16>
}

// Loops carry names, and make them where they start without.
// CHECK-LABEL: func.func @loop(
// CHECK:         tensor.extract_slice {{.*}} {spyre.dims = ["A", "B"]}
// CHECK:         spyre.exp {{.*}} {spyre.dims = ["A", "B"]}
// CHECK:         tensor.insert_slice {{.*}} {spyre.dims = ["A", "B"]}
// CHECK:         spyre.neg {{.*}} {spyre.dims = ["A", "B"]}
func.func @loop(%a: tensor<128x512xf16> {spyre.dims = ["A", "B"]}) -> tensor<128x512xf16> {
  %lb = arith.constant 0 : index
  %ub = arith.constant 4 : index
  %step = arith.constant 1 : index
  %e = spyre.empty : tensor<128x512xf16>
  %r = scf.for %i = %lb to %ub step %step iter_args(%acc = %e) -> tensor<128x512xf16> {
    %at = affine.apply affine_map<(d0) -> (d0 * 32)>(%i)
    %w = tensor.extract_slice %a[%at, 0] [32, 512] [1, 1] : tensor<128x512xf16> to tensor<32x512xf16>
    %v = spyre.exp %w : tensor<32x512xf16>
    %n = tensor.insert_slice %v into %acc[%at, 0] [32, 512] [1, 1] : tensor<32x512xf16> into tensor<128x512xf16>
    scf.yield %n : tensor<128x512xf16>
  }
  %z = spyre.neg %r : tensor<128x512xf16>
  return %z : tensor<128x512xf16>
}

// Each carried value has the names of what it starts from.
// CHECK-LABEL: func.func @two_carried(
// CHECK:         spyre.exp {{.*}} {spyre.dims = ["A", "B"]}
// CHECK:         spyre.neg {{.*}} {spyre.dims = ["C", "D"]}
func.func @two_carried(%a: tensor<64x64xf16> {spyre.dims = ["A", "B"]}, %c: tensor<64x64xf16> {spyre.dims = ["C", "D"]})
    -> (tensor<64x64xf16>, tensor<64x64xf16>) {
  %lb = arith.constant 0 : index
  %ub = arith.constant 4 : index
  %step = arith.constant 1 : index
  %r:2 = scf.for %i = %lb to %ub step %step iter_args(%x = %a, %y = %c) -> (tensor<64x64xf16>, tensor<64x64xf16>) {
    %u = spyre.exp %x : tensor<64x64xf16>
    %v = spyre.neg %y : tensor<64x64xf16>
    scf.yield %u, %v : tensor<64x64xf16>, tensor<64x64xf16>
  }
  return %r#0, %r#1 : tensor<64x64xf16>, tensor<64x64xf16>
}
