// RUN: spyre-opt %s --spyre-propagate-layouts | FileCheck %s

// Programs with layouts on all values, on some or on none. What has a layout keeps it, and what follows from it is copied
// exactly: the order of sticks and the padding, too.

// CHECK-DAG: #[[$ROWS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK-DAG: #[[$COLS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
// CHECK-DAG: #[[$PADDED:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), size = [8, 128, 64]>
// CHECK-DAG: #[[$ROW_MAJOR:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0, d1 floordiv 64, d1 mod 64)>
#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
#padded = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), size = [8, 128, 64]>
#row_major = #spyre.layout<(d0, d1) -> (d0, d1 floordiv 64, d1 mod 64)>
!t = tensor<128x256xf16>
!rows = tensor<128x256xf16, #rows>
!cols = tensor<128x256xf16, #cols>

// None: arguments have the default layout. No type changes before the copies are inserted.
// CHECK-LABEL: func.func @none(
// CHECK-SAME: %{{.*}}: tensor<128x256xf16>, %{{.*}}: tensor<128x256xf16>) -> tensor<128x256xf16> {
func.func @none(%a: !t, %b: !t) -> !t {
  // CHECK: spyre.add {{.*}}candidates = [#[[$ROWS]]]
  %0 = spyre.add %a, %b : !t
  return %0 : !t
}

// Arguments only, one of them. Arguments that are not tensors stay, and so do their attributes.
// CHECK-LABEL: func.func @arguments(
// CHECK-SAME: %{{.*}}: tensor<128x256xf16, #[[$COLS]]> {spyre.dims = ["A", "B"]}, %{{.*}}: index, %{{.*}}: tensor<128x256xf16> {spyre.dims = ["A", "B"]}, %{{.*}}: memref<4xf64>)
func.func @arguments(%a: !cols {spyre.dims = ["A", "B"]}, %i: index, %b: !t {spyre.dims = ["A", "B"]}, %m: memref<4xf64>) -> !t {
  // CHECK: spyre.add {{.*}}candidates = [#[[$COLS]], #[[$ROWS]]]
  %0 = spyre.add %a, %b : (!cols, !t) -> !t
  return %0 : !t
}

// Some results: they are pinned, and no candidates are written for them.
// CHECK-LABEL: func.func @pinned(
// CHECK-SAME: %{{.*}}: tensor<128x256xf16>, %{{.*}}: tensor<128x256xf16>) -> tensor<128x256xf16, #[[$COLS]]>
func.func @pinned(%a: !t, %b: !t) -> !cols {
  // CHECK: spyre.exp {{.*}}candidates = [#[[$ROWS]], #[[$COLS]]]
  %0 = spyre.exp %a : !t
  // CHECK: spyre.add %{{.*}}, %{{.*}} : (tensor<128x256xf16>, tensor<128x256xf16>) -> tensor<128x256xf16, #[[$COLS]]>
  %1 = spyre.add %0, %b : (!t, !t) -> !cols
  // CHECK: spyre.neg %{{.*}} : tensor<128x256xf16, #[[$COLS]]>
  %2 = spyre.neg %1 : !cols
  return %2 : !cols
}

// Custom layouts.
// CHECK-LABEL: func.func @custom(
func.func @custom(%a: tensor<128x256xf16, #row_major>, %b: tensor<128x256xf16, #padded>, %c: !t) {
  // CHECK: spyre.exp {{.*}}candidates = [#[[$ROW_MAJOR]]]
  %0 = spyre.exp %a : (tensor<128x256xf16, #row_major>) -> !t
  // CHECK: spyre.exp {{.*}}candidates = [#[[$PADDED]]]
  %1 = spyre.exp %b : (tensor<128x256xf16, #padded>) -> !t
  // CHECK: spyre.add {{.*}}candidates = [#[[$ROWS]]]
  %2 = spyre.add %c, %0 : (!t, !t) -> !t
  // CHECK: spyre.add {{.*}}candidates = [#[[$ROW_MAJOR]]]
  %3 = spyre.add %0, %c : (!t, !t) -> !t
  // CHECK: spyre.mul {{.*}}candidates = [#[[$PADDED]]]
  %4 = spyre.mul %1, %1 : (!t, !t) -> !t
  return
}

// A list of candidates that is there already restricts: only those that it has.
// CHECK-LABEL: func.func @restricted(
func.func @restricted(%a: !rows, %b: !cols) {
  // CHECK: spyre.add {{.*}}candidates = [#[[$COLS]]]
  %0 = spyre.add %a, %b {spyre.layout_candidates = [#cols]} : (!rows, !cols) -> !t
  // CHECK: spyre.exp {{.*}}candidates = [#[[$COLS]]]
  %1 = spyre.exp %0 : !t
  // CHECK: spyre.exp {{.*}}candidates = [#[[$ROW_MAJOR]], #[[$COLS]], #[[$PADDED]]]
  %2 = spyre.exp %0 {spyre.layout_candidates = [#row_major, #cols, #padded]} : !t
  return
}
