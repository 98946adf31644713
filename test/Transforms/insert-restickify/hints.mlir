// RUN: spyre-opt %s --spyre-insert-restickify | FileCheck %s --implicit-check-not=spyre.restickify
// RUN: spyre-opt %s --spyre-insert-restickify --coarse-tile | FileCheck %s --check-prefix=TILED

// A copy has the tiling hints of its reader, so that what is tiled together stays one group: one loop, with the copy in it.

// CHECK-DAG: #[[$ROWS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK-DAG: #[[$COLS:layout[0-9]*]] = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
!t = tensor<512x512xf16>
!cols = tensor<512x512xf16, #cols>

// CHECK-LABEL: func.func @one_group(
// CHECK: spyre.exp %{{.*}} tile [0: "A" in 2]
// CHECK-NEXT: %[[C:.*]] = spyre.restickify %{{.*}} tile [0: "A" in 2] : (tensor<512x512xf16, #[[$COLS]]>) -> tensor<512x512xf16, #[[$ROWS]]>
// CHECK-NEXT: spyre.add %{{.*}}, %[[C]] tile [0: "A" in 2]
// CHECK-NEXT: spyre.neg %{{.*}} tile [0: "A" in 2]

// TILED-LABEL: func.func @one_group(
// TILED: scf.for
// TILED-NOT: scf.for
// TILED: spyre.exp %{{.*}} : tensor<256x512xf16
// TILED: spyre.restickify %{{.*}} : (tensor<256x512xf16, {{.*}}>) -> tensor<256x512xf16
// TILED: spyre.add %{{.*}}, %{{.*}} : tensor<256x512xf16
// TILED: spyre.neg %{{.*}} : tensor<256x512xf16
// TILED: scf.yield
// TILED-NOT: scf.for
func.func @one_group(%a: !t {spyre.dims = ["A", "B"]}, %x: !cols {spyre.dims = ["A", "B"]}) -> !t {
  %0 = spyre.exp %a tile [0: "A" in 2] : !t
  %1 = spyre.add %0, %x tile [0: "A" in 2] : (!t, !cols) -> !t
  %2 = spyre.neg %1 tile [0: "A" in 2] : !t
  return %2 : !t
}

// Readers of one group share a copy; those of another have one of their own, tiled like them; a reader without hints, too.
// CHECK-LABEL: func.func @groups(
// CHECK: %[[C0:.*]] = spyre.restickify %[[X:.*]] tile [0: "A" in 2]
// CHECK-NEXT: spyre.add %{{.*}}, %[[C0]] tile [0: "A" in 2]
// CHECK-NEXT: spyre.sub %{{.*}}, %[[C0]] tile [0: "A" in 2]
// CHECK-NEXT: %[[C1:.*]] = spyre.restickify %[[X]] tile [1: "B" in 4]
// CHECK-NEXT: spyre.add %{{.*}}, %[[C1]] tile [1: "B" in 4]
// CHECK-NEXT: %[[C2:.*]] = spyre.restickify %[[X]] :
// CHECK-NEXT: spyre.mul %{{.*}}, %[[C2]] :

// TILED-LABEL: func.func @groups(
// TILED: scf.for
// TILED: scf.for
// TILED-NOT: scf.for
func.func @groups(%a: !t {spyre.dims = ["A", "B"]}, %x: !cols {spyre.dims = ["A", "B"]}) -> (!t, !t, !t, !t) {
  %0 = spyre.add %a, %x tile [0: "A" in 2] : (!t, !cols) -> !t
  %1 = spyre.sub %a, %x tile [0: "A" in 2] : (!t, !cols) -> !t
  %2 = spyre.add %a, %x tile [1: "B" in 4] : (!t, !cols) -> !t
  %3 = spyre.mul %a, %x : (!t, !cols) -> !t
  return %0, %1, %2, %3 : !t, !t, !t, !t
}

// A copy that moves out of a loop is not tiled with what is in the loop.
// CHECK-LABEL: func.func @out_of_loop(
// CHECK: spyre.restickify %{{.*}} :
// CHECK-NEXT: scf.for
// CHECK-NEXT: spyre.add {{.*}} tile [0: "A" in 2]

// TILED-LABEL: func.func @out_of_loop(
// TILED: spyre.restickify %{{.*}} : (tensor<512x512xf16
// TILED: scf.for
// TILED: scf.for
// TILED: spyre.add %{{.*}}, %{{.*}} : tensor<256x512xf16
func.func @out_of_loop(%a: !t {spyre.dims = ["A", "B"]}, %x: !cols {spyre.dims = ["A", "B"]}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %0 = spyre.add %a, %x tile [0: "A" in 2] : (!t, !cols) -> !t
  }
  return
}
