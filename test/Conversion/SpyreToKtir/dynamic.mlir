// RUN: spyre-opt %s --convert-spyre-to-ktir --mlir-print-local-scope --split-input-file | FileCheck %s
// RUN: spyre-opt %s --convert-spyre-to-ktir --mlir-print-local-scope -o %t.mlir
// RUN: spyre-translate verify-ktir %t.mlir 2>&1 | FileCheck %s --check-prefix=VERIFY
// VERIFY-NOT: {{error|warning:|remark}}
// VERIFY: 0 not decided, 0 warnings

// The number of rows is an argument after the result. Views have it as a size, and the stride of sticks is a multiple of
// it. The loop over tiles of 16 rows ends at the extent, and the rows of a tile are divided over cores.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<512x256xf16, #stick>
!w = tensor<16x256xf16, #stick>
// CHECK-LABEL: func.func @rows(%arg0: index, %arg1: index, %arg2: index) attributes {argument_bytes = [262144, 262144], extent_names = ["S"], extents = {{\[\[}}2, 64, 512]], grid = [4]}
// CHECK-DAG: %[[TILES:.*]] = arith.divui %arg2, %c16 : index
// CHECK-DAG: %[[STICK:.*]] = arith.muli %arg2, %c64 : index
// CHECK: %[[CORE:.*]] = ktdp.get_compute_tile_id
// CHECK: scf.for %[[I:.*]] = %c0 to %[[TILES]] step %c1 {
// CHECK: %[[FIRST:.*]] = arith.muli %[[CORE]], %c4 : index
// CHECK: %[[TILE:.*]] = arith.muli %[[I]], %c16 : index
// CHECK: %[[ROW:.*]] = arith.addi %[[FIRST]], %[[TILE]] : index
// CHECK: %[[X:.*]] = ktdp.construct_memory_view %arg0, sizes: [4, %arg2, 64], strides: [%[[STICK]], 64, 1]
// CHECK-SAME: affine_set<(d0, d1, d2)[s0] : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + s0 - 1 >= 0, d2 >= 0, -d2 + 63 >= 0)>
// CHECK-SAME: memref<4x?x64xf16>
// CHECK: ktdp.construct_access_tile %[[X]][%c0, %[[ROW]], %c0]
// CHECK: ktdp.load {{.*}} -> tensor<4x4x64xf16>
// CHECK: ktdp.construct_memory_view %arg1, sizes: [4, %arg2, 64], strides: [%[[STICK]], 64, 1]
// CHECK: ktdp.store
func.func @rows(%a: !t {spyre.place = #spyre.place<arg 0>, spyre.dims = ["S", "E"]}) -> !t
    attributes {spyre.dim_sizes = {E = 256, S = #spyre.dynamic<granularity = 64, max = 512>}} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %n = spyre.dim_size "S"
  %init = spyre.empty place arg 1 : !t
  %r = scf.for %i = %c0 to %n step %c16 iter_args(%acc = %init) -> (!t) {
    %x = tensor.extract_slice %a[%i, 0] [16, 256] [1, 1] : !t to !w
    %y = spyre.exp %x split [4, 1] place window : !w
    %z = tensor.insert_slice %y into %acc[%i, 0] [16, 256] [1, 1] : !w into !t
    scf.yield %z : !t
  }
  return %r : !t
}
