// RUN: spyre-opt %s --coarse-tile 2> /dev/null | FileCheck %s --implicit-check-not="tile ["

// Levels over dimensions that an operation reduces.

!a = tensor<256x512xf16>
!b = tensor<512x128xf16>
!c = tensor<256x128xf16>

// CHECK-DAG: #[[$ROWS:.+]] = affine_map<(d0) -> (d0 * 128)>
// CHECK-DAG: #[[$COLS:.+]] = affine_map<(d0) -> (d0 * 64)>

// Output levels outside: the accumulator has the shape of the tile, starts anew in each of their iterations, and what reads the
// product is behind the inner loop.
// CHECK-LABEL: func.func @inside
// CHECK:       %[[FULL:.+]] = spyre.empty : tensor<256x128xf16>
// CHECK-NEXT:  %[[R:.+]] = scf.for %[[I:.+]] = %{{.+}} to %c2 step %c1 iter_args(%[[ACC:.+]] = %[[FULL]])
// CHECK-NEXT:    %[[ZERO:.+]] = spyre.fill dense<0.0{{.*}}> : tensor<128x128xf16>
// CHECK-NEXT:    %[[S:.+]] = scf.for %[[K:.+]] = %{{.+}} to %c4 step %c1 iter_args(%[[SUM:.+]] = %[[ZERO]]) -> (tensor<128x128xf16>)
// CHECK-NEXT:      %[[ROW:.+]] = affine.apply #[[$ROWS]](%[[I]])
// CHECK-NEXT:      %[[COL:.+]] = affine.apply #[[$ROWS]](%[[K]])
// CHECK-NEXT:      %[[TA:.+]] = tensor.extract_slice %arg0[%[[ROW]], %[[COL]]] [128, 128]
// CHECK-NEXT:      %[[TB:.+]] = tensor.extract_slice %arg1[%[[COL]], 0] [128, 128]
// CHECK-NEXT:      %[[P:.+]] = spyre.batchmatmul %[[TA]], %[[TB]]
// CHECK-NEXT:      %[[N:.+]] = spyre.add %[[SUM]], %[[P]] : tensor<128x128xf16>
// CHECK-NEXT:      scf.yield %[[N]]
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[Z:.+]] = spyre.relufwd %[[S]] : tensor<128x128xf16>
// CHECK-NEXT:    %[[AT:.+]] = affine.apply #[[$ROWS]](%[[I]])
// CHECK-NEXT:    tensor.insert_slice %[[Z]] into %[[ACC]][%[[AT]], 0] [128, 128]
// CHECK:       return %[[R]]
func.func @inside(%a: !a {spyre.dims = ["M", "K"]}, %b: !b {spyre.dims = ["K", "N"]}) -> !c {
  %y = spyre.batchmatmul %a, %b tile [0: "M" in 2, 1: "K" in 4] : (!a, !b) -> !c
  %z = spyre.relufwd %y tile [0: "M" in 2, 1: "K" in 4] : !c
  return %z : !c
}

// Output levels inside: the accumulator is the whole result, of which windows are updated.
// CHECK-LABEL: func.func @outside
// CHECK:       %[[ZERO:.+]] = spyre.fill dense<0.0{{.*}}> : tensor<256x128xf16>
// CHECK-NEXT:  %[[R:.+]] = scf.for %[[K:.+]] = %{{.+}} to %c4 step %c1 iter_args(%[[OUT:.+]] = %[[ZERO]])
// CHECK-NEXT:    scf.for %[[I:.+]] = %{{.+}} to %c2 step %c1 iter_args(%[[SUM:.+]] = %[[OUT]])
// CHECK:           %[[P:.+]] = spyre.batchmatmul
// CHECK-NEXT:      %[[W:.+]] = tensor.extract_slice %[[SUM]][%[[ROW:.+]], 0] [128, 128]
// CHECK-NEXT:      %[[N:.+]] = spyre.add %[[W]], %[[P]]
// CHECK-NEXT:      %[[M:.+]] = tensor.insert_slice %[[N]] into %[[SUM]][%[[ROW]], 0] [128, 128]
// CHECK-NEXT:      scf.yield %[[M]]
// CHECK:       return %[[R]]
func.func @outside(%a: !a {spyre.dims = ["M", "K"]}, %b: !b {spyre.dims = ["K", "N"]}) -> !c {
  %y = spyre.batchmatmul %a, %b tile [0: "K" in 4, 1: "M" in 2] : (!a, !b) -> !c
  return %y : !c
}

