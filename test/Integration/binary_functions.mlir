// Functions of two operands that the published table has beside the usual ones: in tiles, on cores and on the simulated card the
// same numbers as on the CPU, the order of the operands included.

// RUN: spyre-run %s --entry half --random-seed 1 --special-values --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry single --random-seed 2 --special-values --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry biased --random-seed 3 --integers 3 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --implicit-check-not=DIFFER
// CHECK: a bundle, same results on the simulated card

// A difference in the other order is another one.
// RUN: not spyre-run %s --entry half --random-seed 1 --compare %s --compare-entry swapped 2>&1 | FileCheck %s --check-prefix=SWAPPED
// SWAPPED: result 0: {{[1-9][0-9]*}} of 16384 elements differ

!h = tensor<64x256xf16>
!row = tensor<256xf16>
!column = tensor<64x1xf16>
func.func @half(%x: !h {spyre.dims = ["A", "B"]}, %r: !row {spyre.dims = ["B"]}, %c: !column) -> (!h, !h) {
  %0 = spyre.revsub %x, %r tile [0: "A" in 2, 1: "B" in 2] : (!h, !row) -> !h
  %1 = spyre.biasadd %0, %c tile [0: "A" in 2, 1: "B" in 2] : (!h, !column) -> !h
  %2 = spyre.revsub %c, %1 tile [0: "A" in 2, 1: "B" in 2] : (!column, !h) -> !h
  return %0, %2 : !h, !h
}

func.func @swapped(%x: !h, %r: !row, %c: !column) -> (!h, !h) {
  %0 = spyre.sub %x, %r : (!h, !row) -> !h
  %1 = spyre.biasadd %0, %c : (!h, !column) -> !h
  %2 = spyre.revsub %c, %1 : (!column, !h) -> !h
  return %0, %2 : !h, !h
}

!s = tensor<32x64xf32>
func.func @single(%x: !s, %y: !s, %r: tensor<64xf32>) -> (!s, !s) {
  %0 = spyre.revsub %x, %y : !s
  %1 = spyre.biasadd %y, %r : (!s, tensor<64xf32>) -> !s
  return %0, %1 : !s, !s
}

// The bias of a product, in rows that end inside of a stick.
func.func @biased(%x: tensor<32x128xf16>, %w: tensor<128x100xf16>, %b: tensor<100xf16>) -> tensor<32x100xf16> {
  %0 = spyre.batchmatmul %x, %w : (tensor<32x128xf16>, tensor<128x100xf16>) -> tensor<32x100xf16>
  %1 = spyre.biasadd %0, %b : (tensor<32x100xf16>, tensor<100xf16>) -> tensor<32x100xf16>
  return %1 : tensor<32x100xf16>
}
