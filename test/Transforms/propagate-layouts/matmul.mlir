// RUN: spyre-opt %s --spyre-propagate-layouts | FileCheck %s

// Matrix products: N on the stick of the result, whatever the operands have.

// CHECK-DAG: #[[$ROWS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK-DAG: #[[$COLS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
// CHECK-DAG: #[[$BATCH:layout[0-9]*]] = #spyre.layout<(d0, d1, d2) -> (d1, d2 floordiv 64, d0, d2 mod 64)>
// CHECK-DAG: #[[$BATCHES:layout[0-9]*]] = #spyre.layout<(d0, d1, d2, d3) -> (d1, d2, d3 floordiv 64, d0, d3 mod 64)>
#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>

// CHECK-LABEL: func.func @two_dimensions(
func.func @two_dimensions(%a: tensor<128x256xf16>, %b: tensor<256x192xf16>, %ac: tensor<128x256xf16, #cols>, %bc: tensor<256x192xf16, #cols>) {
  // CHECK: spyre.batchmatmul {{.*}}candidates = [#[[$ROWS]]]
  %0 = spyre.batchmatmul %a, %b : (tensor<128x256xf16>, tensor<256x192xf16>) -> tensor<128x192xf16>
  // CHECK: spyre.batchmatmul {{.*}}candidates = [#[[$ROWS]]]
  %1 = spyre.batchmatmul %ac, %bc : (tensor<128x256xf16, #cols>, tensor<256x192xf16, #cols>) -> tensor<128x192xf16>
  return
}

// CHECK-LABEL: func.func @batches(
func.func @batches(%a: tensor<4x128x256xf16>, %b: tensor<4x256x192xf16>, %shared: tensor<256x192xf16>, %one: tensor<1x256x192xf16>, %more: tensor<5x1x256x192xf16>) {
  // CHECK: spyre.batchmatmul {{.*}}candidates = [#[[$BATCH]]]
  %0 = spyre.batchmatmul %a, %b : (tensor<4x128x256xf16>, tensor<4x256x192xf16>) -> tensor<4x128x192xf16>
  // CHECK: spyre.batchmatmul {{.*}}candidates = [#[[$BATCH]]]
  %1 = spyre.batchmatmul %a, %shared : (tensor<4x128x256xf16>, tensor<256x192xf16>) -> tensor<4x128x192xf16>
  // CHECK: spyre.batchmatmul {{.*}}candidates = [#[[$BATCH]]]
  %2 = spyre.batchmatmul %a, %one : (tensor<4x128x256xf16>, tensor<1x256x192xf16>) -> tensor<4x128x192xf16>
  // CHECK: spyre.batchmatmul {{.*}}candidates = [#[[$BATCHES]]]
  %3 = spyre.batchmatmul %a, %more : (tensor<4x128x256xf16>, tensor<5x1x256x192xf16>) -> tensor<5x4x128x192xf16>
  return
}

// N on the stick also where it has one element: products run over whole sticks of columns.
// CHECK-LABEL: func.func @extent_one(
func.func @extent_one(%a: tensor<128x256xf16>, %n: tensor<256x1xf16>, %m: tensor<1x256xf16>, %b: tensor<256x192xf16>, %k: tensor<128x1xf16>, %kb: tensor<1x192xf16>) {
  // CHECK: spyre.batchmatmul {{.*}}candidates = [#[[$ROWS]]]
  %0 = spyre.batchmatmul %a, %n : (tensor<128x256xf16>, tensor<256x1xf16>) -> tensor<128x1xf16>
  // CHECK: spyre.batchmatmul {{.*}}candidates = [#[[$ROWS]]]
  %1 = spyre.batchmatmul %m, %b : (tensor<1x256xf16>, tensor<256x192xf16>) -> tensor<1x192xf16>
  // CHECK: spyre.batchmatmul {{.*}}candidates = [#[[$ROWS]]]
  %2 = spyre.batchmatmul %m, %n : (tensor<1x256xf16>, tensor<256x1xf16>) -> tensor<1x1xf16>
  // CHECK: spyre.batchmatmul {{.*}}candidates = [#[[$ROWS]]]
  %3 = spyre.batchmatmul %k, %kb : (tensor<128x1xf16>, tensor<1x192xf16>) -> tensor<128x192xf16>
  return
}

// Ragged extents are the business of --spyre-pad-matmul.
// CHECK-LABEL: func.func @ragged(
func.func @ragged(%a: tensor<100x300xf16>, %b: tensor<300x200xf16>) {
  // CHECK: spyre.batchmatmul {{.*}}candidates = [#[[$ROWS]]]
  %0 = spyre.batchmatmul %a, %b : (tensor<100x300xf16>, tensor<300x200xf16>) -> tensor<100x200xf16>
  return
}

// The operands are read as rows, so that is what values before the product may have, too.
// CHECK-LABEL: func.func @operands(
func.func @operands(%a: tensor<128x256xf16, #cols>, %b: tensor<256x192xf16, #cols>) {
  // CHECK: spyre.exp {{.*}}candidates = [#[[$COLS]], #[[$ROWS]]]
  %0 = spyre.exp %a : (tensor<128x256xf16, #cols>) -> tensor<128x256xf16>
  // CHECK: spyre.exp {{.*}}candidates = [#[[$COLS]], #[[$ROWS]]]
  %1 = spyre.exp %b : (tensor<256x192xf16, #cols>) -> tensor<256x192xf16>
  // CHECK: spyre.batchmatmul {{.*}}candidates = [#[[$ROWS]]]
  %2 = spyre.batchmatmul %0, %1 : (tensor<128x256xf16>, tensor<256x192xf16>) -> tensor<128x192xf16>
  return
}
