// Addresses as numbers: the first revision of the files. Loops are unrolled, kernel argument N starts at N * 16 GiB, and the
// second tile of 64 rows starts 64 sticks, 8192 bytes, after the first.

// RUN: spyre-translate --spyre-to-bundle --address-mode=concrete --launch-params %t.json %s -o %t
// RUN: spyre-translate --verify-bundle %t
// RUN: FileCheck %s --check-prefix=BUNDLE --input-file=%t/bundle.mlir
// RUN: FileCheck %s --check-prefix=FIRST --input-file=%t/sdsc_0.json
// RUN: FileCheck %s --check-prefix=SECOND --input-file=%t/sdsc_1.json
// RUN: FileCheck %s --check-prefix=LAUNCH --input-file=%t.json

// Unrolling the program before gives the same files.
// RUN: spyre-opt %s --pass-pipeline='builtin.module(func.func(coarse-tile,spyre-work-division,spyre-scratchpad-planning,spyre-unroll-loops),convert-spyre-to-sdscbundle)' \
// RUN:   | spyre-translate --spyre-to-bundle --address-mode=concrete -o %t.unrolled
// RUN: diff %t/bundle.mlir %t.unrolled/bundle.mlir

// BUNDLE-NOT: scf.for
// BUNDLE:     sdsc_execute () {sdsc_filename="sdsc_0.json"}
// BUNDLE:     sdsc_execute () {sdsc_filename="sdsc_1.json"}

// FIRST:      "[0, 0, 0]": "0"
// FIRST:      "[0, 0, 0]": "17179869184"

// SECOND:     "[0, 0, 0]": "8192"
// SECOND:     "[0, 0, 0]": "17179877376"

// LAUNCH:     "kind": "kernel"
// LAUNCH:     "arg_index": 0
// LAUNCH:     "kind": "kernel"
// LAUNCH:     "arg_index": 1

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<128x64xf16, #stick>
module attributes {spyre.target = #spyre.target<cores = 1>} {
  func.func @f(%a: !t {spyre.dims = ["A", "B"]}) -> !t {
    %y = spyre.exp %a tile [0: "A" in 2] : !t
    return %y : !t
  }
}
