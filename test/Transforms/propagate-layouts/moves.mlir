// RUN: spyre-opt %s --spyre-propagate-layouts | FileCheck %s

// A copy has the layout of its operand. A restickify has the layout that it says.

// CHECK-DAG: #[[$ROWS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK-DAG: #[[$COLS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
// CHECK-DAG: #[[$PADDED:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), size = [8, 128, 64]>
// CHECK-DAG: #[[$STAGGERED:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), arrangement = fp32_to_dl16>
#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
#padded = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), size = [8, 128, 64]>
!t = tensor<128x256xf16>

// CHECK-LABEL: func.func @copy(
func.func @copy(%a: tensor<128x256xf16, #cols>, %b: tensor<128x256xf16, #padded>, %c: tensor<128x256xf32>) {
  // CHECK: spyre.copy {{.*}}candidates = [#[[$COLS]]]
  %0 = spyre.copy %a : (tensor<128x256xf16, #cols>) -> !t
  // CHECK: spyre.copy {{.*}}candidates = [#[[$PADDED]]]
  %1 = spyre.copy %b : (tensor<128x256xf16, #padded>) -> !t
  // CHECK: spyre.fp32todl16 {{.*}}candidates = [#[[$STAGGERED]]{{[],]}}
  %2 = spyre.fp32todl16 %c : (tensor<128x256xf32>) -> !t
  // CHECK: spyre.copy {{.*}}candidates = [#[[$STAGGERED]]{{[],]}}
  %3 = spyre.copy %2 : !t
  return
}

// With several candidates, the copy has as many.
// CHECK-LABEL: func.func @copy_of_several(
func.func @copy_of_several(%a: tensor<128x256xf16, #rows>, %b: tensor<128x256xf16, #cols>) {
  // CHECK: spyre.add {{.*}}candidates = [#[[$ROWS]], #[[$COLS]]]
  %0 = spyre.add %a, %b : (tensor<128x256xf16, #rows>, tensor<128x256xf16, #cols>) -> !t
  // CHECK: spyre.copy {{.*}}candidates = [#[[$ROWS]], #[[$COLS]]]
  %1 = spyre.copy %0 : !t
  return
}

// CHECK-LABEL: func.func @restickify(
func.func @restickify(%a: !t) {
  // CHECK: spyre.restickify %{{.*}} : (tensor<128x256xf16>) -> tensor<128x256xf16, #[[$COLS]]>
  %0 = spyre.restickify %a : (!t) -> tensor<128x256xf16, #cols>
  // CHECK: spyre.exp {{.*}}candidates = [#[[$COLS]]]
  %1 = spyre.exp %0 : (tensor<128x256xf16, #cols>) -> !t
  // CHECK: spyre.restickify %{{.*}} : (tensor<128x256xf16>) -> tensor<128x256xf16, #[[$ROWS]]>
  %2 = spyre.restickify %1 : (!t) -> tensor<128x256xf16, #rows>
  return
}
