// Attention over a sequence of keys and values whose length is chosen at run time: maximum, sum and output so far are carried by
// a loop that is written by hand. One bundle serves every length.

// RUN: spyre-run %s --entry attention --size T=64 --compare %s --compare-entry flash --random-seed 1 --poison --max-ulps 4096
// RUN: spyre-run %s --entry attention --size T=448 --compare %s --compare-entry flash --random-seed 1 --poison --max-ulps 4096
// The comparison is no formality: without the correction of the sum it fails.
// RUN: sed 's/spyre.mul %%l, %%a/spyre.mul %%l, %%l/' %s > %t.wrong.mlir
// RUN: not spyre-run %s --entry attention --size T=448 --compare %t.wrong.mlir --compare-entry flash --random-seed 1 --poison --max-ulps 4096

#sparse = #spyre.layout<(d0, d1) -> (0, d0, 0)>
!q = tensor<64x64xf32>
!k = tensor<64x?xf32>
!v = tensor<?x64xf32>
!c = tensor<64x1xf32>
!tile = tensor<64x64xf32>
!column = tensor<64x1xf32, #sparse>

func.func @flash(%q: !q, %k: !k {spyre.dims = ["E", "T"]}, %v: !v {spyre.dims = ["T", "E"]}) -> !q
    attributes {spyre.dim_sizes = {E = 64, T = #spyre.dynamic<granularity = 64, max = 512>}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %t = tensor.dim %v, %c0 : !v
  %start = spyre.fill dense<0xFF800000> : !column
  %nothing = spyre.fill dense<0.0> : !column
  %empty = spyre.fill dense<0.0> : !q
  %r:3 = scf.for %j = %c0 to %t step %c64 iter_args(%m = %start, %l = %nothing, %o = %empty) -> (!column, !column, !q) {
    %kj = tensor.extract_slice %k[0, %j] [64, 64] [1, 1] : !k to !tile
    %vj = tensor.extract_slice %v[%j, 0] [64, 64] [1, 1] : !v to !tile
    %s = spyre.batchmatmul %q, %kj : (!q, !tile) -> !tile
    %sm = spyre.max %s dims [1] keepdim : (!tile) -> !column
    %mn = spyre.maximum %m, %sm : !column
    %d = spyre.sub %m, %mn : !column
    %a = spyre.exp %d : !column
    %e = spyre.sub %s, %mn : (!tile, !column) -> !tile
    %p = spyre.exp %e : !tile
    %ps = spyre.sum %p dims [1] keepdim : (!tile) -> !column
    %la = spyre.mul %l, %a : !column
    %ln = spyre.add %la, %ps : !column
    %oa = spyre.mul %o, %a : (!q, !column) -> !q
    %pv = spyre.batchmatmul %p, %vj : (!tile, !tile) -> !q
    %on = spyre.add %oa, %pv : !q
    scf.yield %mn, %ln, %on : !column, !column, !q
  }
  %y = spyre.realdiv %r#2, %r#1 : (!q, !column) -> !q
  return %y : !q
}

func.func @attention(%q: !q, %k: !k {spyre.dims = ["E", "T"]}, %v: !v {spyre.dims = ["T", "E"]}) -> !q
    attributes {spyre.dim_sizes = {E = 64, T = #spyre.dynamic<granularity = 64, max = 512>}} {
  %s = spyre.batchmatmul %q, %k : (!q, !k) -> !k
  %m = spyre.max %s dims [1] keepdim : (!k) -> !c
  %d = spyre.sub %s, %m : (!k, !c) -> !k
  %p = spyre.exp %d : !k
  %l = spyre.sum %p dims [1] keepdim : (!k) -> !c
  %o = spyre.batchmatmul %p, %v : (!k, !v) -> !q
  %y = spyre.realdiv %o, %l : (!q, !c) -> !q
  return %y : !q
}
