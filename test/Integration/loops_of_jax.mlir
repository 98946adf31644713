// Loops as JAX prints them run as loops of a bundle: `fori_loop`, two of `scan`, and one whose windows are clamped to their tensor.

// RUN: spyre-run %s --entry fori --random-seed 1 --largest 0.125 --tolerance 1e-2 --on=card --stats --compare %s --compare-entry fori 2>&1 | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry scan --random-seed 1 --largest 0.125 --tolerance 1e-2 --on=card --stats --compare %s --compare-entry scan 2>&1 | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry slices --random-seed 1 --largest 0.125 --tolerance 1e-2 --on=card --stats --compare %s --compare-entry slices 2>&1 | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry rnn --random-seed 1 --largest 0.125 --tolerance 1e-2 --on=card --stats --compare %s --compare-entry rnn 2>&1 | FileCheck %s --check-prefix=CARD
// RUN: spyre-opt %s --spyre-import-linalg=host=true | FileCheck %s --check-prefix=LOOPS

// CARD: device: @{{(fori|scan|slices|rnn)}}_device_0, {{[0-9]+}} elements
// CARD: host: 0 elements
// CARD: in {{[1-9][0-9]*}} iterations of loops
// CARD: result 0: 0 of {{[0-9]+}} elements differ

