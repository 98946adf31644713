// RUN: spyre-opt %s --convert-spyre-to-linalg | FileCheck %s
// RUN: spyre-opt %s --convert-spyre-to-linalg | %{mlir-opt} -o /dev/null

// A permutation becomes a copy with its indices in another order; reshapes and windows stay what they are.

#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
!a = tensor<24x128xf16, #rows>
!t = tensor<128x24xf16, #cols>

// CHECK-DAG: #[[SWAP:.+]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[SAME:.+]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[TURN:.+]] = affine_map<(d0, d1, d2) -> (d1, d2, d0)>

// CHECK-LABEL: func.func @permute(
// CHECK-SAME:      %[[A:.+]]: tensor<24x128xf16>) -> tensor<128x24xf16>
// CHECK:         linalg.generic {indexing_maps = [#[[SWAP]], #[[SAME]]], {{.*}} ins(%[[A]] : tensor<24x128xf16>) outs(%{{.+}} : tensor<128x24xf16>)
// CHECK-NEXT:    ^bb0(%[[IN:.+]]: f16, %{{.+}}: f16):
// CHECK-NEXT:      linalg.yield %[[IN]] : f16
func.func @permute(%a: !a) -> !t {
  %t = spyre.permute %a [1, 0] : !a to !t
  return %t : !t
}

// Dimension i of the result is dimension permutation[i]: element (i, j, k) of the result is element (j, k, i).
// CHECK-LABEL: func.func @turn(
// CHECK:         linalg.generic {indexing_maps = [#[[TURN]], {{.*}} ins(%{{.+}} : tensor<4x6x128xf16>) outs(%{{.+}} : tensor<128x4x6xf16>)
func.func @turn(%a: tensor<4x6x128xf16>) -> tensor<128x4x6xf16> {
  %t = spyre.permute %a [2, 0, 1] : tensor<4x6x128xf16> to tensor<128x4x6xf16>
  return %t : tensor<128x4x6xf16>
}

// CHECK-LABEL: func.func @reshape(
// CHECK-SAME:      %[[A:.+]]: tensor<24x128xf16>)
// CHECK:         %[[E:.+]] = tensor.expand_shape %[[A]] {{\[\[}}0, 1], [2]] output_shape [4, 6, 128] : tensor<24x128xf16> into tensor<4x6x128xf16>
// CHECK:         %[[C:.+]] = tensor.collapse_shape %[[E]] {{\[\[}}0, 1], [2]] : tensor<4x6x128xf16> into tensor<24x128xf16>
// CHECK:         tensor.extract_slice %[[C]][3, 64] [8, 64] [1, 1] : tensor<24x128xf16> to tensor<8x64xf16>
func.func @reshape(%a: !a) -> tensor<8x64xf16, #rows> {
  %e = tensor.expand_shape %a [[0, 1], [2]] output_shape [4, 6, 128] : !a into tensor<4x6x128xf16>
  %c = tensor.collapse_shape %e [[0, 1], [2]] : tensor<4x6x128xf16> into !a
  %w = tensor.extract_slice %c[3, 64] [8, 64] [1, 1] : !a to tensor<8x64xf16, #rows>
  return %w : tensor<8x64xf16, #rows>
}
