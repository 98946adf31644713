// A program that cannot be split for all extents is split for those that are chosen, and that is said.
// RUN: spyre-run %s --size S=64 --random-seed 4 --on=card --compare %s --tolerance 1e-2 --stats 2>&1 | FileCheck %s
// CHECK: warning: the bundles are for the extents that were chosen, and not for all: this puts tensors one behind the other along "S", whose extent is chosen at run time
// CHECK: device: @behind_device_0
// CHECK: result 0: 0 of 32768 elements differ

// RUN: not spyre-opt %s --spyre-import-linalg=host=true 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: host-open-refused.mlir:[[#@LINE+9]]:8: error: this puts tensors one behind the other along "S", whose extent is chosen at run time

#all = affine_map<(d0, d1) -> (d0, d1)>

func.func @behind(%a: tensor<?x256xf16> {spyre.dims = ["S", "D"]}) -> tensor<?x256xf16> attributes {spyre.dim_sizes = {D = 256, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %c0 = arith.constant 0 : index
  %s = tensor.dim %a, %c0 : tensor<?x256xf16>
  %e = tensor.empty(%s) : tensor<?x256xf16>
  %x = linalg.exp ins(%a : tensor<?x256xf16>) outs(%e : tensor<?x256xf16>) -> tensor<?x256xf16>
  %y = tensor.concat dim(0) %x, %a : (tensor<?x256xf16>, tensor<?x256xf16>) -> tensor<?x256xf16>
  return %y : tensor<?x256xf16>
}
