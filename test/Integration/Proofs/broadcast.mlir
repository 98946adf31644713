// RUN: rm -rf %t && mkdir %t
// RUN: spyre-opt %s --coarse-tile --spyre-work-division --spyre-scratchpad-planning -o %t/planned.mlir
// RUN: spyre-opt %t/planned.mlir --spyre-prove='before=%s unknown=error' -o /dev/null
// RUN: spyre-translate bundle %t/planned.mlir --verify-written -o %t/bundle || true
// RUN: spyre-translate prove %t/bundle %t/planned.mlir
// RUN: spyre-translate prove %t/bundle %t/planned.mlir 2>&1 | FileCheck %s

// A row of a larger tensor, which is the same in each iteration, next to windows that move.

// CHECK: P5 {{[1-9][0-9]*}}): {{[1-9][0-9]*}} proved, 0 refuted, 0 not decided

#stick = #spyre.layout<(d0, d1) -> (d0, d1 floordiv 64, d1 mod 64)>
!t = tensor<8x256xf16, #stick>
!row = tensor<1x256xf16, #stick>
func.func @f(%a: !t {spyre.dims = ["A", "B"]}, %rows: tensor<16x256xf16, #stick>) -> !t {
  %b = tensor.extract_slice %rows[1, 0] [1, 256] [1, 1] : tensor<16x256xf16, #stick> to !row
  %y = spyre.add %a, %b tile [0: "A" in 4] : (!t, !row) -> !t
  %z = spyre.mul %y, %a tile [0: "A" in 4] : !t
  return %z : !t
}
