// A layer norm in f32, with broadcasts by maps. The program lacks the number that the kernel adds to the variance, which
// would be an argument, and rounds to f16.

// RUN: split-file %s %t
// RUN: spyre-run %t/program.mlir --ktir %t/kernel.mlir --core-order both --compare %t/program.mlir --random-seed 1 --tolerance 4e-3 | FileCheck %s
// CHECK: result 0: 0 of 16384 elements differ

//--- program.mlir
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#row = #spyre.layout<(d0) -> (d0 floordiv 64, d0 mod 64)>
!t = tensor<64x256xf16, #stick>
!v = tensor<256xf16, #row>
func.func @f(%x: !t, %w: !v, %b: !v) -> !t {
  %mean = spyre.mean %x dims [1] keepdim : (!t) -> tensor<64x1xf16, #stick>
  %d = spyre.sub %x, %mean : (!t, tensor<64x1xf16, #stick>) -> !t
  %q = spyre.mul %d, %d : !t
  %var = spyre.mean %q dims [1] keepdim : (!t) -> tensor<64x1xf16, #stick>
  %r = spyre.rsqrt %var : tensor<64x1xf16, #stick>
  %n = spyre.mul %d, %r : (!t, tensor<64x1xf16, #stick>) -> !t
  %s = spyre.mul %n, %w : (!t, !v) -> !t
  %y = spyre.add %s, %b : (!t, !v) -> !t
  return %y : !t
}

//--- kernel.mlir
module {
  func.func @k(%x: index, %w: index, %b: index, %y: index) attributes {grid = [4]} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant 0.0 : f32
    %inv = arith.constant 0.00390625 : f32
    %eps = arith.constant 1.0e-5 : f32
    %id = ktdp.get_compute_tile_id : index
    %r = arith.muli %id, %c16 : index
    %xv = ktdp.construct_memory_view %x, sizes: [4, 64, 64], strides: [4096, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 63 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<4x64x64xf16>
    %yv = ktdp.construct_memory_view %y, sizes: [4, 64, 64], strides: [4096, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 63 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<4x64x64xf16>
    %wv = ktdp.construct_memory_view %w, sizes: [4, 64], strides: [64, 1] {coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<4x64xf16>
    %bv = ktdp.construct_memory_view %b, sizes: [4, 64], strides: [64, 1] {coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<4x64xf16>
    %xt_t = ktdp.construct_access_tile %xv[%c0, %r, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 15 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<4x64x64xf16> -> !ktdp.access_tile<4x16x64xindex>
    %xt = ktdp.load %xt_t : !ktdp.access_tile<4x16x64xindex> -> tensor<4x16x64xf16>
    %wt_t = ktdp.construct_access_tile %wv[%c0, %c0] {access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
    %wt = ktdp.load %wt_t : !ktdp.access_tile<4x64xindex> -> tensor<4x64xf16>
    %bt_t = ktdp.construct_access_tile %bv[%c0, %c0] {access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
    %bt = ktdp.load %bt_t : !ktdp.access_tile<4x64xindex> -> tensor<4x64xf16>
    %xf = arith.extf %xt : tensor<4x16x64xf16> to tensor<4x16x64xf32>
    %wf = arith.extf %wt : tensor<4x64xf16> to tensor<4x64xf32>
    %bf = arith.extf %bt : tensor<4x64xf16> to tensor<4x64xf32>
    %s_i = tensor.splat %zero : tensor<16xf32>
    %s = linalg.reduce { arith.addf } ins(%xf : tensor<4x16x64xf32>) outs(%s_i : tensor<16xf32>) dimensions = [0, 2]
    %mu_e = tensor.empty() : tensor<16xf32>
    %mu = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%s : tensor<16xf32>) outs(%mu_e : tensor<16xf32>) {
    ^bb0(%a0: f32, %out: f32):
      %p = arith.mulf %a0, %inv : f32
      linalg.yield %p : f32
    } -> tensor<16xf32>
    %d_e = tensor.empty() : tensor<4x16x64xf32>
    %d = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%xf, %mu : tensor<4x16x64xf32>, tensor<16xf32>) outs(%d_e : tensor<4x16x64xf32>) {
    ^bb0(%a0: f32, %a1: f32, %out: f32):
      %p = arith.subf %a0, %a1 : f32
      linalg.yield %p : f32
    } -> tensor<4x16x64xf32>
    %sq_e = tensor.empty() : tensor<4x16x64xf32>
    %sq = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%d : tensor<4x16x64xf32>) outs(%sq_e : tensor<4x16x64xf32>) {
    ^bb0(%a0: f32, %out: f32):
      %p = arith.mulf %a0, %a0 : f32
      linalg.yield %p : f32
    } -> tensor<4x16x64xf32>
    %v_i = tensor.splat %zero : tensor<16xf32>
    %v = linalg.reduce { arith.addf } ins(%sq : tensor<4x16x64xf32>) outs(%v_i : tensor<16xf32>) dimensions = [0, 2]
    %rs_e = tensor.empty() : tensor<16xf32>
    %rs = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%v : tensor<16xf32>) outs(%rs_e : tensor<16xf32>) {
    ^bb0(%a0: f32, %out: f32):
      %p = arith.mulf %a0, %inv : f32
      %q = arith.addf %p, %eps : f32
      %t = math.rsqrt %q : f32
      linalg.yield %t : f32
    } -> tensor<16xf32>
    %o_e = tensor.empty() : tensor<4x16x64xf32>
    %o = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d1)>, affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%d, %rs, %wf, %bf : tensor<4x16x64xf32>, tensor<16xf32>, tensor<4x64xf32>, tensor<4x64xf32>) outs(%o_e : tensor<4x16x64xf32>) {
    ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %out: f32):
      %p = arith.mulf %a0, %a1 : f32
      %q = arith.mulf %p, %a2 : f32
      %t = arith.addf %q, %a3 : f32
      linalg.yield %t : f32
    } -> tensor<4x16x64xf32>
    %oh = arith.truncf %o : tensor<4x16x64xf32> to tensor<4x16x64xf16>
    %o_t = ktdp.construct_access_tile %yv[%c0, %r, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 15 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<4x64x64xf16> -> !ktdp.access_tile<4x16x64xindex>
    ktdp.store %oh, %o_t : tensor<4x16x64xf16>, !ktdp.access_tile<4x16x64xindex>
    return
  }
}
