// A layer norm of as many rows as the launcher says, in tiles, from one bundle.

// RUN: spyre-run %s --size S=64 --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --implicit-check-not=DIFFER
// RUN: spyre-run %s --size S=192 --random-seed 2 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --implicit-check-not=DIFFER
// CHECK: a bundle, same results on the simulated card

// RUN: spyre-translate --spyre-to-bundle %s -o %t.bundle --verify-written
// RUN: spyre-run %s --size S=64 --random-seed 3 --bundle %t.bundle --compare %s --poison | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --size S=512 --random-seed 3 --bundle %t.bundle --compare %s --poison | FileCheck %s --check-prefix=SAME
// SAME: result 0: 0 of {{[0-9]+}} elements differ

func.func @norm(
    %x: tensor<?x100xf16> {spyre.dims = ["S", "C"]}, %w: tensor<1x100xf16>, %b: tensor<1x100xf16>) -> tensor<?x100xf16>
    attributes {spyre.dim_sizes = {C = 100, S = #spyre.dynamic<granularity = 64, max = 512>}} {
  %e = spyre.exx2 %x tile [0: "S" by 64] : (tensor<?x100xf16>) -> tensor<?x2xf16>
  %s = spyre.layernormscale %e eps 0.0009765625 tile [0: "S" by 64] : (tensor<?x2xf16>) -> tensor<?x1xf16>
  %y = spyre.layernormnorm %x, %e, %s, %w, %b tile [0: "S" by 64]
    : (tensor<?x100xf16>, tensor<?x2xf16>, tensor<?x1xf16>, tensor<1x100xf16>, tensor<1x100xf16>) -> tensor<?x100xf16>
  return %y : tensor<?x100xf16>
}
