// RUN: spyre-opt %s --coarse-tile | FileCheck %s

// Mistakes that tiling passes have been seen to make, one function for each.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#bhsd = #spyre.layout<(d0, d1, d2, d3) -> (d1, d3 floordiv 64, d0, d2, d3 mod 64)>
#permuted = #spyre.layout<(d0, d1, d2) -> (d2 floordiv 64, d0, d1, d2 mod 64)>
!q = tensor<2x4x64x128xf16, #bhsd>

// CHECK-DAG: #[[$ONE:.+]] = affine_map<(d0) -> (d0)>
// CHECK-DAG: #[[$EIGHT:.+]] = affine_map<(d0) -> (d0 * 8)>
// CHECK-DAG: #[[$SIXTEEN:.+]] = affine_map<(d0) -> (d0 * 16)>
// CHECK-DAG: #[[$HALF:.+]] = affine_map<(d0) -> (d0 * 128)>
// CHECK-DAG: #[[$STICK:.+]] = affine_map<(d0) -> (d0 * 64)>

// A unit dimension in front shifts no position: heads are dimension 1 of the tensor and of the operation.
// CHECK-LABEL: func.func @unit_dimension_in_front
// CHECK:       scf.for %[[I:.+]] = %{{.+}} to %c4
// CHECK:         %[[AT:.+]] = affine.apply #[[$ONE]](%[[I]])
// CHECK:         tensor.extract_slice %arg0[0, %[[AT]], 0, 0] [1, 1, 64, 128]
// CHECK:         tensor.insert_slice %{{.+}}[0, %[[AT]], 0, 0] [1, 1, 64, 128]
func.func @unit_dimension_in_front(%a: tensor<1x4x64x128xf16, #bhsd> {spyre.dims = ["B", "H", "S", "D"]}) -> tensor<1x4x64x128xf16, #bhsd> {
  %y = spyre.exp %a tile [0: "B" in 1, 1: "H" in 4] : tensor<1x4x64x128xf16, #bhsd>
  return %y : tensor<1x4x64x128xf16, #bhsd>
}

// Batch and heads together, inside each other in both orders, and with the sequence: each level moves its own
// dimension by its own step.
// CHECK-LABEL: func.func @two_and_three_dimensions
// CHECK:       scf.for %[[I:.+]] = %{{.+}} to %c2
// CHECK:         scf.for %[[J:.+]] = %{{.+}} to %c4
// CHECK-DAG:       %[[B:.+]] = affine.apply #[[$ONE]](%[[I]])
// CHECK-DAG:       %[[H:.+]] = affine.apply #[[$ONE]](%[[J]])
// CHECK:           tensor.extract_slice %arg0[%[[B]], %[[H]], 0, 0] [1, 1, 64, 128]
// CHECK:       scf.for %[[I:.+]] = %{{.+}} to %c4
// CHECK:         scf.for %[[J:.+]] = %{{.+}} to %c2
// CHECK-DAG:       %[[H:.+]] = affine.apply #[[$ONE]](%[[I]])
// CHECK-DAG:       %[[B:.+]] = affine.apply #[[$ONE]](%[[J]])
// CHECK:           tensor.extract_slice %{{.+}}[%[[B]], %[[H]], 0, 0] [1, 1, 64, 128]
// CHECK:       scf.for %[[I:.+]] = %{{.+}} to %c2
// CHECK:         scf.for %[[J:.+]] = %{{.+}} to %c4
// CHECK:           scf.for %[[K:.+]] = %{{.+}} to %c8
// CHECK-DAG:         %[[B:.+]] = affine.apply #[[$ONE]](%[[I]])
// CHECK-DAG:         %[[H:.+]] = affine.apply #[[$ONE]](%[[J]])
// CHECK-DAG:         %[[S:.+]] = affine.apply #[[$EIGHT]](%[[K]])
// CHECK:             tensor.extract_slice %{{.+}}[%[[B]], %[[H]], %[[S]], 0] [1, 1, 8, 128]
func.func @two_and_three_dimensions(%a: !q {spyre.dims = ["B", "H", "S", "D"]}) -> !q {
  %0 = spyre.exp %a tile [0: "B" in 2, 1: "H" in 4] : !q
  %1 = spyre.neg %0 tile [2: "H" in 4, 3: "B" in 2] : !q
  %2 = spyre.abs %1 tile [4: "B" in 2, 5: "H" in 4, 6: "S" in 8] : !q
  return %2 : !q
}

