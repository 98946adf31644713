// RUN: spyre-opt %s --split-input-file --convert-linalg-to-spyre --verify-diagnostics -o /dev/null

// A number of iterations that an operand says is none of the extents that may be chosen, even where it is one of them.
#all = affine_map<(d0, d1) -> (d0, d1)>
func.func @counted(%a: tensor<?x64xf32> {spyre.dims = ["S", "D"]}, %b: tensor<128x64xf32>, %e: tensor<?x64xf32> {spyre.dims = ["S", "D"]}) -> tensor<?x64xf32>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  // expected-error @+1 {{convert-linalg-to-spyre: loop d0 is along "S", whose extent is dynamic, but has 128 iterations in operand #1}}
  %r = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<?x64xf32>, tensor<128x64xf32>) outs(%e : tensor<?x64xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}
