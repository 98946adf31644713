// RUN: spyre-opt %s --spyre-scratchpad-planning | FileCheck %s
// RUN: spyre-run %s --check-pipeline='builtin.module(func.func(spyre-scratchpad-planning),convert-spyre-to-sdscbundle)' | FileCheck %s --check-prefix=CARD

// CARD: a bundle, same results on the simulated card

// A loop that counts from 1 to 4 counts from 0 to 3, and one from 128 to 256 in steps of 64 from 0 to 128.

#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<256x256xf16, #rows>
!w = tensor<64x64xf16, #rows>
#tile = affine_map<(d0) -> (d0 * 64)>

// CHECK-LABEL: func.func @f(
// CHECK-DAG:     %[[ONE:.+]] = arith.constant 1 : index
// CHECK-DAG:     %[[FROM:.+]] = arith.constant 128 : index
// CHECK-DAG:     %[[THREE:.+]] = arith.constant 3 : index
// CHECK:         scf.for %[[I:.+]] = %c0{{.*}} to %[[THREE]] step %[[ONE]]
// CHECK:           %[[ROW:.+]] = arith.addi %[[I]], %[[ONE]] : index
// CHECK:           scf.for %[[J:.+]] = %c0{{.*}} to %c128
// CHECK:             %[[COL:.+]] = arith.addi %[[J]], %[[FROM]] : index
// CHECK:             %[[AT:.+]] = affine.apply #{{.+}}(%[[ROW]])
// CHECK:             tensor.extract_slice %{{.+}}[%[[AT]], %[[COL]]] [64, 64] [1, 1]
func.func @f(%a: !t) -> !t {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %r = scf.for %i = %c1 to %c4 step %c1 iter_args(%x = %a) -> (!t) {
    %s = scf.for %j = %c128 to %c256 step %c64 iter_args(%y = %x) -> (!t) {
      %at = affine.apply #tile(%i)
      %w = tensor.extract_slice %a[%at, %j] [64, 64] [1, 1] : !t to !w
      %n = spyre.exp %w : !w
      %m = tensor.insert_slice %n into %y[%at, %j] [64, 64] [1, 1] : !w into !t
      scf.yield %m : !t
    }
    scf.yield %s : !t
  }
  return %r : !t
}
