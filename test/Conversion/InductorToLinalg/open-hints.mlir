// Hints along a size that is left open: the loop over it has tiles of its granularity, and a hint cuts those again.

// RUN: spyre-opt %s --convert-inductor-to-linalg="sizes=s0=16:64" -o %t
// RUN: FileCheck %s --input-file %t
// RUN: spyre-opt %s --convert-inductor-to-linalg="sizes=s0=16:64" --remarks-filter=convert-inductor-to-linalg --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: spyre-opt %s --convert-inductor-to-linalg="sizes=s0=32" | FileCheck %s --check-prefix=FIXED
// RUN: spyre-opt %t --spyre-import-linalg -o %t.spyre
// RUN: spyre-run %t.spyre --entry divides --size s0=16 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %t.spyre --entry divides --size s0=64 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// CARD: a bundle, same results on the simulated card

#rows = #inductor.layout<fixed, [128, 1], size = [s0, 128]>
#all = affine_map<(d0, d1) -> (d0, d1)>
!t = tensor<?x128xf32, #rows>

// The size that the graph was traced with stands for the symbol.
// CHECK-LABEL: func.func @divides(
// CHECK: linalg.generic {{.*}} attrs = {spyre.dims = ["s0", "_untracked_128"], spyre.tile = [#spyre.tile_hint<0 : "s0" by 16>, #spyre.tile_hint<1 : "s0" by 4>]}
// FIXED-LABEL: func.func @divides(
// FIXED: linalg.generic {{.*}} attrs = {spyre.dims = ["rows", "_untracked_128"], spyre.tile = [#spyre.tile_hint<0 : "rows" by 4>]}
inductor.graph @divides symbols [#inductor.sym<"s0", hint = 32, min = 2>] {
  %x = inductor.input "x" : !t
  %y = inductor.pointwise "op0" as "buf0" [s0, 128] {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at #all(%i, %j) : !t -> f32
    %d = arith.negf %v : f32
    inductor.store %d at #all(%i, %j) : f32
  } {hints = [{dims = {rows = 4}, positions = {rows = 0}, shape = [32, 128]}]} : !t
  inductor.return %y outputs [#inductor.operand<0>] : !t
}

// So does its name.
// CHECK-LABEL: func.func @named(
// CHECK: linalg.generic {{.*}} spyre.tile = [#spyre.tile_hint<0 : "s0" by 16>, #spyre.tile_hint<1 : "s0" by 8>]
inductor.graph @named symbols [#inductor.sym<"s0", hint = 32, min = 2>] {
  %x = inductor.input "x" : !t
  %y = inductor.pointwise "op0" as "buf0" [s0, 128] {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at #all(%i, %j) : !t -> f32
    %d = arith.negf %v : f32
    inductor.store %d at #all(%i, %j) : f32
  } {hints = [{dims = {rows = 8}, positions = {rows = 0}, shape = ["s0", 128]}]} : !t
  inductor.return %y outputs [#inductor.operand<0>] : !t
}

// REMARK: Dimension=rows, Reason="'s0' is open, and the loop over it has tiles of 16 elements, which it asks for"
// CHECK-LABEL: func.func @same(
// CHECK: linalg.generic {{.*}} spyre.tile = [#spyre.tile_hint<0 : "s0" by 16>]}
inductor.graph @same symbols [#inductor.sym<"s0", hint = 32, min = 2>] {
  %x = inductor.input "x" : !t
  %y = inductor.pointwise "op0" as "buf0" [s0, 128] {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at #all(%i, %j) : !t -> f32
    %d = arith.negf %v : f32
    inductor.store %d at #all(%i, %j) : f32
  } {hints = [{dims = {rows = 16}, positions = {rows = 0}, shape = [32, 128]}]} : !t
  inductor.return %y outputs [#inductor.operand<0>] : !t
}

// REMARK: Dimension=rows, Reason="'s0' is open, in tiles of 16 elements, which 5 elements do not divide"
// REMARK: Dimension=rows, Reason="the result of the operation has another extent there"
// CHECK-LABEL: func.func @uneven(
// CHECK: linalg.generic {{.*}} spyre.tile = [#spyre.tile_hint<0 : "s0" by 16>]}
inductor.graph @uneven symbols [#inductor.sym<"s0", hint = 32, min = 2>] {
  %x = inductor.input "x" : !t
  %y = inductor.pointwise "op0" as "buf0" [s0, 128] {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at #all(%i, %j) : !t -> f32
    %d = arith.negf %v : f32
    inductor.store %d at #all(%i, %j) : f32
  } {hints = [{dims = {rows = 5}, positions = {rows = 0}, shape = [32, 128]}, {dims = {rows = 4}, positions = {rows = 0}, shape = [33, 128]}]} : !t
  inductor.return %y outputs [#inductor.operand<0>] : !t
}
