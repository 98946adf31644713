// Tensors that have an open size twice, as self-attention has: names say which dimension is cut into tiles.

// RUN: spyre-opt %s --convert-inductor-to-linalg="sizes=s0=64:192" -o %t
// RUN: FileCheck %s --input-file %t
// RUN: spyre-opt %s --convert-inductor-to-linalg="sizes=s0=128" -o %t.fixed
// RUN: spyre-run %t --entry transposed --size s0=128 --random-seed 1 --compare %t.fixed --compare-entry transposed | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t --entry rows_with_rows --size s0=128 --random-seed 1 --compare %t.fixed --compare-entry rows_with_rows | FileCheck %s --check-prefix=SAME
// SAME: result 0: 0 of {{16384|8192}} elements differ

// One bundle for the smallest size, twice the smallest and the largest.
// RUN: spyre-run %t --entry rows_with_rows --size s0=64 --on=card --float=dl16 --largest 0.25 --random-seed 2 --compare %t --compare-entry rows_with_rows --tolerance 1e-3 --stats 2>&1 | FileCheck %s --check-prefix=CARD --implicit-check-not="not for all"
// RUN: spyre-run %t --entry rows_with_rows --size s0=128 --on=card --float=dl16 --largest 0.25 --random-seed 2 --compare %t --compare-entry rows_with_rows --tolerance 1e-3 --stats 2>&1 | FileCheck %s --check-prefix=CARD --implicit-check-not="not for all"
// RUN: spyre-run %t --entry rows_with_rows --size s0=192 --on=card --float=dl16 --largest 0.25 --random-seed 2 --compare %t --compare-entry rows_with_rows --tolerance 1e-3 --stats 2>&1 | FileCheck %s --check-prefix=CARD --implicit-check-not="not for all"
// CARD: device: @rows_with_rows_device_0
// CARD: host: 0 elements
// CARD: result 0: 0 of {{4096|8192|12288}} elements differ

#rows = #inductor.layout<fixed, [64, 1], size = [s0, 64]>
#square = #inductor.layout<fixed, [s0, 1], size = [s0, s0]>
#line = #inductor.layout<fixed, [1], size = [s0]>
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// An argument has a further name for the dimension that it has again.
// CHECK-LABEL: func.func @transposed(
// CHECK-SAME: %arg0: tensor<?x?xf16> {spyre.dims = ["s0", "s0_1"]}
// CHECK-SAME: spyre.dim_sizes = {s0 = #spyre.dynamic<granularity = 64, max = 192>, s0_1 = "s0"}
inductor.graph @transposed symbols [#inductor.sym<"s0", hint = 64>] {
  %x = inductor.input "x" : tensor<?x?xf16, #square>
  %y = inductor.pointwise "op0" as "buf0" [s0, s0] {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at #all(%i, %j) : tensor<?x?xf16, #square> -> f32
    %w = inductor.load %x at affine_map<(d0, d1) -> (d1, d0)>(%i, %j) : tensor<?x?xf16, #square> -> f32
    %d = arith.subf %v, %w : f32
    inductor.store %d at #all(%i, %j) : f32
  } : tensor<?x?xf16, #square>
  inductor.return %y outputs [#inductor.operand<0>] : tensor<?x?xf16, #square>
}

// Tiles of both are left to --spyre-assign-dim-hints.
// CHECK-LABEL: func.func @rows_with_rows(
// CHECK-NOT: spyre.tile
inductor.graph @rows_with_rows symbols [#inductor.sym<"s0", hint = 10, min = 2>] {
  %x = inductor.input "x" : tensor<?x64xf16, #rows>
  %mask = inductor.input "mask" : tensor<?x?xf16, #square>
  %k = inductor.pointwise "op0" as "buf0" [64, s0] {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at affine_map<(d0, d1) -> (d1, d0)>(%i, %j) : tensor<?x64xf16, #rows> -> f32
    inductor.store %v at #all(%i, %j) : f32
  } : tensor<64x?xf16, #inductor.layout<fixed, [s0, 1], size = [64, s0]>>
  %s = inductor.extern "op1" as "buf1" "ExternKernelOut" "aten.mm.out"(%x, %k) {kernel = "extern_kernels.mm"} : (tensor<?x64xf16, #rows>, tensor<64x?xf16, #inductor.layout<fixed, [s0, 1], size = [64, s0]>>) -> tensor<?x?xf16, #square>
  %m = inductor.reduction "op2" as "buf2" max [s0] over [s0] from f32 {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %s at #all(%i, %j) : tensor<?x?xf16, #square> -> f32
    %b = inductor.load %mask at #all(%i, %j) : tensor<?x?xf16, #square> -> f32
    %a = arith.addf %v, %b : f32
    inductor.store %a at #row(%i, %j) : f32
  } : tensor<?xf16, #line>
  %e = inductor.pointwise "op3" as "buf3" [s0, s0] {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %s at #all(%i, %j) : tensor<?x?xf16, #square> -> f32
    %b = inductor.load %mask at #all(%i, %j) : tensor<?x?xf16, #square> -> f32
    %a = arith.addf %v, %b : f32
    %n = inductor.load %m at #row(%i, %j) : tensor<?xf16, #line> -> f32
    %d = arith.subf %a, %n : f32
    %p = math.exp %d : f32
    inductor.store %p at #all(%i, %j) : f32
  } : tensor<?x?xf16, #square>
  %y = inductor.extern "op4" as "buf4" "ExternKernelOut" "aten.mm.out"(%e, %x) {kernel = "extern_kernels.mm"} : (tensor<?x?xf16, #square>, tensor<?x64xf16, #rows>) -> tensor<?x64xf16, #rows>
  inductor.return %y outputs [#inductor.operand<0>] : tensor<?x64xf16, #rows>
}

// A hint along another dimension is declared beside the names of both.
// CHECK-LABEL: func.func @hinted(
// CHECK-SAME: spyre.dim_sizes = {columns = 64 : i64, s0 = #spyre.dynamic<granularity = 64, max = 192>, s0_1 = "s0"}
inductor.graph @hinted symbols [#inductor.sym<"s0", hint = 64>] {
  %x = inductor.input "x" : tensor<?x64xf16, #rows>
  %mask = inductor.input "mask" : tensor<?x?xf16, #square>
  %y = inductor.pointwise "op0" as "buf0" [s0, 64] {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at #all(%i, %j) : tensor<?x64xf16, #rows> -> f32
    %w = inductor.load %mask at affine_map<(d0, d1) -> (d0, d0)>(%i, %j) : tensor<?x?xf16, #square> -> f32
    %d = arith.subf %v, %w : f32
    inductor.store %d at #all(%i, %j) : f32
  } {hints = [{dims = {columns = 32}, positions = {columns = 1}, shape = ["s0", 64]}]} : tensor<?x64xf16, #rows>
  inductor.return %y outputs [#inductor.operand<0>] : tensor<?x64xf16, #rows>
}
