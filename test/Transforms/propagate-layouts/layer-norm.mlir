// RUN: spyre-opt %s --spyre-propagate-layouts | FileCheck %s

// Layer norm. The data has its last dimension on the stick. A pair of moments is alone in its stick, and so is a scale.

// CHECK-DAG: #[[$ROWS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK-DAG: #[[$COLUMN:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1, 0, d0, 0)>
// CHECK-DAG: #[[$PAIR:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), arrangement = exx2>
// CHECK-DAG: #[[$PAIR_OF_ROW:layout[0-9]*]] = #spyre.layout<(d0) -> (d0 floordiv 64, d0 mod 64), arrangement = exx2>
#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
!t = tensor<128x256xf16>
!p = tensor<128x2xf16>
!s = tensor<128x1xf16>
!w = tensor<1x256xf16>

// CHECK-LABEL: func.func @layer_norm(
func.func @layer_norm(%x: !t, %w: !w, %b: !w) {
  // CHECK: spyre.exx2 {{.*}}candidates = [#[[$PAIR]]]
  %e = spyre.exx2 %x : (!t) -> !p
  // CHECK: spyre.layernormscale {{.*}}candidates = [#[[$COLUMN]]]
  %s = spyre.layernormscale %e eps 1.0e-5 : (!p) -> !s
  // CHECK: spyre.layernormnorm {{.*}}candidates = [#[[$ROWS]]]
  %y = spyre.layernormnorm %x, %e, %s, %w, %b : (!t, !p, !s, !w, !w) -> !t
  return
}

// Data by columns is restickified, so the candidates are the same.
// CHECK-LABEL: func.func @columns(
func.func @columns(%x: tensor<128x256xf16, #cols>, %s: !s, %w: !w) {
  // CHECK: spyre.exx2 {{.*}}candidates = [#[[$PAIR]]]
  %0 = spyre.exx2 %x : (tensor<128x256xf16, #cols>) -> !p
  // CHECK: spyre.layernormnorm {{.*}}candidates = [#[[$ROWS]]]
  %1 = spyre.layernormnorm %x, %0, %s, %w, %w : (tensor<128x256xf16, #cols>, !p, !s, !w, !w) -> !t
  return
}

// One row, and a copy of its moments.
// CHECK-LABEL: func.func @row(
func.func @row(%x: tensor<256xf16>) {
  // CHECK: spyre.exx2 {{.*}}candidates = [#[[$PAIR_OF_ROW]]]
  %0 = spyre.exx2 %x : (tensor<256xf16>) -> tensor<2xf16>
  // CHECK: spyre.copy {{.*}}candidates = [#[[$PAIR_OF_ROW]]]
  %1 = spyre.copy %0 : tensor<2xf16>
  return
}
