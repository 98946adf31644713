// RUN: rm -rf %t && mkdir %t
// RUN: spyre-opt %s --coarse-tile --spyre-constants-to-arguments --spyre-insert-tensor-copies --spyre-work-division --spyre-scratchpad-planning -o %t/planned.mlir
// RUN: spyre-opt %t/planned.mlir --spyre-prove='before=%s unknown=error' -o /dev/null
// RUN: spyre-translate bundle %t/planned.mlir --verify-written -o %t/bundle || true
// RUN: spyre-translate prove %t/bundle %t/planned.mlir
// RUN: spyre-translate prove %t/bundle %t/planned.mlir 2>&1 | FileCheck %s

// A product whose reduced dimension is cut in tiles, and divided among cores: parts of one sum are on neighbouring cores.

// CHECK: P5 {{[1-9][0-9]*}}): {{[1-9][0-9]*}} proved, 0 refuted, 0 not decided

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!a = tensor<64x1024xf16, #stick>
!b = tensor<1024x128xf16, #stick>
!c = tensor<64x128xf16, #stick>
module attributes {spyre.target = #spyre.target<cores = 8>} {
func.func @f(%a: !a {spyre.dims = ["M", "K"]}, %b: !b {spyre.dims = ["K", "N"]}) -> !c {
  %c = spyre.batchmatmul %a, %b tile [0: "K" in 2] split [2, 1, 4] : (!a, !b) -> !c
  return %c : !c
}
}
