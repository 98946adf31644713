// RUN: spyre-opt %s --spyre-propagate-layouts | FileCheck %s

// Layer norm. The data has its last dimension on the stick. The statistics have one element in each stick; that of
// exx2 is two values.

// CHECK-DAG: #[[$ROWS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK-DAG: #[[$COLUMN:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1, 0, d0, 0)>
// CHECK-DAG: #[[$PAIR:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1, 0, d0, 0), arrangement = exx2>
// CHECK-DAG: #[[$PAIRS:layout[0-9]*]] = #spyre.layout<(d0) -> (0, d0, 0), arrangement = exx2>
// CHECK-DAG: #[[$PAIR_OF_ALL:layout[0-9]*]] = #spyre.layout<() -> (0, 0), arrangement = exx2>
#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
!t = tensor<128x256xf16>
!s = tensor<128x1xf16>

// CHECK-LABEL: func.func @layer_norm(
func.func @layer_norm(%x: !t, %w: tensor<1x256xf16>, %b: tensor<1x256xf16>) {
  // CHECK: spyre.exx2 {{.*}}candidates = [#[[$PAIR]]]
  %e = spyre.exx2 %x dims [1] keepdim : (!t) -> !s
  // CHECK: spyre.mean {{.*}}candidates = [#[[$COLUMN]]]
  %m = spyre.mean %x dims [1] keepdim : (!t) -> !s
  // CHECK: spyre.layernormscale {{.*}}candidates = [#[[$COLUMN]]]
  %s = spyre.layernormscale %e eps 1.0e-5 : !s
  // CHECK: spyre.layernormnorm {{.*}}candidates = [#[[$ROWS]]]
  %y = spyre.layernormnorm %x, %m, %s, %w, %b : (!t, !s, !s, tensor<1x256xf16>, tensor<1x256xf16>) -> !t
  return
}

// Data by columns is restickified, so the candidates are the same.
// CHECK-LABEL: func.func @columns(
func.func @columns(%x: tensor<128x256xf16, #cols>, %m: !s, %s: !s, %w: tensor<1x256xf16>) {
  // CHECK: spyre.exx2 {{.*}}candidates = [#[[$PAIRS]]]
  %0 = spyre.exx2 %x dims [1] : (tensor<128x256xf16, #cols>) -> tensor<128xf16>
  // CHECK: spyre.layernormnorm {{.*}}candidates = [#[[$ROWS]]]
  %1 = spyre.layernormnorm %x, %m, %s, %w, %w : (tensor<128x256xf16, #cols>, !s, !s, tensor<1x256xf16>, tensor<1x256xf16>) -> !t
  return
}

// Over several dimensions, if the last is among them.
// CHECK-LABEL: func.func @dims(
func.func @dims(%x: tensor<8x128x256xf16>) {
  // CHECK: spyre.exx2 {{.*}}candidates = [#[[$PAIRS]]]
  %0 = spyre.exx2 %x dims [1, 2] : (tensor<8x128x256xf16>) -> tensor<8xf16>
  // CHECK: spyre.exx2 {{.*}}candidates = [#[[$PAIR_OF_ALL]]]
  %1 = spyre.exx2 %x dims [0, 1, 2] : (tensor<8x128x256xf16>) -> tensor<f16>
  return
}
