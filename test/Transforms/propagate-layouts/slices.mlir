// RUN: spyre-opt %s --spyre-propagate-layouts | FileCheck %s

// Windows: the layout of the tensor, without its padding, as long as they start and end with whole sticks. Otherwise the
// tensor has to be restickified, and the window has the layout of that.

// CHECK-DAG: #[[$ROWS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK-DAG: #[[$COLS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
#padded = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), size = [8, 128, 64]>
!t = tensor<128x256xf16>

// CHECK-LABEL: func.func @whole_sticks(
func.func @whole_sticks(%a: !t, %b: tensor<128x256xf16, #cols>, %p: tensor<128x256xf16, #padded>) {
  // CHECK: tensor.extract_slice {{.*}}candidates = [#[[$ROWS]]]
  %0 = tensor.extract_slice %a[64, 128] [32, 128] [1, 1] : !t to tensor<32x128xf16>
  // CHECK: tensor.extract_slice {{.*}}candidates = [#[[$ROWS]]]
  %1 = tensor.extract_slice %a[7, 192] [3, 64] [1, 1] : !t to tensor<3x64xf16>
  // CHECK: tensor.extract_slice {{.*}}candidates = [#[[$COLS]]]
  %2 = tensor.extract_slice %b[64, 7] [64, 3] [1, 1] : tensor<128x256xf16, #cols> to tensor<64x3xf16>
  // CHECK: tensor.extract_slice {{.*}}candidates = [#[[$ROWS]]]
  %3 = tensor.extract_slice %p[0, 0] [64, 64] [1, 1] : tensor<128x256xf16, #padded> to tensor<64x64xf16>
  // CHECK: tensor.extract_slice {{.*}}candidates = [#[[$ROWS]]]
  %4 = tensor.extract_slice %a[0, 0] [128, 256] [1, 1] : !t to !t
  // CHECK: spyre.exp {{.*}}candidates = [#[[$ROWS]]]
  %5 = spyre.exp %3 : tensor<64x64xf16>
  return
}

// The last stick of a ragged dimension may be cut where the tensor ends.
// CHECK-LABEL: func.func @ragged(
func.func @ragged(%a: tensor<128x200xf16>) {
  // CHECK: tensor.extract_slice {{.*}}candidates = [#[[$ROWS]]]
  %0 = tensor.extract_slice %a[0, 128] [128, 72] [1, 1] : tensor<128x200xf16> to tensor<128x72xf16>
  // CHECK: spyre.exp {{.*}}candidates = [#[[$ROWS]]]
  %1 = spyre.exp %0 : tensor<128x72xf16>
  return
}

// Offsets that are not known count in windows.
// CHECK-LABEL: func.func @dynamic(
func.func @dynamic(%a: !t, %i: index, %j: index) {
  // CHECK: tensor.extract_slice {{.*}}candidates = [#[[$ROWS]]]
  %0 = tensor.extract_slice %a[%i, 64] [32, 64] [1, 1] : !t to tensor<32x64xf16>
  // CHECK: tensor.extract_slice {{.*}}candidates = [#[[$ROWS]]]
  %1 = tensor.extract_slice %a[%i, %j] [32, 128] [1, 1] : !t to tensor<32x128xf16>
  // CHECK: spyre.exp {{.*}}candidates = [#[[$ROWS]]]
  %2 = spyre.exp %0 : tensor<32x64xf16>
  return
}

// Only the other dimension can be on the stick of a window that starts inside one. Where it ends does not matter to readers.
// CHECK-LABEL: func.func @other_stick(
func.func @other_stick(%a: !t, %j: index) {
  // CHECK: tensor.extract_slice {{.*}}candidates = [#[[$COLS]]]
  %0 = tensor.extract_slice %a[0, 7] [64, 64] [1, 1] : !t to tensor<64x64xf16>
  // CHECK: tensor.extract_slice {{.*}}candidates = [#[[$ROWS]]]
  %1 = tensor.extract_slice %a[64, 192] [64, 60] [1, 1] : !t to tensor<64x60xf16>
  // CHECK: tensor.extract_slice {{.*}}candidates = [#[[$COLS]]]
  %2 = tensor.extract_slice %a[0, %j] [128, 32] [1, 1] : !t to tensor<128x32xf16>
  // CHECK: spyre.exp {{.*}}candidates = [#[[$COLS]]]
  %3 = spyre.exp %0 : tensor<64x64xf16>
  return
}

// What is written has the layout of what it is written into, and that stays as it is.
// CHECK-LABEL: func.func @insert(
func.func @insert(%tile: tensor<64x64xf16>, %into: tensor<128x256xf16, #cols>, %i: index) {
  // CHECK: spyre.exp {{.*}}candidates = [#[[$ROWS]], #[[$COLS]]]
  %0 = spyre.exp %tile : tensor<64x64xf16>
  %1 = tensor.insert_slice %0 into %into[0, 64] [64, 64] [1, 1] : tensor<64x64xf16> into tensor<128x256xf16, #cols>
  %2 = tensor.insert_slice %0 into %1[%i, 7] [64, 64] [1, 1] : tensor<64x64xf16> into tensor<128x256xf16, #cols>
  return
}

// The tensor that is filled may have any layout: it is not copied before it is filled.
// CHECK-LABEL: func.func @insert_into_empty(
func.func @insert_into_empty(%tile: tensor<128x64xf16, #cols>, %b: tensor<128x256xf16, #cols>) {
  // CHECK: spyre.empty {{.*}}candidates = [#[[$ROWS]], #[[$COLS]], #[[$SPARSE:layout[0-9]*]]]
  %0 = spyre.empty : !t
  // CHECK: tensor.insert_slice {{.*}}candidates = [#[[$ROWS]], #[[$COLS]], #[[$SPARSE]]]
  %1 = tensor.insert_slice %tile into %0[0, 64] [128, 64] [1, 1] : tensor<128x64xf16, #cols> into !t
  // CHECK: spyre.add {{.*}}candidates = [#[[$ROWS]], #[[$COLS]]]
  %2 = spyre.add %1, %b : (!t, tensor<128x256xf16, #cols>) -> !t
  return
}
