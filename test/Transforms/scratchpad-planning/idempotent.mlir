// RUN: spyre-opt %s --coarse-tile --spyre-work-division --spyre-scratchpad-planning > %t.once
// RUN: spyre-opt %t.once --coarse-tile --spyre-work-division --spyre-scratchpad-planning > %t.twice
// RUN: diff %t.once %t.twice
// RUN: FileCheck %s < %t.once

// The three passes in a row, on the canonical program. A second run has nothing left to do.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<1024x4096xf16, #stick>

// CHECK-LABEL: func.func @add_mul
// CHECK:       spyre.empty place arg 3
// CHECK:       scf.for
// CHECK:         scf.for
// CHECK:           spyre.add %{{.+}} split [32, 1] place lx 0 : tensor<512x1024xf16
// CHECK:           spyre.mul %{{.+}} split [32, 1] place window : tensor<512x1024xf16
// CHECK-NOT:   spyre.copy
func.func @add_mul(%a: !t {spyre.dims = ["A", "B"]}, %b: !t {spyre.dims = ["A", "B"]},
                   %c: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.add %a, %b tile [0: "A" in 2, 1: "B" in 4] : !t
  %z = spyre.mul %y, %c tile [0: "A" in 2, 1: "B" in 4] : !t
  return %z : !t
}
