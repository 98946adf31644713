// RUN: spyre-opt %s --coarse-tile --spyre-work-division --mlir-print-ir-after-all -o /dev/null 2>&1 | FileCheck %s
// RUN: spyre-opt %s --coarse-tile --spyre-work-division --mlir-print-ir-before=spyre-work-division -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BEFORE
// RUN: not spyre-opt %s --coarse-tile="groups=0:3@2" --mlir-print-ir-after-failure -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FAILED

// CHECK: // -----// IR Dump After coarse-tile (coarse-tile) //----- //
// CHECK: scf.for
// CHECK: spyre.add
// CHECK-NOT: split
// CHECK: // -----// IR Dump After spyre-work-division (spyre-work-division) //----- //
// CHECK: scf.for
// CHECK: spyre.add

// BEFORE: // -----// IR Dump Before spyre-work-division (spyre-work-division) //----- //
// BEFORE: scf.for
// BEFORE-NOT: IR Dump

// A pass that refuses leaves the function as it was.
// FAILED: // -----// IR Dump After coarse-tile Failed (coarse-tile) //----- //
// FAILED-NOT: scf.for
// FAILED: tile [0: "A" in 2, 1: "B" in 4]
// FAILED-NOT: scf.for

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<1024x4096xf16, #stick>

func.func @add_mul(%a: !t {spyre.dims = ["A", "B"]}, %b: !t {spyre.dims = ["A", "B"]}, %c: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.add %a, %b tile [0: "A" in 2, 1: "B" in 4] : !t
  %z = spyre.mul %y, %c tile [0: "A" in 2, 1: "B" in 4] : !t
  return %z : !t
}
