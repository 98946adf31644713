// The scale of rows that are quantized to 8-bit floats: in tiles along the row, in rows that end inside of a stick and on the
// simulated card the same numbers as on the CPU.

// RUN: rm -rf %t && mkdir %t
// RUN: spyre-opt %s --coarse-tile -o %t/tiled.mlir
// RUN: FileCheck %s --input-file %t/tiled.mlir
// RUN: spyre-run %s --entry tiled --compare %t/tiled.mlir --random-seed 1 --special-values --poison | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry tiled --random-seed 2 --special-values --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry ragged --random-seed 3 --special-values --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry columns --random-seed 4 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// SAME: result 0: 0 of
// CARD: a bundle, same results on the simulated card

!t = tensor<16x256xf16>

// CHECK-LABEL: func.func @tiled(
// CHECK:         scf.for
// CHECK:           spyre.fill dense<0.0
// CHECK:           scf.for
// CHECK:             %[[PART:.+]] = spyre.quantscalepertokenfp8
// CHECK:             spyre.maximum %{{.+}}, %[[PART]]
func.func @tiled(%x: !t {spyre.dims = ["A", "B"]}) -> (tensor<16x1xf16>, !t) {
  %s = spyre.quantscalepertokenfp8 %x dims [1] keepdim min 0.5 max 4.0 factor 0.125 tile [0: "A" in 4, 1: "B" in 2] : (!t) -> tensor<16x1xf16>
  %y = spyre.realdiv %x, %s tile [0: "A" in 4, 1: "B" in 2] : (!t, tensor<16x1xf16>) -> !t
  return %s, %y : tensor<16x1xf16>, !t
}

func.func @ragged(%x: tensor<3x8x100xf16>) -> tensor<3x8xf16> {
  %s = spyre.quantscalepertokenfp8 %x dims [2] min 0.25 max 2.0 factor 0.5 : (tensor<3x8x100xf16>) -> tensor<3x8xf16>
  return %s : tensor<3x8xf16>
}

// The rows come from another stick.
func.func @columns(%x: tensor<128x64xf16>) -> tensor<64xf16> {
  %t = spyre.permute %x [1, 0] : tensor<128x64xf16> to tensor<64x128xf16>
  %s = spyre.quantscalepertokenfp8 %t dims [1] min 0.25 max 2.0 factor 0.5 : (tensor<64x128xf16>) -> tensor<64xf16>
  return %s : tensor<64xf16>
}
