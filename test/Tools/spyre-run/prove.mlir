// Each pass of a pipeline is proved: the program after it against the program before it, and the files against the plan.
// No inputs are drawn, and nothing runs.

// RUN: spyre-run %s --entry tiled --passes spyre-pipeline --prove 2>&1 | FileCheck %s
//      CHECK: the program itself: [[CLAIMS:[0-9]+]] of [[CLAIMS]] claims proved{{$}}
//      CHECK: builtin.module(func.func(spyre-decompose)): the program is unchanged
//      CHECK: builtin.module(func.func(coarse-tile{dry-run=false  only-dynamic=false verify-tiling=false})): [[CLAIMS:[0-9]+]] of [[CLAIMS]] claims proved{{$}}
// CHECK-NEXT: builtin.module(func.func(spyre-constants-to-arguments)): the program is unchanged
//      CHECK: builtin.module(func.func(spyre-scratchpad-planning{{{[^}]*}}})): [[CLAIMS:[0-9]+]] of [[CLAIMS]] claims proved{{$}}
//      CHECK: builtin.module(convert-spyre-to-sdscbundle{share-files=false}): the files of the bundle, [[CLAIMS:[0-9]+]] of [[CLAIMS]] claims proved{{$}}

// With inputs, the program runs before and after each pass as well.
// RUN: spyre-run %s --entry tiled --passes coarse-tile,cse --prove --random-seed 1 2>&1 | FileCheck %s --check-prefix=BOTH
//      BOTH: builtin.module(func.func(coarse-tile{{.*}})): same results; [[CLAIMS:[0-9]+]] of [[CLAIMS]] claims proved{{$}}
// BOTH-NEXT: builtin.module(cse): the program is unchanged

// A plan is damaged: the product is written over the sum. No pass is blamed, none runs, and the module is written.
// RUN: spyre-opt %s --symbol-privatize=exclude=sums --symbol-dce '--spyre-pipeline=bundle=false plan=false' | sed 's/place lx 1024/place lx 0/' > %t.damaged.mlir
// RUN: not spyre-run %t.damaged.mlir --passes canonicalize,cse --prove --save-ir %t.before.mlir 2>&1 | FileCheck %s --check-prefix=DAMAGED
//     DAMAGED-DAG: the program itself: {{[0-9]+ of [0-9]+}} claims proved, 1 REFUTED
//     DAMAGED-DAG: error: prove: P3: operand 0: byte 0 of LX that operand 0 is read from is overwritten: it has the result of 'mul', and not that of 'add'
// DAMAGED-NOT: builtin.module
// RUN: FileCheck %s --check-prefix=BEFORE --input-file %t.before.mlir
// BEFORE-COUNT-2: place lx 0

// RUN: not spyre-run %s --entry tiled --prove 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: required arguments were not provided

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<8x256xf16, #stick>
!u = tensor<64x256xf16, #stick>

func.func @tiled(%a: !t {spyre.dims = ["A", "B"]}, %b: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.add %a, %b tile [0: "A" in 2] : !t
  %z = spyre.mul %y, %b tile [0: "A" in 2] : !t
  return %z : !t
}

func.func @sums(%a: !u, %b: !u) -> !u {
  %x = spyre.add %a, %b : !u
  %y = spyre.mul %a, %b : !u
  %z = spyre.sub %x, %y : !u
  return %z : !u
}
