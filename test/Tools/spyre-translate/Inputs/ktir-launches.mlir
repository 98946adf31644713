// Two launches of one program. The second loads rows of the pool that another core of the first one has stored, and both
// store rows of the result.
func.func @f_0(%x: index, %y: index, %pool: index)
    attributes {grid = [2], launch = 0 : i64, pool_bytes = 8192 : i64, pool_types = [f16], program = "f"} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %core = ktdp.get_compute_tile_id : index
  %row = arith.muli %core, %c32 : index
  %xs = ktdp.construct_memory_view %x, sizes: [64, 64], strides: [64, 1] {
      coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
      memory_space = #ktdp.memory_space<global>} : memref<64x64xf16>
  %ps = ktdp.construct_memory_view %pool, sizes: [64, 64], strides: [64, 1] {
      coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
      memory_space = #ktdp.memory_space<global>} : memref<64x64xf16>
  %ys = ktdp.construct_memory_view %y, sizes: [64, 64], strides: [64, 1] {
      coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
      memory_space = #ktdp.memory_space<global>} : memref<64x64xf16>
  %x_tile = ktdp.construct_access_tile %xs[%row, %c0] {
      access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
      access_tile_order = affine_map<(d0, d1) -> (d0, d1)>}
      : memref<64x64xf16> -> !ktdp.access_tile<32x64xindex>
  %a = ktdp.load %x_tile : !ktdp.access_tile<32x64xindex> -> tensor<32x64xf16>
  %p_tile = ktdp.construct_access_tile %ps[%row, %c0] {
      access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
      access_tile_order = affine_map<(d0, d1) -> (d0, d1)>}
      : memref<64x64xf16> -> !ktdp.access_tile<32x64xindex>
  ktdp.store %a, %p_tile : tensor<32x64xf16>, !ktdp.access_tile<32x64xindex>
  %is_first = arith.cmpi eq, %core, %c0 : index
  scf.if %is_first {
    %y_tile = ktdp.construct_access_tile %ys[%c0, %c0] {
        access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
        access_tile_order = affine_map<(d0, d1) -> (d0, d1)>}
        : memref<64x64xf16> -> !ktdp.access_tile<32x64xindex>
    ktdp.store %a, %y_tile : tensor<32x64xf16>, !ktdp.access_tile<32x64xindex>
  }
  return
}

func.func @f_1(%x: index, %y: index, %pool: index)
    attributes {grid = [2], launch = 1 : i64, pool_bytes = 8192 : i64, pool_types = [f16], program = "f"} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %core = ktdp.get_compute_tile_id : index
  %row = arith.muli %core, %c32 : index
  %last = arith.subi %c32, %row : index
  %ps = ktdp.construct_memory_view %pool, sizes: [64, 64], strides: [64, 1] {
      coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
      memory_space = #ktdp.memory_space<global>} : memref<64x64xf16>
  %ys = ktdp.construct_memory_view %y, sizes: [64, 64], strides: [64, 1] {
      coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
      memory_space = #ktdp.memory_space<global>} : memref<64x64xf16>
  %is_first = arith.cmpi eq, %core, %c0 : index
  scf.if %is_first {
    %p_tile = ktdp.construct_access_tile %ps[%last, %c0] {
        access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
        access_tile_order = affine_map<(d0, d1) -> (d0, d1)>}
        : memref<64x64xf16> -> !ktdp.access_tile<32x64xindex>
    %a = ktdp.load %p_tile : !ktdp.access_tile<32x64xindex> -> tensor<32x64xf16>
    %y_tile = ktdp.construct_access_tile %ys[%last, %c0] {
        access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
        access_tile_order = affine_map<(d0, d1) -> (d0, d1)>}
        : memref<64x64xf16> -> !ktdp.access_tile<32x64xindex>
    ktdp.store %a, %y_tile : tensor<32x64xf16>, !ktdp.access_tile<32x64xindex>
  }
  return
}
