// RUN: spyre-opt %s --spyre-propagate-layouts | FileCheck %s

// The largest elements: the result has the stick of the operand, which is another dimension than the searched one. Where the
// operand has the searched dimension there, another one comes onto the stick before.

// CHECK-DAG: #[[$ROWS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK-DAG: #[[$COLS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
// CHECK-DAG: #[[$ICOLS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0 floordiv 32, d1, d0 mod 32)>
// CHECK-DAG: #[[$ONE_EACH:layout[0-9]*]] = #spyre.layout<(d0) -> (0, d0, 0)>
#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
#one_each = #spyre.layout<(d0) -> (0, d0, 0)>
!rows = tensor<128x256xf16, #rows>
!cols = tensor<128x256xf16, #cols>

// CHECK-LABEL: func.func @values(
func.func @values(%a: !rows, %b: !cols) {
  // CHECK: spyre.topkvalue {{.*}}candidates = [#[[$COLS]]]
  %0 = spyre.topkvalue %a dim 1 k 4 : (!rows) -> tensor<128x4xf16>
  // CHECK: spyre.topkvalue {{.*}}candidates = [#[[$COLS]]]
  %1 = spyre.topkvalue %b dim 1 k 4 : (!cols) -> tensor<128x4xf16>
  // CHECK: spyre.topkvalue {{.*}}candidates = [#[[$ROWS]]]
  %2 = spyre.topkvalue %a dim 0 k 4 : (!rows) -> tensor<4x256xf16>
  // CHECK: spyre.topkvalue {{.*}}candidates = [#[[$ROWS]]]
  %3 = spyre.topkvalue %b dim 0 k 4 : (!cols) -> tensor<4x256xf16>
  return
}

// Positions are numbers of the format of the input, in its sticks.
// CHECK-LABEL: func.func @positions(
func.func @positions(%a: !rows, %b: !cols) {
  // CHECK: spyre.topkindex {{.*}}candidates = [#[[$COLS]]]
  %0 = spyre.topkindex %a dim 1 k 4 : (!rows) -> tensor<128x4xf16>
  // CHECK: spyre.topkindex {{.*}}candidates = [#[[$COLS]]]
  %1 = spyre.topkindex %b dim 1 k 4 : (!cols) -> tensor<128x4xf16>
  // CHECK: spyre.topkindex {{.*}}candidates = [#[[$ROWS]]]
  %2 = spyre.topkindex %a dim 0 k 4 : (!rows) -> tensor<4x256xf16>
  return
}

// Integers are the host's, and have layouts none the less: sticks of 32.
// CHECK-LABEL: func.func @integers(
func.func @integers(%a: !rows, %b: !cols) {
  // CHECK: spyre.topkindex {{.*}}candidates = [#[[$ICOLS]]]
  %0 = spyre.topkindex %a dim 1 k 4 : (!rows) -> tensor<128x4xi32>
  // CHECK: spyre.topkindex {{.*}}candidates = [#[[$ICOLS]]]
  %1 = spyre.topkindex %b dim 1 k 4 : (!cols) -> tensor<128x4xi32>
  return
}

// One largest: a whole dimension stays on the stick, not one element in each.
// CHECK-LABEL: func.func @one(
func.func @one(%a: !rows, %b: !cols) {
  // CHECK: spyre.topkvalue {{.*}}candidates = [#[[$COLS]]]
  %0 = spyre.topkvalue %a dim 1 k 1 : (!rows) -> tensor<128x1xf16>
  // CHECK: spyre.topkvalue {{.*}}candidates = [#[[$COLS]]]
  %1 = spyre.topkvalue %b dim 1 k 1 : (!cols) -> tensor<128x1xf16>
  return
}

// Without another dimension, or with one element in each stick from the start, that is what a search finds.
// CHECK-LABEL: func.func @one_in_each_stick(
func.func @one_in_each_stick(%a: tensor<256xf16>, %b: tensor<256xf16, #one_each>) {
  // CHECK: spyre.topkvalue {{.*}}candidates = [#[[$ONE_EACH]]]
  %0 = spyre.topkvalue %a dim 0 k 4 : (tensor<256xf16>) -> tensor<4xf16>
  // CHECK: spyre.topkvalue {{.*}}candidates = [#[[$ONE_EACH]]]
  %1 = spyre.topkvalue %b dim 0 k 4 : (tensor<256xf16, #one_each>) -> tensor<4xf16>
  return
}
