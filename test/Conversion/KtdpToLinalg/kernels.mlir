// RUN: spyre-opt %s --convert-ktdp-to-linalg | FileCheck %s
// RUN: spyre-opt %s --convert-ktdp-to-linalg=core-order=reverse | FileCheck %s --check-prefix=REVERSE

// A kernel is a loop over its cores, on flat tensors. Ranges prove that accesses are inside, so nothing is compared.
// CHECK-LABEL: func.func @copy(
// CHECK-SAME: %[[X:.*]]: tensor<8192xf16> {ktdp.argument = 0 : i64, ktdp.view = array<i64: 128, 64>}
// CHECK-SAME: %[[Y:.*]]: tensor<8192xf16> {ktdp.argument = 1 : i64, ktdp.stored, ktdp.view = array<i64: 128, 64>}
// CHECK-SAME: -> tensor<8192xf16>
// CHECK: %[[ALL:.*]] = scf.for %[[CORE:.*]] = %c0{{.*}} to %c4{{.*}} iter_args(%[[BEFORE:.*]] = %[[Y]]) -> (tensor<8192xf16>)
// CHECK: %[[ROW:.*]] = arith.muli %[[CORE]], %c32
// CHECK: %[[FIRST:.*]] = arith.muli %[[ROW]], %c64
// CHECK-NOT: scf.if
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<32x64xf16>)
// CHECK: %[[ELEMENT:.*]] = tensor.extract %[[X]][%{{.*}}] : tensor<8192xf16>
// CHECK: linalg.yield %[[ELEMENT]]
// CHECK-NOT: scf.if
// CHECK: scf.for {{.*}} to %c32{{.*}} iter_args(%{{.*}} = %[[BEFORE]])
// CHECK: scf.for {{.*}} to %c64
// CHECK: tensor.insert %{{.*}} into %{{.*}}[%{{.*}}] : tensor<8192xf16>
// CHECK: return %[[ALL]]
// REVERSE-LABEL: func.func @copy(
// REVERSE: scf.for %[[COUNTER:.*]] = %c0{{.*}} to %c4
// REVERSE: %[[LAST:.*]] = arith.constant 3 : index
// REVERSE: %[[CORE:.*]] = arith.subi %[[LAST]], %[[COUNTER]]
// REVERSE: arith.muli %[[CORE]], %c32
func.func @copy(%x: index, %y: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %id = ktdp.get_compute_tile_id : index
  %row = arith.muli %id, %c32 : index
  %xs = ktdp.construct_memory_view %x, sizes: [128, 64], strides: [64, 1] {
      coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
      memory_space = #ktdp.memory_space<global>} : memref<128x64xf16>
  %ys = ktdp.construct_memory_view %y, sizes: [128, 64], strides: [64, 1] {
      coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
      memory_space = #ktdp.memory_space<global>} : memref<128x64xf16>
  %from = ktdp.construct_access_tile %xs[%row, %c0] {
      access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
      access_tile_order = affine_map<(d0, d1) -> (d0, d1)>}
      : memref<128x64xf16> -> !ktdp.access_tile<32x64xindex>
  %to = ktdp.construct_access_tile %ys[%row, %c0] {
      access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
      access_tile_order = affine_map<(d0, d1) -> (d0, d1)>}
      : memref<128x64xf16> -> !ktdp.access_tile<32x64xindex>
  %rows = ktdp.load %from : !ktdp.access_tile<32x64xindex> -> tensor<32x64xf16>
  ktdp.store %rows, %to : tensor<32x64xf16>, !ktdp.access_tile<32x64xindex>
  return
}

// Launches are called one after the other. The second one reads what the first one stores.
// CHECK-LABEL: func.func private @twice_0(
// CHECK-LABEL: func.func private @twice_1(
// CHECK-LABEL: func.func @twice(
// CHECK: %[[POOL:.*]] = call @twice_0(%arg0, %arg1, %arg2)
// CHECK: %[[OUT:.*]] = call @twice_1(%arg0, %arg1, %[[POOL]])
// CHECK: return %[[OUT]], %[[POOL]]
func.func @twice_0(%x: index, %y: index, %pool: index) attributes {grid = [1], launch = 0 : i64, pool_bytes = 256 : i64, pool_types = [f16], program = "twice"} {
  %c0 = arith.constant 0 : index
  %xs = ktdp.construct_memory_view %x, sizes: [64], strides: [1] {coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<64xf16>
  %ps = ktdp.construct_memory_view %pool, sizes: [64], strides: [1] {coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<64xf16>
  %from = ktdp.construct_access_tile %xs[%c0] {access_tile_set = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>, access_tile_order = affine_map<(d0) -> (d0)>} : memref<64xf16> -> !ktdp.access_tile<64xindex>
  %to = ktdp.construct_access_tile %ps[%c0] {access_tile_set = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>, access_tile_order = affine_map<(d0) -> (d0)>} : memref<64xf16> -> !ktdp.access_tile<64xindex>
  %row = ktdp.load %from : !ktdp.access_tile<64xindex> -> tensor<64xf16>
  ktdp.store %row, %to : tensor<64xf16>, !ktdp.access_tile<64xindex>
  return
}
func.func @twice_1(%x: index, %y: index, %pool: index) attributes {grid = [1], launch = 1 : i64, pool_bytes = 256 : i64, pool_types = [f16], program = "twice"} {
  %c0 = arith.constant 0 : index
  %ys = ktdp.construct_memory_view %y, sizes: [64], strides: [1] {coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<64xf16>
  %ps = ktdp.construct_memory_view %pool, sizes: [64], strides: [1] {coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<64xf16>
  %from = ktdp.construct_access_tile %ps[%c0] {access_tile_set = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>, access_tile_order = affine_map<(d0) -> (d0)>} : memref<64xf16> -> !ktdp.access_tile<64xindex>
  %to = ktdp.construct_access_tile %ys[%c0] {access_tile_set = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>, access_tile_order = affine_map<(d0) -> (d0)>} : memref<64xf16> -> !ktdp.access_tile<64xindex>
  %row = ktdp.load %from : !ktdp.access_tile<64xindex> -> tensor<64xf16>
  ktdp.store %row, %to : tensor<64xf16>, !ktdp.access_tile<64xindex>
  return
}

// The order of a tile permutes the dimensions of its set: element (i, j) of the tile is at coordinate (j, i).
// The view may end before the last row, which is compared for each core.
// CHECK-LABEL: func.func @columns(
// CHECK: %[[END:.*]] = arith.addi
// CHECK: %[[OUTSIDE:.*]] = arith.cmpi sgt, %[[END]], %c127
// CHECK: scf.if %[[OUTSIDE]]
// CHECK: %[[NUMBERS:.*]] = tensor.from_elements {{.*}} : tensor<16xi64>
// CHECK: call @spyre_ktdp_fault(%[[NUMBERS]])
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<64x32xf16>)
// CHECK: func.func private @spyre_ktdp_fault(tensor<16xi64>) attributes {ktdp.sites = ["{{.*}}kernels.mlir:
func.func @columns(%x: index, %y: index {ktdp.bytes = 4096 : i64}) attributes {grid = [5]} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %id = ktdp.get_compute_tile_id : index
  %row = arith.muli %id, %c32 : index
  %xs = ktdp.construct_memory_view %x, sizes: [128, 64], strides: [64, 1] {
      coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
      memory_space = #ktdp.memory_space<global>} : memref<128x64xf16>
  %ys = ktdp.construct_memory_view %y, sizes: [64, 32], strides: [32, 1] {
      coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 31 >= 0)>,
      memory_space = #ktdp.memory_space<global>} : memref<64x32xf16>
  %from = ktdp.construct_access_tile %xs[%row, %c0] {
      access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
      access_tile_order = affine_map<(d0, d1) -> (d1, d0)>}
      : memref<128x64xf16> -> !ktdp.access_tile<64x32xindex>
  %to = ktdp.construct_access_tile %ys[%c0, %c0] {
      access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 31 >= 0)>,
      access_tile_order = affine_map<(d0, d1) -> (d0, d1)>}
      : memref<64x32xf16> -> !ktdp.access_tile<64x32xindex>
  %columns = ktdp.load %from : !ktdp.access_tile<64x32xindex> -> tensor<64x32xf16>
  ktdp.store %columns, %to : tensor<64x32xf16>, !ktdp.access_tile<64x32xindex>
  return
}
