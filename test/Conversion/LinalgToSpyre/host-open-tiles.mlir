// Tiles of hints that an open program cannot have are left out for the extents that are chosen, and that is said.
// RUN: spyre-run %s --size S=64 --random-seed 4 --on=card --compare %s --stats 2>&1 | FileCheck %s
// CHECK: host-open-tiles.mlir:[[#@LINE+9]]:1: warning: the bundles are for the given extents alone, not for dynamic extents: dimension "rows" is declared with extent 64, but has extent 128 here
// CHECK: host-open-tiles.mlir:[[#@LINE+8]]:1: warning: the tiles that hints ask for are left out for these extents: dimension "rows" is declared with extent 64, but has extent 128 here
// CHECK: device: @largest_device_0
// CHECK: result 0: 0 of 64 elements differ
// CHECK-NEXT: result 1: 0 of 16384 elements differ
// CHECK-NEXT: result 2: 0 of 32768 elements differ

#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @largest(%a: tensor<?x256xf16> {spyre.dims = ["S", "D"]}, %b: tensor<64x256xf16>, %c: tensor<128x256xf16>) -> (tensor<?xf16>, tensor<64x256xf16>, tensor<128x256xf16>) attributes {spyre.dim_sizes = {D = 256, rows = 64, S = #spyre.dynamic<granularity = 32, max = 256>}} {
  %c0 = arith.constant 0 : index
  %low = arith.constant -1.0e+3 : f16
  %s = tensor.dim %a, %c0 : tensor<?x256xf16>
  %e = tensor.empty(%s) : tensor<?xf16>
  %f = linalg.fill ins(%low : f16) outs(%e : tensor<?xf16>) -> tensor<?xf16>
  %0 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<?x256xf16>) outs(%f : tensor<?xf16>) {
  ^bb0(%x: f16, %o: f16):
    %y = arith.maximumf %o, %x : f16
    linalg.yield %y : f16
  } -> tensor<?xf16>
  %e1 = tensor.empty() : tensor<64x256xf16>
  %1 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<64x256xf16>) outs(%e1 : tensor<64x256xf16>) attrs = {spyre.dims = ["rows", "_untracked_256"], spyre.tile = [#spyre.tile_hint<0 : "rows" by 16>]} {
  ^bb0(%x: f16, %o: f16):
    %y = math.absf %x : f16
    linalg.yield %y : f16
  } -> tensor<64x256xf16>
  %e2 = tensor.empty() : tensor<128x256xf16>
  %2 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<128x256xf16>) outs(%e2 : tensor<128x256xf16>) attrs = {spyre.dims = ["rows", "_untracked_256"], spyre.tile = [#spyre.tile_hint<1 : "rows" by 16>]} {
  ^bb0(%x: f16, %o: f16):
    %y = math.absf %x : f16
    linalg.yield %y : f16
  } -> tensor<128x256xf16>
  return %0, %1, %2 : tensor<?xf16>, tensor<64x256xf16>, tensor<128x256xf16>
}
