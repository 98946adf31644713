// RUN: spyre-opt %s --spyre-insert-tensor-copies --verify-diagnostics

!t = tensor<64x64xf16>
func.func @carries_an_index(%x: !t) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  // expected-error @below {{spyre-insert-tensor-copies: value 0 that the loop carries is no tensor; a bundle's loops carry nothing}}
  %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%at = %c0, %acc = %x) -> (index, !t) {
    %next = arith.addi %at, %c1 : index
    %n = spyre.exp %acc : !t
    // expected-note @below {{it is yielded here}}
    scf.yield %next, %n : index, !t
  }
  return %r#1 : !t
}
