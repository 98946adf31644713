// The pass that changes a result is found and named, and the module before it is written.

// RUN: not spyre-run %s --entry tanh --check-pipeline='builtin.module(cse,func.func(canonicalize),math-expand-ops,symbol-dce)' --save-ir %t.before.mlir | FileCheck %s
//      CHECK: builtin.module(cse): same results
// CHECK-NEXT: builtin.module(func.func(canonicalize{{.*}})): the program is unchanged
// CHECK-NEXT: builtin.module(math-expand-ops{{.*}}): RESULTS DIFFER
// CHECK-NEXT: result 0: {{[1-9][0-9]*}} of 256 elements differ; first at [0, {{[0-9]+}}]: {{.*}}; maximum absolute error {{[0-9.]+}}e-7, maximum {{[0-9]+}} ULPs
// CHECK-NOT:  symbol-dce
// RUN: FileCheck %s --check-prefix=BEFORE --input-file %t.before.mlir
// BEFORE-COUNT-1: math.tanh
// BEFORE-NOT:     math.tanh

// The expansion is close.
// RUN: spyre-run %s --entry tanh --passes cse,math-expand-ops --max-ulps 1000 | FileCheck %s --check-prefix=CLOSE
//      CLOSE: builtin.module(cse): same results
// CLOSE-NEXT: builtin.module(math-expand-ops{{.*}}): same results

// A bundle runs on a simulated card. What is below that, or beside it, does not run, and ends the check with a remark.
// RUN: spyre-run %s --entry tiled --passes spyre-pipeline,cse 2>&1 | FileCheck %s --check-prefix=BUNDLE
// BUNDLE-DAG: builtin.module(func.func(coarse-tile{{.*}})): same results
// BUNDLE-DAG: builtin.module(func.func(spyre-work-division{modelled=false})): same results
// BUNDLE-DAG: builtin.module(func.func(spyre-scratchpad-planning{{{[^}]*}}})): same results
// BUNDLE-DAG: builtin.module(convert-spyre-to-sdscbundle{share-files=false}): a bundle, same results on the simulated card
// RUN: spyre-run %s --entry tiled --passes convert-spyre-to-linalg,spyre-lower-to-llvm 2>&1 | FileCheck %s --check-prefix=BUFFERS
// BUFFERS: builtin.module(convert-spyre-to-linalg{{.*}}): same results
// BUFFERS: builtin.module(one-shot-bufferize{{.*}}): no longer on tensors, not compared
// BUFFERS: check.mlir:{{.*}}: remark: the check ends at builtin.module(one-shot-bufferize{{.*}}):

// A pass that fails has said why; the module before it is written as well.
// RUN: not spyre-run %s --entry tiled --passes 'coarse-tile{groups=1}' --save-ir %t.failed.mlir 2>&1 | FileCheck %s --check-prefix=FAILS
// FAILS: error:
// FAILS: error: builtin.module(func.func(coarse-tile{dry-run=false groups={{.*}}})) failed
// RUN: FileCheck %s --check-prefix=KEPT --input-file %t.failed.mlir
// KEPT: spyre.add

// RUN: not spyre-run %s --entry tiled --check-pipeline='builtin.module(nonsense)' 2>&1 | FileCheck %s --check-prefix=NONSENSE
// RUN: not spyre-run %s --entry tiled --passes nonsense 2>&1 | FileCheck %s --check-prefix=NONSENSE
// RUN: not spyre-run %s --entry tiled --check-pipeline='builtin.module()' 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: not a pipeline: it has no passes
// RUN: not spyre-run %s --entry tiled --check-pipeline=cse 2>&1 | FileCheck %s --check-prefix=ANCHOR
// ANCHOR: error: not a pipeline: expected pass pipeline to be wrapped with the anchor operation type
// NONSENSE: error: not a pipeline: {{.*}}nonsense

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<8x256xf16, #stick>

func.func @tiled(%a: !t {spyre.dims = ["A", "B"]}, %b: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.add %a, %b tile [0: "A" in 2] : !t
  %z = spyre.mul %y, %b tile [0: "A" in 2] : !t
  return %z : !t
}

func.func private @tanh(%a: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %0 = math.tanh %a : tensor<4x64xf32>
  %1 = math.tanh %a : tensor<4x64xf32>
  %2 = arith.addf %0, %1 : tensor<4x64xf32>
  return %2 : tensor<4x64xf32>
}
