// Two cores store rows and use them again. The others load the same rows, and do nothing with them.
func.func @idle(%x: index, %m: index, %y: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %core = ktdp.get_compute_tile_id : index
  %digit = arith.remui %core, %c2 : index
  %row = arith.muli %digit, %c32 : index
  %works = arith.cmpi ult, %core, %c2 : index
  %uses = arith.cmpi ult, %core, %c2 : index
  %xs = ktdp.construct_memory_view %x, sizes: [64, 64], strides: [64, 1] {
      coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
      memory_space = #ktdp.memory_space<global>} : memref<64x64xf16>
  %ms = ktdp.construct_memory_view %m, sizes: [64, 64], strides: [64, 1] {
      coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
      memory_space = #ktdp.memory_space<global>} : memref<64x64xf16>
  %ys = ktdp.construct_memory_view %y, sizes: [64, 64], strides: [64, 1] {
      coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
      memory_space = #ktdp.memory_space<global>} : memref<64x64xf16>
  scf.if %works {
    %x_tile = ktdp.construct_access_tile %xs[%row, %c0] {
        access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
        access_tile_order = affine_map<(d0, d1) -> (d0, d1)>}
        : memref<64x64xf16> -> !ktdp.access_tile<32x64xindex>
    %a = ktdp.load %x_tile : !ktdp.access_tile<32x64xindex> -> tensor<32x64xf16>
    %m_tile = ktdp.construct_access_tile %ms[%row, %c0] {
        access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
        access_tile_order = affine_map<(d0, d1) -> (d0, d1)>}
        : memref<64x64xf16> -> !ktdp.access_tile<32x64xindex>
    ktdp.store %a, %m_tile : tensor<32x64xf16>, !ktdp.access_tile<32x64xindex>
  }
  %again = ktdp.construct_access_tile %ms[%row, %c0] {
      access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
      access_tile_order = affine_map<(d0, d1) -> (d0, d1)>}
      : memref<64x64xf16> -> !ktdp.access_tile<32x64xindex>
  %b = ktdp.load %again : !ktdp.access_tile<32x64xindex> -> tensor<32x64xf16>
  %c = arith.addf %b, %b : tensor<32x64xf16>
  scf.if %uses {
    %y_tile = ktdp.construct_access_tile %ys[%row, %c0] {
        access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
        access_tile_order = affine_map<(d0, d1) -> (d0, d1)>}
        : memref<64x64xf16> -> !ktdp.access_tile<32x64xindex>
    ktdp.store %c, %y_tile : tensor<32x64xf16>, !ktdp.access_tile<32x64xindex>
  }
  return
}
