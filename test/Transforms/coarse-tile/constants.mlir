// RUN: spyre-opt %s --coarse-tile | FileCheck %s

// Tensors of one value are made in the tile, and what nobody reads any more goes.

!t = tensor<64x256xf16>

// CHECK-LABEL: func.func @filled(
// CHECK-NOT:     spyre.fill
// CHECK:         scf.for
// CHECK:           spyre.fill dense<2.500000e+00> : tensor<16x256xf16>
// CHECK-NOT:     spyre.fill
// CHECK:         return
func.func @filled(%x: !t {spyre.dims = ["A", "B"]}) -> !t {
  %c = spyre.fill dense<2.5> : !t {spyre.dims = ["A", "B"]}
  %z = spyre.mul %x, %c tile [0: "A" in 4] : !t
  return %z : !t
}

// One that is the same in every iteration stays as it is.
// CHECK-LABEL: func.func @broadcast(
// CHECK:         %[[C:.+]] = spyre.fill dense<2.500000e+00> : tensor<1x256xf16>
// CHECK:         scf.for
// CHECK:           spyre.mul %{{.+}}, %[[C]]
func.func @broadcast(%x: !t {spyre.dims = ["A", "B"]}) -> !t {
  %c = spyre.fill dense<2.5> : tensor<1x256xf16>
  %z = spyre.mul %x, %c tile [0: "A" in 4] : (!t, tensor<1x256xf16>) -> !t
  return %z : !t
}

// What is inserted into a tensor that holds nothing yet is inserted into a tile of one.
// CHECK-LABEL: func.func @empty(
// CHECK-NOT:     spyre.empty : tensor<64x256xf16>
// CHECK:         %[[E:.+]] = spyre.empty : tensor<64x512xf16>
// CHECK:         scf.for
// CHECK:           %[[N:.+]] = spyre.empty : tensor<16x512xf16>
// CHECK:           %[[I:.+]] = tensor.insert_slice %{{.+}} into %[[N]][0, 256] [16, 256] [1, 1]
// CHECK:           tensor.insert_slice %{{.+}} into %[[I]][0, 0] [16, 256] [1, 1]
func.func @empty(%x: !t {spyre.dims = ["A", "B"]}) -> tensor<64x512xf16> {
  %n = spyre.empty : tensor<64x512xf16>
  %y = spyre.exp %x tile [0: "A" in 4] : !t
  %i = tensor.insert_slice %y into %n[0, 256] [64, 256] [1, 1] : !t into tensor<64x512xf16>
  %j = tensor.insert_slice %x into %i[0, 0] [64, 256] [1, 1] : !t into tensor<64x512xf16>
  %z = spyre.neg %j tile [0: "A" in 4] : tensor<64x512xf16>
  return %z : tensor<64x512xf16>
}
