// The maximum of absolute values whose reduced dimension is cut: parts are combined by the larger one, from 0, and have the same
// bits as the whole, NaN and negative elements included.

// RUN: spyre-opt %s --coarse-tile -o %t.tiled.mlir
// RUN: FileCheck %s --input-file %t.tiled.mlir
// RUN: spyre-run %s --entry rows --compare %t.tiled.mlir --random-seed 1 --special-values --poison | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry columns --compare %t.tiled.mlir --random-seed 2 --special-values --poison | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry scaled --compare %t.tiled.mlir --random-seed 3 --poison | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry rows --random-seed 4 --special-values --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry columns --random-seed 5 --special-values --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry scaled --random-seed 6 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// SAME: result 0: 0 of
// CARD: a bundle, same results on the simulated card

// A maximum of the elements is another number.
// RUN: not spyre-run %s --entry columns --random-seed 2 --compare %s --compare-entry signed 2>&1 | FileCheck %s --check-prefix=SIGNED
// SIGNED: result 0: {{[1-9][0-9]*}} of 256 elements differ

!t = tensor<16x256xf16>

// CHECK-LABEL: func.func @rows(
// CHECK:         scf.for
// CHECK:           spyre.fill dense<0.0
// CHECK:           scf.for
// CHECK:             %[[PART:.+]] = spyre.absmax
// CHECK:             spyre.maximum %{{.+}}, %[[PART]]
func.func @rows(%x: !t {spyre.dims = ["A", "B"]}) -> tensor<16x1xf16> {
  %0 = spyre.absmax %x dims [1] keepdim tile [0: "A" in 4, 1: "B" in 2] : (!t) -> tensor<16x1xf16>
  return %0 : tensor<16x1xf16>
}

func.func @columns(%x: !t {spyre.dims = ["A", "B"]}) -> tensor<256xf16> {
  %0 = spyre.absmax %x dims [0] tile [0: "A" in 4, 1: "B" in 2] : (!t) -> tensor<256xf16>
  return %0 : tensor<256xf16>
}

func.func @signed(%x: !t) -> tensor<256xf16> {
  %0 = spyre.max %x dims [0] : (!t) -> tensor<256xf16>
  return %0 : tensor<256xf16>
}

// Rows that are scaled to their largest magnitude, as before a quantization.
func.func @scaled(%x: !t {spyre.dims = ["A", "B"]}) -> !t {
  %m = spyre.absmax %x dims [1] keepdim tile [0: "A" in 4, 1: "B" in 2] : (!t) -> tensor<16x1xf16>
  %y = spyre.realdiv %x, %m tile [0: "A" in 4, 1: "B" in 2] : (!t, tensor<16x1xf16>) -> !t
  return %y : !t
}
