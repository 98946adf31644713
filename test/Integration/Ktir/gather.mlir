// Two cores choose rows of a table by indices, through an indirect access tile.

// RUN: split-file %s %t
// RUN: spyre-run %t/program.mlir --ktir %t/kernel.mlir --core-order both --compare %t/program.mlir --random-seed 1 | FileCheck %s
// CHECK: result 0: 0 of 4096 elements differ

//--- program.mlir
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#ints = #spyre.layout<(d0) -> (d0 floordiv 32, d0 mod 32)>
func.func @f(%t: tensor<96x128xf16, #stick>, %i: tensor<32xi32, #ints>) -> tensor<32x128xf16, #stick> {
  %0 = spyre.gather %i, %t dim 0 : (tensor<32xi32, #ints>, tensor<96x128xf16, #stick>) -> tensor<32x128xf16, #stick>
  return %0 : tensor<32x128xf16, #stick>
}

//--- kernel.mlir
module {
  func.func @k(%t: index, %i: index, %y: index) attributes {grid = [2]} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %id = ktdp.get_compute_tile_id : index
    %r = arith.muli %id, %c16 : index
    %tv = ktdp.construct_memory_view %t, sizes: [2, 96, 64], strides: [6144, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 95 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<2x96x64xf16>
    %iv = ktdp.construct_memory_view %i, sizes: [32], strides: [1] {coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 31 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<32xi32>
    %yv = ktdp.construct_memory_view %y, sizes: [2, 32, 64], strides: [2048, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 31 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<2x32x64xf16>
    %tt = ktdp.construct_indirect_access_tile intermediate_variables(%m0, %m1, %m2) %tv[(%m0), ind(%iv[%r + %m1]), (%m2)] {variables_space_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 15 >= 0, d2 >= 0, -d2 + 63 >= 0)>, variables_space_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<2x96x64xf16>, memref<32xi32> -> !ktdp.access_tile<2x16x64xindex>
    %tl = ktdp.load %tt : !ktdp.access_tile<2x16x64xindex> -> tensor<2x16x64xf16>
    %o_t = ktdp.construct_access_tile %yv[%c0, %r, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 15 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<2x32x64xf16> -> !ktdp.access_tile<2x16x64xindex>
    ktdp.store %tl, %o_t : tensor<2x16x64xf16>, !ktdp.access_tile<2x16x64xindex>
    return
  }
}
