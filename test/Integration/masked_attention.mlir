// Attention with halves of rows swapped, a mask by positions, numbers of positions and a join, where both lengths are chosen at run time
// and nothing asks for tiles. One set of bundles for every choice. The host compares positions and makes numbers of them: the card has no
// arithmetic of integers.

// RUN: spyre-run %s --entry masked --size S=128 --size T=64 --random-seed 1 --largest 0.125 --on=card --compare %s --compare-entry masked --tolerance 1e-2 --stats 2>&1 | FileCheck %s --check-prefixes=CARD,SAME --implicit-check-not="not for all"
// CARD: device: @masked_device_0,
// SAME: result 0: 0 of 12288 elements differ
// SAME: result 1: 0 of 128 elements differ

// RUN: spyre-opt %s --spyre-import-linalg=host=true --remarks-filter=spyre-outline-device --mlir-disable-threading -o /dev/null 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: spyre-run %s --entry masked --size S=64 --size T=64 --random-seed 2 --largest 0.125 --on=card --compare %s --compare-entry masked --tolerance 1e-2 --stats 2>&1 | FileCheck %s --check-prefixes=CARD,LEAST --implicit-check-not="not for all"
// RUN: spyre-run %s --entry masked --size S=128 --size T=192 --random-seed 3 --largest 0.125 --on=card --compare %s --compare-entry masked --tolerance 1e-2 --stats 2>&1 | FileCheck %s --check-prefixes=CARD,MOST --implicit-check-not="not for all"
// HOST-DAG: Function=masked | {{.*}}Remark="'spyre.lesserequal' stays on the host"
// HOST-DAG: Function=weighted | Reason="'mul' computes in SEN169_FP16 or IEEE_FP32, but tensor 0 is IEEE_INT32", Remark="'spyre.sitofp' stays on the host"
// HOST-DAG: Function=unsigned | Reason="'lesserthan' computes in SEN169_FP16 or IEEE_FP32, but tensor 0 is IEEE_INT32", Remark="'spyre.lesserthan' stays on the host"
// LEAST: result 0: 0 of 6144 elements differ
// LEAST: result 1: 0 of 64 elements differ
// MOST: result 0: 0 of 12288 elements differ
// MOST: result 1: 0 of 128 elements differ

// RUN: spyre-run %s --entry weighted --size S=128 --random-seed 1 --largest 0.125 --on=card --compare %s --compare-entry weighted --stats 2>&1 | FileCheck %s --check-prefix=WEIGHTED
// RUN: spyre-run %s --entry unsigned --size S=128 --size T=64 --random-seed 1 --on=card --compare %s --compare-entry unsigned --stats 2>&1 | FileCheck %s --check-prefix=UNSIGNED

