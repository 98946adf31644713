// A program of host and device with a dynamic extent: launch.json says which extents each bundle is for, and which
// dimensions of its arguments have them. Types are those of the largest.

// RUN: rm -rf %t && spyre-opt %s --spyre-import-linalg=host=true -o %t.mlir
// RUN: spyre-translate --spyre-to-bundle %t.mlir -o %t 2>/dev/null
// RUN: FileCheck %s --check-prefix=LAUNCH < %t/launch.json
// RUN: spyre-opt %t/host.mlir | FileCheck %s --check-prefix=HOST
// RUN: spyre-translate --verify-bundle %t | FileCheck %s --check-prefix=BUNDLE
// RUN: spyre-run %t.mlir --size S=128 --on=card --random-seed 1 --compare %s | FileCheck %s --check-prefix=SAME

// LAUNCH:      "name": "f_device_0",
// LAUNCH-NEXT: "bundle": "f_device_0",
// LAUNCH-NEXT: "work": 32768,
// LAUNCH-NEXT: "sizes": {
// LAUNCH-NEXT:   "S": {
// LAUNCH-NEXT:     "granularity": 64,
// LAUNCH-NEXT:     "max": 256
// LAUNCH:      "role": "input",
// LAUNCH-NEXT: "position": 0,
// LAUNCH-NEXT: "type": "tensor<256x64xf16>",
// LAUNCH-NEXT: "dims": [
// LAUNCH-NEXT:   "S",
// LAUNCH-NEXT:   null
// LAUNCH-NEXT: ]
// LAUNCH:      "role": "input",
// LAUNCH-NEXT: "position": 1,
// LAUNCH-NEXT: "type": "tensor<64xf16>"
// LAUNCH-NEXT: }
// LAUNCH:      "role": "constant",
// LAUNCH:      "role": "output",
// LAUNCH-NEXT: "position": 0,
// LAUNCH-NEXT: "type": "tensor<256x64xf16>",
// LAUNCH-NEXT: "dims": [
// LAUNCH-NEXT:   "S",
// LAUNCH-NEXT:   null
// LAUNCH:      "role": "size",
// LAUNCH-NEXT: "dim": "S"

// HOST: call @f_device_0({{.*}}) {res_attrs = [{spyre.dims = ["S", "_untracked_64"]}]} : (tensor<?x64xf16>, tensor<64xf16>) -> tensor<?x64xf16>
// HOST: func.func private @f_device_0(tensor<?x64xf16>, tensor<64xf16>) -> tensor<?x64xf16>
// BUNDLE: f_device_0: {{.+}} files, {{.+}} operations
// SAME: result 0: 0 of 8192 elements differ

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
func.func @f(%x: tensor<?x64xf16> {spyre.dims = ["S", "D"]}, %b: tensor<64xf16>) -> tensor<?x64xf64>
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %c = arith.constant 0.25 : f16
  %c0 = arith.constant 0 : index
  %s = tensor.dim %x, %c0 : tensor<?x64xf16>
  %e = tensor.empty(%s) : tensor<?x64xf16>
  %0 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %b : tensor<?x64xf16>, tensor<64xf16>) outs(%e : tensor<?x64xf16>) {
  ^bb0(%in: f16, %bias: f16, %out: f16):
    %1 = arith.addf %in, %bias : f16
    %2 = arith.mulf %1, %c : f16
    linalg.yield %2 : f16
  } -> tensor<?x64xf16>
  %ed = tensor.empty(%s) : tensor<?x64xf64>
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<?x64xf16>) outs(%ed : tensor<?x64xf64>) {
  ^bb0(%in: f16, %out: f64):
    %4 = arith.extf %in : f16 to f64
    linalg.yield %4 : f64
  } -> tensor<?x64xf64>
  return %3 : tensor<?x64xf64>
}
