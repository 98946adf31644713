// Attention with halves of rows swapped, a mask by positions, numbers of positions and a join, where both lengths are chosen at run time
// and nothing asks for tiles.

// RUN: spyre-opt %s --spyre-import-linalg -o %t.mlir
// RUN: spyre-run %s --size S=96 --size T=64 --random-seed 1 --on=card --compare %s --tolerance 1e-3 | FileCheck %s --check-prefix=SAME
// SAME: result 0: 0 of 9216 elements differ
// SAME: result 1: 0 of 96 elements differ

// One bundle for every choice. Its inputs are those of the program: the constants of the function hold what they say.
// RUN: spyre-translate --spyre-to-bundle %t.mlir -o %t.bundle
// RUN: spyre-run %t.mlir --size S=32 --size T=64 --random-seed 2 --bundle %t.bundle --compare %t.mlir --tolerance 1e-3 | FileCheck %s --check-prefix=LEAST
// RUN: spyre-run %t.mlir --size S=160 --size T=192 --random-seed 3 --bundle %t.bundle --compare %t.mlir --tolerance 1e-3 | FileCheck %s --check-prefix=MOST
// LEAST: result 0: 0 of 3072 elements differ
// LEAST: result 1: 0 of 32 elements differ
// MOST: result 0: 0 of 15360 elements differ
// MOST: result 1: 0 of 160 elements differ

#qk = affine_map<(s, t, e) -> (s, e)>
#kk = affine_map<(s, t, e) -> (t, e)>
#st = affine_map<(s, t, e) -> (s, t)>
#id = affine_map<(s, t) -> (s, t)>
#row = affine_map<(s, t) -> (s)>
func.func @masked(%q: tensor<?x64xf32> {spyre.dims = ["S", "E"]}, %k: tensor<?x64xf32> {spyre.dims = ["T", "E"]}, %v: tensor<?x64xf32> {spyre.dims = ["T", "E"]}, %g: tensor<?x32xf32> {spyre.dims = ["S", "G"]}) -> (tensor<?x96xf32>, tensor<?xf32>)
    attributes {spyre.dim_sizes = {E = 64, G = 32, S = #spyre.dynamic<granularity = 32, max = 160>, T = #spyre.dynamic<granularity = 64, max = 192>}} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant -1.0e30 : f32
  %s = tensor.dim %q, %c0 : tensor<?x64xf32>
  %t = tensor.dim %k, %c0 : tensor<?x64xf32>
  // rotate halves of q: (-b, a)
  %qa = tensor.extract_slice %q[0, 0] [%s, 32] [1, 1] : tensor<?x64xf32> to tensor<?x32xf32>
  %qb = tensor.extract_slice %q[0, 32] [%s, 32] [1, 1] : tensor<?x64xf32> to tensor<?x32xf32>
  %he = tensor.empty(%s) : tensor<?x32xf32>
  %nb = linalg.negf ins(%qb : tensor<?x32xf32>) outs(%he : tensor<?x32xf32>) -> tensor<?x32xf32>
  %qr = tensor.concat dim(1) %nb, %qa : (tensor<?x32xf32>, tensor<?x32xf32>) -> tensor<?x64xf32>
  %e = tensor.empty(%s, %t) : tensor<?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.generic {indexing_maps = [#qk, #kk, #st], iterator_types = ["parallel", "parallel", "reduction"]} ins(%qr, %k : tensor<?x64xf32>, tensor<?x64xf32>) outs(%z : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %m = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %two = arith.constant 2 : index
    %i2 = arith.addi %i, %two : index
    %c = arith.cmpi ule, %j, %i2 : index
    %x = arith.select %c, %a, %low : f32
    linalg.yield %x : f32
  } -> tensor<?x?xf32>
  %w = linalg.softmax dimension(1) ins(%m : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %oe = tensor.empty(%s) : tensor<?x64xf32>
  %oz = linalg.fill ins(%zero : f32) outs(%oe : tensor<?x64xf32>) -> tensor<?x64xf32>
  %y = linalg.matmul ins(%w, %v : tensor<?x?xf32>, tensor<?x64xf32>) outs(%oz : tensor<?x64xf32>) -> tensor<?x64xf32>
  // times the position, as a float, and joined with the gate
  %yp = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<?x64xf32>) outs(%oe : tensor<?x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %x = arith.mulf %a, %f : f32
    linalg.yield %x : f32
  } -> tensor<?x64xf32>
  %all = tensor.concat dim(1) %yp, %g : (tensor<?x64xf32>, tensor<?x32xf32>) -> tensor<?x96xf32>
  %re = tensor.empty(%s) : tensor<?xf32>
  %rz = linalg.fill ins(%zero : f32) outs(%re : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.reduce { arith.addf } ins(%all : tensor<?x96xf32>) outs(%rz : tensor<?xf32>) dimensions = [1]
  return %all, %sum : tensor<?x96xf32>, tensor<?xf32>
}
