// RUN: spyre-opt %s --spyre-propagate-layouts | FileCheck %s

// Casts on the device: the same dimension on sticks of another size. Between f16 and f32 the elements of a stick end up in
// another order; the cast back restores it. The first candidate follows from the operand; the others bring another dimension of it
// onto the stick before, because nothing does behind a cast.

// CHECK-DAG: #[[$ROWS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK-DAG: #[[$COLS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
// CHECK-DAG: #[[$WIDE:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 32, d0, d1 mod 32), arrangement = dl16_to_fp32>
// CHECK-DAG: #[[$WIDE_COLS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0 floordiv 32, d1, d0 mod 32), arrangement = dl16_to_fp32>
// CHECK-DAG: #[[$F32:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 32, d0, d1 mod 32)>
// CHECK-DAG: #[[$NARROW:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), arrangement = fp32_to_dl16>
// CHECK-DAG: #[[$COLUMN:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1, 0, d0, 0)>
// CHECK-DAG: #[[$CUSTOM:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0, d1 floordiv 32, d1 mod 32), arrangement = dl16_to_fp32>
// CHECK-DAG: #[[$PADDED:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 32, d0, d1 mod 32), size = [16, 128, 32], arrangement = dl16_to_fp32>
// CHECK-DAG: #[[$CHANNELS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 128, d0, d1 mod 128), arrangement = qfp8ch>
#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
!h = tensor<128x256xf16>
!w = tensor<128x256xf32>

