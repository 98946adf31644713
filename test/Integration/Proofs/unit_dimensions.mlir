// RUN: rm -rf %t && mkdir %t
// RUN: spyre-opt %s --coarse-tile --spyre-work-division --spyre-scratchpad-planning -o %t/planned.mlir
// RUN: spyre-opt %t/planned.mlir --spyre-prove='before=%s unknown=error' -o /dev/null
// RUN: spyre-translate bundle %t/planned.mlir --verify-written -o %t/bundle || true
// RUN: spyre-translate prove %t/bundle %t/planned.mlir
// RUN: spyre-translate prove %t/bundle %t/planned.mlir 2>&1 | FileCheck %s

// A dimension of one element before the tiled one is none of the iteration space of the files.

// CHECK: P5 {{[1-9][0-9]*}}): {{[1-9][0-9]*}} proved, 0 refuted, 0 not decided

#bhsd = #spyre.layout<(d0, d1, d2, d3) -> (d1, d3 floordiv 64, d0, d2, d3 mod 64)>
!t = tensor<1x4x8x128xf16, #bhsd>
func.func @f(%a: !t {spyre.dims = ["B", "H", "S", "D"]}, %b: !t {spyre.dims = ["B", "H", "S", "D"]}) -> !t {
  %y = spyre.add %a, %b tile [0: "H" in 4] : !t
  %z = spyre.mul %y, %b tile [0: "H" in 4] : !t
  return %z : !t
}
