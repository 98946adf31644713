// RUN: spyre-opt %s --coarse-tile | FileCheck %s

// Which operands move with a loop: those that the loop's dimension indexes.

!t = tensor<256x512xf16>

// Broadcast by rank, by an extent of 1, and as a scalar.
// CHECK-LABEL: func.func @broadcast
// CHECK:       scf.for %[[I:.+]] = %{{.+}} to %c2
// CHECK:         scf.for %[[J:.+]] = %{{.+}} to %c4
// CHECK-DAG:       %[[ROW:.+]] = affine.apply #{{.+}}(%[[I]])
// CHECK-DAG:       %[[COL:.+]] = affine.apply #{{.+}}(%[[J]])
// CHECK-DAG:       %[[A:.+]] = tensor.extract_slice %arg0[%[[ROW]], %[[COL]]] [128, 128] [1, 1]
// CHECK-DAG:       %[[V:.+]] = tensor.extract_slice %arg1[%[[COL]]] [128] [1]
// CHECK-DAG:       %[[C:.+]] = tensor.extract_slice %arg2[%[[ROW]], 0] [128, 1] [1, 1]
// CHECK-DAG:       spyre.add %[[A]], %[[V]] : (tensor<128x128xf16>, tensor<128xf16>)
// CHECK-DAG:       spyre.mul %{{.+}}, %[[C]] : (tensor<128x128xf16>, tensor<128x1xf16>)
// CHECK:           spyre.sub %{{.+}}, %arg3 : (tensor<128x128xf16>, tensor<f16>)
// CHECK:           spyre.sub %{{.+}}, %arg4 : (tensor<128x128xf16>, tensor<1x1xf16>)
func.func @broadcast(%a: !t {spyre.dims = ["A", "B"]}, %v: tensor<512xf16>, %c: tensor<256x1xf16>, %s: tensor<f16>, %one: tensor<1x1xf16>) -> !t {
  %0 = spyre.add %a, %v tile [0: "A" in 2, 1: "B" in 4] : (!t, tensor<512xf16>) -> !t
  %1 = spyre.mul %0, %c tile [0: "A" in 2, 1: "B" in 4] : (!t, tensor<256x1xf16>) -> !t
  %2 = spyre.sub %1, %s tile [0: "A" in 2, 1: "B" in 4] : (!t, tensor<f16>) -> !t
  %3 = spyre.sub %2, %one tile [0: "A" in 2, 1: "B" in 4] : (!t, tensor<1x1xf16>) -> !t
  return %3 : !t
}

// A matrix product: rows of the left, columns of the right.
// CHECK-LABEL: func.func @matmul
// CHECK:       scf.for %[[I:.+]] = %{{.+}} to %c2
// CHECK:         scf.for %[[J:.+]] = %{{.+}} to %c4
// CHECK-DAG:       %[[ROW:.+]] = affine.apply #{{.+}}(%[[I]])
// CHECK-DAG:       %[[COL:.+]] = affine.apply #{{.+}}(%[[J]])
// CHECK-DAG:       %[[L:.+]] = tensor.extract_slice %arg0[%[[ROW]], 0] [128, 256] [1, 1]
// CHECK-DAG:       %[[R:.+]] = tensor.extract_slice %arg1[0, %[[COL]]] [256, 128] [1, 1]
// CHECK:           %[[Y:.+]] = spyre.batchmatmul %[[L]], %[[R]] : (tensor<128x256xf16>, tensor<256x128xf16>) -> tensor<128x128xf16>
// CHECK:           tensor.insert_slice %[[Y]] into %{{.+}}[%[[ROW]], %[[COL]]] [128, 128] [1, 1]
func.func @matmul(%a: tensor<256x256xf16> {spyre.dims = ["M", "K"]}, %b: tensor<256x512xf16> {spyre.dims = ["K", "N"]}) -> !t {
  %y = spyre.batchmatmul %a, %b tile [0: "M" in 2, 1: "N" in 4] : (tensor<256x256xf16>, tensor<256x512xf16>) -> !t
  return %y : !t
}

