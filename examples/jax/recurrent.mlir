#map = affine_map<() -> ()>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
module {
  func.func public @recurrent(%arg0: tensor<16x8x64xf16>, %arg1: tensor<64x64xf16>, %arg2: tensor<64x64xf16>) -> (tensor<8x64xf16>, tensor<16x8x64xf16>) {
    %c1_i32 = arith.constant 1 : i32
    %c16_i32 = arith.constant 16 : i32
    %cst = arith.constant dense<0> : tensor<i32>
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<8x64xf16>
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<16x8x64xf16>
    %0:3 = scf.while (%arg3 = %cst, %arg4 = %cst_0, %arg5 = %cst_1) : (tensor<i32>, tensor<8x64xf16>, tensor<16x8x64xf16>) -> (tensor<i32>, tensor<8x64xf16>, tensor<16x8x64xf16>) {
      %1 = tensor.empty() : tensor<i1>
      %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%arg3 : tensor<i32>) outs(%1 : tensor<i1>) {
      ^bb0(%in: i32, %out: i1):
        %3 = arith.cmpi slt, %in, %c16_i32 : i32
        linalg.yield %3 : i1
      } -> tensor<i1>
      %extracted = tensor.extract %2[] : tensor<i1>
      scf.condition(%extracted) %arg3, %arg4, %arg5 : tensor<i32>, tensor<8x64xf16>, tensor<16x8x64xf16>
    } do {
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<8x64xf16>, %arg5: tensor<16x8x64xf16>):
      %1 = func.call @dynamic_index_in_dim(%arg0, %arg3) : (tensor<16x8x64xf16>, tensor<i32>) -> tensor<8x64xf16>
      %2:2 = func.call @closed_call(%arg1, %arg2, %arg4, %1) : (tensor<64x64xf16>, tensor<64x64xf16>, tensor<8x64xf16>, tensor<8x64xf16>) -> (tensor<8x64xf16>, tensor<8x64xf16>)
      %3 = func.call @dynamic_update_index_in_dim(%arg5, %2#1, %arg3) : (tensor<16x8x64xf16>, tensor<8x64xf16>, tensor<i32>) -> tensor<16x8x64xf16>
      %4 = tensor.empty() : tensor<i32>
      %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%arg3 : tensor<i32>) outs(%4 : tensor<i32>) {
      ^bb0(%in: i32, %out: i32):
        %6 = arith.addi %in, %c1_i32 : i32
        linalg.yield %6 : i32
      } -> tensor<i32>
      scf.yield %5, %2#0, %3 : tensor<i32>, tensor<8x64xf16>, tensor<16x8x64xf16>
    }
    return %0#1, %0#2 : tensor<8x64xf16>, tensor<16x8x64xf16>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<16x8x64xf16>, %arg1: tensor<i32>) -> tensor<8x64xf16> {
    %c15 = arith.constant 15 : index
    %c0 = arith.constant 0 : index
    %extracted = tensor.extract %arg1[] : tensor<i32>
    %0 = arith.index_cast %extracted : i32 to index
    %1 = arith.maxsi %0, %c0 : index
    %2 = arith.minsi %1, %c15 : index
    %extracted_slice = tensor.extract_slice %arg0[%2, 0, 0] [1, 8, 64] [1, 1, 1] : tensor<16x8x64xf16> to tensor<1x8x64xf16>
    %collapsed = tensor.collapse_shape %extracted_slice [[0, 1], [2]] : tensor<1x8x64xf16> into tensor<8x64xf16>
    return %collapsed : tensor<8x64xf16>
  }
  func.func private @closed_call(%arg0: tensor<64x64xf16>, %arg1: tensor<64x64xf16>, %arg2: tensor<8x64xf16>, %arg3: tensor<8x64xf16>) -> (tensor<8x64xf16>, tensor<8x64xf16>) {
    %cst = arith.constant 0.000000e+00 : f16
    %0 = tensor.empty() : tensor<8x64xf16>
    %1 = linalg.fill ins(%cst : f16) outs(%0 : tensor<8x64xf16>) -> tensor<8x64xf16>
    %2 = linalg.matmul ins(%arg3, %arg0 : tensor<8x64xf16>, tensor<64x64xf16>) outs(%1 : tensor<8x64xf16>) -> tensor<8x64xf16>
    %3 = linalg.matmul ins(%arg2, %arg1 : tensor<8x64xf16>, tensor<64x64xf16>) outs(%1 : tensor<8x64xf16>) -> tensor<8x64xf16>
    %4 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%2, %3 : tensor<8x64xf16>, tensor<8x64xf16>) outs(%0 : tensor<8x64xf16>) {
    ^bb0(%in: f16, %in_0: f16, %out: f16):
      %6 = arith.addf %in, %in_0 : f16
      linalg.yield %6 : f16
    } -> tensor<8x64xf16>
    %5 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<8x64xf16>) outs(%0 : tensor<8x64xf16>) {
    ^bb0(%in: f16, %out: f16):
      %6 = math.tanh %in : f16
      linalg.yield %6 : f16
    } -> tensor<8x64xf16>
    return %5, %5 : tensor<8x64xf16>, tensor<8x64xf16>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<16x8x64xf16>, %arg1: tensor<8x64xf16>, %arg2: tensor<i32>) -> tensor<16x8x64xf16> {
    %c15 = arith.constant 15 : index
    %c0 = arith.constant 0 : index
    %0 = tensor.empty() : tensor<1x8x64xf16>
    %1 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg1 : tensor<8x64xf16>) outs(%0 : tensor<1x8x64xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<1x8x64xf16>
    %extracted = tensor.extract %arg2[] : tensor<i32>
    %2 = arith.index_cast %extracted : i32 to index
    %3 = arith.maxsi %2, %c0 : index
    %4 = arith.minsi %3, %c15 : index
    %inserted_slice = tensor.insert_slice %1 into %arg0[%4, 0, 0] [1, 8, 64] [1, 1, 1] : tensor<1x8x64xf16> into tensor<16x8x64xf16>
    return %inserted_slice : tensor<16x8x64xf16>
  }
}

