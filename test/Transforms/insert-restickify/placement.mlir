// RUN: spyre-opt %s --spyre-insert-restickify | FileCheck %s --implicit-check-not=spyre.restickify

// A copy is made right before its first reader, before the loops that the copied value is not made in, and once for all readers.

// CHECK-DAG: #[[$ROWS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK-DAG: #[[$COLS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
!t = tensor<512x512xf16>
!rows = tensor<512x512xf16, #rows>
!cols = tensor<512x512xf16, #cols>

// Not where the value is made, and not again for the second reader.
// CHECK-LABEL: func.func @first_reader(
// CHECK: %[[T:.*]] = spyre.permute
// CHECK-NEXT: %[[E:.*]] = spyre.exp
// CHECK-NEXT: %[[C:.*]] = spyre.restickify %[[T]] : (tensor<512x512xf16, #[[$COLS]]>) -> tensor<512x512xf16, #[[$ROWS]]>
// CHECK-NEXT: spyre.batchmatmul %[[C]], %[[E]]
// CHECK-NEXT: spyre.batchmatmul %[[E]], %[[C]]
func.func @first_reader(%a: !t, %x: !t) -> (!t, !t) {
  %at = spyre.permute %a [1, 0] : !t to !t
  %e = spyre.exp %x : !t
  %0 = spyre.batchmatmul %at, %e : !t
  %1 = spyre.batchmatmul %e, %at : !t
  return %0, %1 : !t, !t
}

// Both operands of one operation.
// CHECK-LABEL: func.func @same_operand_twice(
// CHECK: %[[C:.*]] = spyre.restickify
// CHECK-NEXT: spyre.batchmatmul %[[C]], %[[C]]
func.func @same_operand_twice(%a: !cols) -> !t {
  %0 = spyre.batchmatmul %a, %a : (!cols, !cols) -> !t
  return %0 : !t
}

// A value that is made outside is copied outside, and readers after the loop share the copy.
// CHECK-LABEL: func.func @hoisted(
// CHECK: spyre.empty
// CHECK-NEXT: %[[C:.*]] = spyre.restickify %{{.*}} : (tensor<512x512xf16, #[[$COLS]]>) -> tensor<512x512xf16, #[[$ROWS]]>
// CHECK-NEXT: scf.for
// CHECK-NEXT: scf.for
// CHECK-NEXT: spyre.batchmatmul %[[C]], %
// CHECK: spyre.batchmatmul %{{.*}}, %[[C]]
func.func @hoisted(%a: !cols, %b: !rows, %n: index) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = spyre.empty : !t
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%outer = %z) -> !t {
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%inner = %outer) -> !t {
      %0 = spyre.batchmatmul %a, %b : (!cols, !rows) -> !t
      scf.yield %0 : !t
    }
    scf.yield %s : !t
  }
  %q = spyre.batchmatmul %r, %a : (!t, !cols) -> !t
  return %q : !t
}

// A value that is made in the outer loop is copied there, before the inner one.
// CHECK-LABEL: func.func @between_loops(
// CHECK: scf.for
// CHECK-NEXT: %[[T:.*]] = spyre.exp %{{.*}} : tensor<512x512xf16, #[[$COLS]]>
// CHECK-NEXT: %[[C:.*]] = spyre.restickify %[[T]]
// CHECK-NEXT: scf.for
// CHECK-NEXT: spyre.batchmatmul %[[C]], %
func.func @between_loops(%a: !cols, %b: !rows, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %e = spyre.exp %a {spyre.layout_candidates = [#cols]} : (!cols) -> !t
    scf.for %j = %c0 to %n step %c1 {
      %0 = spyre.batchmatmul %e, %b : (!t, !rows) -> !t
    }
  }
  return
}

// What a loop yields is copied back to the layout of what it carries, right before the yield.
// CHECK-LABEL: func.func @yielded(
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}) -> (tensor<512x512xf16, #[[$COLS]]>)
// CHECK-NEXT: %[[IN:.*]] = spyre.restickify %[[ACC]] : (tensor<512x512xf16, #[[$COLS]]>) -> tensor<512x512xf16, #[[$ROWS]]>
// CHECK-NEXT: %[[Y:.*]] = spyre.batchmatmul %[[IN]], %
// CHECK-NEXT: %[[OUT:.*]] = spyre.restickify %[[Y]] : (tensor<512x512xf16, #[[$ROWS]]>) -> tensor<512x512xf16, #[[$COLS]]>
// CHECK-NEXT: scf.yield %[[OUT]]
func.func @yielded(%a: !cols, %b: !rows, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %a) -> !cols {
    %0 = spyre.batchmatmul %acc, %b : (!cols, !rows) -> !t
    %1 = spyre.restickify %0 : (!t) -> !cols
    scf.yield %1 : !cols
  }
  return
}

// Two carried values that change places.
// CHECK-LABEL: func.func @swapped(
// CHECK: scf.for {{.*}} -> (tensor<512x512xf16, #[[$ROWS]]>, tensor<512x512xf16, #[[$COLS]]>) {
// CHECK-COUNT-2: spyre.restickify
// CHECK-NEXT: scf.yield %{{.*}}, %{{.*}} : tensor<512x512xf16, #[[$ROWS]]>, tensor<512x512xf16, #[[$COLS]]>
func.func @swapped(%a: !rows, %b: !cols, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = spyre.exp %a {spyre.layout_candidates = [#rows]} : (!rows) -> !t
  %y = spyre.exp %b {spyre.layout_candidates = [#cols]} : (!cols) -> !t
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x, %q = %y) -> (!t, !t) {
    scf.yield %q, %p : !t, !t
  }
  return
}

// A window is copied and not its tensor; a tensor whose window has no layout is copied first.
// CHECK-LABEL: func.func @windows(
// CHECK: %[[W:.*]] = tensor.extract_slice %arg0[64, 0] [64, 512]
// CHECK-NEXT: %[[C:.*]] = spyre.restickify %[[W]] : (tensor<64x512xf16, #[[$COLS]]>) -> tensor<64x512xf16, #[[$ROWS]]>
// CHECK-NEXT: spyre.batchmatmul %[[C]], %
// CHECK-NEXT: %[[ALL:.*]] = spyre.restickify %arg0 : (tensor<512x512xf16, #[[$COLS]]>) -> tensor<512x512xf16, #[[$ROWS]]>
// CHECK-NEXT: tensor.extract_slice %[[ALL]][7, 0] [64, 512]
func.func @windows(%a: !cols, %b: !rows) {
  %w = tensor.extract_slice %a[64, 0] [64, 512] [1, 1] : !cols to tensor<64x512xf16>
  %0 = spyre.batchmatmul %w, %b : (tensor<64x512xf16>, !rows) -> tensor<64x512xf16>
  %v = tensor.extract_slice %a[7, 0] [64, 512] [1, 1] : !cols to tensor<64x512xf16>
  %1 = spyre.exp %v : tensor<64x512xf16>
  return
}
