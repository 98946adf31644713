// The three ways to name a pass: a flag, a flag with options, a textual pipeline.

// RUN: spyre-opt %s --coarse-tile | FileCheck %s --check-prefix=HINTS
// RUN: spyre-opt %s --pass-pipeline='builtin.module(func.func(coarse-tile))' | FileCheck %s --check-prefix=HINTS
// RUN: spyre-opt %s --coarse-tile="groups=0-1:2@0" | FileCheck %s --check-prefix=GROUPS
// RUN: spyre-opt %s --pass-pipeline='builtin.module(func.func(coarse-tile{groups=0-1:2@0}))' | FileCheck %s --check-prefix=GROUPS

// A list has several values, in either notation.
// RUN: spyre-opt %s --coarse-tile="groups=0:2@0,1:4@0" | FileCheck %s --check-prefix=TWO
// RUN: spyre-opt %s --pass-pipeline='builtin.module(func.func(coarse-tile{groups={0:2@0,1:4@0}}))' | FileCheck %s --check-prefix=TWO

// HINTS-LABEL: func.func @add_mul
// HINTS-COUNT-2: scf.for
// HINTS-NOT: scf.for
// HINTS: spyre.add %{{.*}} : tensor<512x1024xf16, #{{.*}}>
// HINTS-NOT: scf.for

// GROUPS-LABEL: func.func @add_mul
// GROUPS: scf.for
// GROUPS-NOT: scf.for
// GROUPS: spyre.add %{{.*}} : tensor<512x4096xf16, #{{.*}}>
// GROUPS: spyre.mul %{{.*}} : tensor<512x4096xf16, #{{.*}}>
// GROUPS-NOT: scf.for

// TWO-LABEL: func.func @add_mul
// TWO: scf.for
// TWO: spyre.add %{{.*}} : tensor<512x4096xf16, #{{.*}}>
// TWO: scf.for
// TWO: spyre.mul %{{.*}} : tensor<256x4096xf16, #{{.*}}>

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<1024x4096xf16, #stick>

func.func @add_mul(%a: !t {spyre.dims = ["A", "B"]}, %b: !t {spyre.dims = ["A", "B"]}, %c: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.add %a, %b tile [0: "A" in 2, 1: "B" in 4] : !t
  %z = spyre.mul %y, %c tile [0: "A" in 2, 1: "B" in 4] : !t
  return %z : !t
}
