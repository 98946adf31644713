// RUN: rm -rf %t && mkdir %t
// RUN: spyre-opt %s --coarse-tile --spyre-work-division --spyre-scratchpad-planning -o %t/planned.mlir
// RUN: spyre-opt %t/planned.mlir --spyre-prove='before=%s unknown=error' -o /dev/null
// RUN: spyre-translate bundle %t/planned.mlir --verify-written -o %t/bundle || true
// RUN: spyre-translate prove %t/bundle %t/planned.mlir
// RUN: spyre-translate prove %t/bundle %t/planned.mlir 2>&1 | FileCheck %s

// A view starts after the beginning of its tensor, and its windows too.

// CHECK: P5 {{[1-9][0-9]*}}): {{[1-9][0-9]*}} proved, 0 refuted, 0 not decided

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<8x256xf16, #stick>
!v = tensor<4x128xf16, #stick>
func.func @f(%a: !t {spyre.dims = ["A", "B"]}, %b: !v {spyre.dims = ["A", "B"]}) -> !v {
  %v = tensor.extract_slice %a[2, 128] [4, 128] [1, 1] : !t to !v
  %y = spyre.add %v, %b tile [0: "A" in 2] : !v
  %z = spyre.mul %y, %v tile [0: "A" in 2] : !v
  return %z : !v
}
