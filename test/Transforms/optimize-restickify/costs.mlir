// RUN: spyre-opt %s --spyre-propagate-layouts --spyre-optimize-restickify=report=true --verify-diagnostics -o %t.mlir
// RUN: spyre-opt %t.mlir --spyre-insert-restickify | FileCheck %s --implicit-check-not=spyre.restickify

// The costs of middle-end specification, section 2.5, and the copies that come of them. Where the shapes allow it, they differ,
// so that the cost says which value is copied.

// CHECK-DAG: #[[$ROWS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK-DAG: #[[$COLS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
!s = tensor<512x512xf16>

// a.t() + x: |a| = 512 * 512 = 262144
// CHECK-LABEL: func.func @at_x(
// CHECK: spyre.restickify {{.*}} : (tensor<512x512xf16, #[[$ROWS]]>) -> tensor<512x512xf16, #[[$COLS]]>
// expected-remark @+1 {{1 copy of 262144 elements together, proven to be the cheapest; choosing for each operation alone: 262144 elements}}
func.func @at_x(%a: !s, %x: !s) -> !s {
  %at = spyre.permute %a [1, 0] : !s to !s
  %y = spyre.add %at, %x : !s
  return %y : !s
}

// a.t() + b.t() + x: |x|. x is flipped, not the sum.
// CHECK-LABEL: func.func @at_bt_x(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<512x512xf16, #[[$ROWS]]>) ->
// CHECK: spyre.add {{.*}} : tensor<512x512xf16, #[[$COLS]]>
// CHECK: %[[C:.*]] = spyre.restickify %[[X]] : (tensor<512x512xf16, #[[$ROWS]]>) -> tensor<512x512xf16, #[[$COLS]]>
// CHECK: spyre.add %{{.*}}, %[[C]] : tensor<512x512xf16, #[[$COLS]]>
// expected-remark @+1 {{1 copy of 262144 elements together, proven to be the cheapest}}
func.func @at_bt_x(%a: !s, %b: !s, %x: !s) -> !s {
  %at = spyre.permute %a [1, 0] : !s to !s
  %bt = spyre.permute %b [1, 0] : !s to !s
  %0 = spyre.add %at, %bt : !s
  %1 = spyre.add %0, %x : !s
  return %1 : !s
}

// x + a.t() + b.t(): the same, although x comes first and is what choosing for each operation starts from.
// CHECK-LABEL: func.func @x_at_bt(
// CHECK: spyre.restickify {{.*}} : (tensor<512x512xf16, #[[$ROWS]]>) -> tensor<512x512xf16, #[[$COLS]]>
// expected-remark @+1 {{1 copy of 262144 elements together, proven to be the cheapest}}
func.func @x_at_bt(%a: !s, %b: !s, %x: !s) -> !s {
  %at = spyre.permute %a [1, 0] : !s to !s
  %bt = spyre.permute %b [1, 0] : !s to !s
  %0 = spyre.add %x, %at : !s
  %1 = spyre.add %0, %bt : !s
  return %1 : !s
}

// a.t() + x + b.t() + y: 2 |a| = 524288
// CHECK-LABEL: func.func @at_x_bt_y(
// CHECK: spyre.restickify
// CHECK: spyre.restickify
// expected-remark @+1 {{2 copies of 524288 elements together, proven to be the cheapest}}
func.func @at_x_bt_y(%a: !s, %b: !s, %x: !s, %y: !s) -> !s {
  %at = spyre.permute %a [1, 0] : !s to !s
  %bt = spyre.permute %b [1, 0] : !s to !s
  %0 = spyre.add %at, %x : !s
  %1 = spyre.add %0, %bt : !s
  %2 = spyre.add %1, %y : !s
  return %2 : !s
}

// x @ y: 0
// CHECK-LABEL: func.func @x_y(
// expected-remark @+1 {{0 copies of 0 elements together, proven to be the cheapest}}
func.func @x_y(%x: tensor<128x256xf16>, %y: tensor<256x1024xf16>) -> tensor<128x1024xf16> {
  %0 = spyre.batchmatmul %x, %y : (tensor<128x256xf16>, tensor<256x1024xf16>) -> tensor<128x1024xf16>
  return %0 : tensor<128x1024xf16>
}

// x.t() @ y: |x| = 256 * 128 = 32768
// CHECK-LABEL: func.func @xt_y(
// CHECK: %[[C:.*]] = spyre.restickify %{{.*}} : (tensor<128x256xf16, #[[$COLS]]>) -> tensor<128x256xf16, #[[$ROWS]]>
// CHECK: spyre.batchmatmul %[[C]], %
// expected-remark @+1 {{1 copy of 32768 elements together, proven to be the cheapest}}
func.func @xt_y(%x: tensor<256x128xf16>, %y: tensor<256x1024xf16>) -> tensor<128x1024xf16> {
  %xt = spyre.permute %x [1, 0] : tensor<256x128xf16> to tensor<128x256xf16>
  %0 = spyre.batchmatmul %xt, %y : (tensor<128x256xf16>, tensor<256x1024xf16>) -> tensor<128x1024xf16>
  return %0 : tensor<128x1024xf16>
}

