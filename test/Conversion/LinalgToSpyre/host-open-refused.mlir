// A program that cannot be split for all extents is split for those that are chosen, and that is said.
// RUN: spyre-run %s --size S=64 --random-seed 4 --on=card --compare %s --tolerance 1e-2 --stats 2>&1 | FileCheck %s
// CHECK: warning: the bundles are for the given extents alone, not for dynamic extents: spyre-copy-joined-parts: a tensor with one value everywhere is along "S", whose extent is dynamic
// CHECK: device: @count_device_0
// CHECK: result 0: 0 of 256 elements differ

// RUN: not spyre-opt %s --spyre-import-linalg=host=true 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: host-open-refused.mlir:[[#@LINE+10]]:8: error: spyre-copy-joined-parts: a tensor with one value everywhere is along "S", whose extent is dynamic

#columns = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d0)>

// The body looks at an input, and does not read it.
func.func @count(%a: tensor<?x256xf16> {spyre.dims = ["S", "D"]}, %b: tensor<256xf16>) -> tensor<256xf16> attributes {spyre.dim_sizes = {D = 256, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %one = arith.constant 1.0 : f16
  %e = tensor.empty() : tensor<256xf16>
  %x = linalg.exp ins(%b : tensor<256xf16>) outs(%e : tensor<256xf16>) -> tensor<256xf16>
  %r = linalg.generic {indexing_maps = [#columns, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<?x256xf16>) outs(%x : tensor<256xf16>) {
  ^bb0(%in: f16, %out: f16):
    %v = arith.addf %out, %one : f16
    linalg.yield %v : f16
  } -> tensor<256xf16>
  return %r : tensor<256xf16>
}
