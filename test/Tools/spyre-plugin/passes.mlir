// The passes in stock mlir-opt. It reads its flags before it loads plugins, hence --pass-pipeline.

// RUN: %{mlir-opt} --load-dialect-plugin=%{plugin} --load-pass-plugin=%{plugin} \
// RUN:   --pass-pipeline='builtin.module(func.func(coarse-tile))' %s | FileCheck %s
// RUN: %{mlir-opt} --load-pass-plugin=%{plugin} --load-dialect-plugin=%{plugin} \
// RUN:   --pass-pipeline='builtin.module(func.func(coarse-tile))' %s | FileCheck %s

// Twice is as good as once.
// RUN: %{mlir-opt} --load-pass-plugin=%{plugin} --load-pass-plugin=%{plugin} --load-dialect-plugin=%{plugin} \
// RUN:   --load-dialect-plugin=%{plugin} --pass-pipeline='builtin.module(func.func(coarse-tile))' %s | FileCheck %s

// The same text as from spyre-opt, with options and with upstream passes around.
// RUN: spyre-opt %s --pass-pipeline='builtin.module(func.func(coarse-tile{groups=0-1:2@0},canonicalize,cse))' > %t.ours
// RUN: %{mlir-opt} --load-dialect-plugin=%{plugin} --load-pass-plugin=%{plugin} \
// RUN:   --pass-pipeline='builtin.module(func.func(coarse-tile{groups=0-1:2@0},canonicalize,cse))' %s | diff %t.ours -

// So does the whole pipeline.
// RUN: spyre-opt %s --spyre-pipeline > %t.bundle && grep -q sdscbundle.sdsc_execute %t.bundle
// RUN: %{mlir-opt} --load-dialect-plugin=%{plugin} --load-pass-plugin=%{plugin} \
// RUN:   --pass-pipeline='builtin.module(spyre-pipeline)' %s | diff %t.bundle -

// Errors are those of spyre-opt.
// RUN: not %{mlir-opt} --load-dialect-plugin=%{plugin} --load-pass-plugin=%{plugin} \
// RUN:   --pass-pipeline='builtin.module(func.func(coarse-tile{groups=0-1:3@2}))' %s 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error: coarse-tile: no operation of the group has a dimension 2 of more than one element

// Without the pass plugin there is no pass.
// RUN: not %{mlir-opt} --load-dialect-plugin=%{plugin} --pass-pipeline='builtin.module(func.func(coarse-tile))' %s 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NO-PASS
// NO-PASS: 'coarse-tile' does not refer to a registered pass or pass pipeline

// CHECK-LABEL: func.func @add_mul
// CHECK-COUNT-2: scf.for
// CHECK: spyre.add %{{.*}} : tensor<512x1024xf16, #{{.*}}>
// CHECK: spyre.mul %{{.*}} : tensor<512x1024xf16, #{{.*}}>
// CHECK: tensor.insert_slice

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<1024x4096xf16, #stick>

func.func @add_mul(%a: !t {spyre.dims = ["A", "B"]}, %b: !t {spyre.dims = ["A", "B"]}, %c: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.add %a, %b tile [0: "A" in 2, 1: "B" in 4] : !t
  %z = spyre.mul %y, %c tile [0: "A" in 2, 1: "B" in 4] : !t
  return %z : !t
}