// x @ y.t(): |y| = 1024 * 256 = 262144
// CHECK-LABEL: func.func @x_yt(
// CHECK: %[[C:.*]] = spyre.restickify %{{.*}} : (tensor<256x1024xf16, #[[$COLS]]>) -> tensor<256x1024xf16, #[[$ROWS]]>
// CHECK: spyre.batchmatmul %{{.*}}, %[[C]]
// expected-remark @+1 {{1 copy of 262144 elements together, proven to be the cheapest}}
func.func @x_yt(%x: tensor<128x256xf16>, %y: tensor<1024x256xf16>) -> tensor<128x1024xf16> {
  %yt = spyre.permute %y [1, 0] : tensor<1024x256xf16> to tensor<256x1024xf16>
  %0 = spyre.batchmatmul %x, %yt : (tensor<128x256xf16>, tensor<256x1024xf16>) -> tensor<128x1024xf16>
  return %0 : tensor<128x1024xf16>
}

// x.t() @ y.t(): |x| + |y| = 32768 + 262144 = 294912
// CHECK-LABEL: func.func @xt_yt(
// CHECK: spyre.restickify %{{.*}} : (tensor<128x256xf16, #[[$COLS]]>) -> tensor<128x256xf16, #[[$ROWS]]>
// CHECK: spyre.restickify %{{.*}} : (tensor<256x1024xf16, #[[$COLS]]>) -> tensor<256x1024xf16, #[[$ROWS]]>
// expected-remark @+1 {{2 copies of 294912 elements together, proven to be the cheapest}}
func.func @xt_yt(%x: tensor<256x128xf16>, %y: tensor<1024x256xf16>) -> tensor<128x1024xf16> {
  %xt = spyre.permute %x [1, 0] : tensor<256x128xf16> to tensor<128x256xf16>
  %yt = spyre.permute %y [1, 0] : tensor<1024x256xf16> to tensor<256x1024xf16>
  %0 = spyre.batchmatmul %xt, %yt : (tensor<128x256xf16>, tensor<256x1024xf16>) -> tensor<128x1024xf16>
  return %0 : tensor<128x1024xf16>
}

// a @ (b + c.t()): S^2 = 262144, for c.t() or the sum
// CHECK-LABEL: func.func @a_b_ct(
// CHECK: spyre.restickify {{.*}} : (tensor<512x512xf16, #[[$COLS]]>) -> tensor<512x512xf16, #[[$ROWS]]>
// expected-remark @+1 {{1 copy of 262144 elements together, proven to be the cheapest}}
func.func @a_b_ct(%a: !s, %b: !s, %c: !s) -> !s {
  %ct = spyre.permute %c [1, 0] : !s to !s
  %0 = spyre.add %b, %ct : !s
  %1 = spyre.batchmatmul %a, %0 : !s
  return %1 : !s
}

// (a @ b) @ c: 0
// CHECK-LABEL: func.func @ab_c(
// expected-remark @+1 {{0 copies of 0 elements together, proven to be the cheapest}}
func.func @ab_c(%a: !s, %b: !s, %c: !s) -> !s {
  %0 = spyre.batchmatmul %a, %b : !s
  %1 = spyre.batchmatmul %0, %c : !s
  return %1 : !s
}

// a.t() @ (b + c.t()): 2 S^2 = 524288
// CHECK-LABEL: func.func @at_b_ct(
// CHECK: spyre.restickify {{.*}} : (tensor<512x512xf16, #[[$COLS]]>) -> tensor<512x512xf16, #[[$ROWS]]>
// CHECK: spyre.restickify {{.*}} : (tensor<512x512xf16, #[[$COLS]]>) -> tensor<512x512xf16, #[[$ROWS]]>
// expected-remark @+1 {{2 copies of 524288 elements together, proven to be the cheapest}}
func.func @at_b_ct(%a: !s, %b: !s, %c: !s) -> !s {
  %at = spyre.permute %a [1, 0] : !s to !s
  %ct = spyre.permute %c [1, 0] : !s to !s
  %0 = spyre.add %b, %ct : !s
  %1 = spyre.batchmatmul %at, %0 : !s
  return %1 : !s
}

// Padding counts, for it is copied: 100 x 200 is 4 sticks in each of 100 rows, 25600 elements.
// CHECK-LABEL: func.func @padding(
// CHECK: spyre.restickify %{{.*}} : (tensor<200x100xf16, #[[$COLS]]>) -> tensor<200x100xf16, #[[$ROWS]]>
// expected-remark @+1 {{1 copy of 25600 elements together, proven to be the cheapest}}
func.func @padding(%a: tensor<100x200xf16>, %b: tensor<100x64xf16>) -> tensor<200x64xf16> {
  %at = spyre.permute %a [1, 0] : tensor<100x200xf16> to tensor<200x100xf16>
  %0 = spyre.batchmatmul %at, %b : (tensor<200x100xf16>, tensor<100x64xf16>) -> tensor<200x64xf16>
  return %0 : tensor<200x64xf16>
}
