// What a program overwrites unread, here what a loop starts from, is no fault of its bundle.

// RUN: spyre-run %s --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --implicit-check-not=DIFFER
// CHECK: a bundle, same results on the simulated card

// Without something to compare with it is a warning.
// RUN: spyre-translate %s --spyre-to-bundle -o %t.bundle
// RUN: spyre-run %s --bundle %t.bundle --random-seed 1 2>&1 | FileCheck %s --check-prefix=WARNING --implicit-check-not=error:
// WARNING: warning: Lost: {{.*}} overwrites all that abs {{.*}} wrote before anybody has read it
// WARNING: result 0:
func.func @overwritten(%a: tensor<128x128xf16>, %b: tensor<128x128xf16>) -> tensor<128x128xf16> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %i = spyre.abs %b : tensor<128x128xf16>
  %r = scf.for %i1 = %c0 to %c128 step %c64 iter_args(%acc = %i) -> (tensor<128x128xf16>) {
    %y = spyre.neg %a : tensor<128x128xf16>
    scf.yield %y : tensor<128x128xf16>
  }
  %z = spyre.exp %r : tensor<128x128xf16>
  return %z : tensor<128x128xf16>
}
