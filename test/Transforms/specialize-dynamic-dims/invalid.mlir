// RUN: not spyre-opt %s --spyre-specialize-dynamic-dims=sizes=S=100 2>&1 | FileCheck %s --check-prefix=GRANULARITY
// RUN: not spyre-opt %s --spyre-specialize-dynamic-dims=sizes=S=576 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not spyre-opt %s --spyre-specialize-dynamic-dims=sizes=S=0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not spyre-opt %s --spyre-specialize-dynamic-dims 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not spyre-opt %s --spyre-specialize-dynamic-dims=sizes=S=64,T=8 2>&1 | FileCheck %s --check-prefix=STRAY
// RUN: not spyre-opt %s --spyre-specialize-dynamic-dims=sizes=S:64 2>&1 | FileCheck %s --check-prefix=SYNTAX
// RUN: not spyre-opt %s --spyre-specialize-dynamic-dims=sizes=S=-64 2>&1 | FileCheck %s --check-prefix=NEGATIVE

// GRANULARITY: invalid.mlir:[[#@LINE+7]]:1: error: spyre-specialize-dynamic-dims: the extent of "S" must be a positive multiple of 64 and at most 512, got 100
// LARGE: error: spyre-specialize-dynamic-dims: the extent of "S" must be a positive multiple of 64 and at most 512, got 576
// ZERO: error: spyre-specialize-dynamic-dims: the extent of "S" must be a positive multiple of 64 and at most 512, got 0
// MISSING: error: spyre-specialize-dynamic-dims: no extent is given for "S", which is a multiple of 64 and at most 512
// STRAY: error: spyre-specialize-dynamic-dims: no function declares "T" to be #spyre.dynamic in 'spyre.dim_sizes', so it has no extent to choose
// SYNTAX: error: spyre-specialize-dynamic-dims: expected the extent of a dimension, NAME=EXTENT, but got 'S:64'
// NEGATIVE: error: spyre-specialize-dynamic-dims: expected the extent of a dimension, NAME=EXTENT, but got 'S=-64'
func.func @rows(%a: tensor<?x256xf16> {spyre.dims = ["S", "D"]}) -> tensor<?x256xf16>
    attributes {spyre.dim_sizes = {D = 256, S = #spyre.dynamic<granularity = 64, max = 512>}} {
  %y = spyre.add %a, %a : tensor<?x256xf16>
  return %y : tensor<?x256xf16>
}
