// RUN: spyre-opt %s --spyre-propagate-layouts | FileCheck %s

// Truth values are stored in the format of what was compared: in sticks of 64 for f16, of 32 for f32.

// CHECK-DAG: #[[$ROWS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK-DAG: #[[$TRUTH:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 32, d0, d1 mod 32), format = IEEE_FP32>
// CHECK-DAG: #[[$TRUTH_COLS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0 floordiv 32, d1, d0 mod 32), format = IEEE_FP32>
// CHECK-DAG: #[[$F32:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 32, d0, d1 mod 32)>
// CHECK-DAG: #[[$COLS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
!h = tensor<128x256xf16>
!w = tensor<128x256xf32>
!b = tensor<128x256xi1>

// CHECK-LABEL: func.func @compare(
func.func @compare(%a: !h, %b: !w, %c: tensor<128x256xf16, #cols>, %t: !b) {
  // CHECK: spyre.lesserthan {{.*}}candidates = [#[[$ROWS]]]
  %0 = spyre.lesserthan %a, %a : (!h, !h) -> !b
  // CHECK: spyre.lesserthan {{.*}}candidates = [#[[$TRUTH]]]
  %1 = spyre.lesserthan %b, %b : (!w, !w) -> !b
  // CHECK: spyre.equal {{.*}}candidates = [#[[$ROWS]], #[[$COLS]]]
  %2 = spyre.equal %a, %c : (!h, tensor<128x256xf16, #cols>) -> !b
  // CHECK: spyre.notequal {{.*}}candidates = [#[[$ROWS]]]
  %3 = spyre.notequal %0, %t : (!b, !b) -> !b
  // CHECK: spyre.equal {{.*}}candidates = [#[[$TRUTH]]]
  %4 = spyre.equal %1, %1 : (!b, !b) -> !b
  return
}

// CHECK-LABEL: func.func @select(
func.func @select(%a: !h, %b: !w) {
  // CHECK: spyre.greaterthan {{.*}}candidates = [#[[$ROWS]]]
  %0 = spyre.greaterthan %a, %a : (!h, !h) -> !b
  // CHECK: spyre.where3 {{.*}}candidates = [#[[$ROWS]]]
  %1 = spyre.where3 %0, %a, %a : (!b, !h, !h) -> !h
  // CHECK: spyre.greaterthan {{.*}}candidates = [#[[$TRUTH]]]
  %2 = spyre.greaterthan %b, %b : (!w, !w) -> !b
  // CHECK: spyre.where3 {{.*}}candidates = [#[[$F32]]]
  %3 = spyre.where3 %2, %b, %b : (!b, !w, !w) -> !w
  return
}

// Selecting among truth values: the result is stored like them.
// CHECK-LABEL: func.func @select_bools(
func.func @select_bools(%b: !w) {
  // CHECK: spyre.greaterthan {{.*}}candidates = [#[[$TRUTH]]]
  %0 = spyre.greaterthan %b, %b : (!w, !w) -> !b
  // CHECK: spyre.lesserthan {{.*}}candidates = [#[[$TRUTH]]]
  %1 = spyre.lesserthan %b, %b : (!w, !w) -> !b
  // CHECK: spyre.where3 {{.*}}candidates = [#[[$TRUTH]]]
  %2 = spyre.where3 %0, %1, %1 : !b
  return
}

// Where a truth value has one element in each stick, there are no sticks that could differ.
// CHECK-LABEL: func.func @broadcast(
func.func @broadcast(%a: tensor<128x1xf16>, %b: !w) {
  // CHECK: spyre.greaterthan {{.*}}candidates = [#[[$ROWS]]]
  %0 = spyre.greaterthan %a, %a : (tensor<128x1xf16>, tensor<128x1xf16>) -> tensor<128x1xi1>
  // CHECK: spyre.where3 {{.*}}candidates = [#[[$F32]]]
  %1 = spyre.where3 %0, %b, %b : (tensor<128x1xi1>, !w, !w) -> !w
  return
}

// The format goes through moves and views.
// CHECK-LABEL: func.func @moved(
func.func @moved(%b: !w) {
  // CHECK: spyre.greaterthan {{.*}}candidates = [#[[$TRUTH]]]
  %0 = spyre.greaterthan %b, %b : (!w, !w) -> !b
  // CHECK: spyre.permute {{.*}}candidates = [#[[$TRUTH_COLS]]]
  %1 = spyre.permute %0 [1, 0] : !b to tensor<256x128xi1>
  // CHECK: spyre.copy {{.*}}candidates = [#[[$TRUTH_COLS]]]
  %2 = spyre.copy %1 : tensor<256x128xi1>
  return
}
