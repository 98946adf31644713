// Rows that are stored again: the same rows in each iteration, and other rows in the middle of them.
func.func @again(%x: index, %y: index) attributes {argument_bytes = [8192, 8192], grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %core = ktdp.get_compute_tile_id : index
  %row = arith.muli %core, %c32 : index
  %middle = arith.addi %row, %c8 : index
  %xs = ktdp.construct_memory_view %x, sizes: [64, 64], strides: [64, 1] {
      coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
      memory_space = #ktdp.memory_space<global>} : memref<64x64xf16>
  %ys = ktdp.construct_memory_view %y, sizes: [64, 64], strides: [64, 1] {
      coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
      memory_space = #ktdp.memory_space<global>} : memref<64x64xf16>
  scf.for %i = %c0 to %c2 step %c1 {
    %at = arith.muli %i, %c32 : index
    %x_tile = ktdp.construct_access_tile %xs[%row, %c0] {
        access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
        access_tile_order = affine_map<(d0, d1) -> (d0, d1)>}
        : memref<64x64xf16> -> !ktdp.access_tile<32x64xindex>
    %a = ktdp.load %x_tile : !ktdp.access_tile<32x64xindex> -> tensor<32x64xf16>
    %y_tile = ktdp.construct_access_tile %ys[%row, %c0] {
        access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
        access_tile_order = affine_map<(d0, d1) -> (d0, d1)>}
        : memref<64x64xf16> -> !ktdp.access_tile<32x64xindex>
    ktdp.store %a, %y_tile : tensor<32x64xf16>, !ktdp.access_tile<32x64xindex>
  }
  %x_part = ktdp.construct_access_tile %xs[%row, %c0] {
      access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
      access_tile_order = affine_map<(d0, d1) -> (d0, d1)>}
      : memref<64x64xf16> -> !ktdp.access_tile<16x64xindex>
  %b = ktdp.load %x_part : !ktdp.access_tile<16x64xindex> -> tensor<16x64xf16>
  %y_part = ktdp.construct_access_tile %ys[%middle, %c0] {
      access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
      access_tile_order = affine_map<(d0, d1) -> (d0, d1)>}
      : memref<64x64xf16> -> !ktdp.access_tile<16x64xindex>
  ktdp.store %b, %y_part : tensor<16x64xf16>, !ktdp.access_tile<16x64xindex>
  return
}
