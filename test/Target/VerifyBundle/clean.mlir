// A bundle that was written is clean: one line with its size, and nothing else.

// RUN: spyre-translate --spyre-to-bundle --verify-written %s -o %t 2>&1 | count 0
// RUN: spyre-translate --verify-bundle %t 2>&1 | FileCheck %s
// RUN: spyre-translate --verify-bundle %t | wc -l | grep -x 1
// CHECK: {{.*}}: 3 files, 3 operations, 2 loops, 3 parameters, 0 warnings

// The backend's directory belongs to it. Other files are no part of it, but no fault either.
// RUN: mkdir -p %t/spyreCodeDir && spyre-translate --verify-bundle %t | FileCheck %s
// RUN: touch %t/notes && spyre-translate --verify-bundle %t 2>&1 | FileCheck %s --check-prefix=NOTES
// NOTES: warning: 'notes' is no part of a bundle [VB4]
// NOTES: 3 parameters, 1 warning
// RUN: rm -r %t/notes %t/spyreCodeDir

// Printed by MLIR, parameters have no names, and everything else can still be checked.
// RUN: spyre-opt %t/bundle.mlir -o %t.mlir && cp %t.mlir %t/bundle.mlir
// RUN: spyre-translate --verify-bundle %t 2>&1 | FileCheck %s --check-prefix=NAMES
// NAMES: warning: '%arg0' is no name of a parameter [VB12]
// NAMES: 3 files, 3 operations, 2 loops, 3 parameters, 3 warnings

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x256xf16, #stick>

func.func @f(%a: !t {spyre.dims = ["A", "B"]}, %b: !t {spyre.dims = ["A", "B"]}) -> !t {
  %x = spyre.add %a, %b tile [0: "A" in 2, 1: "B" in 2] : !t
  %y = spyre.exp %x tile [0: "A" in 2, 1: "B" in 2] : !t
  %z = spyre.clip %y min -1.5 max 2.25 : !t
  return %z : !t
}
