// A program that cannot be split for all extents is split for those that are chosen, and that is said.
// RUN: spyre-run %s --size S=64 --random-seed 4 --on=card --compare %s --tolerance 1e-2 --stats 2>&1 | FileCheck %s
// CHECK: warning: the bundles are for the extents that were chosen, and not for all: spyre-freeze-dynamic-dims: the body computes with the position along "S"
// CHECK: device: @first_rows_device_0
// CHECK: result 0: 0 of 256 elements differ

// RUN: not spyre-opt %s --spyre-import-linalg=host=true 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: host-open-refused.mlir:[[#@LINE+12]]:10: error: spyre-freeze-dynamic-dims: the body computes with the position along "S", whose extent is chosen at run time and which is reduced

#columns = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d0)>

func.func @first_rows(%a: tensor<?x256xf16> {spyre.dims = ["S", "D"]}) -> tensor<256xf16> attributes {spyre.dim_sizes = {D = 256, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %low = arith.constant -1.0e+3 : f16
  %last = arith.constant 20 : i32
  %e = tensor.empty() : tensor<256xf16>
  %f = linalg.fill ins(%low : f16) outs(%e : tensor<256xf16>) -> tensor<256xf16>
  %0 = linalg.generic {indexing_maps = [#columns, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<?x256xf16>) outs(%f : tensor<256xf16>) {
  ^bb0(%x: f16, %o: f16):
    %i = linalg.index 1 : index
    %p = arith.index_cast %i : index to i32
    %c = arith.cmpi sle, %p, %last : i32
    %m = arith.select %c, %x, %low : f16
    %y = arith.maximumf %o, %m : f16
    linalg.yield %y : f16
  } -> tensor<256xf16>
  return %0 : tensor<256xf16>
}
