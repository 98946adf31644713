// RUN: spyre-opt %s --coarse-tile | FileCheck %s

// Names of dimensions go through permutations and through reshapes that leave a dimension alone.

#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
!a = tensor<128x256xf16, #rows>
!t = tensor<256x128xf16, #cols>

// CHECK-LABEL: func.func @permute(
// CHECK:         %[[T:.+]] = spyre.permute
// CHECK:         scf.for
// CHECK:           tensor.extract_slice %[[T]][{{.+}}, 0] [128, 128] [1, 1]
// CHECK:           spyre.neg
func.func @permute(%a: !a {spyre.dims = ["A", "B"]}) -> !t {
  %t = spyre.permute %a [1, 0] : !a to !t
  %y = spyre.neg %t tile [0: "B" in 2] : !t
  return %y : !t
}

#nest = #spyre.layout<(d0, d1, d2) -> (d2 floordiv 64, d0, d1, d2 mod 64)>
!e = tensor<128x1x256xf16, #nest>
!s = tensor<32x4x256xf16, #nest>

// CHECK-LABEL: func.func @unit_dimension(
// CHECK:         %[[E:.+]] = tensor.expand_shape
// CHECK:         scf.for
// CHECK:           tensor.extract_slice %[[E]][{{.+}}, 0, 0] [64, 1, 256] [1, 1, 1]
// CHECK:         %[[C:.+]] = tensor.collapse_shape
// CHECK:         scf.for
// CHECK:           tensor.extract_slice %[[C]][0, {{.+}}] [128, 64] [1, 1]
func.func @unit_dimension(%a: !a {spyre.dims = ["A", "B"]}) -> !a {
  %e = tensor.expand_shape %a [[0, 1], [2]] output_shape [128, 1, 256] : !a into !e
  %y = spyre.neg %e tile [0: "A" in 2] : !e
  %c = tensor.collapse_shape %y [[0, 1], [2]] : !e into !a
  %z = spyre.abs %c tile [0: "B" in 4] : !a
  return %z : !a
}

// A dimension that merges two is split into them again.
// CHECK-LABEL: func.func @split_dimension(
// CHECK:         scf.for
// CHECK:           tensor.extract_slice %{{.+}}[{{.+}}, 0, {{.+}}] [16, 4, 128] [1, 1, 1]
func.func @split_dimension(%a: !a {spyre.dims = [#spyre.merged<"H" of 32, "D" of 4>, "B"]}) -> !s {
  %e = tensor.expand_shape %a [[0, 1], [2]] output_shape [32, 4, 256] : !a into !s
  %y = spyre.neg %e tile [0: "H" in 2, 1: "B" in 2] : !s
  return %y : !s
}

// A hint for a dimension that is merged cuts the one that it is merged into, in as many tiles.
// CHECK-LABEL: func.func @merged_dimension(
// CHECK:         scf.for
// CHECK:           tensor.extract_slice %{{.+}}[{{.+}}, 0] [64, 256] [1, 1]
// CHECK:         scf.for
// CHECK:           tensor.extract_slice %{{.+}}[{{.+}}, 0] [32, 256] [1, 1]
func.func @merged_dimension(%s: !s {spyre.dims = ["H", "D", "B"]}) -> (!a, !a) {
  %c = tensor.collapse_shape %s [[0, 1], [2]] : !s into !a
  %y = spyre.neg %c tile [0: "H" in 2] : !a
  %z = spyre.abs %c tile [1: "D" in 4] : !a
  return %y, %z : !a, !a
}

// Beside an operation that has the dimension to itself, the merged one is cut where that is cut: 2 of 8 heads are 128 of 512 elements
// on the stick.
// CHECK-LABEL: func.func @merged_beside_its_part(
// CHECK:         scf.for
// CHECK-DAG:       tensor.extract_slice %arg0[0, {{.+}}] [64, 128] [1, 1]
// CHECK-DAG:       tensor.extract_slice %arg1[0, {{.+}}, 0] [64, 2, 64] [1, 1, 1]
// CHECK-NOT:     scf.for
func.func @merged_beside_its_part(%x: tensor<64x512xf16> {spyre.dims = ["S", #spyre.merged<"H" of 8, "D" of 64>]}, %y: tensor<64x8x64xf16> {spyre.dims = ["S", "H", "D"]}) -> (tensor<64x512xf16>, tensor<64x8x64xf16>) {
  %a = spyre.exp %x tile [0: "H" in 4] : tensor<64x512xf16>
  %b = spyre.neg %y tile [0: "H" in 4] : tensor<64x8x64xf16>
  return %a, %b : tensor<64x512xf16>, tensor<64x8x64xf16>
}

// The same by size, which is that of the part, with a last, shorter tile.
// CHECK-LABEL: func.func @merged_by_size(
// CHECK:         scf.for
// CHECK-DAG:       tensor.extract_slice %arg0[0, {{.+}}, 0] [64, 3, 64] [1, 1, 1]
// CHECK-DAG:       tensor.extract_slice %arg1[0, {{.+}}] [64, 192] [1, 1]
// CHECK-DAG:     tensor.extract_slice %arg0[0, 6, 0] [64, 2, 64] [1, 1, 1]
// CHECK-DAG:     tensor.extract_slice %arg1[0, 384] [64, 128] [1, 1]
func.func @merged_by_size(%y: tensor<64x8x64xf16> {spyre.dims = ["S", "H", "D"]}, %x: tensor<64x512xf16> {spyre.dims = ["S", #spyre.merged<"H" of 8, "D" of 64>]}) -> (tensor<64x8x64xf16>, tensor<64x512xf16>) {
  %a = spyre.exp %y tile [0: "H" by 3] : tensor<64x8x64xf16>
  %b = spyre.neg %x tile [0: "H" by 3] : tensor<64x512xf16>
  return %a, %b : tensor<64x8x64xf16>, tensor<64x512xf16>
}

// Of a name that is split, other hints do not need to know.
// CHECK-LABEL: func.func @split_without_a_hint(
// CHECK:         scf.for
// CHECK:           tensor.extract_slice %{{.+}}[0, 0, {{.+}}] [32, 4, 128] [1, 1, 1]
func.func @split_without_a_hint(%a: !a {spyre.dims = ["A", "B"]}) -> !s {
  %e = tensor.expand_shape %a [[0, 1], [2]] output_shape [32, 4, 256] : !a into !s
  %y = spyre.neg %e tile [1: "B" in 2] : !s
  return %y : !s
}

// Nor do operations before the split, or beside it.
// CHECK-LABEL: func.func @split_elsewhere(
// CHECK:         scf.for
// CHECK:           tensor.extract_slice %{{.+}}[{{.+}}, 0] [64, 256] [1, 1]
// CHECK:         %[[E:.+]] = tensor.expand_shape
// CHECK:         spyre.neg %[[E]]
// CHECK:         spyre.exp %arg1
func.func @split_elsewhere(%a: !a {spyre.dims = ["A", "B"]}, %v: tensor<256xf16> {spyre.dims = ["B"]}) -> (!s, !a) {
  %y = spyre.neg %a tile [0: "A" in 2] : !a
  %e = tensor.expand_shape %y [[0, 1], [2]] output_shape [32, 4, 256] : !a into !s
  %z = spyre.neg %e : !s
  %w = spyre.exp %v tile [1: "A" in 2] : tensor<256xf16>
  %u = spyre.add %a, %w tile [1: "A" in 2] : (!a, tensor<256xf16>) -> !a
  return %z, %u : !s, !a
}