// CHECK-LABEL: func.func @there_and_back(
func.func @there_and_back(%a: !h, %b: !w, %c: tensor<128x256xf16, #cols>) {
  // CHECK: spyre.dl16tofp32 {{.*}}candidates = [#[[$WIDE]]{{[],]}}
  %0 = spyre.dl16tofp32 %a : (!h) -> !w
  // CHECK: spyre.exp {{.*}}candidates = [#[[$WIDE]]{{[],]}}
  %1 = spyre.exp %0 : !w
  // CHECK: spyre.mul {{.*}}candidates = [#[[$WIDE]]{{[],]}}
  %2 = spyre.mul %0, %1 : !w
  // CHECK: spyre.fp32todl16 {{.*}}candidates = [#[[$ROWS]]{{[],]}}
  %3 = spyre.fp32todl16 %2 : (!w) -> !h
  // CHECK: spyre.fp32todl16 {{.*}}candidates = [#[[$NARROW]]{{[],]}}
  %4 = spyre.fp32todl16 %b : (!w) -> !h
  // CHECK: spyre.exp {{.*}}candidates = [#[[$NARROW]]{{[],]}}
  %5 = spyre.exp %4 : !h
  // CHECK: spyre.dl16tofp32 {{.*}}candidates = [#[[$F32]]{{[],]}}
  %6 = spyre.dl16tofp32 %5 : (!h) -> !w
  // CHECK: spyre.dl16tofp32 {{.*}}candidates = [#[[$WIDE_COLS]]{{[],]}}
  %7 = spyre.dl16tofp32 %c : (tensor<128x256xf16, #cols>) -> !w
  // CHECK: spyre.fp32todl16 {{.*}}candidates = [#[[$COLS]]{{[],]}}
  %8 = spyre.fp32todl16 %7 : (!w) -> !h
  return
}

// bf16 is stored like f16.
// CHECK-LABEL: func.func @bf16(
func.func @bf16(%a: tensor<128x256xbf16>) {
  // CHECK: spyre.dl16tofp32 {{.*}}candidates = [#[[$WIDE]]{{[],]}}
  %0 = spyre.dl16tofp32 %a : (tensor<128x256xbf16>) -> !w
  // CHECK: spyre.fp32todl16 {{.*}}candidates = [#[[$ROWS]]{{[],]}}
  %1 = spyre.fp32todl16 %0 : (!w) -> tensor<128x256xbf16>
  return
}

// One element in each stick is no layout for a cast, which has whole sticks of both widths: the dimension that is left comes
// onto the stick before.
// CHECK-LABEL: func.func @sparse(
func.func @sparse(%a: !h) {
  // CHECK: spyre.sum {{.*}}candidates = [#[[$COLUMN]]{{[],]}}
  %0 = spyre.sum %a dims [1] keepdim : (!h) -> tensor<128x1xf16>
  // CHECK: spyre.dl16tofp32 {{.*}}candidates = [#[[$WIDE_COLS]]]
  %1 = spyre.dl16tofp32 %0 : (tensor<128x1xf16>) -> tensor<128x1xf32>
  // CHECK: spyre.fp32todl16 {{.*}}candidates = [#[[$COLS]]]
  %2 = spyre.fp32todl16 %1 : (tensor<128x1xf32>) -> tensor<128x1xf16>
  return
}

// A single element has nothing else.
// CHECK-LABEL: func.func @single(
func.func @single(%a: tensor<1x256xf16>) {
  // CHECK: spyre.sum {{.*}}candidates = [#[[$COLUMN]]{{[],]}}
  %0 = spyre.sum %a dims [1] keepdim : (tensor<1x256xf16>) -> tensor<1x1xf16>
  // CHECK: spyre.dl16tofp32 {{.*}}#[[$COLUMN]]]
  %1 = spyre.dl16tofp32 %0 : (tensor<1x1xf16>) -> tensor<1x1xf32>
  return
}

// A tensor with one element in each stick goes with one in any arrangement: it is broadcast along the stick.
// CHECK-LABEL: func.func @staggered_and_broadcast(
func.func @staggered_and_broadcast(%a: !h, %s: tensor<128x1xf32>, %one: tensor<1x1xf32>) {
  // CHECK: spyre.dl16tofp32 {{.*}}candidates = [#[[$WIDE]]{{[],]}}
  %0 = spyre.dl16tofp32 %a : (!h) -> !w
  // CHECK: spyre.add {{.*}}candidates = [#[[$WIDE]]{{[],]}}
  %1 = spyre.add %0, %s : (!w, tensor<128x1xf32>) -> !w
  // CHECK: spyre.mul {{.*}}candidates = [#[[$WIDE]]{{[],]}}
  %2 = spyre.mul %one, %1 : (tensor<1x1xf32>, !w) -> !w
  return
}

// A reduction over another dimension keeps the order; one over the stick leaves none.
// CHECK-LABEL: func.func @reduced(
func.func @reduced(%a: !h) {
  // CHECK: spyre.dl16tofp32 {{.*}}candidates = [#[[$WIDE]]{{[],]}}
  %0 = spyre.dl16tofp32 %a : (!h) -> !w
  // CHECK: spyre.sum {{.*}}candidates = [#[[$WIDE]]{{[],]}}
  %1 = spyre.sum %0 dims [0] keepdim : (!w) -> tensor<1x256xf32>
  // CHECK: spyre.sum {{.*}}candidates = [#[[$COLUMN]]{{[],]}}
  %2 = spyre.sum %0 dims [1] keepdim : (!w) -> tensor<128x1xf32>
  // CHECK: spyre.fp32todl16 {{.*}}candidates = [#[[$ROWS]]{{[],]}}
  %3 = spyre.fp32todl16 %1 : (tensor<1x256xf32>) -> tensor<1x256xf16>
  return
}

// CHECK-LABEL: func.func @fp8(
func.func @fp8(%a: !h, %b: tensor<128x256xf8E4M3FN>) {
  // CHECK: spyre.qfp8ch {{.*}}candidates = [#[[$CHANNELS]]{{[],]}}
  %0 = spyre.qfp8ch %a : (!h) -> tensor<128x256xf8E4M3FN>
  // CHECK: spyre.fp8todl16 {{.*}}candidates = [#[[$ROWS]]{{[],]}}
  %1 = spyre.fp8todl16 %0 : (tensor<128x256xf8E4M3FN>) -> !h
  // CHECK: spyre.fp8todl16 {{.*}}candidates = [#[[$ROWS]]{{[],]}}
  %2 = spyre.fp8todl16 %b : (tensor<128x256xf8E4M3FN>) -> !h
  return
}

// A custom order of dimensions and explicit padding are kept, in sticks of the new size: 8 sticks of 64 are 16 of 32.
// CHECK-LABEL: func.func @custom(
func.func @custom(%a: tensor<128x256xf16, #spyre.layout<(d0, d1) -> (d0, d1 floordiv 64, d1 mod 64)>>,
                  %b: tensor<128x256xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), size = [8, 128, 64]>>) {
  // CHECK: spyre.dl16tofp32 {{.*}}candidates = [#[[$CUSTOM]]{{[],]}}
  %0 = spyre.dl16tofp32 %a : (tensor<128x256xf16, #spyre.layout<(d0, d1) -> (d0, d1 floordiv 64, d1 mod 64)>>) -> !w
  // CHECK: spyre.dl16tofp32 {{.*}}candidates = [#[[$PADDED]]{{[],]}}
  %1 = spyre.dl16tofp32 %b : (tensor<128x256xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), size = [8, 128, 64]>>) -> !w
  return
}
