// RUN: spyre-opt %s --spyre-work-division --spyre-scratchpad-planning | FileCheck %s

// What is written into while somebody needs it as it was is copied first, and only then. test/Integration/tensors_of_their_own.mlir
// runs such programs.

!t = tensor<64x128xf16>
!p = tensor<32x128xf16>

// The loop reads the tensor that it updates as it was before. What it yields is written where that is.
// CHECK-LABEL: func.func @read_as_it_was(
// CHECK:         spyre.abs {{.*}} place arg 1
// CHECK:         scf.for {{.*}} iter_args(%[[ACC:.+]] = %
// CHECK:           %[[Y:.+]] = spyre.neg
// CHECK-NEXT:      %[[OWN:.+]] = spyre.copy %[[ACC]] {{.*}} place pool
// CHECK:           %[[N:.+]] = tensor.insert_slice %{{.+}} into %[[OWN]]
// CHECK-NEXT:      %[[Z:.+]] = spyre.sub %[[ACC]], %[[N]] {{.*}} place arg 1
// CHECK-NEXT:      scf.yield %[[Z]]
func.func @read_as_it_was(%a: !t) -> !t {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %init = spyre.abs %a : !t
  %r = scf.for %i = %c0 to %c64 step %c32 iter_args(%acc = %init) -> !t {
    %t = tensor.extract_slice %acc[%i, 0] [32, 128] [1, 1] : !t to !p
    %y = spyre.neg %t : !p
    %n = tensor.insert_slice %y into %acc[%i, 0] [32, 128] [1, 1] : !p into !t
    %z = spyre.sub %acc, %n : !t
    scf.yield %z : !t
  }
  return %r : !t
}

// There is nothing to copy in a tensor that is empty.
// CHECK-LABEL: func.func @one_start(
// CHECK:         %[[Y:.+]] = spyre.empty place arg 2
// CHECK-NEXT:    %[[X:.+]] = spyre.empty place arg 1
// CHECK-NEXT:    scf.for {{.*}} = %[[X]], {{.*}} = %[[Y]])
// CHECK-NOT:       spyre.copy
func.func @one_start(%a: !t) -> (!t, !t) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %init = spyre.empty : !t
  %r:2 = scf.for %i = %c0 to %c64 step %c32 iter_args(%x = %init, %y = %init) -> (!t, !t) {
    %t = tensor.extract_slice %a[%i, 0] [32, 128] [1, 1] : !t to !p
    %0 = spyre.neg %t : !p
    %1 = spyre.abs %t : !p
    %n = tensor.insert_slice %0 into %x[%i, 0] [32, 128] [1, 1] : !p into !t
    %m = tensor.insert_slice %1 into %y[%i, 0] [32, 128] [1, 1] : !p into !t
    scf.yield %n, %m : !t, !t
  }
  return %r#0, %r#1 : !t, !t
}

// Each iteration starts from the tensor without what the one before has inserted; in place it would find it.
// CHECK-LABEL: func.func @started_anew(
// CHECK:         %[[FROM:.+]] = tensor.insert_slice
// CHECK:         scf.for
// CHECK:           %[[OWN:.+]] = spyre.copy %[[FROM]]
// CHECK:           tensor.insert_slice %{{.+}} into %[[OWN]]
func.func @started_anew(%a: !t) -> !t {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %e = spyre.empty : !t
  %0 = spyre.abs %a : !t
  %from = tensor.insert_slice %0 into %e[0, 0] [64, 128] [1, 1] : !t into !t
  %zero = spyre.sub %a, %a : !t
  %r = scf.for %i = %c0 to %c64 step %c32 iter_args(%acc = %zero) -> !t {
    %t = tensor.extract_slice %a[%i, 0] [32, 128] [1, 1] : !t to !p
    %1 = spyre.neg %t : !p
    %n = tensor.insert_slice %1 into %from[%i, 0] [32, 128] [1, 1] : !p into !t
    %2 = spyre.add %acc, %n : !t
    scf.yield %2 : !t
  }
  return %r : !t
}

// Two updates of one tensor. The first needs a copy, because the second starts from the tensor as it was; the second is in place,
// because who else reads the tensor, the copy too, is done before.
// CHECK-LABEL: func.func @the_last_in_place(
// CHECK:         %[[E:.+]] = spyre.empty
// CHECK:         %[[ONE:.+]] = tensor.insert_slice %{{.+}} into %[[E]]
// CHECK:         %[[OWN:.+]] = spyre.copy %[[ONE]]
// CHECK:         tensor.insert_slice %{{.+}} into %[[OWN]]
// CHECK:         tensor.insert_slice %{{.+}} into %[[ONE]]
func.func @the_last_in_place(%a: !t, %b: !p) -> (!t, !t) {
  %e = spyre.empty : !t
  %0 = spyre.abs %a : !t
  %1 = tensor.insert_slice %0 into %e[0, 0] [64, 128] [1, 1] : !t into !t
  %2 = spyre.neg %b : !p
  %3 = tensor.insert_slice %2 into %1[0, 0] [32, 128] [1, 1] : !p into !t
  %4 = spyre.abs %b : !p
  %5 = tensor.insert_slice %4 into %1[32, 0] [32, 128] [1, 1] : !p into !t
  return %3, %5 : !t, !t
}

// A copy that is inserted is written there when it is made. What is inserted into it as well goes into a copy of it.
// CHECK-LABEL: func.func @inserted_and_changed(
// CHECK:         %[[Y:.+]] = spyre.copy %arg1
// CHECK:         tensor.insert_slice %{{.+}} into %{{.+}}[16, 0]
// CHECK:         %[[OWN:.+]] = spyre.copy %[[Y]] {{.*}} place arg 4
// CHECK:         tensor.insert_slice %{{.+}} into %[[OWN]][0, 64]
func.func @inserted_and_changed(%a: !t, %b: !p, %c: tensor<32x64xf16>) -> (!t, !p) {
  %x = spyre.copy %a : !t
  %y = spyre.copy %b : !p
  %0 = tensor.insert_slice %y into %x[16, 0] [32, 128] [1, 1] : !p into !t
  %1 = tensor.insert_slice %c into %y[0, 64] [32, 64] [1, 1] : tensor<32x64xf16> into !p
  return %0, %1 : !t, !p
}
