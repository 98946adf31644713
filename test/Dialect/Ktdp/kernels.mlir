// RUN: spyre-opt %s --verify-roundtrip
// RUN: spyre-opt %s --mlir-print-local-scope | spyre-opt --mlir-print-local-scope | FileCheck %s
// RUN: spyre-opt %s --canonicalize --cse | FileCheck %s --check-prefix=OPT

// Whole kernels, in the form that readers of text have: sets and maps in place.

// Four cores add 32 rows each, in two steps.
// CHECK-LABEL: func.func @add(
// CHECK-SAME: attributes {grid = [4]}
// CHECK: %[[TILE:.*]] = ktdp.construct_access_tile %{{.*}}[%{{.*}}, %{{.*}}] {access_tile_order = affine_map<(d0, d1) -> (d0, d1)>, access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 63 >= 0)>} : memref<128x64xf16> -> !ktdp.access_tile<16x64xindex>
// CHECK: ktdp.load %[[TILE]] : !ktdp.access_tile<16x64xindex> -> tensor<16x64xf16>
func.func @add(%x: index, %y: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %id = ktdp.get_compute_tile_id : index
  %first = arith.muli %id, %c32 : index
  %xs = ktdp.construct_memory_view %x, sizes: [128, 64], strides: [64, 1] {
    coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<128x64xf16>
  %ys = ktdp.construct_memory_view %y, sizes: [128, 64], strides: [64, 1] {
    coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<128x64xf16>
  scf.for %i = %c0 to %c2 step %c1 {
    %step = arith.muli %i, %c16 : index
    %row = arith.addi %first, %step : index
    %from = ktdp.construct_access_tile %xs[%row, %c0] {
      access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<128x64xf16> -> !ktdp.access_tile<16x64xindex>
    %rows = ktdp.load %from : !ktdp.access_tile<16x64xindex> -> tensor<16x64xf16>
    %sum = arith.addf %rows, %rows : tensor<16x64xf16>
    %to = ktdp.construct_access_tile %ys[%row, %c0] {
      access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<128x64xf16> -> !ktdp.access_tile<16x64xindex>
    ktdp.store %sum, %to : tensor<16x64xf16>, !ktdp.access_tile<16x64xindex>
  }
  return
}

// Effects: equal views and equal tiles are merged, and a load after a store is read again. A load without uses is removed, a store
// is not.
// OPT-LABEL: func.func @effects(
// OPT-COUNT-1: ktdp.construct_memory_view
// OPT-COUNT-1: ktdp.construct_access_tile
// OPT-NOT: ktdp.construct
// OPT: %[[BEFORE:.*]] = ktdp.load
// OPT-NEXT: %[[TWICE:.*]] = arith.addf %[[BEFORE]], %[[BEFORE]]
// OPT-NEXT: ktdp.store %[[TWICE]]
// OPT-NEXT: %[[AFTER:.*]] = ktdp.load
// OPT-NEXT: return %[[AFTER]]
func.func @effects(%x: index) -> tensor<4xf16> {
  %view = ktdp.construct_memory_view %x, sizes: [4], strides: [1] {
    coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>, memory_space = #ktdp.memory_space<ct_local>} : memref<4xf16>
  %same = ktdp.construct_memory_view %x, sizes: [4], strides: [1] {
    coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>, memory_space = #ktdp.memory_space<ct_local>} : memref<4xf16>
  %c0 = arith.constant 0 : index
  %tile = ktdp.construct_access_tile %view[%c0] {
    access_tile_set = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>, access_tile_order = affine_map<(d0) -> (d0)>} : memref<4xf16> -> !ktdp.access_tile<4xindex>
  %again = ktdp.construct_access_tile %same[%c0] {
    access_tile_set = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>, access_tile_order = affine_map<(d0) -> (d0)>} : memref<4xf16> -> !ktdp.access_tile<4xindex>
  %before = ktdp.load %tile : !ktdp.access_tile<4xindex> -> tensor<4xf16>
  %equal = ktdp.load %again : !ktdp.access_tile<4xindex> -> tensor<4xf16>
  %twice = arith.addf %before, %equal : tensor<4xf16>
  ktdp.store %twice, %again : tensor<4xf16>, !ktdp.access_tile<4xindex>
  %after = ktdp.load %tile : !ktdp.access_tile<4xindex> -> tensor<4xf16>
  %unused = ktdp.load %tile : !ktdp.access_tile<4xindex> -> tensor<4xf16>
  return %after : tensor<4xf16>
}

// A product, with its accumulator carried by the loop over K.
// CHECK-LABEL: func.func @matmul(
// CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args(
// CHECK: linalg.matmul
// CHECK: ktdp.store %[[SUM]], %{{.*}} : tensor<32x64xf16>, !ktdp.access_tile<32x64xindex>
func.func @matmul(%a: index, %b: index, %c: index) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<32x64xf16>
  %id = ktdp.get_compute_tile_id : index
  %row = arith.muli %id, %c32 : index
  %as = ktdp.construct_memory_view %a, sizes: [64, 256], strides: [256, 1] {
    coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 255 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<64x256xf16>
  %bs = ktdp.construct_memory_view %b, sizes: [256, 64], strides: [64, 1] {
    coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 255 >= 0, d1 >= 0, -d1 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<256x64xf16>
  %cs = ktdp.construct_memory_view %c, sizes: [64, 64], strides: [64, 1] {
    coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<64x64xf16>
  %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%partial = %zero) -> (tensor<32x64xf16>) {
    %k = arith.muli %i, %c64 : index
    %at = ktdp.construct_access_tile %as[%row, %k] {
      access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<64x256xf16> -> !ktdp.access_tile<32x64xindex>
    %av = ktdp.load %at : !ktdp.access_tile<32x64xindex> -> tensor<32x64xf16>
    %bt = ktdp.construct_access_tile %bs[%k, %c0] {
      access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<256x64xf16> -> !ktdp.access_tile<64x64xindex>
    %bv = ktdp.load %bt : !ktdp.access_tile<64x64xindex> -> tensor<64x64xf16>
    %next = linalg.matmul ins(%av, %bv : tensor<32x64xf16>, tensor<64x64xf16>) outs(%partial : tensor<32x64xf16>) -> tensor<32x64xf16>
    scf.yield %next : tensor<32x64xf16>
  }
  %to = ktdp.construct_access_tile %cs[%row, %c0] {
    access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<64x64xf16> -> !ktdp.access_tile<32x64xindex>
  ktdp.store %sum, %to : tensor<32x64xf16>, !ktdp.access_tile<32x64xindex>
  return
}

// Rows are known at launch: a multiple of 16, at most 512.
// CHECK-LABEL: func.func @rows(
// CHECK: %[[ROWS:.*]] = ktdp.runtime_arg_extract value
// CHECK: ktdp.construct_memory_view %{{.*}}, sizes: [%[[ROWS]], 64], strides: [64, 1] {coordinate_set = affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 63 >= 0)>
func.func @rows(%x: index, %n: !ktdp.runtime_arg<index, granularity=16, upperbound=512>) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %rows = ktdp.runtime_arg_extract value from %n : !ktdp.runtime_arg<index, granularity=16, upperbound=512> -> index
  %xs = ktdp.construct_memory_view %x, sizes: [%rows, 64], strides: [64, 1] {
    coordinate_set = affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<?x64xf16>
  scf.for %row = %c0 to %rows step %c16 {
    %tile = ktdp.construct_access_tile %xs[%row, %c0] {
      access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<?x64xf16> -> !ktdp.access_tile<16x64xindex>
    %values = ktdp.load %tile : !ktdp.access_tile<16x64xindex> -> tensor<16x64xf16>
    %twice = arith.addf %values, %values : tensor<16x64xf16>
    ktdp.store %twice, %tile : tensor<16x64xf16>, !ktdp.access_tile<16x64xindex>
  }
  return
}
