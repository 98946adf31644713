// Faults in both kinds of files are all reported, each at its place. The faults of every rule are in
// crates/spyre-verify/tests/faults.

// RUN: spyre-translate --spyre-to-bundle %s -o %t
// RUN: sed -i 's/constant 4096 : index/constant 8192 : index/' %t/bundle.mlir
// RUN: sed -i 's/"exUnit": "sfp"/"exUnit": "pt"/' %t/sdsc_1.json
// RUN: not spyre-translate --verify-bundle %t 2>&1 | FileCheck %s

// CHECK:      sdsc_1.json:[[#]]:25: error: 'exp' runs on 'sfp', not on 'pt' [K4, VB71] at /1_exp/dscs_/0/exp/computeOp_/0/exUnit
// The source line is shown, as for any MLIR.
// CHECK:      bundle.mlir:[[#]]:3: error: tensor 0 of 'sdsc_0.json': core 1 is 8192 bytes from core 0, but its slices are 4096 bytes apart [VB30]
// CHECK-NEXT: sdscbundle.sdsc_execute
// CHECK:      errors, 0 warnings

// A file that is missing, and one that is not executed.
// RUN: mv %t/sdsc_1.json %t/sdsc_7.json
// RUN: not spyre-translate --verify-bundle %t 2>&1 | FileCheck %s --check-prefix=MOVED
// MOVED: bundle.mlir:[[#]]:3: error: 'sdsc_1.json' cannot be read: No such file or directory (os error 2) [VB2]
// MOVED: sdsc_7.json: error: is not executed [VB3]

// What the dialects refuse is said by them, and the other files are still checked.
// RUN: sed -i 's/-1, -2/1, -2/' %t/bundle.mlir
// RUN: not spyre-translate --verify-bundle %t 2>&1 | FileCheck %s --check-prefix=DIALECT
// DIALECT: error: 'sdscbundle.sdsc_execute' op symbol_ids must be negative
// DIALECT: bundle.mlir: error: is not a bundle, for the reason above [K48, VB6]
// DIALECT: sdsc_7.json:2:3: error: the root is '1_exp', but must be '7_' and the operation [VB37]

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x256xf16, #stick>

module attributes {spyre.target = #spyre.target<cores = 2>} {
  func.func @f(%a: !t {spyre.dims = ["A", "B"]}) -> !t {
    %x = spyre.neg %a : !t
    %y = spyre.exp %x : !t
    return %y : !t
  }
}
