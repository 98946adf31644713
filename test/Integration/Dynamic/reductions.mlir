// The dynamic dimension is reduced, and what reads the result is in a second loop over it.

// RUN: spyre-run %s --size S=16 --integers 2 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --implicit-check-not=DIFFER
// RUN: spyre-run %s --size S=64 --integers 2 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --implicit-check-not=DIFFER
// CHECK: builtin.module(func.func(coarse-tile{{.*}})): same results
// CHECK: a bundle, same results on the simulated card

!t = tensor<?x128xf32>
!r = tensor<1x128xf32>
func.func @reductions(%x: !t {spyre.dims = ["S", "E"]}) -> (!t, tensor<128xf32>, !r)
    attributes {spyre.dim_sizes = {E = 128, S = #spyre.dynamic<granularity = 16, max = 64>}} {
  %m = spyre.max %x dims [0] keepdim tile [0: "E" in 2, 1: "S" by 16] : (!t) -> !r
  %d = spyre.sub %x, %m tile [0: "E" in 2, 1: "S" by 16] : (!t, !r) -> !t
  %n = spyre.min %d dims [0] tile [0: "E" in 2, 1: "S" by 16] : (!t) -> tensor<128xf32>
  %s = spyre.sum %d dims [0] keepdim tile [0: "E" in 2, 1: "S" by 16] : (!t) -> !r
  %y = spyre.add %d, %s tile [0: "E" in 2, 1: "S" by 16] : (!t, !r) -> !t
  %v = spyre.topkvalue %d dim 0 k 1 tile [0: "E" in 2, 1: "S" by 16] : (!t) -> !r
  return %y, %n, %v : !t, tensor<128xf32>, !r
}
