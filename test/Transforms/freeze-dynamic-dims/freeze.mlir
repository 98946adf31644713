// RUN: spyre-opt %s --spyre-freeze-dynamic-dims | FileCheck %s --check-prefix=FROZEN
// RUN: spyre-opt %s --spyre-freeze-dynamic-dims --convert-linalg-to-spyre --canonicalize --spyre-thaw-dynamic-dims | FileCheck %s --check-prefix=THAWN

// A stand-in is a number that no other dimension has: 101 is one, and so is 103.
// FROZEN-LABEL: func.func @two(
// FROZEN-SAME:    %{{.*}}: tensor<107x101xf32> {spyre.dims = ["S", "D"]}, %{{.*}}: tensor<107x103xf32>
// FROZEN-SAME:    -> (tensor<107x109xf32>, tensor<107x109xf32>)
// FROZEN-SAME:    spyre.stand_ins = {S = 107 : i64, T = 109 : i64}
// FROZEN-NOT:     tensor.dim
// FROZEN:         tensor.empty() : tensor<107x109xf32>
// FROZEN:         linalg.generic
// THAWN-LABEL:  func.func @two(
// THAWN-SAME:     %{{.*}}: tensor<?x101xf32> {spyre.dims = ["S", "D"]}, %{{.*}}: tensor<?x103xf32>
// THAWN-SAME:     -> (tensor<?x?xf32>, tensor<?x?xf32>)
// THAWN-SAME:     attributes {spyre.dim_sizes = {D = 101 : i64, S = #spyre.dynamic<granularity = 8, max = 64>, T = #spyre.dynamic<granularity = 8, max = 64>}}
// THAWN:          spyre.add {{.*}} -> tensor<?x?xf32>
// THAWN:          spyre.sub {{.*}} -> tensor<?x?xf32>
func.func @two(%a: tensor<?x101xf32> {spyre.dims = ["S", "D"]}, %b: tensor<?x103xf32> {spyre.dims = ["S", "E"]}, %s: tensor<?xf32> {spyre.dims = ["S"]}, %t: tensor<?xf32> {spyre.dims = ["T"]}) -> (tensor<?x?xf32>, tensor<?x?xf32>)
    attributes {spyre.dim_sizes = {D = 101, S = #spyre.dynamic<granularity = 8, max = 64>, T = #spyre.dynamic<granularity = 8, max = 64>}} {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x101xf32>
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%s, %t : tensor<?xf32>, tensor<?xf32>) outs(%e, %e : tensor<?x?xf32>, tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %p: f32, %q: f32):
    %1 = arith.addf %x, %y : f32
    %2 = arith.subf %x, %y : f32
    linalg.yield %1, %2 : f32, f32
  } -> (tensor<?x?xf32>, tensor<?x?xf32>)
  return %r#0, %r#1 : tensor<?x?xf32>, tensor<?x?xf32>
}

// Device operations need no stand-ins.
// FROZEN-LABEL: func.func @device(
// FROZEN-SAME:    tensor<?x64xf32>
// FROZEN-NOT:     spyre.stand_ins
func.func @device(%a: tensor<?x64xf32> {spyre.dims = ["S", "D"]}) -> tensor<?x64xf32>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 8, max = 64>}} {
  %0 = spyre.neg %a : tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}

// A slice beside such a dimension has all of it, and so has a place for it.
// FROZEN-LABEL: func.func @slices(
// FROZEN:         tensor.extract_slice %{{.*}}[0, 32] [101, 32] [1, 1] : tensor<101x64xf32> to tensor<101x32xf32>
// FROZEN:         tensor.insert_slice %{{.*}} into %{{.*}}[0, 16] [101, 32] [1, 1] : tensor<101x32xf32> into tensor<101x48xf32>
// THAWN-LABEL:  func.func @slices(
// THAWN:          tensor.extract_slice %{{.*}}[0, 32] [%{{.*}}, 32] [1, 1] : tensor<?x64xf32> to tensor<?x32xf32>
// THAWN:          tensor.insert_slice %{{.*}} into %{{.*}}[0, 16] [%{{.*}}, 32] [1, 1] : tensor<?x32xf32> into tensor<?x48xf32>
func.func @slices(%a: tensor<?x64xf32> {spyre.dims = ["S", "D"]}, %b: tensor<?x48xf32> {spyre.dims = ["S", "E"]}) -> tensor<?x48xf32>
    attributes {spyre.dim_sizes = {D = 64, E = 48, S = #spyre.dynamic<granularity = 8, max = 64>}} {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x64xf32>
  %part = tensor.extract_slice %a[0, 32] [%m, 32] [1, 1] : tensor<?x64xf32> to tensor<?x32xf32>
  %e = tensor.empty(%m) : tensor<?x32xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%part : tensor<?x32xf32>) outs(%e : tensor<?x32xf32>) {
  ^bb0(%x: f32, %p: f32):
    %1 = arith.negf %x : f32
    linalg.yield %1 : f32
  } -> tensor<?x32xf32>
  %z = tensor.insert_slice %r into %b[0, 16] [%m, 32] [1, 1] : tensor<?x32xf32> into tensor<?x48xf32>
  return %z : tensor<?x48xf32>
}