// Powers of two: the means of the tiles, a quarter of each. A mean of which no reduced dimension is cut stays one.
// CHECK-LABEL: func.func @mean
// CHECK:       %[[R:.+]] = scf.for
// CHECK:         %[[PART:.+]] = spyre.mean %{{.+}} dims [0] : (tensor<64x512xf16>) -> tensor<512xf16>
// CHECK:         %[[WEIGHT:.+]] = spyre.fill dense<2.500000e-01> : tensor<512xf16>
// CHECK:         %[[SCALED:.+]] = spyre.mul %[[PART]], %[[WEIGHT]] : tensor<512xf16>
// CHECK:         spyre.add %{{.+}}, %[[SCALED]]
// CHECK-NOT:   spyre.realdiv
// CHECK:       scf.for
// CHECK-NOT:   spyre.sum
// CHECK:         spyre.mean %{{.+}} dims [0] : (tensor<256x128xf16>) -> tensor<128xf16>
func.func @mean(%a: !a {spyre.dims = ["A", "B"]}) -> (tensor<512xf16>, tensor<512xf16>) {
  %y = spyre.mean %a dims [0] tile [0: "A" in 4] : (!a) -> tensor<512xf16>
  %z = spyre.mean %a dims [0] tile [1: "B" in 4] : (!a) -> tensor<512xf16>
  return %y, %z : tensor<512xf16>, tensor<512xf16>
}

// Other means are a sum that is divided once.
// CHECK-LABEL: func.func @mean_of_three_tiles
// CHECK:       %[[R:.+]] = scf.for
// CHECK:         spyre.sum %{{.+}} dims [0] : (tensor<32x512xf16>) -> tensor<512xf16>
// CHECK:       %[[COUNT:.+]] = spyre.fill dense<9.600000e+01> : tensor<512xf16>
// CHECK-NEXT:  spyre.realdiv %[[R]], %[[COUNT]] : tensor<512xf16>
func.func @mean_of_three_tiles(%a: tensor<96x512xf16> {spyre.dims = ["A", "B"]}) -> tensor<512xf16> {
  %y = spyre.mean %a dims [0] tile [0: "A" in 3] : (tensor<96x512xf16>) -> tensor<512xf16>
  return %y : tensor<512xf16>
}

// The accumulator is divided over the cores like the result.
// CHECK-LABEL: func.func @split
// CHECK:         spyre.batchmatmul %{{.+}} split [2, 1, 1]
// CHECK-NEXT:    spyre.add %{{.+}} split [2, 1]
func.func @split(%a: !a {spyre.dims = ["M", "K"]}, %b: !b {spyre.dims = ["K", "N"]}) -> !c {
  %y = spyre.batchmatmul %a, %b tile [0: "K" in 4] split [2, 1, 1] : (!a, !b) -> !c
  return %y : !c
}

// Zeros below K come with the last tile.
// CHECK-LABEL: func.func @padded
// CHECK:         spyre.batchmatmul %{{.+}} : (tensor<16x64xf16>, tensor<64x128xf16>) -> tensor<16x128xf16>
// CHECK:         tensor.extract_slice %arg0[0, 192] [16, 8]
// CHECK-NEXT:    tensor.extract_slice %arg1[192, 0] [64, 128]
// CHECK-NEXT:    spyre.batchmatmul %{{.+}} : (tensor<16x8xf16>, tensor<64x128xf16>) -> tensor<16x128xf16>
func.func @padded(%a: tensor<16x200xf16> {spyre.dims = ["M", "K"]}, %b: tensor<256x128xf16> {spyre.dims = ["K", "N"]}) -> tensor<16x128xf16> {
  %y = spyre.batchmatmul %a, %b tile [0: "K" in 4] : (tensor<16x200xf16>, tensor<256x128xf16>) -> tensor<16x128xf16>
  return %y : tensor<16x128xf16>
}