#qk = affine_map<(s, t, e) -> (s, e)>
#kk = affine_map<(s, t, e) -> (t, e)>
#st = affine_map<(s, t, e) -> (s, t)>
#id = affine_map<(s, t) -> (s, t)>
#row = affine_map<(s, t) -> (s)>
func.func @masked(%q: tensor<?x64xf16> {spyre.dims = ["S", "E"]}, %k: tensor<?x64xf16> {spyre.dims = ["T", "E"]}, %v: tensor<?x64xf16> {spyre.dims = ["T", "E"]}, %g: tensor<?x32xf16> {spyre.dims = ["S", "G"]}) -> (tensor<?x96xf16>, tensor<?xf16>)
    attributes {spyre.dim_sizes = {E = 64, G = 32, S = #spyre.dynamic<granularity = 64, max = 128>, T = #spyre.dynamic<granularity = 64, max = 192>}} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f16
  %low = arith.constant -6.0e4 : f16
  %s = tensor.dim %q, %c0 : tensor<?x64xf16>
  %t = tensor.dim %k, %c0 : tensor<?x64xf16>
  // rotate halves of q: (-b, a)
  %qa = tensor.extract_slice %q[0, 0] [%s, 32] [1, 1] : tensor<?x64xf16> to tensor<?x32xf16>
  %qb = tensor.extract_slice %q[0, 32] [%s, 32] [1, 1] : tensor<?x64xf16> to tensor<?x32xf16>
  %he = tensor.empty(%s) : tensor<?x32xf16>
  %nb = linalg.negf ins(%qb : tensor<?x32xf16>) outs(%he : tensor<?x32xf16>) -> tensor<?x32xf16>
  %qr = tensor.concat dim(1) %nb, %qa : (tensor<?x32xf16>, tensor<?x32xf16>) -> tensor<?x64xf16>
  %e = tensor.empty(%s, %t) : tensor<?x?xf16>
  %z = linalg.fill ins(%zero : f16) outs(%e : tensor<?x?xf16>) -> tensor<?x?xf16>
  %p = linalg.generic {indexing_maps = [#qk, #kk, #st], iterator_types = ["parallel", "parallel", "reduction"]} ins(%qr, %k : tensor<?x64xf16>, tensor<?x64xf16>) outs(%z : tensor<?x?xf16>) {
  ^bb0(%a: f16, %b: f16, %o: f16):
    %m = arith.mulf %a, %b : f16
    %r = arith.addf %o, %m : f16
    linalg.yield %r : f16
  } -> tensor<?x?xf16>
  %m = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<?x?xf16>) outs(%e : tensor<?x?xf16>) {
  ^bb0(%a: f16, %o: f16):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %two = arith.constant 2 : index
    %i2 = arith.addi %i, %two : index
    %c = arith.cmpi sle, %j, %i2 : index
    %x = arith.select %c, %a, %low : f16
    linalg.yield %x : f16
  } -> tensor<?x?xf16>
  %w = linalg.softmax dimension(1) ins(%m : tensor<?x?xf16>) outs(%e : tensor<?x?xf16>) -> tensor<?x?xf16>
  %oe = tensor.empty(%s) : tensor<?x64xf16>
  %oz = linalg.fill ins(%zero : f16) outs(%oe : tensor<?x64xf16>) -> tensor<?x64xf16>
  %y = linalg.matmul ins(%w, %v : tensor<?x?xf16>, tensor<?x64xf16>) outs(%oz : tensor<?x64xf16>) -> tensor<?x64xf16>
  // joined with the gate
  %all = tensor.concat dim(1) %y, %g : (tensor<?x64xf16>, tensor<?x32xf16>) -> tensor<?x96xf16>
  %re = tensor.empty(%s) : tensor<?xf16>
  %rz = linalg.fill ins(%zero : f16) outs(%re : tensor<?xf16>) -> tensor<?xf16>
  %sum = linalg.reduce { arith.addf } ins(%all : tensor<?x96xf16>) outs(%rz : tensor<?xf16>) dimensions = [1]
  return %all, %sum : tensor<?x96xf16>, tensor<?xf16>
}

// Rows times their positions. The host's numbers have 32 bits and those of the rows 16: the host makes the cast.
// WEIGHTED-NOT: warning
// WEIGHTED: device: @weighted_device_0,
// WEIGHTED: host: 256 elements
// WEIGHTED: result 0: 0 of 8192 elements differ
func.func @weighted(%y: tensor<?x64xf16> {spyre.dims = ["S", "E"]}) -> tensor<?x64xf16>
    attributes {spyre.dim_sizes = {E = 64, S = #spyre.dynamic<granularity = 64, max = 128>}} {
  %c0 = arith.constant 0 : index
  %s = tensor.dim %y, %c0 : tensor<?x64xf16>
  %oe = tensor.empty(%s) : tensor<?x64xf16>
  %yp = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<?x64xf16>) outs(%oe : tensor<?x64xf16>) {
  ^bb0(%a: f16, %o: f16):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f16
    %x = arith.mulf %a, %f : f16
    linalg.yield %x : f16
  } -> tensor<?x64xf16>
  return %yp : tensor<?x64xf16>
}

// The same mask, compared without signs: three comparisons of the host, which the card joins in 16 bits, the width of what they choose from.
// UNSIGNED-NOT: warning
// UNSIGNED: device: @unsigned_device_0,
// UNSIGNED: host: 8512 elements
// UNSIGNED: result 0: 0 of 8192 elements differ
func.func @unsigned(%p: tensor<?x?xf16> {spyre.dims = ["S", "T"]}) -> tensor<?x?xf16>
    attributes {spyre.dim_sizes = {S = #spyre.dynamic<granularity = 64, max = 128>, T = #spyre.dynamic<granularity = 64, max = 192>}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %low = arith.constant -6.0e4 : f16
  %s = tensor.dim %p, %c0 : tensor<?x?xf16>
  %t = tensor.dim %p, %c1 : tensor<?x?xf16>
  %e = tensor.empty(%s, %t) : tensor<?x?xf16>
  %m = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<?x?xf16>) outs(%e : tensor<?x?xf16>) {
  ^bb0(%a: f16, %o: f16):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %two = arith.constant 2 : index
    %i2 = arith.addi %i, %two : index
    %c = arith.cmpi ule, %j, %i2 : index
    %x = arith.select %c, %a, %low : f16
    linalg.yield %x : f16
  } -> tensor<?x?xf16>
  return %m : tensor<?x?xf16>
}
