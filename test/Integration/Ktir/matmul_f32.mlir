// A product in tiles of K, with an accumulator in f32 that the loop carries.

// RUN: split-file %s %t
// RUN: spyre-run %t/program.mlir --ktir %t/kernel.mlir --core-order both --compare %t/program.mlir --random-seed 1 --integers=3 | FileCheck %s
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
    %c64 = arith.constant 64 : index
    %z = arith.constant dense<0.0> : tensor<32x128xf32>
    %id = ktdp.get_compute_tile_id : index
    %r = arith.muli %id, %c32 : index
    %av = ktdp.construct_memory_view %a, sizes: [4, 128, 64], strides: [8192, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 127 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<4x128x64xf16>
    %bv = ktdp.construct_memory_view %b, sizes: [2, 256, 64], strides: [16384, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 255 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<2x256x64xf16>
    %cv = ktdp.construct_memory_view %c, sizes: [2, 128, 64], strides: [8192, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 127 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<2x128x64xf16>
    %acc = scf.for %k = %c0 to %c4 step %c1 iter_args(%s = %z) -> (tensor<32x128xf32>) {
    %kr = arith.muli %k, %c64 : index
    %at_t = ktdp.construct_access_tile %av[%k, %r, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 31 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<4x128x64xf16> -> !ktdp.access_tile<1x32x64xindex>
    %at = ktdp.load %at_t : !ktdp.access_tile<1x32x64xindex> -> tensor<1x32x64xf16>
    %bt_t = ktdp.construct_access_tile %bv[%c0, %kr, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 63 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<2x256x64xf16> -> !ktdp.access_tile<2x64x64xindex>
    %bt = ktdp.load %bt_t : !ktdp.access_tile<2x64x64xindex> -> tensor<2x64x64xf16>
    %a2 = tensor.collapse_shape %at [[0, 1], [2]] : tensor<1x32x64xf16> into tensor<32x64xf16>
    %bp_e = tensor.empty() : tensor<64x2x64xf16>
    %bp = linalg.transpose ins(%bt : tensor<2x64x64xf16>) outs(%bp_e : tensor<64x2x64xf16>) permutation = [1, 0, 2]
    %b2 = tensor.collapse_shape %bp [[0], [1, 2]] : tensor<64x2x64xf16> into tensor<64x128xf16>
    %a3 = arith.extf %a2 : tensor<32x64xf16> to tensor<32x64xf32>
    %b3 = arith.extf %b2 : tensor<64x128xf16> to tensor<64x128xf32>
    %n = linalg.matmul ins(%a3, %b3 : tensor<32x64xf32>, tensor<64x128xf32>) outs(%s : tensor<32x128xf32>) -> tensor<32x128xf32>
    scf.yield %n : tensor<32x128xf32>
    }
    %h = arith.truncf %acc : tensor<32x128xf32> to tensor<32x128xf16>
    %c3 = tensor.expand_shape %h [[0], [1, 2]] output_shape [32, 2, 64] : tensor<32x128xf16> into tensor<32x2x64xf16>
    %cp_e = tensor.empty() : tensor<2x32x64xf16>
    %cp = linalg.transpose ins(%c3 : tensor<32x2x64xf16>) outs(%cp_e : tensor<2x32x64xf16>) permutation = [1, 0, 2]
    %o_t = ktdp.construct_access_tile %cv[%c0, %r, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 31 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<2x128x64xf16> -> !ktdp.access_tile<2x32x64xindex>
    ktdp.store %cp, %o_t : tensor<2x32x64xf16>, !ktdp.access_tile<2x32x64xindex>
    return
  }
}
