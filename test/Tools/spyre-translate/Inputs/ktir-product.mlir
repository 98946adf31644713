// A product of [64, 128] and [128, 64]: a core has 16 rows, and adds a stick of the first operand at a time.
func.func @product(%a: index, %b: index, %y: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<16x64xf16>
  %core = ktdp.get_compute_tile_id : index
  %row = arith.muli %core, %c16 : index
  %as = ktdp.construct_memory_view %a, sizes: [2, 64, 64], strides: [4096, 64, 1] {
      coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 63 >= 0, d2 >= 0, -d2 + 63 >= 0)>,
      memory_space = #ktdp.memory_space<global>} : memref<2x64x64xf16>
  %bs = ktdp.construct_memory_view %b, sizes: [1, 128, 64], strides: [8192, 64, 1] {
      coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 127 >= 0, d2 >= 0, -d2 + 63 >= 0)>,
      memory_space = #ktdp.memory_space<global>} : memref<1x128x64xf16>
  %ys = ktdp.construct_memory_view %y, sizes: [1, 64, 64], strides: [4096, 64, 1] {
      coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 63 >= 0, d2 >= 0, -d2 + 63 >= 0)>,
      memory_space = #ktdp.memory_space<global>} : memref<1x64x64xf16>
  %sum = scf.for %k = %c0 to %c2 step %c1 iter_args(%part = %zero) -> (tensor<16x64xf16>) {
    %first = arith.muli %k, %c64 : index
    %a_tile = ktdp.construct_access_tile %as[%k, %row, %c0] {
        access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 15 >= 0, d2 >= 0, -d2 + 63 >= 0)>,
        access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>}
        : memref<2x64x64xf16> -> !ktdp.access_tile<1x16x64xindex>
    %a3 = ktdp.load %a_tile : !ktdp.access_tile<1x16x64xindex> -> tensor<1x16x64xf16>
    %b_tile = ktdp.construct_access_tile %bs[%c0, %first, %c0] {
        access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 63 >= 0, d2 >= 0, -d2 + 63 >= 0)>,
        access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>}
        : memref<1x128x64xf16> -> !ktdp.access_tile<1x64x64xindex>
    %b3 = ktdp.load %b_tile : !ktdp.access_tile<1x64x64xindex> -> tensor<1x64x64xf16>
    %a2 = tensor.collapse_shape %a3 [[0, 1], [2]] : tensor<1x16x64xf16> into tensor<16x64xf16>
    %b2 = tensor.collapse_shape %b3 [[0, 1], [2]] : tensor<1x64x64xf16> into tensor<64x64xf16>
    %next = linalg.matmul ins(%a2, %b2 : tensor<16x64xf16>, tensor<64x64xf16>) outs(%part : tensor<16x64xf16>) -> tensor<16x64xf16>
    scf.yield %next : tensor<16x64xf16>
  }
  %sum3 = tensor.expand_shape %sum [[0, 1], [2]] output_shape [1, 16, 64] : tensor<16x64xf16> into tensor<1x16x64xf16>
  %y_tile = ktdp.construct_access_tile %ys[%c0, %row, %c0] {
      access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 15 >= 0, d2 >= 0, -d2 + 63 >= 0)>,
      access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>}
      : memref<1x64x64xf16> -> !ktdp.access_tile<1x16x64xindex>
  ktdp.store %sum3, %y_tile : tensor<1x16x64xf16>, !ktdp.access_tile<1x16x64xindex>
  return
}
