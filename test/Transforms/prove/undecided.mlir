// RUN: spyre-opt %s --spyre-prove --split-input-file -o /dev/null 2>&1 | FileCheck %s
// RUN: not spyre-opt %s --spyre-prove=unknown=error --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: spyre-opt %s --spyre-prove=unknown=ignore --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=IGNORED

// What is not modelled is not decided, and never proved.

// ERROR: error: spyre-prove: P1: the function is not decided: the upper bound of the loop is not known before the program runs
// IGNORED-NOT: remark: {{.*}}not decided:

!t = tensor<64x64xf16>
func.func @count(%n: index, %a: !t) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: [[@LINE+1]]:8: remark: spyre-prove: P1: the function is not decided: the upper bound of the loop is not known before the program runs
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> (!t) {
    %e = spyre.exp %x : !t
    scf.yield %e : !t
  }
  return %r : !t
}

// -----

!t = tensor<64x64xf16>
func.func @branch(%c: i1, %a: !t) -> !t {
  // CHECK: [[@LINE+1]]:8: remark: spyre-prove: P1: the function is not decided: 'spyre.exp' is executed in a region of 'scf.if', in an order that is not known
  %r = scf.if %c -> (!t) {
    %e = spyre.exp %a : !t
    scf.yield %e : !t
  } else {
    scf.yield %a : !t
  }
  return %r : !t
}

// -----

!t = tensor<64x64xf16>
func.func @offset(%n: index, %a: tensor<256x64xf16>) -> !t {
  %w = tensor.extract_slice %a[%n, 0] [64, 64] [1, 1] : tensor<256x64xf16> to !t
  // CHECK: [[@LINE+1]]:8: remark: spyre-prove: P1: {{.*}} is not decided: 'tensor.extract_slice at an offset that is no affine expression of induction variables' is not modelled
  %e = spyre.exp %w : !t
  return %e : !t
}

// -----

!t = tensor<64x64xf16>
func.func @places(%a: !t) -> !t {
  %e = spyre.exp %a : !t
  return %e : !t
}
