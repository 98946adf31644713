// Tensors that have an extent twice which is dynamic go between host and device: their dimensions have two names for it.

// RUN: spyre-opt %s --spyre-import-linalg=host=true -o %t.split
// RUN: FileCheck %s --input-file %t.split
// RUN: spyre-run %s --size S=64 --random-seed 1 --on=card --compare %s --largest 0.25 --tolerance 1e-2 --stats 2>&1 | FileCheck %s --check-prefix=CARD --implicit-check-not="not for all"
// RUN: spyre-run %t.split --entry sorted --size S=192 --random-seed 1 --on=card --compare %s --compare-entry sorted --largest 0.25 --tolerance 1e-2 --stats 2>&1 | FileCheck %s --check-prefix=CARD --implicit-check-not="not for all"
// CARD: device: @sorted_device_0
// CARD: device: @sorted_device_1
// CARD: result 0: 0 of {{4096|36864}} elements differ

#all = affine_map<(d0, d1) -> (d0, d1)>
#i = affine_map<(d0, d1, d2) -> (d0, d2)>
#k = affine_map<(d0, d1, d2) -> (d1, d2)>
#o = affine_map<(d0, d1, d2) -> (d0, d1)>

// CHECK-LABEL: func.func @sorted(
// CHECK-SAME: S_1 = "S"
// CHECK: call @sorted_device_0(%{{.+}}) {res_attrs = [{spyre.dims = ["S", "S_1"]}]}
// CHECK: call @sorted_device_1(%{{.+}}) {res_attrs = [{spyre.dims = ["S", "S_1"]}]}
// CHECK: func.func private @sorted_device_0(%arg0: tensor<?x64xf16> {spyre.dims = ["S", "E"]}) -> tensor<?x?xf16>
// CHECK: func.func private @sorted_device_1(%arg0: tensor<?x?xf16> {spyre.dims = ["S", "S_1"]}) -> tensor<?x?xf16>
// CHECK-SAME: S_1 = "S"
func.func @sorted(%x: tensor<?x64xf16> {spyre.dims = ["S", "E"]}) -> tensor<?x?xf16>
    attributes {spyre.dim_sizes = {E = 64, S = #spyre.dynamic<granularity = 64, max = 192>}} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f16
  %s = tensor.dim %x, %c0 : tensor<?x64xf16>
  %e = tensor.empty(%s, %s) : tensor<?x?xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<?x?xf16>) -> tensor<?x?xf16>
  %p = linalg.generic {indexing_maps = [#i, #k, #o], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %x : tensor<?x64xf16>, tensor<?x64xf16>) outs(%f : tensor<?x?xf16>) {
  ^bb0(%a: f16, %b: f16, %acc: f16):
    %m = arith.mulf %a, %b : f16
    %r = arith.addf %acc, %m : f16
    linalg.yield %r : f16
  } -> tensor<?x?xf16>
  // No device operation computes in f64.
  %h = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<?x?xf16>) outs(%e : tensor<?x?xf16>) {
  ^bb0(%a: f16, %out: f16):
    %w = arith.extf %a : f16 to f64
    %z = math.erf %w : f64
    %r = arith.truncf %z : f64 to f16
    linalg.yield %r : f16
  } -> tensor<?x?xf16>
  %y = linalg.generic {indexing_maps = [#i, #k, #o], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%h, %h : tensor<?x?xf16>, tensor<?x?xf16>) outs(%f : tensor<?x?xf16>) {
  ^bb0(%a: f16, %b: f16, %acc: f16):
    %m = arith.mulf %a, %b : f16
    %r = arith.addf %acc, %m : f16
    linalg.yield %r : f16
  } -> tensor<?x?xf16>
  return %y : tensor<?x?xf16>
}
