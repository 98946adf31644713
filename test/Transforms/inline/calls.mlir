// Functions go where they are called, at every level, and what they compute stays the same.

// RUN: spyre-opt %s --inline | FileCheck %s
// RUN: spyre-opt %s --inline -o %t.mlir && spyre-run %s --entry main --compare %t.mlir --random-seed 1 | FileCheck %s --check-prefix=SAME
// SAME: result 0: 0 of 8192 elements differ
// RUN: spyre-translate --spyre-to-bundle %t.mlir -o %t.bundle --verify-written
// RUN: spyre-run %t.mlir --entry main --bundle %t.bundle --compare %s --random-seed 1 --max-ulps 1 | FileCheck %s --check-prefix=SAME

// Without, the bundle would have calls.
// RUN: not spyre-translate --spyre-to-bundle %s -o %t.bundle 2>&1 | FileCheck %s --check-prefix=CALL
// CALL: calls.mlir:[[#@LINE+16]]:{{[0-9]+}}: error: spyre-to-bundle: a bundle has one function, without calls; --inline inlines the calls

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x128xf16, #stick>

// CHECK-NOT: @twice
func.func private @twice(%a: !t) -> !t {
  %0 = spyre.add %a, %a : !t
  return %0 : !t
}

// CHECK-LABEL: func.func @main
// CHECK-COUNT-2: spyre.add
// CHECK-NOT: call
// CHECK: spyre.mul
func.func @main(%a: !t, %b: !t) -> !t {
  %0 = call @twice(%a) : (!t) -> !t
  %1 = call @twice(%0) : (!t) -> !t
  %2 = spyre.mul %1, %b : !t
  return %2 : !t
}
