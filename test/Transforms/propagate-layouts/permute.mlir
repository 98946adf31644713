// RUN: spyre-opt %s --spyre-propagate-layouts | FileCheck %s

// A permutation moves nothing: the layout of its result is that of its source, permuted.

// CHECK-DAG: #[[$ROWS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK-DAG: #[[$COLS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
// CHECK-DAG: #[[$CUBE:layout[0-9]*]] = #spyre.layout<(d0, d1, d2) -> (d1, d2 floordiv 64, d0, d2 mod 64)>
// CHECK-DAG: #[[$TURNED:layout[0-9]*]] = #spyre.layout<(d0, d1, d2) -> (d2, d0 floordiv 64, d1, d0 mod 64)>
// CHECK-DAG: #[[$PADDED:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64), size = [8, 128, 64]>
// CHECK-DAG: #[[$ROW_MAJOR:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1, d0 floordiv 64, d0 mod 64)>
#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
#padded = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), size = [8, 128, 64]>
!t = tensor<128x256xf16>
!back = tensor<256x128xf16>

// CHECK-LABEL: func.func @there_and_back(
func.func @there_and_back(%a: !t) {
  // CHECK: spyre.permute {{.*}}candidates = [#[[$COLS]]]
  %0 = spyre.permute %a [1, 0] : !t to !back
  // CHECK: spyre.exp {{.*}}candidates = [#[[$COLS]]]
  %1 = spyre.exp %0 : !back
  // CHECK: spyre.permute {{.*}}candidates = [#[[$ROWS]]]
  %2 = spyre.permute %1 [1, 0] : !back to !t
  // CHECK: spyre.add {{.*}}candidates = [#[[$ROWS]]]
  %3 = spyre.add %2, %a : !t
  return
}

// CHECK-LABEL: func.func @three(
func.func @three(%a: tensor<4x128x256xf16>) {
  // CHECK: spyre.permute {{.*}}candidates = [#[[$TURNED]]]
  %0 = spyre.permute %a [2, 0, 1] : tensor<4x128x256xf16> to tensor<256x4x128xf16>
  // CHECK: spyre.permute {{.*}}candidates = [#[[$CUBE]]]
  %1 = spyre.permute %a [0, 1, 2] : tensor<4x128x256xf16> to tensor<4x128x256xf16>
  // CHECK: spyre.exp {{.*}}candidates = [#[[$TURNED]]]
  %2 = spyre.exp %0 : tensor<256x4x128xf16>
  return
}

// Padding and the order of sticks go along.
// CHECK-LABEL: func.func @custom(
func.func @custom(%a: tensor<128x256xf16, #padded>, %b: tensor<128x256xf16, #spyre.layout<(d0, d1) -> (d0, d1 floordiv 64, d1 mod 64)>>) {
  // CHECK: spyre.permute {{.*}}candidates = [#[[$PADDED]]]
  %0 = spyre.permute %a [1, 0] : tensor<128x256xf16, #padded> to !back
  // CHECK: spyre.permute {{.*}}candidates = [#[[$ROW_MAJOR]]]
  %1 = spyre.permute %b [1, 0] : tensor<128x256xf16, #spyre.layout<(d0, d1) -> (d0, d1 floordiv 64, d1 mod 64)>> to !back
  // CHECK: spyre.exp {{.*}}candidates = [#[[$PADDED]]]
  %2 = spyre.exp %0 : !back
  return
}

// Each candidate of the source is one of the result, and what is wanted of the result is wanted of the source.
// CHECK-LABEL: func.func @several(
func.func @several(%a: tensor<128x256xf16, #rows>, %b: tensor<128x256xf16, #cols>, %c: tensor<128x256xf16, #rows>) {
  // CHECK: spyre.add {{.*}}candidates = [#[[$ROWS]], #[[$COLS]]]
  %0 = spyre.add %a, %b : (tensor<128x256xf16, #rows>, tensor<128x256xf16, #cols>) -> !t
  // CHECK: spyre.permute {{.*}}candidates = [#[[$COLS]], #[[$ROWS]]]
  %1 = spyre.permute %0 [1, 0] : !t to !back
  // CHECK: spyre.exp {{.*}}candidates = [#[[$ROWS]], #[[$COLS]]]
  %2 = spyre.exp %c : (tensor<128x256xf16, #rows>) -> !t
  // CHECK: spyre.permute {{.*}}candidates = [#[[$COLS]], #[[$ROWS]]]
  %3 = spyre.permute %2 [1, 0] : !t to !back
  // CHECK: spyre.batchmatmul {{.*}}candidates = [#[[$ROWS]]]
  %4 = spyre.batchmatmul %c, %3 : (tensor<128x256xf16, #rows>, !back) -> tensor<128x128xf16>
  return
}
