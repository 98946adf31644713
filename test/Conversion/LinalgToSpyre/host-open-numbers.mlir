// No number of a program is a dynamic extent: programs of host and card, with dynamic extents, against the CPU.

// RUN: spyre-opt %s --spyre-import-linalg=host=true -o %t.split
// RUN: FileCheck %s --input-file %t.split
// RUN: spyre-run %t.split --entry dim_in_body --size S=64 --random-seed 1 --on=card --compare %s --compare-entry dim_in_body --tolerance 1e-2 | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t.split --entry dim_in_body --size S=256 --random-seed 1 --on=card --compare %s --compare-entry dim_in_body --tolerance 1e-2 | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t.split --entry by_131 --size S=256 --random-seed 1 --on=card --compare %s --compare-entry by_131 --tolerance 1e-2 | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t.split --entry collapsed --size S=64 --random-seed 1 --on=card --compare %s --compare-entry collapsed --tolerance 1e-2 | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t.split --entry collapsed --size S=256 --random-seed 1 --on=card --compare %s --compare-entry collapsed --tolerance 1e-2 | FileCheck %s --check-prefix=SAME
// SAME: result 0: 0 of {{[0-9]+}} elements differ

#all = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @dim_in_body(
// CHECK:         %[[S:.+]] = tensor.dim %arg0
// CHECK:         arith.index_cast %[[S]]
func.func @dim_in_body(%a: tensor<?x64xf16> {spyre.dims = ["S", "D"]}) -> tensor<?x64xf16> attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %c0 = arith.constant 0 : index
  %s = tensor.dim %a, %c0 : tensor<?x64xf16>
  %e = tensor.empty(%s) : tensor<?x64xf16>
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<?x64xf16>) outs(%e : tensor<?x64xf16>) {
  ^bb0(%x: f16, %o: f16):
    %n = tensor.dim %a, %c0 : tensor<?x64xf16>
    %i = arith.index_cast %n : index to i32
    %f = arith.sitofp %i : i32 to f16
    %y = arith.addf %x, %f : f16
    linalg.yield %y : f16
  } -> tensor<?x64xf16>
  return %r : tensor<?x64xf16>
}

// A sum that is divided by a number is no mean along a dynamic dimension.
// CHECK-LABEL: func.func @by_131(
// CHECK-NOT:     spyre.mean
func.func @by_131(%a: tensor<?x64xf16> {spyre.dims = ["S", "D"]}) -> tensor<64xf64> attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = tensor.dim %a, %c0 : tensor<?x64xf16>
  %e = tensor.empty(%s) : tensor<?x64xf16>
  %zero = arith.constant 0.0 : f16
  %e1 = tensor.empty() : tensor<64xf16>
  %fz = linalg.fill ins(%zero : f16) outs(%e1 : tensor<64xf16>) -> tensor<64xf16>
  %edd = tensor.empty(%s) : tensor<?x64xf64>
  %ed1 = tensor.empty() : tensor<64xf64>
  %ed_h = tensor.empty(%s) : tensor<?x64xf64>
  %hd_h = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<?x64xf16>) outs(%ed_h : tensor<?x64xf64>) {
  ^bb0(%x: f16, %o: f64):
    %y = arith.extf %x : f16 to f64
    %z = math.erf %y : f64
    linalg.yield %z : f64
  } -> tensor<?x64xf64>
  %eh_h = tensor.empty(%s) : tensor<?x64xf16>
  %h = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%hd_h : tensor<?x64xf64>) outs(%eh_h : tensor<?x64xf16>) {
  ^bb0(%x: f64, %o: f16):
    %y = arith.truncf %x : f64 to f16
    linalg.yield %y : f16
  } -> tensor<?x64xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%h : tensor<?x64xf16>) outs(%fz : tensor<64xf16>) {
  ^bb0(%x: f16, %o: f16):
    %y = arith.addf %o, %x : f16
    linalg.yield %y : f16
  } -> tensor<64xf16>
  %m = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%r : tensor<64xf16>) outs(%e1 : tensor<64xf16>) {
  ^bb0(%x: f16, %o: f16):
    %n = arith.constant 131.0 : f16
    %y = arith.divf %x, %n : f16
    linalg.yield %y : f16
  } -> tensor<64xf16>
  %hh = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%m : tensor<64xf16>) outs(%ed1 : tensor<64xf64>) {
  ^bb0(%x: f16, %o: f64):
    %y = arith.extf %x : f16 to f64
    %z = math.erf %y : f64
    linalg.yield %z : f64
  } -> tensor<64xf64>
  return %hh : tensor<64xf64>
}

// Copies that are there for loops over tiles stay.
// CHECK-LABEL: func.func @collapsed(
func.func @collapsed(%a: tensor<?x8x8xf16> {spyre.dims = ["S", "H", "D"]}) -> tensor<?x64xf16> attributes {spyre.dim_sizes = {H = 8, D = 8, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %c0 = arith.constant 0 : index
  %s = tensor.dim %a, %c0 : tensor<?x8x8xf16>
  %e = tensor.empty(%s) : tensor<?x64xf16>
  %c = tensor.collapse_shape %a [[0], [1, 2]] : tensor<?x8x8xf16> into tensor<?x64xf16>
  %0 = linalg.tanh ins(%c : tensor<?x64xf16>) outs(%e : tensor<?x64xf16>) -> tensor<?x64xf16>
  %1 = linalg.mul ins(%0, %c : tensor<?x64xf16>, tensor<?x64xf16>) outs(%e : tensor<?x64xf16>) -> tensor<?x64xf16>
  return %1 : tensor<?x64xf16>
}

// Device operations alone.
// CHECK-LABEL: func.func @alone(
// CHECK:         {{spyre.exp|call @alone_device_0}}
func.func @alone(%a: tensor<?x64xf16> {spyre.dims = ["S", "D"]}) -> tensor<?x64xf16> attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %0 = spyre.exp %a : tensor<?x64xf16>
  return %0 : tensor<?x64xf16>
}
