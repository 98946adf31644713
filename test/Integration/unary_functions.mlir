// Functions of one operand that the published table has and front ends rarely print: in tiles, on cores and on the simulated card
// the same numbers as on the CPU.

// RUN: spyre-run %s --entry half --random-seed 1 --special-values --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry brain --random-seed 2 --special-values --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry ragged --random-seed 3 --largest 2 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --implicit-check-not=DIFFER
// CHECK: a bundle, same results on the simulated card

!h = tensor<64x256xf16>
func.func @half(%x: !h {spyre.dims = ["A", "B"]}) -> (!h, !h, !h) {
  %0 = spyre.mish %x tile [0: "A" in 2, 1: "B" in 2] : !h
  %1 = spyre.relu6fwd %0 tile [0: "A" in 2, 1: "B" in 2] : !h
  %2 = spyre.fastsigmoid %0 tile [0: "A" in 2, 1: "B" in 2] : !h
  %3 = spyre.fastexp %2 tile [0: "A" in 2, 1: "B" in 2] : !h
  return %0, %1, %3 : !h, !h, !h
}

!b = tensor<3x8x128xbf16>
func.func @brain(%x: !b) -> (!b, !b) {
  %0 = spyre.mish %x : !b
  %1 = spyre.relu6fwd %x : !b
  %2 = spyre.fastexp %1 : !b
  %3 = spyre.fastsigmoid %0 : !b
  return %2, %3 : !b, !b
}

// Rows that end inside of a stick, and a sum and a product of them.
func.func @ragged(%x: tensor<32x100xf16>, %w: tensor<100x64xf16>) -> (tensor<32xf16>, tensor<32x64xf16>) {
  %0 = spyre.relu6fwd %x : tensor<32x100xf16>
  %1 = spyre.floor %0 : tensor<32x100xf16>
  %2 = spyre.sum %1 dims [1] : (tensor<32x100xf16>) -> tensor<32xf16>
  %3 = spyre.batchmatmul %0, %w : (tensor<32x100xf16>, tensor<100x64xf16>) -> tensor<32x64xf16>
  return %2, %3 : tensor<32xf16>, tensor<32x64xf16>
}
