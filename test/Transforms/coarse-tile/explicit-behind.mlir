// RUN: spyre-opt %s --coarse-tile="groups=0-1:2@0" | FileCheck %s
// RUN: spyre-opt %s --coarse-tile="groups=0-1:2@0" -o %t.mlir
// RUN: spyre-run %s --compare %t.mlir --random-seed 1 --special-values --poison | FileCheck %s --check-prefix=SAME

// A view between the operations of an explicit group goes behind the loops when nothing of the group needs it.

// SAME: result 0: 0 of 8192 elements differ
// SAME: result 1: 0 of 8192 elements differ

!t = tensor<64x128xf16>

// CHECK-LABEL: func.func @f(
// CHECK:         %[[Y:.+]]:2 = scf.for
// CHECK:           spyre.abs
// CHECK:           spyre.neg
// CHECK:         tensor.expand_shape %[[Y]]#0
func.func @f(%a: !t) -> (!t, tensor<16x4x128xf16>) {
  %y = spyre.abs %a : !t
  %e = tensor.expand_shape %y [[0, 1], [2]] output_shape [16, 4, 128] : !t into tensor<16x4x128xf16>
  %z = spyre.neg %y : !t
  return %z, %e : !t, tensor<16x4x128xf16>
}
