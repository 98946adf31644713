// Symbolic sizes that are left open: a graph is converted once, and one bundle serves every size.

// RUN: spyre-opt %s --convert-inductor-to-linalg="sizes=s0=32:96,s1=64:256" -o %t
// RUN: FileCheck %s --input-file %t
// RUN: spyre-opt %t --spyre-import-linalg -o %t.spyre
// RUN: spyre-opt %s --convert-inductor-to-linalg="sizes=s0=64,s1=128" -o %t.fixed

// Sizes of both kinds, by the option and by the range of PyTorch, are those of a graph that has numbers for them.
// RUN: spyre-run %t --entry norm --size s0=64 --random-seed 1 --compare %t.fixed --compare-entry norm | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t.spyre --entry norm --size s0=64 --random-seed 1 --compare %t.fixed --compare-entry norm --tolerance 1e-5 | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t --entry rows --size s0=64 --size s1=128 --size s2=32 --random-seed 2 --compare %t --compare-entry rows | FileCheck %s --check-prefix=SAME
// SAME: result 0: 0 of {{[0-9]+}} elements differ

// The smallest, twice the smallest and the largest size on the card.
// RUN: spyre-run %t.spyre --entry norm --size s0=32 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %t.spyre --entry norm --size s0=64 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %t.spyre --entry norm --size s0=96 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %t --entry norm --size s0=96 --on card --random-seed 3 --compare %t --compare-entry norm --tolerance 1e-5 --stats 2>&1 | FileCheck %s --check-prefix=WHOLE
// CARD: a bundle, same results on the simulated card
// WHOLE: 100.0 % of the work is the device's
// WHOLE: result 0: 0 of 12288 elements differ

#rows = #inductor.layout<fixed, [128, 1], size = [s0, 128]>
#one = #inductor.layout<flexible, [1, s0], size = [s0, 1]>
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0, 0)>

// CHECK-LABEL: func.func @norm(
// CHECK-SAME:    tensor<?x128xf32> {spyre.dims = ["s0", "_untracked_128"]}) -> tensor<?x128xf32>
// CHECK-SAME:    spyre.dim_sizes = {columns = 128 : i64, s0 = #spyre.dynamic<granularity = 32, max = 96>}
// CHECK:         %[[S:.*]] = tensor.dim %arg0
// CHECK:         tensor.empty(%[[S]]) : tensor<?xf32>
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} {{.*}} attrs = {spyre.dims = ["s0"], spyre.tile = [#spyre.tile_hint<0 : "s0" by 32>]}
// CHECK:         tensor.expand_shape {{.*}} output_shape [%[[S]], 1]
// A hint of the program is inside of the loop over the size.
// CHECK:         linalg.generic {{.*}} attrs = {spyre.dims = ["s0", "columns"], spyre.tile = [#spyre.tile_hint<0 : "s0" by 32>, #spyre.tile_hint<1 : "columns" by 64>]}
inductor.graph @norm symbols [#inductor.sym<"s0", hint = 8, min = 2>] {
  %n = inductor.input "n" size [s0] : index
  %x = inductor.input "x" : tensor<?x128xf32, #rows>
  %m = inductor.reduction "op0" as "buf0" max [s0, 1] over [128] from f32 {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at #all(%i, %j) : tensor<?x128xf32, #rows> -> f32
    inductor.store %v at #row(%i, %j) : f32
  } : tensor<?x1xf32, #one>
  %y = inductor.pointwise "op1" as "buf1" [s0, 128] {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at #all(%i, %j) : tensor<?x128xf32, #rows> -> f32
    %w = inductor.load %m at #row(%i, %j) : tensor<?x1xf32, #one> -> f32
    %d = arith.subf %v, %w : f32
    inductor.store %d at #all(%i, %j) : f32
  } {hints = [{dims = {columns = 64}, positions = {columns = 1}, shape = [8, 128]}]} : tensor<?x128xf32, #rows>
  inductor.return %y outputs [#inductor.operand<0>] : tensor<?x128xf32, #rows>
}

#cube = #inductor.layout<fixed, [s1 * s2, s2, 1], size = [s0, s1, s2]>
#flat = #inductor.layout<flexible, [s1, 1], size = [s0, s1]>

// The range of a symbol, that of mark_dynamic, leaves it open as well.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    tensor<?x?x?xf32> {spyre.dims = ["s0", "s1", "s2"]}
// CHECK-SAME:    spyre.dim_sizes = {s0 = #spyre.dynamic<granularity = 32, max = 96>, s1 = #spyre.dynamic<granularity = 64, max = 256>, s2 = #spyre.dynamic<granularity = 32, max = 96>}
// CHECK:         linalg.generic {{.*}} spyre.tile = [#spyre.tile_hint<0 : "s0" by 32>, #spyre.tile_hint<1 : "s1" by 64>, #spyre.tile_hint<2 : "s2" by 32>]
inductor.graph @rows symbols [#inductor.sym<"s0", hint = 8>, #inductor.sym<"s1", hint = 64>, #inductor.sym<"s2", hint = 64, min = 32, max = 96>] {
  %x = inductor.input "x" : tensor<?x?x?xf32, #cube>
  %s = inductor.reduction "op0" as "buf0" sum [s0, s1] over [s2] from f32 {
  ^bb0(%i: index, %j: index, %k: index):
    %v = inductor.load %x at affine_map<(d0, d1, d2) -> (d0, d1, d2)>(%i, %j, %k) : tensor<?x?x?xf32, #cube> -> f32
    inductor.store %v at affine_map<(d0, d1, d2) -> (d0, d1)>(%i, %j, %k) : f32
  } : tensor<?x?xf32, #flat>
  inductor.return %s outputs [#inductor.operand<0>] : tensor<?x?xf32, #flat>
}

// Two dimensions of one extent beside a size: they have no names, and one placeholder.
// CHECK-LABEL: func.func @square(
// CHECK-SAME:    %arg0: tensor<?x64x64xf32> {spyre.dims = ["s0", "_untracked_64", "_untracked_64"]}
#squares = #inductor.layout<fixed, [4096, 64, 1], size = [s0, 64, 64]>
inductor.graph @square symbols [#inductor.sym<"s0", hint = 10, min = 2>] {
  %x = inductor.input "x" : tensor<?x64x64xf32, #squares>
  %z = inductor.pointwise "op0" as "buf0" [s0, 64, 64] {
  ^bb0(%i: index, %j: index, %k: index):
    %a = inductor.load %x at affine_map<(d0, d1, d2) -> (d0, d1, d2)>(%i, %j, %k) : tensor<?x64x64xf32, #squares> -> f32
    %s = arith.negf %a : f32
    inductor.store %s at affine_map<(d0, d1, d2) -> (d0, d1, d2)>(%i, %j, %k) : f32
  } : tensor<?x64x64xf32, #squares>
  inductor.return %z outputs [#inductor.operand<0>] : tensor<?x64x64xf32, #squares>
}
