// RUN: spyre-opt %s --spyre-propagate-layouts | FileCheck %s

// Reshapes move nothing. They have a layout where the new dimensions nest with the digits of the old one.

// CHECK-DAG: #[[$ROWS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK-DAG: #[[$STICK_EACH:layout[0-9]*]] = #spyre.layout<(d0, d1, d2) -> (d1, d0, d2 mod 64)>
// CHECK-DAG: #[[$STICKS:layout[0-9]*]] = #spyre.layout<(d0, d1, d2) -> (d1, d2 floordiv 64, d0, d2 mod 64)>
// CHECK-DAG: #[[$TWO_ROWS:layout[0-9]*]] = #spyre.layout<(d0, d1, d2) -> (d2 floordiv 64, d0, d1, d2 mod 64)>
// CHECK-DAG: #[[$COLUMNS:layout[0-9]*]] = #spyre.layout<(d0, d1, d2) -> (d0 floordiv 64, d1, d2, d0 mod 64)>
// CHECK-DAG: #[[$MERGED:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0 mod 128, d1 floordiv 64, d0 floordiv 128, d1 mod 64)>
// CHECK-DAG: #[[$COLUMN_OF_ONE:layout[0-9]*]] = #spyre.layout<(d0, d1, d2) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK-DAG: #[[$ROW_OF_ONE:layout[0-9]*]] = #spyre.layout<(d0, d1, d2) -> (d2 floordiv 64, d1, d2 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
!t = tensor<128x256xf16>

// CHECK-LABEL: func.func @expand(
func.func @expand(%a: !t, %b: tensor<128x256xf16, #cols>) {
  // CHECK: tensor.expand_shape {{.*}}candidates = [#[[$STICK_EACH]]]
  %0 = tensor.expand_shape %a [[0], [1, 2]] output_shape [128, 4, 64] : !t into tensor<128x4x64xf16>
  // CHECK: tensor.expand_shape {{.*}}candidates = [#[[$STICKS]]]
  %1 = tensor.expand_shape %a [[0], [1, 2]] output_shape [128, 2, 128] : !t into tensor<128x2x128xf16>
  // CHECK: tensor.expand_shape {{.*}}candidates = [#[[$TWO_ROWS]]]
  %2 = tensor.expand_shape %a [[0, 1], [2]] output_shape [2, 64, 256] : !t into tensor<2x64x256xf16>
  // CHECK: tensor.expand_shape {{.*}}candidates = [#[[$COLUMNS]]]
  %3 = tensor.expand_shape %b [[0], [1, 2]] output_shape [128, 8, 32] : tensor<128x256xf16, #cols> into tensor<128x8x32xf16>
  // CHECK: spyre.exp {{.*}}candidates = [#[[$STICK_EACH]]]
  %4 = spyre.exp %0 : tensor<128x4x64xf16>
  return
}

// 32 elements are half a stick, so the other dimension goes onto it.
// CHECK-LABEL: func.func @expand_inside_sticks(
func.func @expand_inside_sticks(%a: !t) {
  // CHECK: tensor.expand_shape {{.*}}candidates = [#[[$COLUMNS]]]
  %0 = tensor.expand_shape %a [[0], [1, 2]] output_shape [128, 8, 32] : !t into tensor<128x8x32xf16>
  // CHECK: spyre.exp {{.*}}candidates = [#[[$COLUMNS]]]
  %1 = spyre.exp %0 : tensor<128x8x32xf16>
  return
}

// CHECK-LABEL: func.func @collapse(
func.func @collapse(%a: tensor<4x128x256xf16>) {
  // A dimension with two strides is for no operation, so the others are those of copies.
  // CHECK: tensor.collapse_shape {{.*}}candidates = [#[[$MERGED]], #[[$COLS2:.*]], #[[$ROWS]]]
  %0 = tensor.collapse_shape %a [[0, 1], [2]] : tensor<4x128x256xf16> into tensor<512x256xf16>
  // CHECK: spyre.exp {{.*}}candidates = [#[[$ROWS]], #[[$COLS2]]]
  %1 = spyre.exp %0 : tensor<512x256xf16>
  return
}

// CHECK-LABEL: func.func @ones(
func.func @ones(%a: !t) {
  // CHECK: tensor.expand_shape {{.*}}candidates = [#[[$COLUMN_OF_ONE]]]
  %0 = tensor.expand_shape %a [[0], [1, 2]] output_shape [128, 256, 1] : !t into tensor<128x256x1xf16>
  // CHECK: tensor.collapse_shape {{.*}}candidates = [#[[$ROWS]]]
  %1 = tensor.collapse_shape %0 [[0], [1, 2]] : tensor<128x256x1xf16> into !t
  // CHECK: spyre.exp {{.*}}candidates = [#[[$ROWS]]]
  %2 = spyre.exp %1 : !t
  // CHECK: tensor.expand_shape {{.*}}candidates = [#[[$ROW_OF_ONE]]]
  %3 = tensor.expand_shape %a [[0, 1], [2]] output_shape [1, 128, 256] : !t into tensor<1x128x256xf16>
  // CHECK: tensor.collapse_shape {{.*}}candidates = [#[[$ROWS]]]
  %4 = tensor.collapse_shape %3 [[0, 1], [2]] : tensor<1x128x256xf16> into !t
  return
}
