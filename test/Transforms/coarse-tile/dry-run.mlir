// RUN: spyre-opt %s --coarse-tile=dry-run 2>&1 >/dev/null | FileCheck %s --match-full-lines --strict-whitespace
// RUN: spyre-opt %s --coarse-tile="dry-run groups=@untiled:0:4@1" 2>&1 >/dev/null | FileCheck %s --check-prefix=EXPLICIT

// The program comes out as it went in.
// RUN: spyre-opt %s -o %t.before.mlir
// RUN: spyre-opt %s --coarse-tile=dry-run 2>/dev/null | diff %t.before.mlir -

!t = tensor<256x512xf16>
!v = tensor<512xf16>

//      CHECK:{{.*}}dry-run.mlir:[[#@LINE+16]]:1: remark: coarse-tile: the plan
// CHECK-NEXT:group 0: 3 operations in a row with hint scopes 0, 1
// CHECK-NEXT:  loop 0: dimension "A" in 2 tiles
// CHECK-NEXT:  loop 1: dimension "B" in 4 tiles
// CHECK-NEXT:  operation  tensor     from        tile     whole    place
// CHECK-NEXT:  spyre.exp  operand 0  argument 1  128      512      window of the full tensor
// CHECK-NEXT:             result                 128      512      tile, inside the loops only
// CHECK-NEXT:  spyre.add  operand 0  argument 0  128x128  256x512  window of the full tensor
// CHECK-NEXT:             operand 1  spyre.exp   128      512      tile, from spyre.exp
// CHECK-NEXT:             result                 128x128  256x512  tile, and inserted into the full tensor
// CHECK-NEXT:  spyre.abs  operand 0  spyre.add   128x128  256x512  tile, from spyre.add
// CHECK-NEXT:             result                 128x128  256x512  inserted into the full tensor
// CHECK-NEXT:  spyre.neg                                           after the loops: needs a value of the group
// CHECK-NEXT:group 1: 1 operation with hint scope 2
// CHECK-NEXT:  operation  tensor  from  tile  whole  place
// CHECK-NEXT:  spyre.exp                             as it is: one tile is no loop
func.func @f(%a: !t {spyre.dims = ["A", "B"]}, %v: !v {spyre.dims = ["B"]}) -> (!t, !t, !t) {
  %e = spyre.exp %v tile [0: "A" in 2, 1: "B" in 4] : !v
  %y = spyre.add %a, %e tile [0: "A" in 2, 1: "B" in 4] : (!t, !v) -> !t
  %n = spyre.neg %y : !t
  %z = spyre.abs %y tile [0: "A" in 2, 1: "B" in 4] : !t
  %x = spyre.exp %z tile [2: "A" in 1] : !t
  return %z, %n, %x : !t, !t, !t
}

//      CHECK:{{.*}}dry-run.mlir:[[#@LINE+6]]:1: remark: coarse-tile: the plan
// CHECK-NEXT:nothing to tile
// EXPLICIT:      dry-run.mlir:[[#@LINE-11]]:1: remark: coarse-tile: the plan
// EXPLICIT-NEXT: nothing to tile
// EXPLICIT:      dry-run.mlir:[[#@LINE+2]]:1: remark: coarse-tile: the plan
// EXPLICIT-NEXT: group 0: operations 0 to 0 by request
func.func @untiled(%a: !t) -> !t {
  %y = spyre.exp %a : !t
  return %y : !t
}

// Levels whose tiles are all of a dimension are no loops.
//      CHECK:{{.*}}dry-run.mlir:[[#@LINE+7]]:1: remark: coarse-tile: the plan
// CHECK-NEXT:group 0: 2 operations in a row with hint scopes 0, 1
// CHECK-NEXT:  loop 0: dimension "A" in 3 tiles
// CHECK-NEXT:  operation  tensor     from        tile  whole  place
// CHECK-NEXT:  spyre.exp                                      as it is: one tile is no loop
// CHECK-NEXT:  spyre.neg  operand 0  argument 1  2x64  5x64   window of the full tensor
// CHECK-NEXT:             result                 2x64  5x64   inserted into the full tensor
func.func @one_tile(%v: tensor<64xf16> {spyre.dims = ["B"]}, %a: tensor<5x64xf16> {spyre.dims = ["A", "B"]}) -> (tensor<64xf16>, tensor<5x64xf16>) {
  %y = spyre.exp %v tile [0: "A" in 4, 1: "B" by 20] : tensor<64xf16>
  %z = spyre.neg %a tile [0: "A" in 4, 1: "B" by 20] : tensor<5x64xf16>
  return %y, %z : tensor<64xf16>, tensor<5x64xf16>
}
