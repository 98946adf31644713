// What a reduction leaves has one element in each stick, and a tensor that a loop puts together from it has so as well: nothing has to
// be moved.

// RUN: spyre-run %s --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --implicit-check-not=DIFFER
// CHECK: a bundle, same results on the simulated card
// RUN: spyre-opt %s --spyre-propagate-layouts --spyre-optimize-restickify --spyre-insert-restickify | FileCheck %s --check-prefix=LAYOUT --implicit-check-not=restickify
// LAYOUT: #[[SPARSE:.+]] = #spyre.layout<(d0, d1) -> (d1, 0, d0, 0)>
// LAYOUT: spyre.empty : tensor<192x1xf16, #[[SPARSE]]>

func.func @column(%a1: tensor<192x64xf16>) -> tensor<192x1xf16> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c192 = arith.constant 192 : index
  %e = spyre.empty : tensor<192x1xf16>
  %r = scf.for %i = %c0 to %c192 step %c64 iter_args(%acc = %e) -> (tensor<192x1xf16>) {
    %t = tensor.extract_slice %a1[%i, 0] [64, 64] [1, 1] : tensor<192x64xf16> to tensor<64x64xf16>
    %m = spyre.min %t dims [1] keepdim : (tensor<64x64xf16>) -> tensor<64x1xf16>
    %n = tensor.insert_slice %m into %acc[%i, 0] [64, 1] [1, 1] : tensor<64x1xf16> into tensor<192x1xf16>
    scf.yield %n : tensor<192x1xf16>
  }
  return %r : tensor<192x1xf16>
}
