// RUN: spyre-opt %s --split-input-file --verify-diagnostics

// One function for each constraint and each way to violate it; docs/Dialects/KtdpConstraints.md has the list.

//===----------------------------------------------------------------------===//
// Attributes and types
//===----------------------------------------------------------------------===//

// expected-error @+1 {{only ct_local has a ct_id, but global has ct_id 3}}
func.func private @kt1_global() attributes {a = #ktdp.memory_space<global, ct_id = 3>}

// -----

// expected-error @+1 {{ct_id must not be negative, but is -1}}
func.func private @kt1_negative() attributes {a = #ktdp.memory_space<ct_local, ct_id = -1>}

// -----

// expected-error @+1 {{only ct_local has a ct_id, but global has ct_id 3}}
func.func private @kt1_older() attributes {a = #ktdp.spyre_memory_space<HBM, core = 3>}

// -----

// expected-error @+1 {{memory space 'L0' has no current spelling; 'HBM' is global, and 'LX' is ct_local}}
func.func private @syntax_older_space() attributes {a = #ktdp.spyre_memory_space<L0>}

// -----

// expected-error @+1 {{unknown attribute 'space' of the ktdp dialect (known: memory_space)}}
func.func private @syntax_attribute() attributes {a = #ktdp.space<global>}

// -----

// expected-error @+1 {{elements of an access tile must be 'index', but are 'i32'}}
func.func private @kt2_elements(!ktdp.access_tile<32x64xi32>)

// -----

// expected-error @+1 {{underlying type must be 'index', an integer or a float, but is 'tensor<4xf16>'}}
func.func private @kt3_underlying(!ktdp.runtime_arg<tensor<4xf16>>)

// -----

// expected-error @+1 {{granularity must be positive, but is 0}}
func.func private @kt4_granularity(!ktdp.runtime_arg<index, granularity=0>)

// -----

// expected-error @+1 {{upperbound must be positive, but is -512}}
func.func private @kt4_upperbound(!ktdp.runtime_arg<index, granularity=64, upperbound=-512>)

// -----

// expected-error @+1 {{'granularity' is given twice}}
func.func private @syntax_bound_twice(!ktdp.runtime_arg<index, granularity=64, granularity=64>)

// -----

// expected-error @+1 {{expected 'granularity' or 'upperbound'}}
func.func private @syntax_bound(!ktdp.runtime_arg<index, max_value=64>)

// -----

// expected-error @+1 {{a tile_future must have a tensor type, but has none}}
func.func private @kt5_none(!ktdp.tile_future<(), groups = affine_set<(g) : (g == 0)>>)

// -----

// expected-error @+1 {{invalid kind of type specified: expected builtin.tensor, but found 'index'}}
func.func private @kt5_scalar(!ktdp.tile_future<(index), groups = affine_set<(g) : (g == 0)>>)

// -----

// expected-error @+1 {{groups must be a set of 1 dimension and 0 symbols, but has 2 and 0}}
func.func private @kt6_dimensions(!ktdp.tile_future<(tensor<4xf16>), groups = affine_set<(g, h) : (g == 0, h == 0)>>)

// -----

// expected-error @+1 {{groups must be a set of 1 dimension and 0 symbols, but has 1 and 1}}
func.func private @kt6_symbols(!ktdp.tile_future<(tensor<4xf16>), groups = affine_set<(g)[s] : (g - s == 0)>>)

// -----

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

func.func @kt7_no_result() {
  // expected-error @+1 {{has 0 results where 1 or more are expected}}
  "ktdp.get_compute_tile_id"() : () -> ()
  return
}

// -----

#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
func.func @kt8_sizes(%base: index, %n: index) {
  // expected-error @+1 {{has 1 sizes for a view of rank 2}}
  %0 = ktdp.construct_memory_view %base, sizes: [32], strides: [64, 1] {coordinate_set = #rows, memory_space = #ktdp.memory_space<global>} : memref<32x64xf16>
  return
}

// -----

#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
func.func @kt8_strides(%base: index, %n: index) {
  // expected-error @+1 {{has 3 strides for a view of rank 2}}
  %0 = ktdp.construct_memory_view %base, sizes: [32, 64], strides: [64, 1, 1] {coordinate_set = #rows, memory_space = #ktdp.memory_space<global>} : memref<32x64xf16>
  return
}

// -----

#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
func.func @kt9_operands(%base: index, %n: index) {
  // expected-error @+1 {{has 1 operands for the 0 sizes that are values}}
  %0 = "ktdp.construct_memory_view"(%base, %n) <{coordinate_set = #rows, memory_space = #ktdp.memory_space<global>, operandSegmentSizes = array<i32: 1, 1, 0>, static_sizes = array<i64: 32, 64>, static_strides = array<i64: 64, 1>}> : (index, index) -> memref<32x64xf16>
  return
}

// -----

#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
func.func @kt10_extents(%base: index, %n: index) {
  // expected-error @+1 {{has the sizes [32, 64] for a view of the extents [32, 128]}}
  %0 = ktdp.construct_memory_view %base, sizes: [32, 64], strides: [64, 1] {coordinate_set = #rows, memory_space = #ktdp.memory_space<global>} : memref<32x128xf16>
  return
}

// -----

#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
func.func @kt11_dimensions(%base: index, %n: index) {
  // expected-error @+1 {{coordinate_set has 2 dimensions and 0 symbols where 1 and 0 are expected}}
  %0 = ktdp.construct_memory_view %base, sizes: [64], strides: [1] {coordinate_set = #rows, memory_space = #ktdp.memory_space<global>} : memref<64xf16>
  return
}

// -----

func.func @kt11_symbols(%base: index, %n: index) {
  // expected-error @+1 {{coordinate_set has 1 dimensions and 2 symbols where 1 and 1 are expected}}
  %0 = ktdp.construct_memory_view %base, sizes: [%n], strides: [1] {coordinate_set = affine_set<(d0)[s0, s1] : (d0 >= 0, -d0 + s0 - 1 >= 0, s1 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<?xf16>
  return
}

// -----

#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
func.func @kt12_box(%base: index, %n: index) {
  // expected-error @+1 {{has a coordinate_set of the extents [32, 64] for the sizes [32, 63]}}
  %0 = ktdp.construct_memory_view %base, sizes: [32, 63], strides: [64, 1] {coordinate_set = #rows, memory_space = #ktdp.memory_space<global>} : memref<32x63xf16>
  return
}

// -----

func.func @kt12_equality(%base: index, %n: index) {
  // expected-error @+1 {{has a coordinate_set of the extents [1, 65] for the sizes [32, 64]}}
  %0 = ktdp.construct_memory_view %base, sizes: [32, 64], strides: [64, 1] {coordinate_set = affine_set<(d0, d1) : (d0 - 7 == 0, 2 * d1 - 3 >= 0, -d1 + 66 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<32x64xf16>
  return
}

// -----

#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
func.func @kt13_space(%base: index, %n: index) {
  // expected-error @+1 {{has memory_space #ktdp.memory_space<global> for a view in #ktdp.memory_space<ct_local>}}
  %0 = ktdp.construct_memory_view %base, sizes: [32, 64], strides: [64, 1] {coordinate_set = #rows, memory_space = #ktdp.memory_space<global>} : memref<32x64xf16, #ktdp.memory_space<ct_local>>
  return
}

// -----

#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
func.func @syntax_space(%base: index, %n: index) {
  // expected-error @+1 {{attribute 'memory_space' failed to satisfy constraint: the memory of a view}}
  %0 = ktdp.construct_memory_view %base, sizes: [32, 64], strides: [64, 1] {coordinate_set = #rows, memory_space = 3 : i64} : memref<32x64xf16>
  return
}

// -----

func.func @syntax_no_set(%base: index, %n: index) {
  // expected-error @+1 {{requires attribute 'coordinate_set'}}
  %0 = ktdp.construct_memory_view %base, sizes: [32, 64], strides: [64, 1] {memory_space = #ktdp.memory_space<global>} : memref<32x64xf16>
  return
}

// -----

func.func @kt14_none() {
  // expected-error @+1 {{has 0 parts where 1 or more are expected}}
  %0 = ktdp.construct_distributed_memory_view() : memref<64x64xf16>
  return
}

// -----

func.func @kt14_rank(%a: memref<64x64xf16>, %b: memref<64xf16>) {
  // expected-error @+1 {{has rank 2, but part #1 has rank 1}}
  %0 = ktdp.construct_distributed_memory_view(%a, %b : memref<64x64xf16>, memref<64xf16>) : memref<64x64xf16>
  return
}

// -----

func.func @kt14_elements(%a: memref<64x64xf32>) {
  // expected-error @+1 {{has elements of 'f16', but part #0 of 'f32'}}
  %0 = ktdp.construct_distributed_memory_view(%a : memref<64x64xf32>) : memref<64x64xf16>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Access tiles
//===----------------------------------------------------------------------===//

#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @kt15_positions(%x: memref<128x64xf16>, %i: index) {
  // expected-error @+1 {{has 1 positions for a base of rank 2}}
  %0 = ktdp.construct_access_tile %x[%i] {access_tile_set = #rows, access_tile_order = #id} : memref<128x64xf16> -> !ktdp.access_tile<32x64xindex>
  return
}

// -----

#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @kt15_operands(%x: memref<128x64xf16>, %i: index) {
  // expected-error @+1 {{has 1 operands for a base_map of 2}}
  %0 = "ktdp.construct_access_tile"(%x, %i) <{access_tile_order = #id, access_tile_set = #rows, base_map = #id, operandSegmentSizes = array<i32: 1, 1, 0>}> : (memref<128x64xf16>, index) -> !ktdp.access_tile<32x64xindex>
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @kt16_dimensions(%x: memref<128x64xf16>, %i: index) {
  // expected-error @+1 {{access_tile_set has 1 dimensions and 0 symbols where 2 and 0 are expected}}
  %0 = ktdp.construct_access_tile %x[%i, 0] {access_tile_set = affine_set<(d0) : (d0 >= 0, -d0 + 31 >= 0)>, access_tile_order = #id} : memref<128x64xf16> -> !ktdp.access_tile<32x64xindex>
  return
}

// -----

#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @kt16_symbols(%x: memref<128x64xf16>, %i: index) {
  // expected-error @+1 {{access_tile_set has 2 dimensions and 0 symbols where 2 and 1 are expected}}
  %0 = ktdp.construct_access_tile %x[%i, 0] symbols(%i) {access_tile_set = #rows, access_tile_order = #id} : memref<128x64xf16> -> !ktdp.access_tile<32x64xindex>
  return
}

// -----

#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
func.func @kt17_square(%x: memref<128x64xf16>, %i: index) {
  // expected-error @+1 {{access_tile_order must be a permutation of the 2 dimensions of access_tile_set, but is affine_map<(d0, d1) -> (d0)>}}
  %0 = ktdp.construct_access_tile %x[%i, 0] {access_tile_set = #rows, access_tile_order = affine_map<(d0, d1) -> (d0)>} : memref<128x64xf16> -> !ktdp.access_tile<32x64xindex>
  return
}

// -----

#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
func.func @kt17_permutation(%x: memref<128x64xf16>, %i: index) {
  // expected-error @+1 {{access_tile_order must be a permutation of the 2 dimensions of access_tile_set, but is affine_map<(d0, d1) -> (d0, d0)>}}
  %0 = ktdp.construct_access_tile %x[%i, 0] {access_tile_set = #rows, access_tile_order = affine_map<(d0, d1) -> (d0, d0)>} : memref<128x64xf16> -> !ktdp.access_tile<32x64xindex>
  return
}

// -----

#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
func.func @kt17_dimensions(%x: memref<128x64xf16>, %i: index) {
  // expected-error @+1 {{access_tile_order must be a permutation of the 2 dimensions of access_tile_set, but is affine_map<(d0) -> (d0)>}}
  %0 = ktdp.construct_access_tile %x[%i, 0] {access_tile_set = #rows, access_tile_order = affine_map<(d0) -> (d0)>} : memref<128x64xf16> -> !ktdp.access_tile<32x64xindex>
  return
}

// -----

#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @kt18_rank(%x: memref<128x64xf16>, %i: index) {
  // expected-error @+1 {{access_tile_set has 2 dimensions for a tile of rank 3}}
  %0 = ktdp.construct_access_tile %x[%i, 0] {access_tile_set = #rows, access_tile_order = #id} : memref<128x64xf16> -> !ktdp.access_tile<1x32x64xindex>
  return
}

// -----

#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @kt18_extents(%x: memref<128x64xf16>, %i: index) {
  // expected-error @+1 {{access_tile_set has the extents [32, 64] for a tile of [16, 64]}}
  %0 = ktdp.construct_access_tile %x[%i, 0] {access_tile_set = #rows, access_tile_order = #id} : memref<128x64xf16> -> !ktdp.access_tile<16x64xindex>
  return
}

// -----

#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
func.func @kt18_order(%x: memref<128x64xf16>, %i: index) {
  // expected-error @+1 {{access_tile_set has the extents [64, 32] for a tile of [?, 64]}}
  %0 = ktdp.construct_access_tile %x[%i, 0] {access_tile_set = #rows, access_tile_order = affine_map<(d0, d1) -> (d1, d0)>} : memref<128x64xf16> -> !ktdp.access_tile<?x64xindex>
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @syntax_set(%x: memref<128x64xf16>, %i: index) {
  // expected-error @+1 {{attribute 'access_tile_set' failed to satisfy constraint: An Attribute containing an IntegerSet object}}
  %0 = ktdp.construct_access_tile %x[%i, 0] {access_tile_set = 3 : i64, access_tile_order = #id} : memref<128x64xf16> -> !ktdp.access_tile<32x64xindex>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @kt16_gather_symbols(%x: memref<96x64xf16>, %indices: memref<256xi32>, %i: index) {
  // expected-error @+1 {{variables_space_set has 2 dimensions and 0 symbols where 2 and 1 are expected}}
  %0 = ktdp.construct_indirect_access_tile intermediate_variables(%m, %k) %x[ind(%indices[%m]), (%k)] symbols(%i) {variables_space_set = #rows, variables_space_order = #id} : memref<96x64xf16>, memref<256xi32> -> !ktdp.access_tile<32x64xindex>
  return
}

// -----

#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
func.func @kt17_gather_order(%x: memref<96x64xf16>, %indices: memref<256xi32>, %i: index) {
  // expected-error @+1 {{variables_space_order must be a permutation of the 2 dimensions of variables_space_set, but is affine_map<(d0, d1) -> (d1)>}}
  %0 = ktdp.construct_indirect_access_tile intermediate_variables(%m, %k) %x[ind(%indices[%m]), (%k)] {variables_space_set = #rows, variables_space_order = affine_map<(d0, d1) -> (d1)>} : memref<96x64xf16>, memref<256xi32> -> !ktdp.access_tile<32x64xindex>
  return
}

// -----

#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @kt18_gather_extents(%x: memref<96x64xf16>, %indices: memref<256xi32>, %i: index) {
  // expected-error @+1 {{variables_space_set has the extents [32, 64] for a tile of [64, 32]}}
  %0 = ktdp.construct_indirect_access_tile intermediate_variables(%m, %k) %x[ind(%indices[%m]), (%k)] {variables_space_set = #rows, variables_space_order = #id} : memref<96x64xf16>, memref<256xi32> -> !ktdp.access_tile<64x32xindex>
  return
}

// -----

#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @kt19_variables(%x: memref<96x64xf16>, %indices: memref<256xi32>, %i: index) {
  // expected-error @+1 {{variables_space_set has 2 dimensions and 0 symbols where 3 and 0 are expected}}
  %0 = ktdp.construct_indirect_access_tile intermediate_variables(%m, %k, %n) %x[ind(%indices[%m]), (%k)] {variables_space_set = #rows, variables_space_order = #id} : memref<96x64xf16>, memref<256xi32> -> !ktdp.access_tile<32x64xindex>
  return
}

// -----

#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @kt19_type(%x: memref<96x64xf16>, %indices: memref<256xi32>, %i: index) {
  // expected-error @+1 {{variable #1 must be an 'index', but is 'i32'}}
  %0 = "ktdp.construct_indirect_access_tile"(%x, %indices) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>, per_dim_subscript_kinds = [true, false], per_dim_subscript_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1)>], variables_space_order = #id, variables_space_set = #rows}> ({^bb0(%m: index, %k: i32):}) : (memref<96x64xf16>, memref<256xi32>) -> !ktdp.access_tile<32x64xindex>
  return
}

// -----

#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @kt20_subscripts(%x: memref<96x64xf16>, %indices: memref<256xi32>, %i: index) {
  // expected-error @+1 {{has 1 subscripts and 1 maps for a base of rank 2}}
  %0 = ktdp.construct_indirect_access_tile intermediate_variables(%m, %k) %x[ind(%indices[%m])] {variables_space_set = #rows, variables_space_order = #id} : memref<96x64xf16>, memref<256xi32> -> !ktdp.access_tile<32x64xindex>
  return
}

// -----

#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @kt20_maps(%x: memref<96x64xf16>, %indices: memref<256xi32>, %i: index) {
  // expected-error @+1 {{has 2 subscripts and 1 maps for a base of rank 2}}
  %0 = "ktdp.construct_indirect_access_tile"(%x, %indices) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>, per_dim_subscript_kinds = [true, false], per_dim_subscript_maps = [affine_map<(d0, d1) -> (d0)>], variables_space_order = #id, variables_space_set = #rows}> ({^bb0(%m: index, %k: index):}) : (memref<96x64xf16>, memref<256xi32>) -> !ktdp.access_tile<32x64xindex>
  return
}

// -----

#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @kt21_views(%x: memref<96x64xf16>, %indices: memref<256xi32>, %i: index) {
  // expected-error @+1 {{has 0 indirect subscripts and 1 views of indices}}
  %0 = "ktdp.construct_indirect_access_tile"(%x, %indices) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>, per_dim_subscript_kinds = [false, false], per_dim_subscript_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1)>], variables_space_order = #id, variables_space_set = #rows}> ({^bb0(%m: index, %k: index):}) : (memref<96x64xf16>, memref<256xi32>) -> !ktdp.access_tile<32x64xindex>
  return
}

// -----

#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @kt22_map(%x: memref<96x64xf16>, %indices: memref<256xi32>, %i: index) {
  // expected-error @+1 {{the map of subscript #0 has 2 dimensions and 0 symbols where 3 and 0 are expected}}
  %0 = "ktdp.construct_indirect_access_tile"(%x, %indices, %i) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>, per_dim_subscript_kinds = [true, false], per_dim_subscript_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1)>], variables_space_order = #id, variables_space_set = #rows}> ({^bb0(%m: index, %k: index):}) : (memref<96x64xf16>, memref<256xi32>, index) -> !ktdp.access_tile<32x64xindex>
  return
}

// -----

#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @kt22_symbol(%x: memref<96x64xf16>, %indices: memref<256xi32>, %i: index) {
  // expected-error @+1 {{subscripts must have no symbols, but one has 1}}
  %0 = ktdp.construct_indirect_access_tile intermediate_variables(%m, %k) %x[ind(%indices[%m + symbol(%i)]), (%k)] {variables_space_set = #rows, variables_space_order = #id} : memref<96x64xf16>, memref<256xi32> -> !ktdp.access_tile<32x64xindex>
  return
}

// -----

#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @kt22_symbols(%x: memref<96x64xf16>, %indices: memref<256xi32>, %i: index) {
  // expected-error @+1 {{the map of subscript #1 has 2 dimensions and 1 symbols where 2 and 0 are expected}}
  %0 = "ktdp.construct_indirect_access_tile"(%x, %indices) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>, per_dim_subscript_kinds = [true, false], per_dim_subscript_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1)[s0] -> (d1 + s0)>], variables_space_order = #id, variables_space_set = #rows}> ({^bb0(%m: index, %k: index):}) : (memref<96x64xf16>, memref<256xi32>) -> !ktdp.access_tile<32x64xindex>
  return
}

// -----

#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @kt23_direct(%x: memref<96x64xf16>, %indices: memref<256xi32>, %i: index) {
  // expected-error @+1 {{subscript #1 has 2 expressions where 1 are expected}}
  %0 = ktdp.construct_indirect_access_tile intermediate_variables(%m, %k) %x[ind(%indices[%m]), (%k, %m)] {variables_space_set = #rows, variables_space_order = #id} : memref<96x64xf16>, memref<256xi32> -> !ktdp.access_tile<32x64xindex>
  return
}

// -----

#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @kt23_indirect(%x: memref<96x64xf16>, %indices: memref<256xi32>, %i: index) {
  // expected-error @+1 {{subscript #0 has 2 expressions where 1 are expected}}
  %0 = ktdp.construct_indirect_access_tile intermediate_variables(%m, %k) %x[ind(%indices[%m, %k]), (%k)] {variables_space_set = #rows, variables_space_order = #id} : memref<96x64xf16>, memref<256xi32> -> !ktdp.access_tile<32x64xindex>
  return
}

// -----

#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @kt24_elements(%x: memref<96x64xf16>, %indices: memref<256xf16>) {
  // expected-error @+1 {{the indices of subscript #0 must be integers or 'index', but are 'f16'}}
  %0 = ktdp.construct_indirect_access_tile intermediate_variables(%m, %k) %x[ind(%indices[%m]), (%k)] {variables_space_set = #rows, variables_space_order = #id} : memref<96x64xf16>, memref<256xf16> -> !ktdp.access_tile<32x64xindex>
  return
}

// -----

#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @syntax_types(%x: memref<96x64xf16>, %indices: memref<256xi32>, %i: index) {
  // expected-error @+1 {{number of operands and types do not match: got 1 operands and 0 types}}
  %0 = ktdp.construct_indirect_access_tile intermediate_variables(%m, %k) %x[ind(%indices[%m]), (%k)] {variables_space_set = #rows, variables_space_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<32x64xindex>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

func.func @kt25_load(%x: memref<128x64xf16>, %tile: !ktdp.access_tile<32x64xindex>, %rows: tensor<16x64xf16>, %i: index) {
  // expected-error @+1 {{has a tensor of [32, 32] for a tile of [32, 64]}}
  %0 = ktdp.load %tile : !ktdp.access_tile<32x64xindex> -> tensor<32x32xf16>
  return
}

// -----

func.func @kt25_store(%x: memref<128x64xf16>, %tile: !ktdp.access_tile<32x64xindex>, %rows: tensor<16x64xf16>, %i: index) {
  // expected-error @+1 {{has a tensor of [16, 64] for a tile of [32, 64]}}
  ktdp.store %rows, %tile : tensor<16x64xf16>, !ktdp.access_tile<32x64xindex>
  return
}

// -----

#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @kt26_load(%x: memref<128x64xf16>, %i: index) {
  // expected-note @+1 {{the tile is constructed here}}
  %0 = ktdp.construct_access_tile %x[%i, 0] {access_tile_set = #rows, access_tile_order = #id} : memref<128x64xf16> -> !ktdp.access_tile<32x64xindex>
  // expected-error @+1 {{has a tensor of 'f32' for a base of 'f16'}}
  %1 = ktdp.load %0 : !ktdp.access_tile<32x64xindex> -> tensor<32x64xf32>
  return
}

// -----

#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @kt26_store(%x: memref<128x64xf16>, %i: index, %rows: tensor<32x64xi32>) {
  // expected-note @+1 {{the tile is constructed here}}
  %0 = ktdp.construct_access_tile %x[%i, 0] {access_tile_set = #rows, access_tile_order = #id} : memref<128x64xf16> -> !ktdp.access_tile<32x64xindex>
  // expected-error @+1 {{has a tensor of 'i32' for a base of 'f16'}}
  ktdp.store %rows, %0 : tensor<32x64xi32>, !ktdp.access_tile<32x64xindex>
  return
}

// -----

#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @kt26_gather(%x: memref<96x64xf16>, %indices: memref<256xi32>) {
  // expected-note @+1 {{the tile is constructed here}}
  %0 = ktdp.construct_indirect_access_tile intermediate_variables(%m, %k) %x[ind(%indices[%m]), (%k)] {variables_space_set = #rows, variables_space_order = #id} : memref<96x64xf16>, memref<256xi32> -> !ktdp.access_tile<32x64xindex>
  // expected-error @+1 {{has a tensor of 'i32' for a base of 'f16'}}
  %1 = ktdp.load %0 : !ktdp.access_tile<32x64xindex> -> tensor<32x64xi32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

func.func @kt27_granularity(%n: !ktdp.runtime_arg<index, upperbound=512>) {
  // expected-error @+1 {{extracts granularity, which '!ktdp.runtime_arg<index, upperbound=512>' does not have}}
  %0 = ktdp.runtime_arg_extract granularity from %n : !ktdp.runtime_arg<index, upperbound=512> -> index
  return
}

// -----

func.func @kt27_upperbound(%n: !ktdp.runtime_arg<index>) {
  // expected-error @+1 {{extracts upperbound, which '!ktdp.runtime_arg<index>' does not have}}
  %0 = ktdp.runtime_arg_extract upperbound from %n : !ktdp.runtime_arg<index> -> index
  return
}

// -----

func.func @kt28_value(%n: !ktdp.runtime_arg<i32>) {
  // expected-error @+1 {{has a result of 'index' where value is of 'i32'}}
  %0 = ktdp.runtime_arg_extract value from %n : !ktdp.runtime_arg<i32> -> index
  return
}

// -----

func.func @kt28_bound(%n: !ktdp.runtime_arg<i32, granularity=64>) {
  // expected-error @+1 {{has a result of 'i32' where granularity is of 'index'}}
  %0 = ktdp.runtime_arg_extract granularity from %n : !ktdp.runtime_arg<i32, granularity=64> -> i32
  return
}

// -----

//===----------------------------------------------------------------------===//
// Communication
//===----------------------------------------------------------------------===//

#group = affine_set<(i)[g] : (i - 4*g >= 0, -i + 4*g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>
func.func @kt29_dimensions(%p: tensor<4xf16>, %q: tensor<8xf16>) {
  // expected-error @+1 {{producer_tiles_per_group has 2 dimensions and 1 symbols where 1 and 1 are expected}}
  %f = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(i, j)[g] : (i - g == 0, j == 0)> -> <(tensor<4xf16>), groups = #one> {
  ^bb0(%g: index):
    ktdp.yield_partial %p : tensor<4xf16>
  }
  return
}

// -----

#group = affine_set<(i)[g] : (i - 4*g >= 0, -i + 4*g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>
func.func @kt29_symbols(%p: tensor<4xf16>, %q: tensor<8xf16>) {
  // expected-error @+1 {{producer_tiles_per_group has 1 dimensions and 0 symbols where 1 and 1 are expected}}
  %f = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(i) : (i == 0)> -> <(tensor<4xf16>), groups = #one> {
  ^bb0(%g: index):
    ktdp.yield_partial %p : tensor<4xf16>
  }
  return
}

// -----

#group = affine_set<(i)[g] : (i - 4*g >= 0, -i + 4*g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>
func.func @kt30_arguments(%p: tensor<4xf16>, %q: tensor<8xf16>) {
  // expected-error @+1 {{the region must have one argument, an 'index', but has ('index', 'index')}}
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #group -> <(tensor<4xf16>), groups = #one> {
  ^bb0(%g: index, %h: index):
    ktdp.yield_partial %p : tensor<4xf16>
  }
  return
}

// -----

#group = affine_set<(i)[g] : (i - 4*g >= 0, -i + 4*g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>
func.func @kt30_argument(%p: tensor<4xf16>, %q: tensor<8xf16>) {
  // expected-error @+1 {{the region must have one argument, an 'index', but has ('i32')}}
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #group -> <(tensor<4xf16>), groups = #one> {
  ^bb0(%g: i32):
    ktdp.yield_partial %p : tensor<4xf16>
  }
  return
}

// -----

#group = affine_set<(i)[g] : (i - 4*g >= 0, -i + 4*g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>
func.func @kt30_yield(%p: tensor<4xf16>, %q: tensor<8xf16>) {
  // expected-error @+1 {{the region must end with ktdp.yield_partial, but ends with llvm.unreachable}}
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #group -> <(tensor<4xf16>), groups = #one> {
  ^bb0(%g: index):
    llvm.unreachable
  }
  return
}

// -----

#group = affine_set<(i)[g] : (i - 4*g >= 0, -i + 4*g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>
func.func @kt30_count(%p: tensor<4xf16>, %q: tensor<8xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #group -> <(tensor<4xf16>, tensor<8xf16>), groups = #one> {
  ^bb0(%g: index):
    // expected-error @+1 {{has 1 values for the 2 tensors of the future}}
    ktdp.yield_partial %p : tensor<4xf16>
  }
  return
}

// -----

#group = affine_set<(i)[g] : (i - 4*g >= 0, -i + 4*g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>
func.func @kt30_type(%p: tensor<4xf16>, %q: tensor<8xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #group -> <(tensor<4xf16>), groups = #one> {
  ^bb0(%g: index):
    // expected-error @+1 {{values #0 is of 'tensor<8xf16>', but the tensor of the future is of 'tensor<4xf16>'}}
    ktdp.yield_partial %q : tensor<8xf16>
  }
  return
}

// -----

#group = affine_set<(i)[g] : (i - 4*g >= 0, -i + 4*g + 3 >= 0)>
func.func @kt31_symbols(%f: !ktdp.tile_future<(tensor<4xf16>), groups = affine_set<(g) : (g == 0)>>) {
  // expected-error @+1 {{consumer_tiles_per_group has 1 dimensions and 0 symbols where 1 and 1 are expected}}
  %0 = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = affine_set<(i) : (i == 0)> : !ktdp.tile_future<(tensor<4xf16>), groups = affine_set<(g) : (g == 0)>> -> tensor<4xf16>
  return
}

// -----

#group = affine_set<(i)[g] : (i - 4*g >= 0, -i + 4*g + 3 >= 0)>
func.func @kt31_dependency_symbols(%f: !ktdp.tile_future<(tensor<4xf16>), groups = affine_set<(g) : (g == 0)>>) {
  // expected-error @+1 {{producer_dependency_per_consumer has 1 dimensions and 3 symbols where 1 and 1 are expected}}
  %0 = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #group, producer_dependency_per_consumer = affine_set<(p)[c, g, x] : (p - c - g - x == 0)> : !ktdp.tile_future<(tensor<4xf16>), groups = affine_set<(g) : (g == 0)>> -> tensor<4xf16>
  return
}

// -----

#group = affine_set<(i)[g] : (i - 4*g >= 0, -i + 4*g + 3 >= 0)>
func.func @kt31_dependency_dimensions(%f: !ktdp.tile_future<(tensor<4xf16>), groups = affine_set<(g) : (g == 0)>>) {
  // expected-error @+1 {{producer_dependency_per_consumer has 2 dimensions and 2 symbols where 1 and 2 are expected}}
  %0 = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #group, producer_dependency_per_consumer = affine_set<(p, q)[c, g] : (p - c - g == 0, q == 0)> : !ktdp.tile_future<(tensor<4xf16>), groups = affine_set<(g) : (g == 0)>> -> tensor<4xf16>
  return
}

// -----

#group = affine_set<(i)[g] : (i - 4*g >= 0, -i + 4*g + 3 >= 0)>
func.func @kt32_count(%f: !ktdp.tile_future<(tensor<4xf16>), groups = affine_set<(g) : (g == 0)>>) {
  // expected-error @+1 {{has 2 results for the 1 tensors of the future}}
  %0:2 = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #group : !ktdp.tile_future<(tensor<4xf16>), groups = affine_set<(g) : (g == 0)>> -> tensor<4xf16>, tensor<4xf16>
  return
}

// -----

#group = affine_set<(i)[g] : (i - 4*g >= 0, -i + 4*g + 3 >= 0)>
func.func @kt32_type(%f: !ktdp.tile_future<(tensor<4xf16>), groups = affine_set<(g) : (g == 0)>>) {
  // expected-error @+1 {{results #0 is of 'tensor<2x2xf16>', but the tensor of the future is of 'tensor<4xf16>'}}
  %0 = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #group : !ktdp.tile_future<(tensor<4xf16>), groups = affine_set<(g) : (g == 0)>> -> tensor<2x2xf16>
  return
}

// -----

#group = affine_set<(i)[g] : (i - 4*g >= 0, -i + 4*g + 3 >= 0)>
func.func @kt31_reduce(%f: !ktdp.tile_future<(tensor<4xf16>), groups = affine_set<(g) : (g == 0)>>, %z: tensor<4xf16>, %y: tensor<8xf16>) {
  // expected-error @+1 {{consumer_tiles_per_group has 1 dimensions and 2 symbols where 1 and 1 are expected}}
  %0 = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = affine_set<(i)[g, h] : (i - g - h == 0)>, identity(%z : tensor<4xf16>) : !ktdp.tile_future<(tensor<4xf16>), groups = affine_set<(g) : (g == 0)>> -> tensor<4xf16> {
  ^bb0(%a: tensor<4xf16>, %b: tensor<4xf16>):
    ktdp.yield_reduced %a : tensor<4xf16>
  }
  return
}

// -----

#group = affine_set<(i)[g] : (i - 4*g >= 0, -i + 4*g + 3 >= 0)>
func.func @kt32_reduce(%f: !ktdp.tile_future<(tensor<4xf16>), groups = affine_set<(g) : (g == 0)>>, %z: tensor<4xf16>, %y: tensor<8xf16>) {
  // expected-error @+1 {{results #0 is of 'tensor<1x4xf16>', but the tensor of the future is of 'tensor<4xf16>'}}
  %0 = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #group, identity(%z : tensor<4xf16>) : !ktdp.tile_future<(tensor<4xf16>), groups = affine_set<(g) : (g == 0)>> -> tensor<1x4xf16> {
  ^bb0(%a: tensor<4xf16>, %b: tensor<4xf16>):
    ktdp.yield_reduced %a : tensor<4xf16>
  }
  return
}

// -----

#group = affine_set<(i)[g] : (i - 4*g >= 0, -i + 4*g + 3 >= 0)>
func.func @kt33_count(%f: !ktdp.tile_future<(tensor<4xf16>), groups = affine_set<(g) : (g == 0)>>, %z: tensor<4xf16>, %y: tensor<8xf16>) {
  // expected-error @+1 {{has 0 identities for the 1 tensors of the future}}
  %0 = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #group, identity() : !ktdp.tile_future<(tensor<4xf16>), groups = affine_set<(g) : (g == 0)>> -> tensor<4xf16> {
  ^bb0(%a: tensor<4xf16>, %b: tensor<4xf16>):
    ktdp.yield_reduced %a : tensor<4xf16>
  }
  return
}

// -----

#group = affine_set<(i)[g] : (i - 4*g >= 0, -i + 4*g + 3 >= 0)>
func.func @kt33_type(%f: !ktdp.tile_future<(tensor<4xf16>), groups = affine_set<(g) : (g == 0)>>, %z: tensor<4xf16>, %y: tensor<8xf16>) {
  // expected-error @+1 {{identities #0 is of 'tensor<8xf16>', but the tensor of the future is of 'tensor<4xf16>'}}
  %0 = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #group, identity(%y : tensor<8xf16>) : !ktdp.tile_future<(tensor<4xf16>), groups = affine_set<(g) : (g == 0)>> -> tensor<4xf16> {
  ^bb0(%a: tensor<4xf16>, %b: tensor<4xf16>):
    ktdp.yield_reduced %a : tensor<4xf16>
  }
  return
}

// -----

#group = affine_set<(i)[g] : (i - 4*g >= 0, -i + 4*g + 3 >= 0)>
func.func @kt34_arguments(%f: !ktdp.tile_future<(tensor<4xf16>), groups = affine_set<(g) : (g == 0)>>, %z: tensor<4xf16>, %y: tensor<8xf16>) {
  // expected-error @+1 {{the region must have the arguments ('tensor<4xf16>', 'tensor<4xf16>'), but has ('tensor<4xf16>')}}
  %0 = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #group, identity(%z : tensor<4xf16>) : !ktdp.tile_future<(tensor<4xf16>), groups = affine_set<(g) : (g == 0)>> -> tensor<4xf16> {
  ^bb0(%a: tensor<4xf16>):
    ktdp.yield_reduced %a : tensor<4xf16>
  }
  return
}

// -----

#group = affine_set<(i)[g] : (i - 4*g >= 0, -i + 4*g + 3 >= 0)>
func.func @kt34_yield(%f: !ktdp.tile_future<(tensor<4xf16>), groups = affine_set<(g) : (g == 0)>>, %z: tensor<4xf16>, %y: tensor<8xf16>) {
  // expected-error @+1 {{the region must end with ktdp.yield_reduced, but ends with llvm.unreachable}}
  %0 = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #group, identity(%z : tensor<4xf16>) : !ktdp.tile_future<(tensor<4xf16>), groups = affine_set<(g) : (g == 0)>> -> tensor<4xf16> {
  ^bb0(%a: tensor<4xf16>, %b: tensor<4xf16>):
    llvm.unreachable
  }
  return
}

// -----

#group = affine_set<(i)[g] : (i - 4*g >= 0, -i + 4*g + 3 >= 0)>
func.func @kt34_type(%f: !ktdp.tile_future<(tensor<4xf16>), groups = affine_set<(g) : (g == 0)>>, %z: tensor<4xf16>, %y: tensor<8xf16>) {
  %0 = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #group, identity(%z : tensor<4xf16>) : !ktdp.tile_future<(tensor<4xf16>), groups = affine_set<(g) : (g == 0)>> -> tensor<4xf16> {
  ^bb0(%a: tensor<4xf16>, %b: tensor<4xf16>):
    // expected-error @+1 {{values #0 is of 'tensor<8xf16>', but the tensor of the future is of 'tensor<4xf16>'}}
    ktdp.yield_reduced %y : tensor<8xf16>
  }
  return
}

// -----

#group = affine_set<(i)[g] : (i - 4*g >= 0, -i + 4*g + 3 >= 0)>
func.func @kt34_count(%f: !ktdp.tile_future<(tensor<4xf16>), groups = affine_set<(g) : (g == 0)>>, %z: tensor<4xf16>, %y: tensor<8xf16>) {
  %0 = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #group, identity(%z : tensor<4xf16>) : !ktdp.tile_future<(tensor<4xf16>), groups = affine_set<(g) : (g == 0)>> -> tensor<4xf16> {
  ^bb0(%a: tensor<4xf16>, %b: tensor<4xf16>):
    // expected-error @+1 {{has 0 values for the 1 tensors of the future}}
    ktdp.yield_reduced
  }
  return
}

// -----

func.func @syntax_older_types(%p: tensor<4xf16>) {
  // expected-error @+1 {{the types of the tensors, 'tensor<8xf16>', are not those of the future, 'tensor<4xf16>'}}
  %f = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(i)[g] : (i - g == 0)> : tensor<8xf16> -> !ktdp.tile_future<tensor<4xf16>, groups = affine_set<(g) : (g == 0)>> {
  ^bb0(%g: index):
    ktdp.yield_partial %p : tensor<4xf16>
  }
  return
}

// -----

func.func @syntax_parent(%p: tensor<4xf16>) {
  // expected-error @+1 {{expects parent op 'ktdp.inter_tile_produce'}}
  "ktdp.yield_partial"(%p) : (tensor<4xf16>) -> ()
  return
}
