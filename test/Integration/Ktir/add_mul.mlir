// Four cores have two sticks of 256 rows each, and a loop over tiles of 64 rows.

// RUN: split-file %s %t
// RUN: spyre-run %t/program.mlir --ktir %t/kernel.mlir --core-order both --compare %t/program.mlir --random-seed 1 | FileCheck %s
// CHECK: result 0: 0 of 131072 elements differ

//--- program.mlir
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<256x512xf16, #stick>
func.func @f(%a: !t, %b: !t, %c: !t) -> !t {
  %0 = spyre.add %a, %b : !t
  %1 = spyre.mul %0, %c : !t
  return %1 : !t
}

//--- kernel.mlir
module {
  func.func @k(%a: index, %b: index, %c: index, %y: index) attributes {grid = [4]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %id = ktdp.get_compute_tile_id : index
    %st = arith.muli %id, %c2 : index
    %av = ktdp.construct_memory_view %a, sizes: [8, 256, 64], strides: [16384, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 255 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<8x256x64xf16>
    %bv = ktdp.construct_memory_view %b, sizes: [8, 256, 64], strides: [16384, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 255 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<8x256x64xf16>
    %cv = ktdp.construct_memory_view %c, sizes: [8, 256, 64], strides: [16384, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 255 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<8x256x64xf16>
    %yv = ktdp.construct_memory_view %y, sizes: [8, 256, 64], strides: [16384, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 255 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<8x256x64xf16>
    scf.for %i = %c0 to %c4 step %c1 {
    %r = arith.muli %i, %c64 : index
    %at_t = ktdp.construct_access_tile %av[%st, %r, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 63 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<8x256x64xf16> -> !ktdp.access_tile<2x64x64xindex>
    %at = ktdp.load %at_t : !ktdp.access_tile<2x64x64xindex> -> tensor<2x64x64xf16>
    %bt_t = ktdp.construct_access_tile %bv[%st, %r, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 63 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<8x256x64xf16> -> !ktdp.access_tile<2x64x64xindex>
    %bt = ktdp.load %bt_t : !ktdp.access_tile<2x64x64xindex> -> tensor<2x64x64xf16>
    %ct_t = ktdp.construct_access_tile %cv[%st, %r, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 63 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<8x256x64xf16> -> !ktdp.access_tile<2x64x64xindex>
    %ct = ktdp.load %ct_t : !ktdp.access_tile<2x64x64xindex> -> tensor<2x64x64xf16>
    %s_e = tensor.empty() : tensor<2x64x64xf16>
    %s = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%at, %bt : tensor<2x64x64xf16>, tensor<2x64x64xf16>) outs(%s_e : tensor<2x64x64xf16>) {
    ^bb0(%a0: f16, %a1: f16, %out: f16):
      %p = arith.addf %a0, %a1 : f16
      linalg.yield %p : f16
    } -> tensor<2x64x64xf16>
    %m_e = tensor.empty() : tensor<2x64x64xf16>
    %m = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %ct : tensor<2x64x64xf16>, tensor<2x64x64xf16>) outs(%m_e : tensor<2x64x64xf16>) {
    ^bb0(%a0: f16, %a1: f16, %out: f16):
      %p = arith.mulf %a0, %a1 : f16
      linalg.yield %p : f16
    } -> tensor<2x64x64xf16>
    %o_t = ktdp.construct_access_tile %yv[%st, %r, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 63 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<8x256x64xf16> -> !ktdp.access_tile<2x64x64xindex>
    ktdp.store %m, %o_t : tensor<2x64x64xf16>, !ktdp.access_tile<2x64x64xindex>
    scf.yield
    }
    return
  }
}
