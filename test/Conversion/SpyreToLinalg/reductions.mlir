// RUN: spyre-opt %s --convert-spyre-to-linalg | FileCheck %s

// CHECK-DAG: #[[KEPT_IN:.+]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[KEPT_OUT:.+]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[SWAPPED:.+]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[FIRST:.+]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[M:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-DAG: #[[N:.+]] = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
// CHECK-DAG: #[[MN:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>

// Accumulated in f32, divided and rounded in a second operation.
// CHECK-LABEL: func.func @mean(
// CHECK-SAME:      %[[X:.+]]: tensor<8x256xf16>)
// CHECK:         %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[START:.+]] = tensor.splat %[[ZERO]] : tensor<8x1xf32>
// CHECK:         %[[SUM:.+]] = linalg.generic {indexing_maps = [#[[KEPT_IN]], #[[KEPT_OUT]]], iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK-SAME:        ins(%[[X]] : tensor<8x256xf16>) outs(%[[START]] : tensor<8x1xf32>)
// CHECK-NEXT:    ^bb0(%[[IN:.+]]: f16, %[[SO_FAR:.+]]: f32):
// CHECK-NEXT:      %[[W:.+]] = arith.extf %[[IN]] : f16 to f32
// CHECK-NEXT:      %[[NEXT:.+]] = arith.addf %[[SO_FAR]], %[[W]] : f32
// CHECK-NEXT:      linalg.yield %[[NEXT]] : f32
// CHECK:         linalg.generic {{.*}} ins(%[[SUM]] : tensor<8x1xf32>) outs(%{{.+}} : tensor<8x1xf16>)
// CHECK:           %[[COUNT:.+]] = arith.constant 2.560000e+02 : f32
// CHECK-NEXT:      %[[MEAN:.+]] = arith.divf %{{.+}}, %[[COUNT]] : f32
// CHECK-NEXT:      arith.truncf %[[MEAN]] : f32 to f16
func.func @mean(%x: tensor<8x256xf16>) -> tensor<8x1xf16> {
  %y = spyre.mean %x dims [1] keepdim : (tensor<8x256xf16>) -> tensor<8x1xf16>
  return %y : tensor<8x1xf16>
}

// In f32 there is nothing left to do after the reduction.
// CHECK-LABEL: func.func @max(
// CHECK:         arith.constant 0xFF800000 : f32
// CHECK:         %[[Y:.+]] = linalg.generic {indexing_maps = [#[[SWAPPED]], #[[FIRST]]], iterator_types = ["parallel", "reduction"]}
// CHECK:           arith.maximumf
// CHECK:         return %[[Y]] : tensor<256xf32>
func.func @max(%x: tensor<8x256xf32>) -> tensor<256xf32> {
  %y = spyre.max %x dims [0] : (tensor<8x256xf32>) -> tensor<256xf32>
  return %y : tensor<256xf32>
}

// The loop over columns is inside of the one over K.
// CHECK-LABEL: func.func @matmul(
// CHECK:         linalg.generic {indexing_maps = [#[[M]], #[[N]], #[[MN]]], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
// CHECK:           %[[P:.+]] = arith.mulf %{{.+}}, %{{.+}} : f32
// CHECK-NEXT:      arith.addf %{{.+}}, %[[P]] : f32
// CHECK:         arith.truncf
func.func @matmul(%a: tensor<2x8x64xf16>, %b: tensor<64x128xf16>) -> tensor<2x8x128xf16> {
  %y = spyre.batchmatmul %a, %b : (tensor<2x8x64xf16>, tensor<64x128xf16>) -> tensor<2x8x128xf16>
  return %y : tensor<2x8x128xf16>
}