// A batch dimension moves the operand that has it and not the shared one, which is read from the same place again and again.
// CHECK-LABEL: func.func @batch
// CHECK:       scf.for %[[I:.+]] = %{{.+}} to %c8
// CHECK:         %[[AT:.+]] = affine.apply #{{.+}}(%[[I]])
// CHECK:         %[[L:.+]] = tensor.extract_slice %arg0[%[[AT]], 0, 0] [1, 64, 128] [1, 1, 1]
// CHECK-NEXT:    spyre.batchmatmul %[[L]], %arg1 : (tensor<1x64x128xf16>, tensor<128x256xf16>) -> tensor<1x64x256xf16>
func.func @batch(%a: tensor<8x64x128xf16> {spyre.dims = ["N", "M", "K"]}, %w: tensor<128x256xf16> {spyre.dims = ["K", "O"]}) -> tensor<8x64x256xf16> {
  %y = spyre.batchmatmul %a, %w tile [0: "N" in 8] : (tensor<8x64x128xf16>, tensor<128x256xf16>) -> tensor<8x64x256xf16>
  return %y : tensor<8x64x256xf16>
}

// A reduction keeps the names of what it does not reduce, and shifts their positions.
// CHECK-LABEL: func.func @reduction
// CHECK:       scf.for %[[I:.+]] = %{{.+}} to %c4
// CHECK:         %[[AT:.+]] = affine.apply #{{.+}}(%[[I]])
// CHECK:         tensor.extract_slice %arg0[0, %[[AT]]] [256, 128] [1, 1]
// CHECK-NEXT:    %[[S:.+]] = spyre.sum %{{.+}} dims [0] : (tensor<256x128xf16>) -> tensor<128xf16>
// CHECK-NEXT:    %[[E:.+]] = spyre.exp %[[S]] : tensor<128xf16>
// CHECK-NEXT:    tensor.insert_slice %[[E]] into %{{.+}}[%[[AT]]] [128] [1]
func.func @reduction(%a: !t {spyre.dims = ["A", "B"]}) -> tensor<512xf16> {
  %s = spyre.sum %a dims [0] tile [0: "B" in 4] : (!t) -> tensor<512xf16>
  %e = spyre.exp %s tile [0: "B" in 4] : tensor<512xf16>
  return %e : tensor<512xf16>
}

// A softmax over the columns, cut by rows: the statistics of a tile are those of its rows.
// CHECK-LABEL: func.func @softmax
// CHECK:       scf.for %{{.+}} = %{{.+}} to %c4
// CHECK:         %[[X:.+]] = tensor.extract_slice %arg0[%{{.+}}, 0] [64, 512] [1, 1]
// CHECK-NEXT:    %[[M:.+]] = spyre.max %[[X]] dims [1] keepdim : (tensor<64x512xf16>) -> tensor<64x1xf16>
// CHECK-NEXT:    %[[D:.+]] = spyre.sub %[[X]], %[[M]] : (tensor<64x512xf16>, tensor<64x1xf16>) -> tensor<64x512xf16>
// CHECK-NEXT:    %[[E:.+]] = spyre.exp %[[D]]
// CHECK-NEXT:    %[[S:.+]] = spyre.sum %[[E]] dims [1] keepdim : (tensor<64x512xf16>) -> tensor<64x1xf16>
// CHECK-NEXT:    %[[Q:.+]] = spyre.realdiv %[[E]], %[[S]] : (tensor<64x512xf16>, tensor<64x1xf16>) -> tensor<64x512xf16>
// CHECK-NEXT:    tensor.insert_slice %[[Q]]
func.func @softmax(%x: !t {spyre.dims = ["A", "B"]}) -> !t {
  %m = spyre.max %x dims [1] keepdim tile [0: "A" in 4] : (!t) -> tensor<256x1xf16>
  %d = spyre.sub %x, %m tile [0: "A" in 4] : (!t, tensor<256x1xf16>) -> !t
  %e = spyre.exp %d tile [0: "A" in 4] : !t
  %s = spyre.sum %e dims [1] keepdim tile [0: "A" in 4] : (!t) -> tensor<256x1xf16>
  %q = spyre.realdiv %e, %s tile [0: "A" in 4] : (!t, tensor<256x1xf16>) -> !t
  return %q : !t
}
