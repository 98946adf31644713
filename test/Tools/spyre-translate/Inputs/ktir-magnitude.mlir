// The largest magnitudes of rows. Absolute values are transposed, widened, sliced, or in the body of an operation.
func.func @magnitude(%x: index, %y: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f16
  %wide_zero = arith.constant 0.0 : f32
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
  %of_all = math.absf %rows : tensor<4x16x64xf16>
  %empty = tensor.empty() : tensor<16x4x64xf16>
  %turned = linalg.transpose ins(%of_all : tensor<4x16x64xf16>) outs(%empty : tensor<16x4x64xf16>) permutation = [1, 0, 2]
  %wide = arith.extf %turned : tensor<16x4x64xf16> to tensor<16x4x64xf32>
  %flat = tensor.collapse_shape %wide [[0], [1, 2]] : tensor<16x4x64xf32> into tensor<16x256xf32>
  %init = tensor.splat %wide_zero : tensor<16xf32>
  %max = linalg.reduce { arith.maximumf } ins(%flat : tensor<16x256xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %first = arith.truncf %max : tensor<16xf32> to tensor<16xf16>
  %into = tensor.empty() : tensor<4x16x64xf16>
  %in_body = linalg.generic {
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%rows : tensor<4x16x64xf16>) outs(%into : tensor<4x16x64xf16>) {
  ^bb0(%e: f16, %out: f16):
    %a = math.absf %e : f16
    linalg.yield %a : f16
  } -> tensor<4x16x64xf16>
  %part = tensor.extract_slice %in_body[0, 0, 0] [2, 16, 64] [1, 1, 1] : tensor<4x16x64xf16> to tensor<2x16x64xf16>
  %second_init = tensor.splat %zero : tensor<16xf16>
  %second = linalg.reduce { arith.maximumf } ins(%part : tensor<2x16x64xf16>) outs(%second_init : tensor<16xf16>) dimensions = [0, 2]
  %third_init = tensor.splat %zero : tensor<16xf16>
  %third = linalg.generic {
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d1)>],
      iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%rows : tensor<4x16x64xf16>) outs(%third_init : tensor<16xf16>) {
  ^bb0(%e: f16, %acc: f16):
    %a = math.absf %e : f16
    %b = math.absf %acc : f16
    %m = arith.maxnumf %a, %b : f16
    linalg.yield %m : f16
  } -> tensor<16xf16>
  %sum = arith.addf %first, %second : tensor<16xf16>
  %spread = arith.addf %sum, %third : tensor<16xf16>
  %y_tile = ktdp.construct_access_tile %ys[%row] {
      access_tile_set = affine_set<(d0) : (d0 >= 0, -d0 + 15 >= 0)>,
      access_tile_order = affine_map<(d0) -> (d0)>}
      : memref<64xf16> -> !ktdp.access_tile<16xindex>
  ktdp.store %spread, %y_tile : tensor<16xf16>, !ktdp.access_tile<16xindex>
  return
}
