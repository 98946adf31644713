// Sums along the stick to one element of each stick: a view with strides.

// RUN: split-file %s %t
// RUN: spyre-run %t/program.mlir --ktir %t/kernel.mlir --core-order both --compare %t/program.mlir --random-seed 1 --integers=2 | FileCheck %s
// CHECK: result 0: 0 of 128 elements differ

//--- program.mlir
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
func.func @f(%x: tensor<128x256xf16, #stick>) -> tensor<128x1xf16, #stick> {
  %0 = spyre.sum %x dims [1] keepdim : (tensor<128x256xf16, #stick>) -> tensor<128x1xf16, #stick>
  return %0 : tensor<128x1xf16, #stick>
}

//--- kernel.mlir
module {
  func.func @k(%x: index, %y: index) attributes {grid = [2]} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f16
    %id = ktdp.get_compute_tile_id : index
    %r = arith.muli %id, %c64 : index
    %xv = ktdp.construct_memory_view %x, sizes: [4, 128, 64], strides: [8192, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 127 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<4x128x64xf16>
    %yv = ktdp.construct_memory_view %y, sizes: [128, 1], strides: [64, 1] {coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 0 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<128x1xf16>
    %xt_t = ktdp.construct_access_tile %xv[%c0, %r, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 63 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<4x128x64xf16> -> !ktdp.access_tile<4x64x64xindex>
    %xt = ktdp.load %xt_t : !ktdp.access_tile<4x64x64xindex> -> tensor<4x64x64xf16>
    %s_i = tensor.splat %zero : tensor<64xf16>
    %s = linalg.reduce { arith.addf } ins(%xt : tensor<4x64x64xf16>) outs(%s_i : tensor<64xf16>) dimensions = [0, 2]
    %s2 = tensor.expand_shape %s [[0, 1]] output_shape [64, 1] : tensor<64xf16> into tensor<64x1xf16>
    %o_t = ktdp.construct_access_tile %yv[%r, %c0] {access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 0 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<128x1xf16> -> !ktdp.access_tile<64x1xindex>
    ktdp.store %s2, %o_t : tensor<64x1xf16>, !ktdp.access_tile<64x1xindex>
    return
  }
}
