// RUN: spyre-opt %s --spyre-insert-tensor-copies | FileCheck %s
// RUN: spyre-opt %s --spyre-insert-tensor-copies --spyre-insert-tensor-copies | FileCheck %s
// RUN: spyre-opt %s --spyre-insert-tensor-copies --spyre-work-division=modelled=true --spyre-scratchpad-planning --spyre-verify-plan | FileCheck %s --check-prefix=PLANNED
// RUN: spyre-run %s --entry carried --check-pipeline='builtin.module(func.func(spyre-insert-tensor-copies,spyre-work-division{modelled=true},spyre-scratchpad-planning,spyre-verify-plan),convert-spyre-to-sdscbundle)' | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry next_value --check-pipeline='builtin.module(func.func(spyre-insert-tensor-copies,spyre-work-division,spyre-scratchpad-planning,spyre-verify-plan),convert-spyre-to-sdscbundle)' | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry next_after_insertion --check-pipeline='builtin.module(func.func(spyre-insert-tensor-copies,spyre-work-division,spyre-scratchpad-planning,spyre-verify-plan),convert-spyre-to-sdscbundle)' | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry inserted --check-pipeline='builtin.module(func.func(spyre-insert-tensor-copies,spyre-work-division,spyre-scratchpad-planning,spyre-verify-plan),convert-spyre-to-sdscbundle)' | FileCheck %s --check-prefix=CARD

// CARD: same results
// CARD-NOT: different

#heads = #spyre.layout<(d0, d1, d2) -> (d0, d2 floordiv 64, d1, d2 mod 64)>
!q = tensor<32x64x64xf16, #heads>
!t = tensor<64x64xf16>
!h = tensor<32x64xf16>

// A loop starts from an argument. With a copy of it the loop has a buffer of its own, and the copy has the slices in which the loop
// updates it: heads, which the products want, and not rows. So it is in the scratchpad.
// CHECK-LABEL: func.func @carried(
// CHECK: %[[START:.*]] = spyre.copy %arg0 :
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[START]])
// CHECK-NOT: spyre.copy
// PLANNED-LABEL: func.func @carried(
// PLANNED: spyre.copy %arg0 split [32, 1, 1] place lx
// PLANNED: spyre.batchmatmul %{{.*}} split [32, 1, 1, 1] place lx
// PLANNED: spyre.add %{{.*}} split [32, 1, 1] place lx
func.func @carried(%x: !q, %w: !q) -> !q {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %x) -> !q {
    %p = spyre.batchmatmul %w, %w : (!q, !q) -> !q
    %n = spyre.add %acc, %p : !q
    scf.yield %n : !q
  }
  %y = spyre.neg %r : !q
  return %y : !q
}

// The next value is read later than the one before, so it is copied over that at the end.
// CHECK-LABEL: func.func @next_value(
// CHECK: %[[START:.*]] = spyre.copy %arg0 :
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[START]])
// CHECK: %[[N:.*]] = spyre.exp %[[ACC]]
// CHECK: spyre.mul %[[N]], %[[ACC]]
// CHECK: %[[NEXT:.*]] = spyre.copy
// CHECK: scf.yield %[[NEXT]]
func.func @next_value(%x: !t) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %x) -> !t {
    %s = spyre.sigmoid %acc : !t
    %n = spyre.exp %acc : !t
    %m = spyre.mul %n, %acc : !t
    %q = spyre.mul %m, %s : !t
    scf.yield %n : !t
  }
  return %r : !t
}

// Something is inserted into the carried tensor, and the next value is copied over it: once, however often the pass runs.
// CHECK-LABEL: func.func @next_after_insertion(
// CHECK: scf.for
// CHECK: tensor.insert_slice
// CHECK: %[[NEXT:.*]] = spyre.copy
// CHECK-NOT: spyre.copy
// CHECK: scf.yield %[[NEXT]]
func.func @next_after_insertion(%a: !h, %x: !t) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %x) -> !t {
    %y = spyre.exp %a : !h
    %n = tensor.insert_slice %y into %acc[0, 0] [32, 64] [1, 1] : !h into !t
    %m = spyre.neg %n : !t
    scf.yield %m : !t
  }
  return %r : !t
}

// An argument is inserted by a copy, and one that something is inserted into is copied first.
// CHECK-LABEL: func.func @inserted(
// CHECK: %[[INTO:.*]] = spyre.copy %arg0 :
// CHECK: %[[PART:.*]] = spyre.copy %arg1 :
// CHECK: tensor.insert_slice %[[PART]] into %[[INTO]]
func.func @inserted(%x: !t, %p: !h) -> !t {
  %r = tensor.insert_slice %p into %x[0, 0] [32, 64] [1, 1] : !h into !t
  return %r : !t
}

// Nothing to copy.
// CHECK-LABEL: func.func @owned(
// CHECK-NOT: spyre.copy
// CHECK: return
func.func @owned(%x: !t) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %s = spyre.exp %x : !t
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %s) -> !t {
    %n = spyre.add %acc, %x : !t
    scf.yield %n : !t
  }
  return %r : !t
}
