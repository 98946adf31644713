// RUN: spyre-opt %s --spyre-propagate-layouts | FileCheck %s

// The largest elements: the result has the stick of the operand, the searched dimension included.

// CHECK-DAG: #[[$ROWS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK-DAG: #[[$COLUMN:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1, 0, d0, 0)>
// CHECK-DAG: #[[$COLS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
// CHECK-DAG: #[[$IROWS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 32, d0, d1 mod 32)>
// CHECK-DAG: #[[$ICOLS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0 floordiv 32, d1, d0 mod 32)>
#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
!rows = tensor<128x256xf16, #rows>
!cols = tensor<128x256xf16, #cols>

// CHECK-LABEL: func.func @values(
func.func @values(%a: !rows, %b: !cols) {
  // CHECK: spyre.topkvalue {{.*}}candidates = [#[[$ROWS]]]
  %0 = spyre.topkvalue %a dim 1 k 4 : (!rows) -> tensor<128x4xf16>
  // CHECK: spyre.topkvalue {{.*}}candidates = [#[[$COLS]]]
  %1 = spyre.topkvalue %b dim 1 k 4 : (!cols) -> tensor<128x4xf16>
  // CHECK: spyre.topkvalue {{.*}}candidates = [#[[$ROWS]]]
  %2 = spyre.topkvalue %a dim 0 k 4 : (!rows) -> tensor<4x256xf16>
  // CHECK: spyre.topkvalue {{.*}}candidates = [#[[$COLS]]]
  %3 = spyre.topkvalue %b dim 0 k 4 : (!cols) -> tensor<4x256xf16>
  return
}

// Positions are i32, in sticks of 32.
// CHECK-LABEL: func.func @positions(
func.func @positions(%a: !rows, %b: !cols) {
  // CHECK: spyre.topkindex {{.*}}candidates = [#[[$IROWS]]]
  %0 = spyre.topkindex %a dim 1 k 4 : (!rows) -> tensor<128x4xi32>
  // CHECK: spyre.topkindex {{.*}}candidates = [#[[$ICOLS]]]
  %1 = spyre.topkindex %b dim 1 k 4 : (!cols) -> tensor<128x4xi32>
  return
}

// One largest: what was searched along the stick leaves one element in each.
// CHECK-LABEL: func.func @one(
func.func @one(%a: !rows, %b: !cols) {
  // CHECK: spyre.topkvalue {{.*}}candidates = [#[[$COLUMN]]]
  %0 = spyre.topkvalue %a dim 1 k 1 : (!rows) -> tensor<128x1xf16>
  // CHECK: spyre.topkvalue {{.*}}candidates = [#[[$COLS]]]
  %1 = spyre.topkvalue %b dim 1 k 1 : (!cols) -> tensor<128x1xf16>
  return
}
