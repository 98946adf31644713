// A number of rows that is an argument.
func.func @twice(%x: index, %y: index, %rows: index) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %core = ktdp.get_compute_tile_id : index
  %tiles = arith.divui %rows, %c16 : index
  %stride = arith.muli %rows, %c64 : index
  %xs = ktdp.construct_memory_view %x, sizes: [2, %rows, 64], strides: [%stride, 64, 1] {
      coordinate_set = affine_set<(d0, d1, d2)[s0] : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + s0 - 1 >= 0, d2 >= 0, -d2 + 63 >= 0)>,
      memory_space = #ktdp.memory_space<global>} : memref<2x?x64xf16>
  %ys = ktdp.construct_memory_view %y, sizes: [2, %rows, 64], strides: [%stride, 64, 1] {
      coordinate_set = affine_set<(d0, d1, d2)[s0] : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + s0 - 1 >= 0, d2 >= 0, -d2 + 63 >= 0)>,
      memory_space = #ktdp.memory_space<global>} : memref<2x?x64xf16>
  scf.for %i = %core to %tiles step %c2 {
    %row = arith.muli %i, %c16 : index
    %x_tile = ktdp.construct_access_tile %xs[%c0, %row, %c0] {
        access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 15 >= 0, d2 >= 0, -d2 + 63 >= 0)>,
        access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>}
        : memref<2x?x64xf16> -> !ktdp.access_tile<2x16x64xindex>
    %v = ktdp.load %x_tile : !ktdp.access_tile<2x16x64xindex> -> tensor<2x16x64xf16>
    %d = arith.addf %v, %v : tensor<2x16x64xf16>
    %y_tile = ktdp.construct_access_tile %ys[%c0, %row, %c0] {
        access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 15 >= 0, d2 >= 0, -d2 + 63 >= 0)>,
        access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>}
        : memref<2x?x64xf16> -> !ktdp.access_tile<2x16x64xindex>
    ktdp.store %d, %y_tile : tensor<2x16x64xf16>, !ktdp.access_tile<2x16x64xindex>
  }
  return
}
