// The difference of two tensors: a core has two sticks of each row, and loads 32 rows at a time.
func.func @difference(%a: index, %b: index, %y: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  %core = ktdp.get_compute_tile_id : index
  %stick = arith.muli %core, %c2 : index
  %as = ktdp.construct_memory_view %a, sizes: [8, 96, 64], strides: [6144, 64, 1] {
      coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 95 >= 0, d2 >= 0, -d2 + 63 >= 0)>,
      memory_space = #ktdp.memory_space<global>} : memref<8x96x64xf16>
  %bs = ktdp.construct_memory_view %b, sizes: [8, 96, 64], strides: [6144, 64, 1] {
      coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 95 >= 0, d2 >= 0, -d2 + 63 >= 0)>,
      memory_space = #ktdp.memory_space<global>} : memref<8x96x64xf16>
  %ys = ktdp.construct_memory_view %y, sizes: [8, 96, 64], strides: [6144, 64, 1] {
      coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 95 >= 0, d2 >= 0, -d2 + 63 >= 0)>,
      memory_space = #ktdp.memory_space<global>} : memref<8x96x64xf16>
  scf.for %i = %c0 to %c3 step %c1 {
    %row = arith.muli %i, %c32 : index
    %a_tile = ktdp.construct_access_tile %as[%stick, %row, %c0] {
        access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 31 >= 0, d2 >= 0, -d2 + 63 >= 0)>,
        access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>}
        : memref<8x96x64xf16> -> !ktdp.access_tile<2x32x64xindex>
    %a_rows = ktdp.load %a_tile : !ktdp.access_tile<2x32x64xindex> -> tensor<2x32x64xf16>
    %b_tile = ktdp.construct_access_tile %bs[%stick, %row, %c0] {
        access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 31 >= 0, d2 >= 0, -d2 + 63 >= 0)>,
        access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>}
        : memref<8x96x64xf16> -> !ktdp.access_tile<2x32x64xindex>
    %b_rows = ktdp.load %b_tile : !ktdp.access_tile<2x32x64xindex> -> tensor<2x32x64xf16>
    %d = arith.subf %a_rows, %b_rows : tensor<2x32x64xf16>
    %y_tile = ktdp.construct_access_tile %ys[%stick, %row, %c0] {
        access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 31 >= 0, d2 >= 0, -d2 + 63 >= 0)>,
        access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>}
        : memref<8x96x64xf16> -> !ktdp.access_tile<2x32x64xindex>
    ktdp.store %d, %y_tile : tensor<2x32x64xf16>, !ktdp.access_tile<2x32x64xindex>
  }
  return
}
