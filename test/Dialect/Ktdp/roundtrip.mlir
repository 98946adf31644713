// RUN: spyre-opt %s --verify-roundtrip
// RUN: spyre-opt %s --emit-bytecode | spyre-opt | FileCheck %s
// RUN: spyre-opt %s --mlir-print-op-generic | spyre-opt | FileCheck %s

// CHECK-DAG: #[[ROWS:.*]] = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[SWAP:.*]] = affine_map<(d0, d1) -> (d1, d0)>
#whole = affine_set<(d0, d1) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#rest = affine_set<(d0, d1) : (d0 - 32 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
#swap = affine_map<(d0, d1) -> (d1, d0)>
#group = affine_set<(i)[g] : (i - 4*g >= 0, -i + 4*g + 3 >= 0)>
#first = affine_set<(i)[g] : (i - 4*g == 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

// CHECK-LABEL: func.func @views(
// CHECK-SAME: %[[BASE:.*]]: index, %[[ROWS_:.*]]: index, %[[STRIDE:.*]]: index)
func.func @views(%base: index, %rows: index, %stride: index) {
  // CHECK: ktdp.construct_memory_view %[[BASE]], sizes: [128, 64], strides: [64, 1] {coordinate_set = #{{.*}}, memory_space = #ktdp.memory_space<global>} : memref<128x64xf16>
  %0 = ktdp.construct_memory_view %base, sizes: [128, 64], strides: [64, 1] {coordinate_set = #whole, memory_space = #ktdp.memory_space<global>} : memref<128x64xf16>
  // CHECK: ktdp.construct_memory_view %[[BASE]], sizes: [2, %[[ROWS_]], 64], strides: [%[[STRIDE]], 64, 1] {coordinate_set = #{{.*}}, memory_space = #ktdp.memory_space<ct_local>} : memref<2x?x64xf16>
  %1 = ktdp.construct_memory_view %base, sizes: [2, %rows, 64], strides: [%stride, 64, 1] {
    coordinate_set = affine_set<(d0, d1, d2)[s0] : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + s0 - 1 >= 0, d2 >= 0, -d2 + 63 >= 0)>,
    memory_space = #ktdp.memory_space<ct_local>} : memref<2x?x64xf16>
  // A size that is a value, where the view has the number.
  %2 = ktdp.construct_memory_view %base, sizes: [%rows, 64], strides: [64, 1] {coordinate_set = #rows, memory_space = #ktdp.memory_space<global>} : memref<32x64xf16>
  // CHECK: %[[LOW:.*]] = ktdp.construct_memory_view {{.*}}memory_space = #ktdp.memory_space<ct_local, ct_id = 0>} : memref<32x64xf16, #ktdp.memory_space<ct_local, ct_id = 0>>
  %3 = ktdp.construct_memory_view %base, sizes: [32, 64], strides: [64, 1] {coordinate_set = #rows, memory_space = #ktdp.memory_space<ct_local, ct_id = 0>} : memref<32x64xf16, #ktdp.memory_space<ct_local, ct_id = 0>>
  %4 = ktdp.construct_memory_view %base, sizes: [32, 64], strides: [64, 1] {coordinate_set = #rest, memory_space = #ktdp.memory_space<ct_local, ct_id = 7>} : memref<32x64xf16, #ktdp.memory_space<ct_local, ct_id = 7>>
  // CHECK: ktdp.construct_distributed_memory_view(%[[LOW]], %{{.*}} : memref<32x64xf16, #ktdp.memory_space<ct_local, ct_id = 0>>, memref<32x64xf16, #ktdp.memory_space<ct_local, ct_id = 7>>) : memref<64x64xf16>
  %5 = ktdp.construct_distributed_memory_view (%3, %4 : memref<32x64xf16, #ktdp.memory_space<ct_local, ct_id = 0>>, memref<32x64xf16, #ktdp.memory_space<ct_local, ct_id = 7>>) : memref<64x64xf16>
  return
}

// CHECK-LABEL: func.func @tiles(
// CHECK-SAME: %[[X:.*]]: memref<128x64xf16>, %[[I:.*]]: index, %[[N:.*]]: index)
func.func @tiles(%x: memref<128x64xf16>, %i: index, %n: index) {
  // CHECK: %[[ID_:.*]] = ktdp.get_compute_tile_id : index
  %id = ktdp.get_compute_tile_id : index
  // CHECK: ktdp.get_compute_tile_id : index, index
  %p, %q = ktdp.get_compute_tile_id : index, index
  // CHECK: %[[TILE:.*]] = ktdp.construct_access_tile %[[X]][%[[ID_]] * 32 + %[[I]], 0] {access_tile_order = #[[ID]], access_tile_set = #[[ROWS]]} : memref<128x64xf16> -> !ktdp.access_tile<32x64xindex>
  %0 = ktdp.construct_access_tile %x[%id * 32 + %i, 0] {access_tile_set = #rows, access_tile_order = #id} : memref<128x64xf16> -> !ktdp.access_tile<32x64xindex>
  // CHECK: %[[ROWS32:.*]] = ktdp.load %[[TILE]] : !ktdp.access_tile<32x64xindex> -> tensor<32x64xf16>
  %1 = ktdp.load %0 : !ktdp.access_tile<32x64xindex> -> tensor<32x64xf16>
  // CHECK: ktdp.store %[[ROWS32]], %[[TILE]] : tensor<32x64xf16>, !ktdp.access_tile<32x64xindex>
  ktdp.store %1, %0 : tensor<32x64xf16>, !ktdp.access_tile<32x64xindex>
  // The order gives the tile the extents of the set in another order.
  // CHECK: ktdp.construct_access_tile %[[X]][%[[I]], 0] {access_tile_order = #[[SWAP]], access_tile_set = #[[ROWS]]} : memref<128x64xf16> -> !ktdp.access_tile<64x32xindex>
  %2 = ktdp.construct_access_tile %x[%i, 0] {access_tile_set = #rows, access_tile_order = #swap} : memref<128x64xf16> -> !ktdp.access_tile<64x32xindex>
  // CHECK: ktdp.construct_access_tile %[[X]][%[[I]], symbol(%[[N]])] symbols(%[[N]]) {
  // CHECK-SAME: !ktdp.access_tile<?x64xindex>
  %3 = ktdp.construct_access_tile %x[%i, symbol(%n)] symbols(%n) {
    access_tile_set = affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 63 >= 0)>, access_tile_order = #id} : memref<128x64xf16> -> !ktdp.access_tile<?x64xindex>
  // A triangle, which is no box: the tile has the rank of the set.
  %4 = ktdp.construct_access_tile %x[%i, 0] {
    access_tile_set = affine_set<(d0, d1) : (d0 >= 0, d1 >= 0, -d0 - d1 + 31 >= 0)>, access_tile_order = #id} : memref<128x64xf16> -> !ktdp.access_tile<32x32xindex>
  // The names of types may be left out.
  %5 = ktdp.load %0 : <32x64xindex> -> tensor<32x64xf16>
  return
}

// CHECK-LABEL: func.func @element(
func.func @element(%x: memref<f16>) {
  // CHECK: ktdp.construct_access_tile %{{.*}}[] {{.*}} -> !ktdp.access_tile<index>
  %0 = ktdp.construct_access_tile %x[] {access_tile_set = affine_set<() : (0 == 0)>, access_tile_order = affine_map<() -> ()>} : memref<f16> -> !ktdp.access_tile<index>
  // CHECK: ktdp.load %{{.*}} : !ktdp.access_tile<index> -> tensor<f16>
  %1 = ktdp.load %0 : !ktdp.access_tile<index> -> tensor<f16>
  return
}

// CHECK-LABEL: func.func @gather(
// CHECK-SAME: %[[X:.*]]: memref<96x64xf16>, %[[IDX:.*]]: memref<256xi32>, %[[R:.*]]: index, %[[C:.*]]: index)
func.func @gather(%x: memref<96x64xf16>, %indices: memref<256xi32>, %r: index, %c: index) -> tensor<32x64xf16> {
  // CHECK: %[[TILE:.*]] = ktdp.construct_indirect_access_tile intermediate_variables(%[[M:.*]], %[[K:.*]]) %[[X]][ind(%[[IDX]][%[[R]] + %[[M]]]), (%[[C]] + %[[K]])] {variables_space_order = #[[ID]], variables_space_set = #[[ROWS]]} : memref<96x64xf16>, memref<256xi32> -> !ktdp.access_tile<32x64xindex>
  %0 = ktdp.construct_indirect_access_tile intermediate_variables(%m, %k) %x[ind(%indices[%r + %m]), (%k + %c)] {
    variables_space_set = #rows, variables_space_order = #id} : memref<96x64xf16>, memref<256xi32> -> !ktdp.access_tile<32x64xindex>
  // CHECK: ktdp.load %[[TILE]]
  %1 = ktdp.load %0 : !ktdp.access_tile<32x64xindex> -> tensor<32x64xf16>
  return %1 : tensor<32x64xf16>
}

// A variable has the name of a value outside, and two results of one operation are two values.
// CHECK-LABEL: func.func @names(
func.func @names(%m: index, %x: memref<96x64xf16>, %indices: memref<4x256xindex>) {
  // CHECK: %[[IDS:.*]]:2 = ktdp.get_compute_tile_id : index, index
  %id:2 = ktdp.get_compute_tile_id : index, index
  // CHECK: intermediate_variables(%[[M:.*]], %[[K:.*]]) %{{.*}}[ind(%{{.*}}[%[[IDS]]#1, %[[M]]]), (%[[IDS]]#0 + %[[K]])] symbols(%{{.*}})
  %0 = ktdp.construct_indirect_access_tile intermediate_variables(%m, %k) %x[ind(%indices[%id#1, %m]), (%k + %id#0)] symbols(%m) {
    variables_space_set = affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 63 >= 0)>, variables_space_order = #id}
    : memref<96x64xf16>, memref<4x256xindex> -> !ktdp.access_tile<?x64xindex>
  return
}

// CHECK-LABEL: func.func @arguments(
// CHECK-SAME: %[[N:.*]]: !ktdp.runtime_arg<index, granularity=64, upperbound=512>, %{{.*}}: !ktdp.runtime_arg<f32>)
func.func @arguments(%n: !ktdp.runtime_arg<index, upperbound=512, granularity=64>, %scale: !ktdp.runtime_arg<f32>) {
  // CHECK: ktdp.runtime_arg_extract value from %[[N]] : !ktdp.runtime_arg<index, granularity=64, upperbound=512> -> index
  %0 = ktdp.runtime_arg_extract value from %n : !ktdp.runtime_arg<index, granularity=64, upperbound=512> -> index
  // CHECK: ktdp.runtime_arg_extract granularity from %[[N]]
  %1 = ktdp.runtime_arg_extract granularity from %n : <index, granularity=64, upperbound=512> -> index
  // CHECK: ktdp.runtime_arg_extract upperbound from %[[N]]
  %2 = ktdp.runtime_arg_extract upperbound from %n : <index, granularity=64, upperbound=512> -> index
  // CHECK: ktdp.runtime_arg_extract value from %{{.*}} : !ktdp.runtime_arg<f32> -> f32
  %3 = ktdp.runtime_arg_extract value from %scale : !ktdp.runtime_arg<f32> -> f32
  return
}

// CHECK-LABEL: func.func @reduce(
func.func @reduce(%value: tensor<64xf32>, %index: tensor<64xi32>) -> (tensor<64xf32>, tensor<64xi32>) {
  // CHECK: %[[F:.*]] = ktdp.inter_tile_produce producer_tiles_per_group = #[[GROUP:.*]] -> <(tensor<64xf32>, tensor<64xi32>), groups = #[[GROUPS:.*]]> {
  // CHECK-NEXT: ^bb0(%{{.*}}: index):
  // CHECK-NEXT: ktdp.yield_partial %{{.*}}, %{{.*}} : tensor<64xf32>, tensor<64xi32>
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #group -> <(tensor<64xf32>, tensor<64xi32>), groups = #groups> {
  ^bb0(%g: index):
    ktdp.yield_partial %value, %index : tensor<64xf32>, tensor<64xi32>
  }
  // CHECK: ktdp.inter_tile_reduce(%[[F]]) consumer_tiles_per_group = #[[GROUP]], producer_dependency_per_consumer = #{{.*}}, identity(%{{.*}}, %{{.*}} : tensor<64xf32>, tensor<64xi32>) : <(tensor<64xf32>, tensor<64xi32>), groups = #[[GROUPS]]> -> tensor<64xf32>, tensor<64xi32> {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<64xf32>, %{{.*}}: tensor<64xi32>, %{{.*}}: tensor<64xf32>, %{{.*}}: tensor<64xi32>):
  %most:2 = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #group,
      producer_dependency_per_consumer = affine_set<(p)[c, g] : (p + c - 8*g - 3 == 0)>,
      identity(%value, %index : tensor<64xf32>, tensor<64xi32>)
      : <(tensor<64xf32>, tensor<64xi32>), groups = #groups> -> tensor<64xf32>, tensor<64xi32> {
  ^bb0(%a: tensor<64xf32>, %i: tensor<64xi32>, %b: tensor<64xf32>, %j: tensor<64xi32>):
    %is_more = arith.cmpf ogt, %a, %b : tensor<64xf32>
    %value_ = arith.select %is_more, %a, %b : tensor<64xi1>, tensor<64xf32>
    %index_ = arith.select %is_more, %i, %j : tensor<64xi1>, tensor<64xi32>
    // CHECK: ktdp.yield_reduced %{{.*}}, %{{.*}} : tensor<64xf32>, tensor<64xi32>
    ktdp.yield_reduced %value_, %index_ : tensor<64xf32>, tensor<64xi32>
  }
  return %most#0, %most#1 : tensor<64xf32>, tensor<64xi32>
}

// CHECK-LABEL: func.func @consume(
func.func @consume(%value: tensor<64xf32>) -> tensor<64xf32> {
  // CHECK: %[[F:.*]] = ktdp.inter_tile_produce producer_tiles_per_group = #[[FIRST:.*]] -> <(tensor<64xf32>), groups = #{{.*}}> {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #first -> <(tensor<64xf32>), groups = #groups> {
  ^bb0(%g: index):
    ktdp.yield_partial %value : tensor<64xf32>
  }
  // CHECK: ktdp.inter_tile_consume(%[[F]]) consumer_tiles_per_group = #{{.*}}, producer_dependency_per_consumer = #{{.*}} : <(tensor<64xf32>), groups = #{{.*}}> -> tensor<64xf32>
  %0 = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #group, producer_dependency_per_consumer = affine_set<(p)[c] : (p - c + 2 == 0)>
      : <(tensor<64xf32>), groups = #groups> -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// CHECK: func.func private @types(!ktdp.access_tile<0x42xindex>, !ktdp.tile_future<(tensor<4xf16>), groups = #{{.*}}>)
func.func private @types(!ktdp.access_tile<0x42xindex>, !ktdp.tile_future<(tensor<4xf16>), groups = #groups>)
