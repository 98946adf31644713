// A sum of parts of a row in device memory: each core stores its rows of the sum in each iteration, and loads them before.
func.func @accumulate(%x: index, %y: index) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %core = ktdp.get_compute_tile_id : index
  %row = arith.muli %core, %c32 : index
  %xs = ktdp.construct_memory_view %x, sizes: [256, 64], strides: [64, 1] {
      coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 255 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
      memory_space = #ktdp.memory_space<global>} : memref<256x64xf16>
  %ys = ktdp.construct_memory_view %y, sizes: [64, 64], strides: [64, 1] {
      coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
      memory_space = #ktdp.memory_space<global>} : memref<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<32x64xf16>
  %first = ktdp.construct_access_tile %ys[%row, %c0] {
      access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
      access_tile_order = affine_map<(d0, d1) -> (d0, d1)>}
      : memref<64x64xf16> -> !ktdp.access_tile<32x64xindex>
  ktdp.store %zero, %first : tensor<32x64xf16>, !ktdp.access_tile<32x64xindex>
  scf.for %i = %c0 to %c4 step %c1 {
    %part = arith.muli %i, %c64 : index
    %at = arith.addi %part, %row : index
    %x_tile = ktdp.construct_access_tile %xs[%at, %c0] {
        access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
        access_tile_order = affine_map<(d0, d1) -> (d0, d1)>}
        : memref<256x64xf16> -> !ktdp.access_tile<32x64xindex>
    %terms = ktdp.load %x_tile : !ktdp.access_tile<32x64xindex> -> tensor<32x64xf16>
    %y_tile = ktdp.construct_access_tile %ys[%row, %c0] {
        access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
        access_tile_order = affine_map<(d0, d1) -> (d0, d1)>}
        : memref<64x64xf16> -> !ktdp.access_tile<32x64xindex>
    %sum = ktdp.load %y_tile : !ktdp.access_tile<32x64xindex> -> tensor<32x64xf16>
    %next = arith.addf %sum, %terms : tensor<32x64xf16>
    %out = ktdp.construct_access_tile %ys[%row, %c0] {
        access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
        access_tile_order = affine_map<(d0, d1) -> (d0, d1)>}
        : memref<64x64xf16> -> !ktdp.access_tile<32x64xindex>
    ktdp.store %next, %out : tensor<32x64xf16>, !ktdp.access_tile<32x64xindex>
  }
  return
}
