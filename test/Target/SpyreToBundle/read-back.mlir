// The written function is MLIR: it parses, verifies and round-trips, and it is what the pipeline makes.

// RUN: spyre-translate --spyre-to-bundle %s -o %t
// RUN: spyre-translate --verify-bundle %t
// RUN: spyre-opt %t/bundle.mlir --verify-roundtrip -o %t.read
// RUN: spyre-opt %s --spyre-pipeline | sed '/sdscbundle.op_spec/,/>\]/d' > %t.made

// Names of values are all that differs, also after simplification.
// RUN: spyre-opt %t.made | diff %t.read -
// RUN: spyre-opt %t.read --canonicalize --cse -o %t.read.simple
// RUN: spyre-opt %t.made --canonicalize --cse | diff %t.read.simple -
// RUN: FileCheck %s < %t.read.simple
// RUN: FileCheck %s < %t.read

// CHECK: sdscbundle.device_mem_allocate
// CHECK: scf.for
// CHECK: sdscbundle.sdsc_execute

// It has no OpSpecs, so it cannot be written again.
// RUN: not spyre-translate --spyre-to-bundle %t/bundle.mlir -o %t.again 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: test ! -e %t.again
// AGAIN: bundle.mlir:[[#]]:5: error: runs 'sdsc_0.json', but the module has no sdscbundle.op_spec @sdsc_0 to write it from

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<1024x4096xf16, #stick>

func.func @f(%a: !t {spyre.dims = ["A", "B"]}, %b: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.add %a, %b tile [0: "A" in 2, 1: "B" in 4] : !t
  %z = spyre.mul %y, %b tile [0: "A" in 2, 1: "B" in 4] : !t
  %w = spyre.exp %z tile [1: "B" in 2] : !t
  return %w : !t
}