// Rows of several sticks, cut in two: the window has half the rows of every stick, in the layout of the whole tensor.
// CHECK-LABEL: func.func @rows_of_several_sticks
// CHECK:       %[[AT:.+]] = affine.apply #[[$HALF]]
// CHECK:       tensor.extract_slice %arg0[%[[AT]], 0] [128, 512] [1, 1] : tensor<256x512xf16, #[[L:.+]]> to tensor<128x512xf16, #[[L]]>
func.func @rows_of_several_sticks(%a: tensor<256x512xf16, #stick> {spyre.dims = ["A", "B"]}) -> tensor<256x512xf16, #stick> {
  %y = spyre.exp %a tile [0: "A" in 2] : tensor<256x512xf16, #stick>
  return %y : tensor<256x512xf16, #stick>
}

// Steps are in elements of the tensor, so two operands of different layouts move alike, and the step of a level is
// applied once: there is one affine.apply for each dimension.
// CHECK-LABEL: func.func @operands_of_different_layouts
// CHECK:       scf.for %[[I:.+]] = %{{.+}} to %c2
// CHECK:         scf.for %[[J:.+]] = %{{.+}} to %c2
// CHECK-DAG:       %[[ROW:.+]] = affine.apply #[[$SIXTEEN]](%[[I]])
// CHECK-DAG:       %[[COL:.+]] = affine.apply #[[$STICK]](%[[J]])
// CHECK-NOT:       affine.apply
// CHECK:           tensor.extract_slice %arg1[%[[ROW]], 0, %[[COL]]] [16, 8, 64]
// CHECK-NOT:       affine.apply
// CHECK:           scf.yield
func.func @operands_of_different_layouts(
    %a: tensor<32x8x128xf16, #spyre.layout<(d0, d1, d2) -> (d1, d2 floordiv 64, d0, d2 mod 64)>> {spyre.dims = ["X", "Y", "Z"]},
    %b: tensor<32x8x128xf16, #permuted> {spyre.dims = ["X", "Y", "Z"]}) -> tensor<32x8x128xf16, #permuted> {
  %y = spyre.add %a, %b tile [0: "X" in 2, 1: "Z" in 2]
    : (tensor<32x8x128xf16, #spyre.layout<(d0, d1, d2) -> (d1, d2 floordiv 64, d0, d2 mod 64)>>, tensor<32x8x128xf16, #permuted>) -> tensor<32x8x128xf16, #permuted>
  return %y : tensor<32x8x128xf16, #permuted>
}

// A view keeps its offset and stride: the windows are windows of the view, not of what it views.
// CHECK-LABEL: func.func @view_with_offset_and_stride
// CHECK:       %[[V:.+]] = tensor.extract_slice %arg0[1, 0] [128, 512] [2, 1]
// CHECK:       scf.for
// CHECK:         tensor.extract_slice %[[V]][%{{.+}}, 0] [64, 512] [1, 1]
func.func @view_with_offset_and_stride(%a: tensor<256x512xf16, #stick> {spyre.dims = ["A", "B"]}) -> tensor<128x512xf16, #stick> {
  %v = tensor.extract_slice %a[1, 0] [128, 512] [2, 1] : tensor<256x512xf16, #stick> to tensor<128x512xf16, #stick>
  %y = spyre.exp %v tile [0: "A" in 2] : tensor<128x512xf16, #stick>
  return %y : tensor<128x512xf16, #stick>
}
