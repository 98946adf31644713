// RUN: spyre-opt %s --spyre-optimize-restickify | FileCheck %s
// RUN: spyre-opt %s --spyre-propagate-layouts --spyre-optimize-restickify -o %t.both
// RUN: spyre-opt %s --spyre-optimize-restickify --spyre-propagate-layouts --spyre-optimize-restickify | diff %t.both -

// The pass leaves one candidate to each result, and changes no types. It finds the candidates itself if there are none, and
// after --spyre-propagate-layouts it chooses the same.

// CHECK-DAG: #[[$ROWS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK-DAG: #[[$COLS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
!t = tensor<512x512xf16>

// CHECK-LABEL: func.func @open(
// CHECK-SAME: %{{.*}}: tensor<512x512xf16>, %{{.*}}: tensor<512x512xf16>, %{{.*}}: tensor<512x512xf16>) -> tensor<512x512xf16> {
func.func @open(%a: !t, %b: !t, %x: !t) -> !t {
  // CHECK: spyre.permute {{.*}}candidates = [#[[$COLS]]]
  %at = spyre.permute %a [1, 0] : !t to !t
  // CHECK: spyre.permute {{.*}}candidates = [#[[$COLS]]]
  %bt = spyre.permute %b [1, 0] : !t to !t
  // CHECK: spyre.add {{.*}}candidates = [#[[$COLS]]]
  %0 = spyre.add %at, %bt : !t
  // CHECK: spyre.add {{.*}}candidates = [#[[$COLS]]]
  %1 = spyre.add %0, %x : !t
  return %1 : !t
}

// The list that is there is what may be chosen from, even if another layout would be cheaper.
// CHECK-LABEL: func.func @listed(
func.func @listed(%a: !t, %b: !t, %x: !t) -> !t {
  // CHECK: spyre.permute {{.*}}candidates = [#[[$COLS]]]
  %at = spyre.permute %a [1, 0] : !t to !t
  // CHECK: spyre.permute {{.*}}candidates = [#[[$COLS]]]
  %bt = spyre.permute %b [1, 0] : !t to !t
  // CHECK: spyre.add {{.*}}candidates = [#[[$ROWS]]]
  %0 = spyre.add %at, %bt {spyre.layout_candidates = [#rows]} : !t
  // CHECK: spyre.add {{.*}}candidates = [#[[$ROWS]]]
  %1 = spyre.add %0, %x {spyre.layout_candidates = [#cols, #rows]} : !t
  return %1 : !t
}

// What a loop carries is chosen with what it starts with, and nothing is written on the loop.
// CHECK-LABEL: func.func @loop(
func.func @loop(%a: !t, %n: index) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: spyre.permute {{.*}}candidates = [#[[$COLS]]]
  %at = spyre.permute %a [1, 0] : !t to !t
  // CHECK: spyre.fill {{.*}}candidates = [#[[$COLS]]]
  %init = spyre.fill dense<0.0> : !t
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> !t {
    // CHECK: spyre.add {{.*}}candidates = [#[[$COLS]]]
    %0 = spyre.add %acc, %at : !t
    // CHECK: scf.yield
    // CHECK-NEXT: }{{$}}
    scf.yield %0 : !t
  }
  return %r : !t
}
