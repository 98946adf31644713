// RUN: spyre-opt %s --convert-spyre-to-ktir --mlir-print-local-scope --split-input-file | FileCheck %s

// A product reads rows that other cores have written to the pool, so it is another launch. `%x` is in scratchpads after
// the exchange alone, and the launch begins before it.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<256x256xf16, #stick>
// CHECK-LABEL: func.func @exchange_0(%arg0: index, %arg1: index, %arg2: index, %arg3: index)
// CHECK-SAME: grid = [4], launch = 0 : i64, pool_bytes = 131072 : i64, pool_types = [f16], program = "exchange"
// CHECK: math.exp
// CHECK: ktdp.construct_memory_view %arg3
// CHECK: ktdp.store
// CHECK-NOT: linalg.generic
// CHECK: return
// CHECK-LABEL: func.func @exchange_1(%arg0: index, %arg1: index, %arg2: index, %arg3: index)
// CHECK-SAME: launch = 1 : i64
// CHECK: arith.negf
// CHECK: ktdp.construct_memory_view %arg3
// CHECK: linalg.matmul
func.func @exchange(%a: !t {spyre.place = #spyre.place<arg 0>}, %b: !t {spyre.place = #spyre.place<arg 1>}) -> !t {
  %y = spyre.exp %a split [4, 1] place pool 0 : !t
  %x = spyre.neg %b split [4, 1] place lx 0 : !t
  %z = spyre.batchmatmul %x, %y split [4, 1, 1] place arg 2 : (!t, !t) -> !t
  return %z : !t
}

// -----

// The same rows of each core: one launch.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<256x256xf16, #stick>
// CHECK-LABEL: func.func @same_rows(
// CHECK-NOT: func.func
func.func @same_rows(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  %y = spyre.exp %a split [4, 1] place pool 0 : !t
  %z = spyre.neg %y split [4, 1] place arg 1 : !t
  return %z : !t
}

// -----

// An operation of one core is under a branch, and the other cores neither load nor store.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<256x256xf16, #stick>
// CHECK-LABEL: func.func @one_core_0(
// CHECK: %[[CORE:.*]] = ktdp.get_compute_tile_id
// CHECK: %[[HAS_WORK:.*]] = arith.cmpi ult, %[[CORE]], %c1 : index
// CHECK-NOT: ktdp.load
// CHECK: scf.if %[[HAS_WORK]] {
// CHECK: ktdp.load
// CHECK: math.exp
// CHECK: ktdp.store
// CHECK-NEXT: }
// CHECK-LABEL: func.func @one_core_1(
func.func @one_core(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  %y = spyre.exp %a split [1, 1] place pool 0 : !t
  %z = spyre.neg %y split [4, 1] place arg 1 : !t
  return %z : !t
}
