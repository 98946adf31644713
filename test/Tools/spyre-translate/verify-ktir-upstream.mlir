// Kernels for the scheduler of the published compiler: what is converted has no findings, and the other flavour has.

// RUN: for kernel in softmax add_mul; do \
// RUN:   spyre-translate ktir --flavour upstream %S/../../../examples/ktir/$kernel.mlir -o %t.mlir && \
// RUN:   spyre-translate verify-ktir --flavour upstream %t.mlir 2>&1 || exit 1; \
// RUN: done | FileCheck %s --check-prefix=RIGHT
// RIGHT-NOT: {{warning:|error:|remark:}}
// RIGHT: 1 kernel, {{[0-9]+}} views, {{[0-9]+}} accesses, {{[0-9]+}} claims proved, 0 not decided, 0 warnings
// RIGHT-NEXT: @softmax: schedulable-v1: yes
// RIGHT-NOT: {{warning:|error:|remark:}}
// RIGHT: 1 kernel, {{[0-9]+}} views, {{[0-9]+}} accesses, {{[0-9]+}} claims proved, 0 not decided, 0 warnings
// RIGHT-NEXT: @add_mul: schedulable-v1: yes

// RUN: spyre-translate ktir %S/../../../examples/ktir/softmax.mlir -o %t.portable.mlir
// RUN: spyre-translate verify-ktir --flavour upstream --base-unit element %t.portable.mlir 2>&1 | FileCheck %s --check-prefix=PORTABLE
// PORTABLE-DAG: warning: the tensor is of two stages, and the scheduler takes none that crosses a stage; a store and a load take it through memory [KC21]
// PORTABLE-DAG: warning: the scheduler takes no 'linalg.transpose' [KC22]
// PORTABLE-DAG: warning: the scheduler takes no 'tensor.collapse_shape' [KC22]
// PORTABLE-DAG: warning: the scheduler takes no 'arith.extf' in the body of 'linalg.generic' [KC22]
// PORTABLE-DAG: warning: the scheduler takes no 'arith.extf' of tensors [KC22]
// PORTABLE: @softmax: schedulable-v1: no ('linalg.transpose')

// The interpreter has no operations of the scheduler, and gives reductions no identity.
// RUN: spyre-translate ktir --flavour upstream %s -o %t.norm.mlir
// RUN: not spyre-translate verify-ktir --base-unit byte %t.norm.mlir 2>&1 | FileCheck %s --check-prefix=INTERPRETER
// INTERPRETER: error: the init of 'linalg.generic' has no defined elements [KC24]
// INTERPRETER: warning: the interpreter of KTIR has no 'spyreop.exx2_fused' [KC20]

// A pair of moments is as large as a float, and the whole stick of it is stored.
// RUN: spyre-translate verify-ktir --flavour upstream --json %t.norm.mlir | FileCheck %s --check-prefix=NORM
// NORM: {"file":"{{.*}}","is_right":true,"errors":0,"warnings":0,"proved":{{[0-9]+}},"undecided":0,"schedulable_v1":[{"kernel":"norm","reason":null}],"findings":[]}

// Faults are found: a part of another core, a statistic with a wider tile, an offset in elements.
// RUN: sed 's/muli %%\([0-9a-z]*\), %%c2 :/muli %%\1, %%c0 :/' %t.norm.mlir | not spyre-translate verify-ktir --flavour upstream - 2>&1 | FileCheck %s --check-prefix=ROWS
// ROWS: error: {{.*}} [KC10]
// RUN: not spyre-translate verify-ktir --flavour upstream --base-unit element %t.norm.mlir 2>&1 | FileCheck %s --check-prefix=UNIT
// UNIT: error: the view has bytes {{.*}} [KC4]

!t = tensor<64x128xf16>
!w = tensor<1x128xf16>
func.func @norm(%x: !t, %w: !w, %b: !w) -> !t {
  %e = spyre.exx2 %x : (!t) -> tensor<64x2xf16>
  %s = spyre.layernormscale %e eps 0.0009765625 : (tensor<64x2xf16>) -> tensor<64x1xf16>
  %y = spyre.layernormnorm %x, %e, %s, %w, %b : (!t, tensor<64x2xf16>, tensor<64x1xf16>, !w, !w) -> !t
  return %y : !t
}

// A label in the errors of the tool, with the way out.
// RUN: not spyre-translate ktir --flavour upstream %S/../../../examples/ktir/matmul_k.mlir 2>&1 | FileCheck %s --check-prefix=LABEL
// LABEL: error: convert-spyre-to-ktir: [ktir-upstream: matmul]
// RUN: not spyre-translate ktir --flavour upstream --base-unit element %s 2>&1 | FileCheck %s --check-prefix=ELEMENT
// ELEMENT: flavour=upstream adds bytes to addresses in bytes; base-unit=byte is the one that it has
