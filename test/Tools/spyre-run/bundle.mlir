// The files of a program's bundle run on a simulated card, and give what the program gives.

// RUN: rm -rf %t && mkdir %t
// RUN: spyre-translate --spyre-to-bundle %s -o %t/bundle
// Of 4096 bytes each: a, and b twice, come from HBM, and z goes there; x and y stay in LX.
// RUN: spyre-run %s --bundle %t/bundle --compare %s --random-seed 1 --poison --stats 2>&1 | FileCheck %s
//  CHECK-DAG: executions: 6 in 2 iterations of loops
//  CHECK-DAG: HBM: 12288 bytes read, 4096 bytes written
//  CHECK-DAG: operand Tensor{{[0-9]}} (output) of {{[a-z]+}} in sdsc_2.json: 4096 bytes, 4096 bytes once, fan-out 1
//  CHECK-DAG: modelled time: 0.{{[0-9][0-9][0-9]}} us
//  CHECK-DAG: LX: 8192 bytes read, 8192 bytes written, all cores together
//  CHECK-DAG: LX peak: {{[0-9]+}} bytes on core {{[0-9]+}}; {{[0-9]+}} cores have tensors in LX
//  CHECK-DAG: result 0: 0 of 2048 elements differ

// Addresses as numbers, with which loops are unrolled.
// RUN: spyre-translate --spyre-to-bundle %s --address-mode=concrete -o %t/concrete
// RUN: spyre-run %s --bundle %t/concrete --compare %s --random-seed 1 | FileCheck %s --check-prefix=SAME
// SAME: result 0: 0 of 2048 elements differ

// What goes in and comes out is in files, as with programs.
// RUN: spyre-run %s --random-seed 1 --save-inputs %t/in --output %t/program.npy
// RUN: spyre-run %s --bundle %t/bundle -i %t/in/input_0.npy -i %t/in/input_1.npy --output %t/bundle.npy --trace %t/trace.json
// RUN: cmp %t/program.npy %t/bundle.npy
// RUN: FileCheck %s --check-prefix=TRACE --input-file %t/trace.json
// TRACE: {"name":"thread_name","ph":"M",{{[^}]*}}"args":{"name":"core 0"}}
// TRACE: {"name":"1 (bundle.mlir:{{[0-9]+:[0-9]+}})","ph":"X",{{[^}]*}}"args":{"iteration":[1]}}
// TRACE: {"name":"mul","ph":"X","ts":{{[0-9]+}},"dur":4,"pid":0,"tid":0,"args":{"file":"sdsc_0.json","iteration":[0],"hbm_read":{{[1-9][0-9]*}},

// The card's own floats have fewer digits.
// RUN: not spyre-run %s --on card --random-seed 1 --trace %t/trace.json 2>&1 | FileCheck %s --check-prefix=UNTRACED
// RUN: not spyre-run %s --size S=64 --size S=128 2>&1 | FileCheck %s --check-prefix=TWICE
// UNTRACED: error: --trace is for one bundle: with --bundle
// TWICE: error: --size gives "S" two extents, 64 and 128
// RUN: not spyre-run %s --bundle %t/bundle --compare %s --random-seed 1 --device-floats dl16 | FileCheck %s --check-prefix=DL16
// DL16: result 0: {{[1-9][0-9]*}} of 2048 elements differ

// A fault is reported with its place, results are not written, and the exit code says so.
// RUN: sed 's/2048\*d0/1024*d0/' %t/bundle/bundle.mlir > %t/edited && cp %t/edited %t/bundle/bundle.mlir
// RUN: not spyre-run %s --bundle %t/bundle --random-seed 1 --output %t/faulty.npy 2>&1 | FileCheck %s --check-prefix=FAULT
// FAULT: error: Overwritten: tanh (sdsc_2.json, bundle.mlir:{{.*}}), iteration [1], core {{.*}}, argument 2, byte {{.*}}
// FAULT: error: Incomplete, argument 2, byte {{.*}}: no operation has written 512 of 2048 elements
// RUN: not ls %t/faulty.npy

// The program must be the one that the bundle was made of.
// RUN: not spyre-run %S/check.mlir --entry tanh --bundle %t/bundle --random-seed 1 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: parameter %arg_2_base_addr of the bundle is kernel argument 2, but the program has 2: was the bundle compiled from this program?
// RUN: sed 's/func.func @f(/func.func @f(%c: !t, /' %s > %t/more.mlir
// RUN: not spyre-run %t/more.mlir --bundle %t/bundle --random-seed 1 2>&1 | FileCheck %s --check-prefix=MORE
// MORE: error: no parameter of the bundle is kernel argument 3, which is result 0 of the program: was the bundle compiled from this program?
// RUN: not spyre-run %s --bundle %t/nowhere --random-seed 1 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: error: {{.*}}nowhere{{.*}}bundle.mlir: No such file or directory

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<32x64xf16, #stick>

func.func @f(%a: !t {spyre.dims = ["A", "B"]}, %b: !t {spyre.dims = ["A", "B"]}) -> !t {
  %x = spyre.mul %a, %b tile [0: "A" in 2] : !t
  %y = spyre.sub %x, %b tile [0: "A" in 2] : !t
  %z = spyre.tanh %y tile [0: "A" in 2] : !t
  return %z : !t
}
