// RUN: spyre-opt %s --spyre-propagate-layouts | FileCheck %s

// spyre.empty and spyre.fill: the default layout, and each dimension on the stick that a reader wants there.

// CHECK-DAG: #[[$ROWS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK-DAG: #[[$COLS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
// CHECK-DAG: #[[$CUBE0:layout[0-9]*]] = #spyre.layout<(d0, d1, d2) -> (d2, d0 floordiv 64, d1, d0 mod 64)>
// CHECK-DAG: #[[$CUBE1:layout[0-9]*]] = #spyre.layout<(d0, d1, d2) -> (d2, d1 floordiv 64, d0, d1 mod 64)>
// CHECK-DAG: #[[$CUBE2:layout[0-9]*]] = #spyre.layout<(d0, d1, d2) -> (d1, d2 floordiv 64, d0, d2 mod 64)>
#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
#padded = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), size = [8, 128, 64]>
!t = tensor<128x256xf16>
!cols = tensor<128x256xf16, #cols>

// CHECK-LABEL: func.func @nobody_reads(
func.func @nobody_reads(%a: !cols) {
  // CHECK: spyre.fill {{.*}}candidates = [#[[$ROWS]]]
  %0 = spyre.fill dense<1.0> : !t
  // CHECK: spyre.empty {{.*}}candidates = [#[[$ROWS]], #[[$COLS]], #[[$SPARSE:layout[0-9]*]]]
  %1 = spyre.empty : !t
  // CHECK: spyre.exp {{.*}}candidates = [#[[$COLS]]]
  %2 = spyre.exp %a : (!cols) -> !t
  return
}

// CHECK-LABEL: func.func @wanted(
func.func @wanted(%a: !cols) {
  // CHECK: spyre.fill {{.*}}candidates = [#[[$ROWS]], #[[$COLS]]]
  %0 = spyre.fill dense<1.0> : !t
  // CHECK: spyre.add {{.*}}candidates = [#[[$COLS]], #[[$ROWS]]]
  %1 = spyre.add %a, %0 : (!cols, !t) -> !t
  return
}

// Each of three dimensions is wanted by somebody.
// CHECK-LABEL: func.func @all(
func.func @all(%a: tensor<64x128x256xf16>, %b: tensor<64x128x256xf16, #spyre.layout<(d0, d1, d2) -> (d2, d1 floordiv 64, d0, d1 mod 64)>>,
               %c: tensor<64x128x256xf16, #spyre.layout<(d0, d1, d2) -> (d2, d0 floordiv 64, d1, d0 mod 64)>>) {
  // CHECK: spyre.fill {{.*}}candidates = [#[[$CUBE2]], #[[$CUBE0]], #[[$CUBE1]]]
  %0 = spyre.fill dense<0.0> : tensor<64x128x256xf16>
  // CHECK: spyre.add {{.*}}candidates = [#[[$CUBE2]], #[[$CUBE0]], #[[$CUBE1]]]
  %1 = spyre.add %a, %0 : tensor<64x128x256xf16>
  // CHECK: spyre.add {{.*}}candidates = [#[[$CUBE1]], #[[$CUBE2]], #[[$CUBE0]]]
  %2 = spyre.add %b, %0 : (tensor<64x128x256xf16, #spyre.layout<(d0, d1, d2) -> (d2, d1 floordiv 64, d0, d1 mod 64)>>, tensor<64x128x256xf16>) -> tensor<64x128x256xf16>
  // CHECK: spyre.add {{.*}}candidates = [#[[$CUBE0]], #[[$CUBE2]], #[[$CUBE1]]]
  %3 = spyre.add %c, %0 : (tensor<64x128x256xf16, #spyre.layout<(d0, d1, d2) -> (d2, d0 floordiv 64, d1, d0 mod 64)>>, tensor<64x128x256xf16>) -> tensor<64x128x256xf16>
  return
}

// The right operand of a product is wanted with N on the stick, also through views and before a loop.
// CHECK-LABEL: func.func @through_views(
func.func @through_views(%a: tensor<128x128xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: spyre.fill {{.*}}candidates = [#[[$ROWS]], #[[$COLS]]]
  %0 = spyre.fill dense<0.0> : tensor<256x128xf16>
  // CHECK: spyre.permute {{.*}}candidates = [#[[$COLS]], #[[$ROWS]]]
  %1 = spyre.permute %0 [1, 0] : tensor<256x128xf16> to !t
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %1) -> !t {
    // CHECK: spyre.batchmatmul {{.*}}candidates = [#[[$ROWS]]]
    %y = spyre.batchmatmul %a, %acc : (tensor<128x128xf16>, !t) -> !t
    scf.yield %y : !t
  }
  return
}