#scalar = affine_map<() -> ()>
#matrix = affine_map<(d0, d1) -> (d0, d1)>
#inner = affine_map<(d0, d1, d2) -> (d1, d2)>
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// LOOPS: affine_map<(d0) -> (d0 * 32)>
// LOOPS-LABEL: func.func @fori(
// LOOPS-NOT:     scf
// LOOPS-NOT:     linalg
// LOOPS:         call @fori_device_0
func.func @fori(%arg0: tensor<64x128xf16>, %arg1: tensor<128x128xf16>) -> tensor<64x128xf16> {
  %c1_i32 = arith.constant 1 : i32
  %c4_i32 = arith.constant 4 : i32
  %cst = arith.constant dense<0> : tensor<i32>
  %0:2 = scf.while (%arg2 = %cst, %arg3 = %arg0) : (tensor<i32>, tensor<64x128xf16>) -> (tensor<i32>, tensor<64x128xf16>) {
    %1 = tensor.empty() : tensor<i1>
    %2 = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%arg2 : tensor<i32>) outs(%1 : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %3 = arith.cmpi slt, %in, %c4_i32 : i32
      linalg.yield %3 : i1
    } -> tensor<i1>
    %extracted = tensor.extract %2[] : tensor<i1>
    scf.condition(%extracted) %arg2, %arg3 : tensor<i32>, tensor<64x128xf16>
  } do {
  ^bb0(%arg2: tensor<i32>, %arg3: tensor<64x128xf16>):
    %1 = func.call @fori_closed_call(%arg1, %arg3) : (tensor<128x128xf16>, tensor<64x128xf16>) -> tensor<64x128xf16>
    %2 = tensor.empty() : tensor<i32>
    %3 = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%arg2 : tensor<i32>) outs(%2 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %4 = arith.addi %in, %c1_i32 : i32
      linalg.yield %4 : i32
    } -> tensor<i32>
    scf.yield %3, %1 : tensor<i32>, tensor<64x128xf16>
  }
  return %0#1 : tensor<64x128xf16>
}
func.func private @fori_closed_call(%arg0: tensor<128x128xf16>, %arg1: tensor<64x128xf16>) -> tensor<64x128xf16> {
  %cst = arith.constant 0.000000e+00 : f16
  %0 = tensor.empty() : tensor<64x128xf16>
  %1 = linalg.fill ins(%cst : f16) outs(%0 : tensor<64x128xf16>) -> tensor<64x128xf16>
  %2 = linalg.matmul ins(%arg1, %arg0 : tensor<64x128xf16>, tensor<128x128xf16>) outs(%1 : tensor<64x128xf16>) -> tensor<64x128xf16>
  %3 = tensor.empty() : tensor<64x128xf16>
  %4 = linalg.generic {indexing_maps = [#matrix, #matrix], iterator_types = ["parallel", "parallel"]} ins(%2 : tensor<64x128xf16>) outs(%3 : tensor<64x128xf16>) {
  ^bb0(%in: f16, %out: f16):
    %5 = math.tanh %in : f16
    linalg.yield %5 : f16
  } -> tensor<64x128xf16>
  return %4 : tensor<64x128xf16>
}

// LOOPS-LABEL: func.func @scan(
// LOOPS-NOT:     scf
// LOOPS-NOT:     linalg
// LOOPS:         call @scan_device_0
func.func @scan(%arg0: tensor<64x128xf16>, %arg1: tensor<4x128x128xf16>) -> (tensor<64x128xf16>, tensor<4x64x128xf16>) {
  %c1_i32 = arith.constant 1 : i32
  %c4_i32 = arith.constant 4 : i32
  %cst = arith.constant dense<0> : tensor<i32>
  %cst_0 = arith.constant dense<0.000000e+00> : tensor<4x64x128xf16>
  %0:3 = scf.while (%arg2 = %cst, %arg3 = %arg0, %arg4 = %cst_0) : (tensor<i32>, tensor<64x128xf16>, tensor<4x64x128xf16>) -> (tensor<i32>, tensor<64x128xf16>, tensor<4x64x128xf16>) {
    %1 = tensor.empty() : tensor<i1>
    %2 = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%arg2 : tensor<i32>) outs(%1 : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %3 = arith.cmpi slt, %in, %c4_i32 : i32
      linalg.yield %3 : i1
    } -> tensor<i1>
    %extracted = tensor.extract %2[] : tensor<i1>
    scf.condition(%extracted) %arg2, %arg3, %arg4 : tensor<i32>, tensor<64x128xf16>, tensor<4x64x128xf16>
  } do {
  ^bb0(%arg2: tensor<i32>, %arg3: tensor<64x128xf16>, %arg4: tensor<4x64x128xf16>):
    %1 = func.call @scan_dynamic_index_in_dim(%arg1, %arg2) : (tensor<4x128x128xf16>, tensor<i32>) -> tensor<128x128xf16>
    %2:2 = func.call @scan_closed_call(%arg3, %1) : (tensor<64x128xf16>, tensor<128x128xf16>) -> (tensor<64x128xf16>, tensor<64x128xf16>)
    %3 = func.call @scan_dynamic_update_index_in_dim(%arg4, %2#1, %arg2) : (tensor<4x64x128xf16>, tensor<64x128xf16>, tensor<i32>) -> tensor<4x64x128xf16>
    %4 = tensor.empty() : tensor<i32>
    %5 = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%arg2 : tensor<i32>) outs(%4 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %6 = arith.addi %in, %c1_i32 : i32
      linalg.yield %6 : i32
    } -> tensor<i32>
    scf.yield %5, %2#0, %3 : tensor<i32>, tensor<64x128xf16>, tensor<4x64x128xf16>
  }
  return %0#1, %0#2 : tensor<64x128xf16>, tensor<4x64x128xf16>
}
func.func private @scan_dynamic_index_in_dim(%arg0: tensor<4x128x128xf16>, %arg1: tensor<i32>) -> tensor<128x128xf16> {
  %c3 = arith.constant 3 : index
  %c0 = arith.constant 0 : index
  %extracted = tensor.extract %arg1[] : tensor<i32>
  %0 = arith.index_cast %extracted : i32 to index
  %1 = arith.maxsi %0, %c0 : index
  %2 = arith.minsi %1, %c3 : index
  %extracted_slice = tensor.extract_slice %arg0[%2, 0, 0] [1, 128, 128] [1, 1, 1] : tensor<4x128x128xf16> to tensor<1x128x128xf16>
  %collapsed = tensor.collapse_shape %extracted_slice [[0, 1], [2]] : tensor<1x128x128xf16> into tensor<128x128xf16>
  return %collapsed : tensor<128x128xf16>
}
func.func private @scan_closed_call(%arg0: tensor<64x128xf16>, %arg1: tensor<128x128xf16>) -> (tensor<64x128xf16>, tensor<64x128xf16>) {
  %cst = arith.constant 0.000000e+00 : f16
  %0 = tensor.empty() : tensor<64x128xf16>
  %1 = linalg.fill ins(%cst : f16) outs(%0 : tensor<64x128xf16>) -> tensor<64x128xf16>
  %2 = linalg.matmul ins(%arg0, %arg1 : tensor<64x128xf16>, tensor<128x128xf16>) outs(%1 : tensor<64x128xf16>) -> tensor<64x128xf16>
  %3 = tensor.empty() : tensor<64x128xf16>
  %4 = linalg.generic {indexing_maps = [#matrix, #matrix], iterator_types = ["parallel", "parallel"]} ins(%2 : tensor<64x128xf16>) outs(%3 : tensor<64x128xf16>) {
  ^bb0(%in: f16, %out: f16):
    %5 = math.tanh %in : f16
    linalg.yield %5 : f16
  } -> tensor<64x128xf16>
  return %4, %4 : tensor<64x128xf16>, tensor<64x128xf16>
}
func.func private @scan_dynamic_update_index_in_dim(%arg0: tensor<4x64x128xf16>, %arg1: tensor<64x128xf16>, %arg2: tensor<i32>) -> tensor<4x64x128xf16> {
  %c3 = arith.constant 3 : index
  %c0 = arith.constant 0 : index
  %0 = tensor.empty() : tensor<1x64x128xf16>
  %1 = linalg.generic {indexing_maps = [#inner, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg1 : tensor<64x128xf16>) outs(%0 : tensor<1x64x128xf16>) {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  } -> tensor<1x64x128xf16>
  %extracted = tensor.extract %arg2[] : tensor<i32>
  %2 = arith.index_cast %extracted : i32 to index
  %3 = arith.maxsi %2, %c0 : index
  %4 = arith.minsi %3, %c3 : index
  %inserted_slice = tensor.insert_slice %1 into %arg0[%4, 0, 0] [1, 64, 128] [1, 1, 1] : tensor<1x64x128xf16> into tensor<4x64x128xf16>
  return %inserted_slice : tensor<4x64x128xf16>
}

// LOOPS-LABEL: func.func @slices(
// LOOPS-NOT:     scf
// LOOPS-NOT:     linalg
// LOOPS:         call @slices_device_0
func.func @slices(%arg0: tensor<128x128xf16>) -> tensor<32x128xf16> {
  %c1_i32 = arith.constant 1 : i32
  %c4_i32 = arith.constant 4 : i32
  %cst = arith.constant dense<0> : tensor<i32>
  %cst_0 = arith.constant dense<0.000000e+00> : tensor<32x128xf16>
  %0:3 = scf.while (%arg1 = %cst, %arg2 = %cst, %arg3 = %cst_0) : (tensor<i32>, tensor<i32>, tensor<32x128xf16>) -> (tensor<i32>, tensor<i32>, tensor<32x128xf16>) {
    %1 = tensor.empty() : tensor<i1>
    %2 = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%arg1 : tensor<i32>) outs(%1 : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %3 = arith.cmpi slt, %in, %c4_i32 : i32
      linalg.yield %3 : i1
    } -> tensor<i1>
    %extracted = tensor.extract %2[] : tensor<i1>
    scf.condition(%extracted) %arg1, %arg2, %arg3 : tensor<i32>, tensor<i32>, tensor<32x128xf16>
  } do {
  ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>, %arg3: tensor<32x128xf16>):
    %1:2 = func.call @slices_closed_call(%arg0, %arg2, %arg3) : (tensor<128x128xf16>, tensor<i32>, tensor<32x128xf16>) -> (tensor<i32>, tensor<32x128xf16>)
    %2 = tensor.empty() : tensor<i32>
    %3 = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%arg1 : tensor<i32>) outs(%2 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %4 = arith.addi %in, %c1_i32 : i32
      linalg.yield %4 : i32
    } -> tensor<i32>
    scf.yield %3, %1#0, %1#1 : tensor<i32>, tensor<i32>, tensor<32x128xf16>
  }
  return %0#2 : tensor<32x128xf16>
}
func.func private @slices_closed_call(%arg0: tensor<128x128xf16>, %arg1: tensor<i32>, %arg2: tensor<32x128xf16>) -> (tensor<i32>, tensor<32x128xf16>) {
  %cst = arith.constant 2.000000e+00 : f16
  %c96 = arith.constant 96 : index
  %c0 = arith.constant 0 : index
  %c128_i32 = arith.constant 128 : i32
  %c0_i32 = arith.constant 0 : i32
  %c32_i32 = arith.constant 32 : i32
  %c1_i32 = arith.constant 1 : i32
  %0 = tensor.empty() : tensor<i32>
  %1 = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%arg1 : tensor<i32>) outs(%0 : tensor<i32>) {
  ^bb0(%in: i32, %out: i32):
    %17 = arith.addi %in, %c1_i32 : i32
    linalg.yield %17 : i32
  } -> tensor<i32>
  %2 = tensor.empty() : tensor<i32>
  %3 = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%arg1 : tensor<i32>) outs(%2 : tensor<i32>) {
  ^bb0(%in: i32, %out: i32):
    %17 = arith.muli %in, %c32_i32 : i32
    linalg.yield %17 : i32
  } -> tensor<i32>
  %4 = tensor.empty() : tensor<i1>
  %5 = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%3 : tensor<i32>) outs(%4 : tensor<i1>) {
  ^bb0(%in: i32, %out: i1):
    %17 = arith.cmpi slt, %in, %c0_i32 : i32
    linalg.yield %17 : i1
  } -> tensor<i1>
  %6 = tensor.empty() : tensor<i32>
  %7 = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%3 : tensor<i32>) outs(%6 : tensor<i32>) {
  ^bb0(%in: i32, %out: i32):
    %17 = arith.addi %in, %c128_i32 : i32
    linalg.yield %17 : i32
  } -> tensor<i32>
  %8 = tensor.empty() : tensor<i32>
  %9 = linalg.generic {indexing_maps = [#scalar, #scalar, #scalar, #scalar], iterator_types = []} ins(%5, %7, %3 : tensor<i1>, tensor<i32>, tensor<i32>) outs(%8 : tensor<i32>) {
  ^bb0(%in: i1, %in_0: i32, %in_1: i32, %out: i32):
    %17 = arith.select %in, %in_0, %in_1 : i32
    linalg.yield %17 : i32
  } -> tensor<i32>
  %extracted = tensor.extract %9[] : tensor<i32>
  %10 = arith.index_cast %extracted : i32 to index
  %11 = arith.maxsi %10, %c0 : index
  %12 = arith.minsi %11, %c96 : index
  %extracted_slice = tensor.extract_slice %arg0[%12, 0] [32, 128] [1, 1] : tensor<128x128xf16> to tensor<32x128xf16>
  %13 = tensor.empty() : tensor<32x128xf16>
  %14 = linalg.generic {indexing_maps = [#matrix, #matrix], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice : tensor<32x128xf16>) outs(%13 : tensor<32x128xf16>) {
  ^bb0(%in: f16, %out: f16):
    %17 = arith.mulf %in, %cst : f16
    linalg.yield %17 : f16
  } -> tensor<32x128xf16>
  %15 = tensor.empty() : tensor<32x128xf16>
  %16 = linalg.generic {indexing_maps = [#matrix, #matrix, #matrix], iterator_types = ["parallel", "parallel"]} ins(%arg2, %14 : tensor<32x128xf16>, tensor<32x128xf16>) outs(%15 : tensor<32x128xf16>) {
  ^bb0(%in: f16, %in_0: f16, %out: f16):
    %17 = arith.addf %in, %in_0 : f16
    linalg.yield %17 : f16
  } -> tensor<32x128xf16>
  return %1, %16 : tensor<i32>, tensor<32x128xf16>
}

// LOOPS-LABEL: func.func @rnn(
// LOOPS-NOT:     scf
// LOOPS-NOT:     linalg
// LOOPS:         call @rnn_device_0
func.func @rnn(%arg0: tensor<16x8x64xf16>, %arg1: tensor<64x64xf16>, %arg2: tensor<64x64xf16>) -> (tensor<8x64xf16>, tensor<16x8x64xf16>) {
  %c1_i32 = arith.constant 1 : i32
  %c16_i32 = arith.constant 16 : i32
  %cst = arith.constant dense<0> : tensor<i32>
  %cst_0 = arith.constant dense<0.000000e+00> : tensor<8x64xf16>
  %cst_1 = arith.constant dense<0.000000e+00> : tensor<16x8x64xf16>
  %0:3 = scf.while (%arg3 = %cst, %arg4 = %cst_0, %arg5 = %cst_1) : (tensor<i32>, tensor<8x64xf16>, tensor<16x8x64xf16>) -> (tensor<i32>, tensor<8x64xf16>, tensor<16x8x64xf16>) {
    %1 = tensor.empty() : tensor<i1>
    %2 = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%arg3 : tensor<i32>) outs(%1 : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %3 = arith.cmpi slt, %in, %c16_i32 : i32
      linalg.yield %3 : i1
    } -> tensor<i1>
    %extracted = tensor.extract %2[] : tensor<i1>
    scf.condition(%extracted) %arg3, %arg4, %arg5 : tensor<i32>, tensor<8x64xf16>, tensor<16x8x64xf16>
  } do {
  ^bb0(%arg3: tensor<i32>, %arg4: tensor<8x64xf16>, %arg5: tensor<16x8x64xf16>):
    %1 = func.call @rnn_dynamic_index_in_dim(%arg0, %arg3) : (tensor<16x8x64xf16>, tensor<i32>) -> tensor<8x64xf16>
    %2:2 = func.call @rnn_closed_call(%arg1, %arg2, %arg4, %1) : (tensor<64x64xf16>, tensor<64x64xf16>, tensor<8x64xf16>, tensor<8x64xf16>) -> (tensor<8x64xf16>, tensor<8x64xf16>)
    %3 = func.call @rnn_dynamic_update_index_in_dim(%arg5, %2#1, %arg3) : (tensor<16x8x64xf16>, tensor<8x64xf16>, tensor<i32>) -> tensor<16x8x64xf16>
    %4 = tensor.empty() : tensor<i32>
    %5 = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%arg3 : tensor<i32>) outs(%4 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %6 = arith.addi %in, %c1_i32 : i32
      linalg.yield %6 : i32
    } -> tensor<i32>
    scf.yield %5, %2#0, %3 : tensor<i32>, tensor<8x64xf16>, tensor<16x8x64xf16>
  }
  return %0#1, %0#2 : tensor<8x64xf16>, tensor<16x8x64xf16>
}
func.func private @rnn_dynamic_index_in_dim(%arg0: tensor<16x8x64xf16>, %arg1: tensor<i32>) -> tensor<8x64xf16> {
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
func.func private @rnn_closed_call(%arg0: tensor<64x64xf16>, %arg1: tensor<64x64xf16>, %arg2: tensor<8x64xf16>, %arg3: tensor<8x64xf16>) -> (tensor<8x64xf16>, tensor<8x64xf16>) {
  %cst = arith.constant 0.000000e+00 : f16
  %0 = tensor.empty() : tensor<8x64xf16>
  %1 = linalg.fill ins(%cst : f16) outs(%0 : tensor<8x64xf16>) -> tensor<8x64xf16>
  %2 = linalg.matmul ins(%arg3, %arg0 : tensor<8x64xf16>, tensor<64x64xf16>) outs(%1 : tensor<8x64xf16>) -> tensor<8x64xf16>
  %3 = tensor.empty() : tensor<8x64xf16>
  %4 = linalg.fill ins(%cst : f16) outs(%3 : tensor<8x64xf16>) -> tensor<8x64xf16>
  %5 = linalg.matmul ins(%arg2, %arg1 : tensor<8x64xf16>, tensor<64x64xf16>) outs(%4 : tensor<8x64xf16>) -> tensor<8x64xf16>
  %6 = tensor.empty() : tensor<8x64xf16>
  %7 = linalg.generic {indexing_maps = [#matrix, #matrix, #matrix], iterator_types = ["parallel", "parallel"]} ins(%2, %5 : tensor<8x64xf16>, tensor<8x64xf16>) outs(%6 : tensor<8x64xf16>) {
  ^bb0(%in: f16, %in_0: f16, %out: f16):
    %10 = arith.addf %in, %in_0 : f16
    linalg.yield %10 : f16
  } -> tensor<8x64xf16>
  %8 = tensor.empty() : tensor<8x64xf16>
  %9 = linalg.generic {indexing_maps = [#matrix, #matrix], iterator_types = ["parallel", "parallel"]} ins(%7 : tensor<8x64xf16>) outs(%8 : tensor<8x64xf16>) {
  ^bb0(%in: f16, %out: f16):
    %10 = math.tanh %in : f16
    linalg.yield %10 : f16
  } -> tensor<8x64xf16>
  return %9, %9 : tensor<8x64xf16>, tensor<8x64xf16>
}
func.func private @rnn_dynamic_update_index_in_dim(%arg0: tensor<16x8x64xf16>, %arg1: tensor<8x64xf16>, %arg2: tensor<i32>) -> tensor<16x8x64xf16> {
  %c15 = arith.constant 15 : index
  %c0 = arith.constant 0 : index
  %0 = tensor.empty() : tensor<1x8x64xf16>
  %1 = linalg.generic {indexing_maps = [#inner, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg1 : tensor<8x64xf16>) outs(%0 : tensor<1x8x64xf16>) {
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

// LOOPS-LABEL: func.func private @fori_device_0(
// LOOPS:         scf.for
// LOOPS:           spyre.batchmatmul
// LOOPS-LABEL: func.func private @scan_device_0(
// LOOPS:         scf.for %[[I:[a-z0-9]+]] =
// LOOPS:           tensor.extract_slice %{{.+}}[%[[I]], 0, 0] [1, 128, 128]
// LOOPS:           tensor.insert_slice %{{.+}} into %{{.+}}[%[[I]], 0, 0] [1, 64, 128]
// LOOPS-LABEL: func.func private @slices_device_0(
// LOOPS:         scf.for %[[I:[a-z0-9]+]] =
// LOOPS:           %[[OFFSET:.+]] = affine.apply #{{.+}}(%[[I]])
// LOOPS:           tensor.extract_slice %{{.+}}[%[[OFFSET]], 0] [32, 128]
// LOOPS-LABEL: func.func private @rnn_device_0(
// LOOPS:         scf.for
