// A softmax of any number of rows: one tiled program and one bundle for all of them.

// RUN: spyre-run %s --size S=16 --random-seed 1 --special-values --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --implicit-check-not=DIFFER
// RUN: spyre-run %s --size S=64 --random-seed 2 --special-values --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --implicit-check-not=DIFFER
// CHECK: builtin.module(func.func(coarse-tile{{.*}})): same results
// CHECK: builtin.module(func.func(spyre-bound-dynamic-dims)): same results
// CHECK: a bundle, same results on the simulated card

// The bundle is made without an extent, and runs with each.
// RUN: spyre-translate --spyre-to-bundle %s -o %t.bundle --verify-written
// RUN: spyre-run %s --size S=16 --random-seed 3 --bundle %t.bundle --compare %s | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --size S=32 --random-seed 3 --bundle %t.bundle --compare %s | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --size S=64 --random-seed 3 --bundle %t.bundle --compare %s | FileCheck %s --check-prefix=SAME
// SAME: result 0: 0 of {{[0-9]+}} elements differ

// Others are refused, with what is allowed.
// RUN: not spyre-run %s --size S=24 --random-seed 3 --bundle %t.bundle 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: not spyre-run %s --size S=80 --random-seed 3 --bundle %t.bundle 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not spyre-run %s --random-seed 3 --bundle %t.bundle 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not spyre-run %s --size S=16 --size T=16 --random-seed 3 2>&1 | FileCheck %s --check-prefix=STRAY
// RUN: not spyre-run %s --size T=16 --random-seed 3 2>&1 | FileCheck %s --check-prefix=STRAY
// STEP: error: {{.*}}the extent of "S" must be a positive multiple of 16 and at most 64, got 24
// LARGE: error: {{.*}}the extent of "S" must be a positive multiple of 16 and at most 64, got 80
// NONE: error: {{.*}}no extent is given for "S", which is a multiple of 16 and at most 64
// STRAY: error: @softmax has no dimension "T" whose extent could be chosen: give the extent of "S"

// Files say the extent by themselves.
// RUN: spyre-run %s --size S=48 --random-seed 4 --save-inputs %t.inputs -o %t.chosen.npy
// RUN: spyre-run %s --input %t.inputs/input_0.npy --bundle %t.bundle -o %t.found.npy
// RUN: cmp %t.chosen.npy %t.found.npy

!t = tensor<?x128xf16>
!c = tensor<?x1xf16>
func.func @softmax(%x: !t {spyre.dims = ["S", "E"]}) -> !t
    attributes {spyre.dim_sizes = {E = 128, S = #spyre.dynamic<granularity = 16, max = 64>}} {
  %m = spyre.max %x dims [1] keepdim tile [0: "S" by 16] : (!t) -> !c
  %d = spyre.sub %x, %m tile [0: "S" by 16] : (!t, !c) -> !t
  %e = spyre.exp %d tile [0: "S" by 16] : !t
  %s = spyre.sum %e dims [1] keepdim tile [0: "S" by 16] : (!t) -> !c
  %y = spyre.realdiv %e, %s tile [0: "S" by 16] : (!t, !c) -> !t
  return %y : !t
}
