// RUN: spyre-opt %s | FileCheck %s --implicit-check-not=spyre_memory_space
// RUN: spyre-opt %s | spyre-opt | FileCheck %s

// The older spellings are read, and printed in the current one.

#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#group = affine_set<(i)[g] : (i - 4*g >= 0, -i + 4*g + 3 >= 0)>

// CHECK-LABEL: func.func @spaces(
func.func @spaces(%base: index) {
  // CHECK: memory_space = #ktdp.memory_space<global>} : memref<32x64xf16>
  %0 = ktdp.construct_memory_view %base, sizes: [32, 64], strides: [64, 1] {coordinate_set = #rows, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<32x64xf16>
  // CHECK: memory_space = #ktdp.memory_space<ct_local>} : memref<32x64xf16, #ktdp.memory_space<ct_local>>
  %1 = ktdp.construct_memory_view %base, sizes: [32, 64], strides: [64, 1] {coordinate_set = #rows, memory_space = #ktdp.spyre_memory_space<LX>} : memref<32x64xf16, #ktdp.spyre_memory_space<LX>>
  // Both spellings are one attribute.
  // CHECK: memory_space = #ktdp.memory_space<ct_local, ct_id = 7>} : memref<32x64xf16, #ktdp.memory_space<ct_local, ct_id = 7>>
  %2 = ktdp.construct_memory_view %base, sizes: [32, 64], strides: [64, 1] {coordinate_set = #rows, memory_space = #ktdp.spyre_memory_space<LX, core = 7>} : memref<32x64xf16, #ktdp.memory_space<ct_local, ct_id = 7>>
  return
}

// CHECK-LABEL: func.func @sum(
func.func @sum(%partial: tensor<64xf16>, %zero: tensor<64xf16>) -> tensor<64xf16> {
  // CHECK: ktdp.inter_tile_produce producer_tiles_per_group = #{{.*}} -> <(tensor<64xf16>), groups = #{{.*}}> {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #group
      : tensor<64xf16> -> !ktdp.tile_future<tensor<64xf16>, groups = affine_set<(g) : (g == 0)>> {
  ^bb0(%g: index):
    ktdp.yield_partial %partial : tensor<64xf16>
  }
  // CHECK: ktdp.inter_tile_reduce({{.*}} : <(tensor<64xf16>), groups = #{{.*}}> -> tensor<64xf16> {
  %sum = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #group, identity(%zero : tensor<64xf16>)
      : !ktdp.tile_future<tensor<64xf16>, groups = affine_set<(g) : (g == 0)>> -> tensor<64xf16> {
  ^bb0(%a: tensor<64xf16>, %b: tensor<64xf16>):
    %c = arith.addf %a, %b : tensor<64xf16>
    ktdp.yield_reduced %c : tensor<64xf16>
  }
  return %sum : tensor<64xf16>
}

// CHECK: func.func private @roles(!ktdp.tile_future<(tensor<4xf32>, tensor<4xi32>), groups = #{{.*}}>)
func.func private @roles(!ktdp.tile_future<tensor<4xf32>, tensor<4xi32>, groups = affine_set<(g) : (g == 0)>>)
