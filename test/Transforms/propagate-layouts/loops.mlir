// RUN: spyre-opt %s --spyre-propagate-layouts | FileCheck %s

// What a loop carries keeps the layout that it starts with, so only what it starts with has candidates.

// CHECK-DAG: #[[$ROWS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK-DAG: #[[$COLS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
#padded = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), size = [8, 128, 64]>
!t = tensor<128x256xf16>
!rows = tensor<128x256xf16, #rows>
!cols = tensor<128x256xf16, #cols>

// CHECK-LABEL: func.func @carried(
func.func @carried(%a: !cols, %b: !rows, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: spyre.exp {{.*}}candidates = [#[[$COLS]], #[[$ROWS]]]
  %init = spyre.exp %a : (!cols) -> !t
  // CHECK: scf.for
  // CHECK-NOT: candidates
  // CHECK-SAME: -> (tensor<128x256xf16>) {
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> !t {
    // CHECK: spyre.add {{.*}}candidates = [#[[$COLS]], #[[$ROWS]]]
    %y = spyre.add %acc, %b : (!t, !rows) -> !t
    scf.yield %y : !t
  }
  // CHECK: spyre.exp {{.*}}candidates = [#[[$COLS]], #[[$ROWS]]]
  %z = spyre.exp %r : !t
  return
}

// An argument that has a layout leaves no choice to what is carried.
// CHECK-LABEL: func.func @decided_init(
func.func @decided_init(%a: !cols, %b: !rows, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %a) -> !cols {
    // CHECK: spyre.add {{.*}}candidates = [#[[$COLS]], #[[$ROWS]]]
    %y = spyre.add %acc, %b : (!cols, !rows) -> !t
    %c = spyre.restickify %y : (!t) -> !cols
    scf.yield %c : !cols
  }
  // CHECK: spyre.exp {{.*}}candidates = [#[[$COLS]]]
  %z = spyre.exp %r : (!cols) -> !t
  return
}

// Two carried values are chosen for separately; they swap here, so both have the candidates of both.
// CHECK-LABEL: func.func @two(
func.func @two(%a: !rows, %b: !cols, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: spyre.exp {{.*}}candidates = [#[[$ROWS]], #[[$COLS]]]
  %x = spyre.exp %a : (!rows) -> !t
  // CHECK: spyre.exp {{.*}}candidates = [#[[$COLS]], #[[$ROWS]]]
  %y = spyre.exp %b : (!cols) -> !t
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x, %q = %y) -> (!t, !t) {
    // CHECK: spyre.neg {{.*}}candidates = [#[[$COLS]], #[[$ROWS]]]
    %0 = spyre.neg %q : !t
    // CHECK: spyre.neg {{.*}}candidates = [#[[$ROWS]], #[[$COLS]]]
    %1 = spyre.neg %p : !t
    scf.yield %0, %1 : !t, !t
  }
  // CHECK: spyre.add {{.*}}candidates = [#[[$ROWS]], #[[$COLS]]]
  %z = spyre.add %r#0, %r#1 : !t
  return
}

// Nested: the inner loop starts with what the outer one carries.
// CHECK-LABEL: func.func @nested(
func.func @nested(%a: !rows, %b: !cols, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: spyre.empty {{.*}}candidates = [#[[$ROWS]], #[[$COLS]], #[[$SPARSE:layout[0-9]*]]]
  %init = spyre.empty : !t
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%outer = %init) -> !t {
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%inner = %outer) -> !t {
      // CHECK: spyre.add {{.*}}candidates = [#[[$ROWS]], #[[$COLS]]]
      %y = spyre.add %inner, %b : (!t, !cols) -> !t
      scf.yield %y : !t
    }
    scf.yield %s : !t
  }
  // CHECK: spyre.add {{.*}}candidates = [#[[$ROWS]], #[[$COLS]]]
  %z = spyre.add %r, %a : (!t, !rows) -> !t
  return
}

// A loop that carries no tensors.
// CHECK-LABEL: func.func @index_only(
func.func @index_only(%a: !cols, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c0) -> index {
    // CHECK: spyre.exp {{.*}}candidates = [#[[$COLS]]]
    %y = spyre.exp %a : (!cols) -> !t
    %next = arith.addi %sum, %i : index
    scf.yield %next : index
  }
  return %r : index
}
