// RUN: rm -rf %t && mkdir %t
// RUN: spyre-opt %s --spyre-work-division --spyre-scratchpad-planning -o %t/planned.mlir
// RUN: spyre-opt %t/planned.mlir --spyre-prove='before=%s unknown=error' -o /dev/null
// RUN: spyre-translate bundle %t/planned.mlir --verify-written -o %t/bundle || true
// RUN: spyre-translate prove %t/bundle %t/planned.mlir
// RUN: spyre-translate prove %t/bundle %t/planned.mlir 2>&1 | FileCheck %s

// A window at the beginning of a tensor, in no loop: the sticks of a row are as far apart as in the whole tensor. A device
// size of the window alone has room for all elements that are visited, so no other check refuses it.

// CHECK: P5 {{[1-9][0-9]*}}): {{[1-9][0-9]*}} proved, 0 refuted, 0 not decided

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x512xf16, #stick>
!v = tensor<32x128xf16, #stick>
func.func @f(%a: !t, %b: !v) -> !v {
  %v = tensor.extract_slice %a[0, 0] [32, 128] [1, 1] : !t to !v
  %y = spyre.add %v, %b : !v
  return %y : !v
}
