// RUN: spyre-opt %s --spyre-propagate-layouts | FileCheck %s

// Pointwise operations: the sticks that operands have, then those that readers want.

// CHECK-DAG: #[[$ROWS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK-DAG: #[[$COLS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
// CHECK-DAG: #[[$CUBE0:layout[0-9]*]] = #spyre.layout<(d0, d1, d2) -> (d2, d0 floordiv 64, d1, d0 mod 64)>
// CHECK-DAG: #[[$CUBE1:layout[0-9]*]] = #spyre.layout<(d0, d1, d2) -> (d2, d1 floordiv 64, d0, d1 mod 64)>
// CHECK-DAG: #[[$CUBE2:layout[0-9]*]] = #spyre.layout<(d0, d1, d2) -> (d1, d2 floordiv 64, d0, d2 mod 64)>
#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
!t = tensor<128x256xf16>
!rows = tensor<128x256xf16, #rows>
!cols = tensor<128x256xf16, #cols>

// One operand: its stick.
// CHECK-LABEL: func.func @one(
func.func @one(%a: !rows, %b: !cols) {
  // CHECK: spyre.exp {{.*}}candidates = [#[[$ROWS]]]
  %0 = spyre.exp %a : (!rows) -> !t
  // CHECK: spyre.exp {{.*}}candidates = [#[[$COLS]]]
  %1 = spyre.exp %b : (!cols) -> !t
  // CHECK: spyre.neg {{.*}}candidates = [#[[$COLS]]]
  %2 = spyre.neg %1 : !t
  // CHECK: spyre.clip {{.*}}candidates = [#[[$COLS]]]
  %3 = spyre.clip %1 min 0.0 max 1.0 : !t
  // CHECK: spyre.softplus {{.*}}candidates = [#[[$ROWS]]]
  %4 = spyre.softplus %0 beta 1.0 threshold 20.0 : !t
  return
}

// Two that agree: the others need not be tried.
// CHECK-LABEL: func.func @agree(
func.func @agree(%a: !cols, %b: !cols) {
  // CHECK: spyre.add {{.*}}candidates = [#[[$COLS]]]
  %0 = spyre.add %a, %b : (!cols, !cols) -> !t
  return
}

// Two that do not: the stick of either, in the order of the operands.
// CHECK-LABEL: func.func @disagree(
func.func @disagree(%a: !rows, %b: !cols) {
  // CHECK: spyre.add {{.*}}candidates = [#[[$ROWS]], #[[$COLS]]]
  %0 = spyre.add %a, %b : (!rows, !cols) -> !t
  // CHECK: spyre.sub {{.*}}candidates = [#[[$COLS]], #[[$ROWS]]]
  %1 = spyre.sub %b, %a : (!cols, !rows) -> !t
  // CHECK: spyre.mul {{.*}}candidates = [#[[$ROWS]], #[[$COLS]]]
  %2 = spyre.mul %0, %1 : !t
  return
}

// Three sticks are three candidates. An extent of 3 would be one, too, if an operand had it on the stick.
// CHECK-LABEL: func.func @three(
func.func @three(%c: tensor<3x128x256xi1>, %a: tensor<3x128x256xf16, #spyre.layout<(d0, d1, d2) -> (d2, d1 floordiv 64, d0, d1 mod 64)>>,
                 %b: tensor<3x128x256xf16, #spyre.layout<(d0, d1, d2) -> (d2, d0 floordiv 64, d1, d0 mod 64)>>) {
  // CHECK: spyre.where3 {{.*}}candidates = [#[[$CUBE2]], #[[$CUBE1]], #[[$CUBE0]]]
  %0 = spyre.where3 %c, %a, %b
    : (tensor<3x128x256xi1>, tensor<3x128x256xf16, #spyre.layout<(d0, d1, d2) -> (d2, d1 floordiv 64, d0, d1 mod 64)>>, tensor<3x128x256xf16, #spyre.layout<(d0, d1, d2) -> (d2, d0 floordiv 64, d1, d0 mod 64)>>) -> tensor<3x128x256xf16>
  return
}

// What a reader wants comes last: the product reads its left operand by rows, and its right one too.
// CHECK-LABEL: func.func @wanted(
func.func @wanted(%a: !cols, %b: !cols, %c: tensor<256x64xf16>) {
  // CHECK: spyre.add {{.*}}candidates = [#[[$COLS]], #[[$ROWS]]]
  %0 = spyre.add %a, %b : (!cols, !cols) -> !t
  // CHECK: spyre.exp {{.*}}candidates = [#[[$COLS]], #[[$ROWS]]]
  %1 = spyre.exp %0 : !t
  // CHECK: spyre.batchmatmul {{.*}}candidates = [#[[$ROWS]]]
  %2 = spyre.batchmatmul %1, %c : (!t, tensor<256x64xf16>) -> tensor<128x64xf16>
  return
}

// The same operand twice.
// CHECK-LABEL: func.func @twice(
func.func @twice(%a: !cols) {
  // CHECK: spyre.mul {{.*}}candidates = [#[[$COLS]]]
  %0 = spyre.mul %a, %a : (!cols, !cols) -> !t
  return
}
