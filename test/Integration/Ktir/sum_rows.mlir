// Sums along the stick to a dense vector, two sticks of 64. The numbers are NumPy's for the same input.

// RUN: spyre-run %s --random-seed 1 --integers 2 --core-order both | FileCheck %s
// CHECK: result 0: tensor<2x64xf16> [-35.0, 10.0, -16.0, -14.0, 9.0, 12.0, 1.0, 5.0, 34.0, -26.0, -52.0, -24.0, -2.0, 28.0, -37.0, 9.0, ...]

module {
  func.func @k(%x: index, %y: index) attributes {grid = [2]} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f16
    %id = ktdp.get_compute_tile_id : index
    %r = arith.muli %id, %c64 : index
    %xv = ktdp.construct_memory_view %x, sizes: [4, 128, 64], strides: [8192, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 127 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<4x128x64xf16>
    %yv = ktdp.construct_memory_view %y, sizes: [2, 64], strides: [64, 1] {coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<2x64xf16>
    %xt_t = ktdp.construct_access_tile %xv[%c0, %r, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 63 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<4x128x64xf16> -> !ktdp.access_tile<4x64x64xindex>
    %xt = ktdp.load %xt_t : !ktdp.access_tile<4x64x64xindex> -> tensor<4x64x64xf16>
    %s_i = tensor.splat %zero : tensor<64xf16>
    %s = linalg.reduce { arith.addf } ins(%xt : tensor<4x64x64xf16>) outs(%s_i : tensor<64xf16>) dimensions = [0, 2]
    %s2 = tensor.expand_shape %s [[0, 1]] output_shape [1, 64] : tensor<64xf16> into tensor<1x64xf16>
    %o_t = ktdp.construct_access_tile %yv[%id, %c0] {access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<2x64xf16> -> !ktdp.access_tile<1x64xindex>
    ktdp.store %s2, %o_t : tensor<1x64xf16>, !ktdp.access_tile<1x64xindex>
    return
  }
}
