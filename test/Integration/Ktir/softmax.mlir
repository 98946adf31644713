// Reductions along the dimension on the stick, in f16: numbers are rounded in other places than on the device.

// RUN: split-file %s %t
// RUN: spyre-run %t/program.mlir --ktir %t/kernel.mlir --core-order both --compare %t/program.mlir --random-seed 1 --tolerance 2e-3 | FileCheck %s
// CHECK: result 0: 0 of 32768 elements differ

//--- program.mlir
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<128x256xf16, #stick>
func.func @f(%x: !t) -> !t {
  %m = spyre.max %x dims [1] keepdim : (!t) -> tensor<128x1xf16, #stick>
  %d = spyre.sub %x, %m : (!t, tensor<128x1xf16, #stick>) -> !t
  %e = spyre.exp %d : !t
  %s = spyre.sum %e dims [1] keepdim : (!t) -> tensor<128x1xf16, #stick>
  %y = spyre.realdiv %e, %s : (!t, tensor<128x1xf16, #stick>) -> !t
  return %y : !t
}

//--- kernel.mlir
module {
  func.func @k(%x: index, %y: index) attributes {grid = [4]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %ninf = arith.constant 0xFC00 : f16
    %zero = arith.constant 0.0 : f16
    %id = ktdp.get_compute_tile_id : index
    %r0 = arith.muli %id, %c32 : index
    %xv = ktdp.construct_memory_view %x, sizes: [4, 128, 64], strides: [8192, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 127 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<4x128x64xf16>
    %yv = ktdp.construct_memory_view %y, sizes: [4, 128, 64], strides: [8192, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 127 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<4x128x64xf16>
    scf.for %i = %c0 to %c2 step %c1 {
    %o = arith.muli %i, %c16 : index
    %r = arith.addi %r0, %o : index
    %xt_t = ktdp.construct_access_tile %xv[%c0, %r, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 15 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<4x128x64xf16> -> !ktdp.access_tile<4x16x64xindex>
    %xt = ktdp.load %xt_t : !ktdp.access_tile<4x16x64xindex> -> tensor<4x16x64xf16>
    %mx_i = tensor.splat %ninf : tensor<16xf16>
    %mx = linalg.reduce { arith.maximumf } ins(%xt : tensor<4x16x64xf16>) outs(%mx_i : tensor<16xf16>) dimensions = [0, 2]
    %d_e = tensor.empty() : tensor<4x16x64xf16>
    %d = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%xt, %mx : tensor<4x16x64xf16>, tensor<16xf16>) outs(%d_e : tensor<4x16x64xf16>) {
    ^bb0(%a0: f16, %a1: f16, %out: f16):
      %p = arith.subf %a0, %a1 : f16
      linalg.yield %p : f16
    } -> tensor<4x16x64xf16>
    %e_e = tensor.empty() : tensor<4x16x64xf16>
    %e = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%d : tensor<4x16x64xf16>) outs(%e_e : tensor<4x16x64xf16>) {
    ^bb0(%a0: f16, %out: f16):
      %p = math.exp %a0 : f16
      linalg.yield %p : f16
    } -> tensor<4x16x64xf16>
    %sm_i = tensor.splat %zero : tensor<16xf16>
    %sm = linalg.reduce { arith.addf } ins(%e : tensor<4x16x64xf16>) outs(%sm_i : tensor<16xf16>) dimensions = [0, 2]
    %q_e = tensor.empty() : tensor<4x16x64xf16>
    %q = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %sm : tensor<4x16x64xf16>, tensor<16xf16>) outs(%q_e : tensor<4x16x64xf16>) {
    ^bb0(%a0: f16, %a1: f16, %out: f16):
      %p = arith.divf %a0, %a1 : f16
      linalg.yield %p : f16
    } -> tensor<4x16x64xf16>
    %o_t = ktdp.construct_access_tile %yv[%c0, %r, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 15 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<4x128x64xf16> -> !ktdp.access_tile<4x16x64xindex>
    ktdp.store %q, %o_t : tensor<4x16x64xf16>, !ktdp.access_tile<4x16x64xindex>
    scf.yield
    }
    return
  }
}
