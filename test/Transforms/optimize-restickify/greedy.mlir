// RUN: spyre-opt %s --spyre-optimize-restickify=report=true --verify-diagnostics -o %t.mlir
// RUN: spyre-opt %t.mlir --spyre-insert-restickify | FileCheck %s --implicit-check-not=spyre.restickify
// RUN: spyre-opt %s --spyre-insert-restickify | FileCheck %s --check-prefix=ALONE --implicit-check-not=spyre.restickify
// RUN: spyre-opt %s --spyre-optimize-restickify --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT

// Choosing for the whole function against choosing for each operation alone, which is what --spyre-insert-restickify does
// without the pass.

// CHECK-DAG: #[[$ROWS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK-DAG: #[[$COLS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
!t = tensor<512x512xf16>

// One copy of x serves both sums, and then everything is in columns. Alone, each sum would take the layout of x, because
// that costs as much, and the transposed values would be copied one after the other.
// CHECK-LABEL: func.func @shared(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<512x512xf16, #[[$ROWS]]>,
// CHECK: %[[C:.*]] = spyre.restickify %[[X]] : (tensor<512x512xf16, #[[$ROWS]]>) -> tensor<512x512xf16, #[[$COLS]]>
// CHECK: spyre.add %[[C]], %
// CHECK: spyre.add %[[C]], %
// ALONE-LABEL: func.func @shared(
// ALONE-COUNT-2: spyre.restickify
// expected-remark @+1 {{1 copy of 262144 elements together, proven to be the cheapest; choosing for each operation alone: 524288 elements}}
func.func @shared(%x: !t, %a: !t, %b: !t) -> (!t, !t) {
  %at = spyre.permute %a [1, 0] : !t to !t
  %bt = spyre.permute %b [1, 0] : !t to !t
  %0 = spyre.add %x, %at : !t
  %1 = spyre.add %x, %bt : !t
  %2 = spyre.add %0, %bt : !t
  %3 = spyre.add %1, %at : !t
  return %2, %3 : !t, !t
}

// A value in one layout is copied once, however many read it.
// CHECK-LABEL: func.func @counted_once(
// CHECK: %[[C:.*]] = spyre.restickify
// CHECK: spyre.batchmatmul %[[C]], %
// CHECK: spyre.batchmatmul %[[C]], %
// CHECK: spyre.batchmatmul %{{.*}}, %[[C]]
// ALONE-LABEL: func.func @counted_once(
// ALONE-COUNT-1: spyre.restickify
// expected-remark @+1 {{1 copy of 262144 elements together, proven to be the cheapest; choosing for each operation alone: 262144 elements}}
func.func @counted_once(%a: !t, %b: !t) -> (!t, !t, !t) {
  %at = spyre.permute %a [1, 0] : !t to !t
  %0 = spyre.batchmatmul %at, %a : !t
  %1 = spyre.batchmatmul %at, %b : !t
  %2 = spyre.batchmatmul %b, %at : !t
  return %0, %1, %2 : !t, !t, !t
}

// A vector with one element in each stick gets them together in three operations, which read less than a copy of the matrix
// that it is the sum of.
// CHECK-LABEL: func.func @sparse(
// CHECK: spyre.sum
// CHECK: spyre.copy %{{.*}} : (tensor<512x1xf16, #{{.*}}>) -> tensor<512x2xf16, #{{.*}}>
// CHECK: spyre.restickify %{{.*}} : (tensor<512x2xf16, #{{.*}}>) -> tensor<512x2xf16, #{{.*}}>
// ALONE-LABEL: func.func @sparse(
// ALONE: spyre.restickify %{{.*}} : (tensor<512x2xf16, #{{.*}}>) -> tensor<512x2xf16, #{{.*}}>
// expected-remark @+1 {{1 copy of 66048 elements together, proven to be the cheapest}}
func.func @sparse(%a: !t, %v: tensor<512xf16>) -> tensor<512xf16> {
  %s = spyre.sum %a dims [1] : (!t) -> tensor<512xf16>
  %y = spyre.add %s, %v : tensor<512xf16>
  return %y : tensor<512xf16>
}

// COUNT: spyre-optimize-restickify
// COUNT-NEXT: (S) 3 copies - Copies that the choice needs
// COUNT-NEXT: (S) 590336 elements - Device elements that they copy
// COUNT-NEXT: (S) 852480 greedy-elements - Device elements copied if every operation chose for itself
