// Twenty functions in parallel give the text and the warnings of twenty functions one after the other.

// RUN: sed -n '/^[#!]/p' %s > %t.mlir
// RUN: for i in $(seq 20); do sed -n '/^func/,/^}/p' %s | sed "s/@f/@f$i/"; done >> %t.mlir
// RUN: spyre-opt %t.mlir --mlir-disable-threading --coarse-tile --spyre-work-division > %t.one 2> %t.one.err
// RUN: for run in 1 2 3; do \
// RUN:   spyre-opt %t.mlir --coarse-tile --spyre-work-division > %t.many 2> %t.many.err && cmp %t.one %t.many && cmp %t.one.err %t.many.err || exit 1; \
// RUN: done

// All functions are there, and each was warned about once.
// RUN: grep -c 'func.func @f' %t.many | FileCheck %s --check-prefix=FUNCTIONS
// RUN: grep -c 'scf.for' %t.many | FileCheck %s --check-prefix=LOOPS
// RUN: grep -c 'warning: ' %t.many.err | FileCheck %s --check-prefix=FUNCTIONS
// FUNCTIONS: {{^20$}}
// LOOPS: {{^40$}}

// Statistics of all threads add up.
// RUN: spyre-opt %t.mlir --coarse-tile --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATISTICS
// STATISTICS: (S) 20 groups
// STATISTICS-NEXT: (S) 40 loops

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<1024x4096xf16, #stick>

func.func @f(%a: !t {spyre.dims = ["A", "B"]}, %b: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.add %a, %b tile [0: "A" in 2, 1: "B" in 4, 2: "Z" in 8] : !t
  return %y : !t
}
