// RUN: spyre-opt %s --spyre-propagate-layouts --spyre-optimize-restickify=report=true --spyre-insert-restickify \
// RUN:   --mlir-disable-threading > %t.mlir 2> %t.remarks
// RUN: FileCheck %s < %t.mlir
// RUN: FileCheck %s --check-prefix=COST < %t.remarks

// The costs that the middle-end specification lists in section 2.5, and the copies that come of them. S is 512, so one
// square is 262144 elements.

// CHECK-DAG: #[[$ROWS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK-DAG: #[[$COLS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
!t = tensor<512x512xf16>

// a.t() + x: |a|
// COST: remark: spyre-optimize-restickify: 1 copy of 262144 elements together, proven to be the cheapest;
// CHECK-LABEL: func.func @t_plus(
func.func @t_plus(%a: !t, %x: !t) -> !t {
  %at = spyre.permute %a [1, 0] : !t to !t
  %y = spyre.add %at, %x : !t
  return %y : !t
}

// a.t() + b.t() + x: |x|, because x is the one that is flipped.
func.func @flip_x(%a: !t, %b: !t, %x: !t) -> !t {
  %at = spyre.permute %a [1, 0] : !t to !t
  %bt = spyre.permute %b [1, 0] : !t to !t
  %s = spyre.add %at, %bt : !t
  %y = spyre.add %s, %x : !t
  return %y : !t
}

// a.t() + x + b.t() + y: 2 |a|
func.func @alternating(%a: !t, %b: !t, %x: !t, %y: !t) -> !t {
  %at = spyre.permute %a [1, 0] : !t to !t
  %bt = spyre.permute %b [1, 0] : !t to !t
  %0 = spyre.add %at, %x : !t
  %1 = spyre.add %0, %bt : !t
  %2 = spyre.add %1, %y : !t
  return %2 : !t
}

func.func @matmul(%x: !t, %y: !t) -> !t {
  %0 = spyre.batchmatmul %x, %y : !t
  return %0 : !t
}

func.func @matmul_xt(%x: !t, %y: !t) -> !t {
  %xt = spyre.permute %x [1, 0] : !t to !t
  %0 = spyre.batchmatmul %xt, %y : !t
  return %0 : !t
}

func.func @matmul_yt(%x: !t, %y: !t) -> !t {
  %yt = spyre.permute %y [1, 0] : !t to !t
  %0 = spyre.batchmatmul %x, %yt : !t
  return %0 : !t
}

func.func @matmul_xt_yt(%x: !t, %y: !t) -> !t {
  %xt = spyre.permute %x [1, 0] : !t to !t
  %yt = spyre.permute %y [1, 0] : !t to !t
  %0 = spyre.batchmatmul %xt, %yt : !t
  return %0 : !t
}

func.func @matmul_sum(%a: !t, %b: !t, %c: !t) -> !t {
  %ct = spyre.permute %c [1, 0] : !t to !t
  %s = spyre.add %b, %ct : !t
  %0 = spyre.batchmatmul %a, %s : !t
  return %0 : !t
}

func.func @matmul_twice(%a: !t, %b: !t, %c: !t) -> !t {
  %0 = spyre.batchmatmul %a, %b : !t
  %1 = spyre.batchmatmul %0, %c : !t
  return %1 : !t
}

func.func @matmul_at_sum(%a: !t, %b: !t, %c: !t) -> !t {
  %at = spyre.permute %a [1, 0] : !t to !t
  %ct = spyre.permute %c [1, 0] : !t to !t
  %s = spyre.add %b, %ct : !t
  %0 = spyre.batchmatmul %at, %s : !t
  return %0 : !t
}
