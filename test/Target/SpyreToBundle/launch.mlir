// A module with functions of host and device becomes a bundle for each function of the device, the host's module, and launch.json.

// RUN: rm -rf %t && spyre-opt %s --spyre-import-linalg=host=true -o %t.mlir
// RUN: spyre-translate --spyre-to-bundle %t.mlir -o %t 2>/dev/null
// RUN: spyre-translate --spyre-to-bundle %t.mlir -o %t 2>/dev/null
// RUN: FileCheck %s --check-prefix=LAUNCH < %t/launch.json
// RUN: spyre-opt %t/host.mlir | FileCheck %s --check-prefix=HOST
// RUN: spyre-translate --verify-bundle %t/f_device_0 | FileCheck %s --check-prefix=BUNDLE
// RUN: spyre-translate --verify-bundle %t/f_device_0 2>&1 | FileCheck %s --check-prefix=CLEAN
// CLEAN-NOT: warning:
// CLEAN: , 0 warnings
// RUN: head -c 6 %t/f_device_0/constant_1.npy | grep -a NUMPY
// RUN: touch %t/f_device_0/notes.txt && not spyre-translate --spyre-to-bundle %t.mlir -o %t 2>&1 | FileCheck %s --check-prefix=FOREIGN
// RUN: not spyre-translate --spyre-to-bundle %t.mlir --launch-params %t.json -o %t 2>&1 | FileCheck %s --check-prefix=PARAMS

// The list of one bundle is written with it, or neither is; the directory has no other files.
// RUN: rm -rf %t.one && not spyre-translate --spyre-to-bundle %S/concrete.mlir -o %t.one --launch-params %t.none/p.json 2>&1 | FileCheck %s --check-prefix=NOWHERE
// RUN: not spyre-translate --spyre-to-bundle %S/concrete.mlir -o %t.one --launch-params %t.one/p.json 2>&1 | FileCheck %s --check-prefix=INSIDE
// RUN: not ls %t.one
// NOWHERE: error: cannot write '{{.*}}p.json': No such file or directory
// INSIDE: error: '{{.*}}p.json' is in the directory of the bundle, which has no other files

// LAUNCH: "host": {
// LAUNCH-NEXT: "module": "host.mlir",
// LAUNCH-NEXT: "work": 2048
// LAUNCH: "name": "f_device_0",
// LAUNCH-NEXT: "bundle": "f_device_0",
// LAUNCH-NEXT: "work": 4096,
// LAUNCH: "role": "input",
// LAUNCH-NEXT: "position": 0,
// LAUNCH-NEXT: "type": "tensor<32x64xf16>"
// LAUNCH: "role": "constant",
// LAUNCH-NEXT: "file": "f_device_0/constant_1.npy",
// LAUNCH: "role": "output",
// LAUNCH-NEXT: "position": 0,
// LAUNCH-NEXT: "type": "tensor<32x64xf16>"

// HOST: func.func @f(
// HOST: call @f_device_0(%{{.+}}) : (tensor<32x64xf16>) -> tensor<32x64xf16>
// HOST: func.func private @f_device_0(tensor<32x64xf16>) -> tensor<32x64xf16>

// BUNDLE: f_device_0: {{.+}} files, 2 operations
// FOREIGN: error: {{.*}} holds 'f_device_0/notes.txt', which is not part of a bundle; refusing to replace the directory
// PARAMS: error: --launch-params is for one bundle; launch.json has the parameters of each

#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @f(%x: tensor<32x64xf16>) -> tensor<32x64xf16> {
  %c = arith.constant 0.25 : f16
  %e = tensor.empty() : tensor<32x64xf16>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<32x64xf16>) outs(%e : tensor<32x64xf16>) {
  ^bb0(%in: f16, %out: f16):
    %s = arith.mulf %in, %c : f16
    %y = math.tanh %s : f16
    linalg.yield %y : f16
  } -> tensor<32x64xf16>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<32x64xf16>) outs(%e : tensor<32x64xf16>) {
  ^bb0(%in: f16, %out: f16):
    %bits = arith.fptosi %in : f16 to i32
    %one_bit = arith.constant 1 : i32
    %odd = arith.ori %bits, %one_bit : i32
    %y = arith.sitofp %odd : i32 to f16
    linalg.yield %y : f16
  } -> tensor<32x64xf16>
  return %1 : tensor<32x64xf16>
}
