// RUN: spyre-opt %s --spyre-propagate-layouts | FileCheck %s

// Operands that repeat. One that the stick does not index has one element in each stick, and goes with anything; one that
// is full of another dimension is spread out, which costs a copy of as many sticks.

// CHECK-DAG: #[[$ROWS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK-DAG: #[[$COLS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
!t = tensor<128x256xf16>
!rows = tensor<128x256xf16, #rows>
!cols = tensor<128x256xf16, #cols>
!row = tensor<1x256xf16, #rows>
!col = tensor<128x1xf16, #cols>

// Nothing but the matrix has a stick.
// CHECK-LABEL: func.func @goes_with_both(
func.func @goes_with_both(%a: !rows, %b: !cols, %column: tensor<128x1xf16, #rows>, %line: tensor<1x256xf16, #cols>,
                          %one: tensor<1x1xf16>, %scalar: tensor<f16>) {
  // CHECK: spyre.add {{.*}}candidates = [#[[$ROWS]]]
  %0 = spyre.add %a, %column : (!rows, tensor<128x1xf16, #rows>) -> !t
  // CHECK: spyre.add {{.*}}candidates = [#[[$COLS]]]
  %1 = spyre.add %b, %line : (!cols, tensor<1x256xf16, #cols>) -> !t
  // CHECK: spyre.add {{.*}}candidates = [#[[$ROWS]]]
  %2 = spyre.add %a, %one : (!rows, tensor<1x1xf16>) -> !t
  // CHECK: spyre.add {{.*}}candidates = [#[[$COLS]]]
  %3 = spyre.add %b, %one : (!cols, tensor<1x1xf16>) -> !t
  // CHECK: spyre.add {{.*}}candidates = [#[[$ROWS]]]
  %4 = spyre.add %a, %scalar : (!rows, tensor<f16>) -> !t
  // CHECK: spyre.add {{.*}}candidates = [#[[$COLS]]]
  %5 = spyre.add %scalar, %b : (tensor<f16>, !cols) -> !t
  return
}

// A row full of columns, or the other way around, leaves both: one of the two operands is copied.
// CHECK-LABEL: func.func @leaves_what_operands_have(
func.func @leaves_what_operands_have(%a: !rows, %b: !cols, %row: !row, %vector: tensor<256xf16>, %col: !col) {
  // CHECK: spyre.add {{.*}}candidates = [#[[$ROWS]]]
  %0 = spyre.add %a, %row : (!rows, !row) -> !t
  // CHECK: spyre.add {{.*}}candidates = [#[[$COLS]], #[[$ROWS]]]
  %1 = spyre.add %b, %row : (!cols, !row) -> !t
  // CHECK: spyre.add {{.*}}candidates = [#[[$COLS]], #[[$ROWS]]]
  %2 = spyre.add %b, %vector : (!cols, tensor<256xf16>) -> !t
  // CHECK: spyre.add {{.*}}candidates = [#[[$ROWS]], #[[$COLS]]]
  %3 = spyre.add %a, %col : (!rows, !col) -> !t
  return
}

// A column with one element in each stick could be filled up, so it leaves both.
// CHECK-LABEL: func.func @leaves_both(
func.func @leaves_both(%a: !rows, %b: !cols, %column: tensor<128x1xf16, #rows>) {
  // CHECK: spyre.add {{.*}}candidates = [#[[$ROWS]], #[[$COLS]]]
  %0 = spyre.add %a, %b : (!rows, !cols) -> !t
  // CHECK: spyre.add {{.*}}candidates = [#[[$ROWS]], #[[$COLS]]]
  %1 = spyre.add %0, %column : (!t, tensor<128x1xf16, #rows>) -> !t
  return
}

// An outer sum has the stick of the operand that has one.
// CHECK-LABEL: func.func @outer(
func.func @outer(%row: !row, %column: tensor<128x1xf16, #rows>, %line: tensor<1x256xf16, #cols>, %col: !col) {
  // CHECK: spyre.add {{.*}}candidates = [#[[$ROWS]]]
  %0 = spyre.add %row, %column : (!row, tensor<128x1xf16, #rows>) -> !t
  // CHECK: spyre.add {{.*}}candidates = [#[[$COLS]]]
  %1 = spyre.add %col, %line : (!col, tensor<1x256xf16, #cols>) -> !t
  return
}

// Dimensions of extent 1 are never on the stick, whatever the layout says.
// CHECK-LABEL: func.func @ones(
func.func @ones(%a: tensor<1x1xf16>, %b: tensor<1x256xf16, #cols>) {
  // CHECK: spyre.add {{.*}}candidates = [#[[$ROWS]]]
  %0 = spyre.add %a, %a : (tensor<1x1xf16>, tensor<1x1xf16>) -> tensor<1x1xf16>
  // CHECK: spyre.exp {{.*}}candidates = [#[[$COLS]]]
  %1 = spyre.exp %b : (tensor<1x256xf16, #cols>) -> tensor<1x256xf16>
  return
}
