// RUN: spyre-opt %s --spyre-propagate-layouts | FileCheck %s
// RUN: spyre-opt %s --spyre-propagate-layouts --spyre-optimize-restickify --spyre-insert-restickify | FileCheck %s --check-prefix=COPIES

// The result has the stick of the table, which is not the dimension that is chosen from. Indices have sticks of their own.

// CHECK-DAG: #[[$ROWS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK-DAG: #[[$COLS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
// CHECK-DAG: #[[$HEADS:layout[0-9]*]] = #spyre.layout<(d0, d1, d2) -> (d2, d0 floordiv 64, d1, d0 mod 64)>
#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>

// CHECK-LABEL: func.func @rows(
// COPIES-LABEL: func.func @rows(
// COPIES-NOT:     restickify
func.func @rows(%i: tensor<64xi32>, %t: tensor<100x256xf16, #rows>) {
  // CHECK: spyre.gather {{.*}}candidates = [#[[$ROWS]]]
  %0 = spyre.gather %i, %t dim 0 : (tensor<64xi32>, tensor<100x256xf16, #rows>) -> tensor<64x256xf16>
  return
}

// A table with its rows on the stick is restickified, by what it keeps.
// CHECK-LABEL: func.func @rows_on_the_stick(
// COPIES-LABEL: func.func @rows_on_the_stick(
// COPIES:         %[[T:.+]] = spyre.restickify %arg1
// COPIES-NEXT:    spyre.gather %arg0, %[[T]]
func.func @rows_on_the_stick(%i: tensor<64xi32>, %t: tensor<128x256xf16, #cols>) {
  // CHECK: spyre.gather {{.*}}candidates = [#[[$ROWS]]]
  %0 = spyre.gather %i, %t dim 0 : (tensor<64xi32>, tensor<128x256xf16, #cols>) -> tensor<64x256xf16>
  return
}

// Columns of the default layout.
// CHECK-LABEL: func.func @columns(
// COPIES-LABEL: func.func @columns(
// COPIES:         %[[T:.+]] = spyre.restickify %arg1
// COPIES-NEXT:    spyre.gather %arg0, %[[T]]
func.func @columns(%i: tensor<64xi32>, %t: tensor<128x256xf16>) {
  // CHECK: spyre.gather {{.*}}candidates = [#[[$COLS]]]
  %0 = spyre.gather %i, %t dim 1 : (tensor<64xi32>, tensor<128x256xf16>) -> tensor<128x64xf16>
  return
}

// A stick that a reader wants, if the table can have it; one of the indices is not offered.
// CHECK-LABEL: func.func @wanted(
func.func @wanted(%i: tensor<64xi32>, %t: tensor<128x100x256xf16>, %b: tensor<128x64x256xf16, #spyre.layout<(d0, d1, d2) -> (d1, d0 floordiv 64, d2, d0 mod 64)>>) -> tensor<128x64x256xf16, #spyre.layout<(d0, d1, d2) -> (d1, d0 floordiv 64, d2, d0 mod 64)>> {
  // CHECK: spyre.gather {{.*}}candidates = [#{{.+}}, #[[$HEADS]]]
  %0 = spyre.gather %i, %t dim 1 : (tensor<64xi32>, tensor<128x100x256xf16>) -> tensor<128x64x256xf16>
  %1 = spyre.add %0, %b : (tensor<128x64x256xf16>, tensor<128x64x256xf16, #spyre.layout<(d0, d1, d2) -> (d1, d0 floordiv 64, d2, d0 mod 64)>>) -> tensor<128x64x256xf16, #spyre.layout<(d0, d1, d2) -> (d1, d0 floordiv 64, d2, d0 mod 64)>>
  return %1 : tensor<128x64x256xf16, #spyre.layout<(d0, d1, d2) -> (d1, d0 floordiv 64, d2, d0 mod 64)>>
}
