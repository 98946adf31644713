// A product as a contraction over device dimensions.

// RUN: split-file %s %t
// RUN: spyre-run %t/program.mlir --ktir %t/kernel.mlir --core-order both --compare %t/program.mlir --random-seed 1 --integers=2 | FileCheck %s
// CHECK: result 0: 0 of 16384 elements differ

//--- program.mlir
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
func.func @f(%a: tensor<128x256xf16, #stick>, %b: tensor<256x128xf16, #stick>) -> tensor<128x128xf16, #stick> {
  %0 = spyre.batchmatmul %a, %b : (tensor<128x256xf16, #stick>, tensor<256x128xf16, #stick>) -> tensor<128x128xf16, #stick>
  return %0 : tensor<128x128xf16, #stick>
}

//--- kernel.mlir
module {
  func.func @k(%a: index, %b: index, %c: index) attributes {grid = [4]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %z = arith.constant dense<0.0> : tensor<2x32x64xf16>
    %id = ktdp.get_compute_tile_id : index
    %r = arith.muli %id, %c32 : index
    %av = ktdp.construct_memory_view %a, sizes: [4, 128, 64], strides: [8192, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 127 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<4x128x64xf16>
    %bv = ktdp.construct_memory_view %b, sizes: [2, 4, 64, 64], strides: [16384, 4096, 64, 1] {coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 3 >= 0, d2 >= 0, -d2 + 63 >= 0, d3 >= 0, -d3 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<2x4x64x64xf16>
    %cv = ktdp.construct_memory_view %c, sizes: [2, 128, 64], strides: [8192, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 127 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<2x128x64xf16>
    %acc = scf.for %k = %c0 to %c4 step %c1 iter_args(%s = %z) -> (tensor<2x32x64xf16>) {
    %at_t = ktdp.construct_access_tile %av[%k, %r, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 31 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<4x128x64xf16> -> !ktdp.access_tile<1x32x64xindex>
    %at = ktdp.load %at_t : !ktdp.access_tile<1x32x64xindex> -> tensor<1x32x64xf16>
    %bt_t = ktdp.construct_access_tile %bv[%c0, %k, %c0, %c0] {access_tile_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 0 >= 0, d2 >= 0, -d2 + 63 >= 0, d3 >= 0, -d3 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>} : memref<2x4x64x64xf16> -> !ktdp.access_tile<2x1x64x64xindex>
    %bt = ktdp.load %bt_t : !ktdp.access_tile<2x1x64x64xindex> -> tensor<2x1x64x64xf16>
    %n = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d3, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d4, d2)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%at, %bt : tensor<1x32x64xf16>, tensor<2x1x64x64xf16>) outs(%s : tensor<2x32x64xf16>) {
    ^bb0(%a0: f16, %a1: f16, %out: f16):
      %p = arith.mulf %a0, %a1 : f16
      %q = arith.addf %out, %p : f16
      linalg.yield %q : f16
    } -> tensor<2x32x64xf16>
    scf.yield %n : tensor<2x32x64xf16>
    }
    %o_t = ktdp.construct_access_tile %cv[%c0, %r, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 31 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<2x128x64xf16> -> !ktdp.access_tile<2x32x64xindex>
    ktdp.store %acc, %o_t : tensor<2x32x64xf16>, !ktdp.access_tile<2x32x64xindex>
    return
  }
}
