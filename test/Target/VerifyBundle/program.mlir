// The bundles of a program of host and device are checked one by one: `launch.json` says which they are.

// RUN: rm -rf %t && mkdir %t
// RUN: spyre-opt %s --spyre-import-linalg=host=true | spyre-translate --spyre-to-bundle -o %t/program
// RUN: spyre-translate --verify-bundle %t/program | FileCheck %s
//      CHECK: {{.*}}/program/f_device_0: 2 files, 2 operations, 0 loops, 3 parameters, 0 warnings
// CHECK-NEXT: {{.*}}/program/f_device_1: 2 files, 2 operations, 0 loops, 4 parameters, 0 warnings
//  CHECK-NOT: {{.}}

// All of them are, also behind one that has faults.
// RUN: sed 's/"sfp"/"pt"/' %t/program/f_device_0/sdsc_0.json > %t/edited && cp %t/edited %t/program/f_device_0/sdsc_0.json
// RUN: not spyre-translate --verify-bundle %t/program 2>&1 | FileCheck %s --check-prefix=FAULT
// FAULT-DAG: {{.*}}/f_device_0/sdsc_0.json:{{.*}}: error: 'add' runs on 'sfp', not on 'pt' [K4, VB71]
// FAULT-DAG: {{.*}}/f_device_1: 2 files,

// A program is no bundle to run.
// RUN: not spyre-run %s --bundle %t/program --random-seed 1 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: error: {{.*}}program: a program of host and device, with a bundle in each of the directories f_device_0, f_device_1; name one of them

// What says which bundles there are may be damaged.
// RUN: echo '{"functions": [{"bundle": "f_device_0"}, {"bundle": "../f"}]}' > %t/program/launch.json
// RUN: not spyre-translate --verify-bundle %t/program 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: error: {{.*}}launch.json: '../f' is no directory next to this file
// RUN: echo '{"functions": 3}' > %t/program/launch.json
// RUN: not spyre-translate --verify-bundle %t/program 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: error: {{.*}}launch.json:1:15: invalid type: integer `3`, expected a sequence

#all = affine_map<(d0) -> (d0)>
#one = affine_map<(d0) -> ()>
!t = tensor<128xf16>

// The remainder is computed on the host, with a number of 64 bits that may not fit.
func.func @f(%a: !t, %b: !t, %n: tensor<i64>) -> !t {
  %one = arith.constant 1 : i64
  %half = arith.constant 0.5 : f16
  %e = tensor.empty() : !t
  %0 = linalg.add ins(%a, %b : !t, !t) outs(%e : !t) -> !t
  %1 = linalg.mul ins(%0, %b : !t, !t) outs(%e : !t) -> !t
  %2 = linalg.generic {indexing_maps = [#all, #one, #all], iterator_types = ["parallel"]}
      ins(%1, %n : !t, tensor<i64>) outs(%e : !t) {
  ^bb0(%in: f16, %by: i64, %out: f16):
    %rest = arith.remf %in, %half : f16
    %odd = arith.ori %by, %one : i64
    %scale = arith.sitofp %odd : i64 to f16
    %scaled = arith.mulf %rest, %scale : f16
    linalg.yield %scaled : f16
  } -> !t
  %3 = linalg.add ins(%2, %b : !t, !t) outs(%e : !t) -> !t
  %4 = linalg.mul ins(%3, %a : !t, !t) outs(%e : !t) -> !t
  return %4 : !t
}
