// The spread of each row, max - min over columns: two reductions, each with an init of its own.
func.func @spread(%x: index, %y: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %low = arith.constant 0xFC00 : f16
  %high = arith.constant 0x7C00 : f16
  %core = ktdp.get_compute_tile_id : index
  %row = arith.muli %core, %c16 : index
  %xs = ktdp.construct_memory_view %x, sizes: [4, 64, 64], strides: [4096, 64, 1] {
      coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 63 >= 0, d2 >= 0, -d2 + 63 >= 0)>,
      memory_space = #ktdp.memory_space<global>} : memref<4x64x64xf16>
  %ys = ktdp.construct_memory_view %y, sizes: [64], strides: [1] {
      coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>,
      memory_space = #ktdp.memory_space<global>} : memref<64xf16>
  %x_tile = ktdp.construct_access_tile %xs[%c0, %row, %c0] {
      access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 15 >= 0, d2 >= 0, -d2 + 63 >= 0)>,
      access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>}
      : memref<4x64x64xf16> -> !ktdp.access_tile<4x16x64xindex>
  %rows = ktdp.load %x_tile : !ktdp.access_tile<4x16x64xindex> -> tensor<4x16x64xf16>
  %init = tensor.splat %low : tensor<16xf16>
  %max = linalg.reduce { arith.maximumf } ins(%rows : tensor<4x16x64xf16>) outs(%init : tensor<16xf16>) dimensions = [0, 2]
  %other = tensor.splat %high : tensor<16xf16>
  %min = linalg.reduce { arith.minimumf } ins(%rows : tensor<4x16x64xf16>) outs(%other : tensor<16xf16>) dimensions = [0, 2]
  %spread = arith.subf %max, %min : tensor<16xf16>
  %y_tile = ktdp.construct_access_tile %ys[%row] {
      access_tile_set = affine_set<(d0) : (d0 >= 0, -d0 + 15 >= 0)>,
      access_tile_order = affine_map<(d0) -> (d0)>}
      : memref<64xf16> -> !ktdp.access_tile<16xindex>
  ktdp.store %spread, %y_tile : tensor<16xf16>, !ktdp.access_tile<16xindex>
  return
}
