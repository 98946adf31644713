// RUN: spyre-opt %s --spyre-propagate-layouts | FileCheck %s

// Reductions. Over another dimension the stick stays; over the dimension on the stick one element is left in each stick.

// CHECK-DAG: #[[$ROWS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK-DAG: #[[$VECTOR:layout[0-9]*]] = #spyre.layout<(d0) -> (d0 floordiv 64, d0 mod 64)>
// CHECK-DAG: #[[$SPARSE:layout[0-9]*]] = #spyre.layout<(d0) -> (0, d0, 0)>
// CHECK-DAG: #[[$COLUMN:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1, 0, d0, 0)>
// CHECK-DAG: #[[$LINE:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0, 0, d1, 0)>
// CHECK-DAG: #[[$DEPTH:layout[0-9]*]] = #spyre.layout<(d0, d1, d2) -> (d1, d2, 0, d0, 0)>
// CHECK-DAG: #[[$CUBE:layout[0-9]*]] = #spyre.layout<(d0, d1, d2) -> (d1, d2 floordiv 64, d0, d2 mod 64)>
// CHECK-DAG: #[[$SCALAR:layout[0-9]*]] = #spyre.layout<() -> (0, 0)>
// CHECK-DAG: #[[$COLS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
#cube = #spyre.layout<(d0, d1, d2) -> (d1, d2 floordiv 64, d0, d2 mod 64)>
!t = tensor<128x256xf16>
!rows = tensor<128x256xf16, #rows>
!cols = tensor<128x256xf16, #cols>
!cube = tensor<8x128x256xf16, #cube>

// CHECK-LABEL: func.func @other(
func.func @other(%a: !rows, %b: !cols) {
  // CHECK: spyre.sum {{.*}}candidates = [#[[$VECTOR]]]
  %0 = spyre.sum %a dims [0] : (!rows) -> tensor<256xf16>
  // CHECK: spyre.sum {{.*}}candidates = [#[[$ROWS]]]
  %1 = spyre.sum %a dims [0] keepdim : (!rows) -> tensor<1x256xf16>
  // CHECK: spyre.max {{.*}}candidates = [#[[$VECTOR]]]
  %2 = spyre.max %b dims [1] : (!cols) -> tensor<128xf16>
  // CHECK: spyre.max {{.*}}candidates = [#[[$COLS]]]
  %3 = spyre.max %b dims [1] keepdim : (!cols) -> tensor<128x1xf16>
  return
}

// CHECK-LABEL: func.func @stick(
func.func @stick(%a: !rows, %b: !cols) {
  // CHECK: spyre.sum {{.*}}candidates = [#[[$SPARSE]]]
  %0 = spyre.sum %a dims [1] : (!rows) -> tensor<128xf16>
  // CHECK: spyre.mean {{.*}}candidates = [#[[$COLUMN]]]
  %1 = spyre.mean %a dims [1] keepdim : (!rows) -> tensor<128x1xf16>
  // CHECK: spyre.min {{.*}}candidates = [#[[$SPARSE]]]
  %2 = spyre.min %b dims [0] : (!cols) -> tensor<256xf16>
  // CHECK: spyre.prod {{.*}}candidates = [#[[$LINE]]]
  %3 = spyre.prod %b dims [0] keepdim : (!cols) -> tensor<1x256xf16>
  return
}

// CHECK-LABEL: func.func @several(
func.func @several(%a: !cube) {
  // CHECK: spyre.sum {{.*}}candidates = [#[[$VECTOR]]]
  %0 = spyre.sum %a dims [0, 1] : (!cube) -> tensor<256xf16>
  // CHECK: spyre.sum {{.*}}candidates = [#[[$SPARSE]]]
  %1 = spyre.sum %a dims [0, 2] : (!cube) -> tensor<128xf16>
  // CHECK: spyre.sum {{.*}}candidates = [#[[$DEPTH]]]
  %2 = spyre.sum %a dims [1, 2] keepdim : (!cube) -> tensor<8x1x1xf16>
  // CHECK: spyre.sum {{.*}}candidates = [#[[$CUBE]]]
  %3 = spyre.sum %a dims [1] keepdim : (!cube) -> tensor<8x1x256xf16>
  // CHECK: spyre.sum {{.*}}candidates = [#[[$SCALAR]]]
  %4 = spyre.sum %a dims [0, 1, 2] : (!cube) -> tensor<f16>
  // CHECK: spyre.sum {{.*}}candidates = [#[[$DEPTH]]]
  %5 = spyre.sum %a dims [0, 1, 2] keepdim : (!cube) -> tensor<1x1x1xf16>
  return
}

// What is sparse goes back to the matrix that it was reduced from, as in softmax.
// CHECK-LABEL: func.func @softmax(
func.func @softmax(%a: !rows) {
  // CHECK: spyre.max {{.*}}candidates = [#[[$COLUMN]]]
  %m = spyre.max %a dims [1] keepdim : (!rows) -> tensor<128x1xf16>
  // CHECK: spyre.sub {{.*}}candidates = [#[[$ROWS]]]
  %d = spyre.sub %a, %m : (!rows, tensor<128x1xf16>) -> !t
  // CHECK: spyre.exp {{.*}}candidates = [#[[$ROWS]]]
  %e = spyre.exp %d : !t
  // CHECK: spyre.sum {{.*}}candidates = [#[[$COLUMN]]]
  %s = spyre.sum %e dims [1] keepdim : (!t) -> tensor<128x1xf16>
  // CHECK: spyre.reciprocal {{.*}}candidates = [#[[$COLUMN]]]
  %r = spyre.reciprocal %s : tensor<128x1xf16>
  // CHECK: spyre.mul {{.*}}candidates = [#[[$ROWS]]]
  %y = spyre.mul %e, %r : (!t, tensor<128x1xf16>) -> !t
  return
}

// A reader that wants the remaining dimension on the stick adds the candidate: the operand would be restickified.
// CHECK-LABEL: func.func @wanted(
func.func @wanted(%a: !rows, %v: tensor<128xf16>) {
  // CHECK: spyre.sum {{.*}}candidates = [#[[$SPARSE]], #[[$VECTOR]]]
  %s = spyre.sum %a dims [1] : (!rows) -> tensor<128xf16>
  // CHECK: spyre.add {{.*}}candidates = [#[[$VECTOR]]]
  %y = spyre.add %s, %v : tensor<128xf16>
  return
}

// Reducing an extent of 1 takes nothing off the stick.
// CHECK-LABEL: func.func @extent_one(
func.func @extent_one(%a: tensor<128x1x256xf16>) {
  // CHECK: spyre.sum {{.*}}candidates = [#[[$ROWS]]]
  %0 = spyre.sum %a dims [1] : (tensor<128x1x256xf16>) -> !t
  return
}
