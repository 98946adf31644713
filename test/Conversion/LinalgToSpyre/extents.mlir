// RUN: spyre-opt %s --spyre-import-linalg -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: spyre-run %t.mlir --entry two --size S=16 --size T=64 --random-seed 1 --compare %s --compare-entry two | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t.mlir --entry slices --size S=64 --random-seed 2 --compare %s --compare-entry slices | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t.mlir --entry hinted --size S=24 --random-seed 3 --integers 1 --compare %s --compare-entry hinted | FileCheck %s --check-prefix=SAME
// SAME: result 0: 0 of {{[0-9]+}} elements differ

// Dynamic extents stay dynamic while a program is converted.

// Two results along two of them, which loops name.
// CHECK-LABEL: func.func @two(
// CHECK-SAME:     %{{.*}}: tensor<?x101xf32> {spyre.dims = ["S", "D"]}, %{{.*}}: tensor<?x103xf32>
// CHECK-SAME:     -> (tensor<?x?xf32>, tensor<?x?xf32>)
// CHECK-SAME:     attributes {spyre.dim_sizes = {D = 101 : i64, S = #spyre.dynamic<granularity = 8, max = 64>, T = #spyre.dynamic<granularity = 8, max = 64>}}
// CHECK:          spyre.add {{.*}} -> tensor<?x?xf32>
// CHECK:          spyre.sub {{.*}} -> tensor<?x?xf32>
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

// A slice next to such a dimension has all of it, and so has a place for it.
// CHECK-LABEL: func.func @slices(
// CHECK:          tensor.extract_slice %{{.*}}[0, 32] [%{{.*}}, 32] [1, 1] : tensor<?x64xf32> to tensor<?x32xf32>
// CHECK:          tensor.insert_slice %{{.*}} into %{{.*}}[0, 16] [%{{.*}}, 32] [1, 1] : tensor<?x32xf32> into tensor<?x48xf32>
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

// A dimension that a hint numbers gets a name next to that of a dynamic one.
// CHECK-LABEL: func.func @hinted(
// CHECK-SAME:     tensor<128x256xf16> {spyre.dims = ["_untracked_128", "dim0"]}
// CHECK:          spyre.batchmatmul %{{.*}} tile [0: "dim0" by 64] {spyre.dims = ["S", "dim0"]}
func.func @hinted(%a: tensor<?x128xf16> {spyre.dims = ["S", "D"]}, %w: tensor<128x256xf16>) -> tensor<?x256xf16>
    attributes {spyre.dim_sizes = {D = 128, dim0 = 256, S = #spyre.dynamic<granularity = 8, max = 64>}} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f16
  %m = tensor.dim %a, %c0 : tensor<?x128xf16>
  %e = tensor.empty(%m) : tensor<?x256xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<?x256xf16>) -> tensor<?x256xf16>
  %r = linalg.matmul {spyre.tile = [#spyre.tile_hint<0 : "d1" by 64>]} ins(%a, %w : tensor<?x128xf16>, tensor<128x256xf16>) outs(%f : tensor<?x256xf16>) -> tensor<?x256xf16>
  return %r : tensor<?x256xf16>
}
