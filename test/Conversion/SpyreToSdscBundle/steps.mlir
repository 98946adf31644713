// A loop whose induction variable counts elements and not tiles: the same bundle.

// RUN: spyre-opt %s --spyre-pipeline | FileCheck %s
// RUN: spyre-run %s --random-seed 1 --special-values --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=SAME --implicit-check-not=DIFFER
// SAME: a bundle, same results on the simulated card

// 48 rows of 128 bytes in steps of 16; the last iteration is the third.
// CHECK: #[[$MAP:.*]] = affine_map<(d0)[s0] -> (d0 * 2048 + s0)>
// CHECK: %[[COUNT:.*]] = arith.constant 3 : index
// CHECK: scf.for %[[I:.*]] = %c0 to %[[COUNT]] step %c1 {
// CHECK: affine.apply #[[$MAP]](%[[I]])
module attributes {spyre.target = #spyre.target<cores = 1>} {
func.func @steps(%x: tensor<48x64xf16>) -> tensor<48x64xf16> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c48 = arith.constant 48 : index
  %e = spyre.empty : tensor<48x64xf16>
  %r = scf.for %i = %c0 to %c48 step %c16 iter_args(%acc = %e) -> (tensor<48x64xf16>) {
    %w = tensor.extract_slice %x[%i, 0] [16, 64] [1, 1] : tensor<48x64xf16> to tensor<16x64xf16>
    %y = spyre.exp %w : tensor<16x64xf16>
    %next = tensor.insert_slice %y into %acc[%i, 0] [16, 64] [1, 1] : tensor<16x64xf16> into tensor<48x64xf16>
    scf.yield %next : tensor<48x64xf16>
  }
  return %r : tensor<48x64xf16>
}
}
