// RUN: rm -rf %t && mkdir %t
// RUN: spyre-opt %s --spyre-propagate-layouts --spyre-optimize-restickify --spyre-insert-restickify --spyre-work-division --spyre-scratchpad-planning -o %t/planned.mlir
// RUN: spyre-opt %t/planned.mlir --spyre-prove='before=%s unknown=error' -o /dev/null
// RUN: spyre-translate bundle %t/planned.mlir --verify-written -o %t/bundle || true
// RUN: spyre-translate prove %t/bundle %t/planned.mlir
// RUN: spyre-translate prove %t/bundle %t/planned.mlir 2>&1 | FileCheck %s

// Windows with halos. Cores divide rows and channels, which files have in another order than the operation: they state
// the slices of each core.

// CHECK: P5 {{[1-9][0-9]*}}): {{[1-9][0-9]*}} proved, 0 refuted, 0 not decided

func.func @f(%x: tensor<2x9x6x128xf16>, %w: tensor<2x2x128xf16>) -> tensor<2x8x5x128xf16> {
  %0 = spyre.exp %x : tensor<2x9x6x128xf16>
  %1 = spyre.depthwiseconv2dnative %0, %w split [1, 4, 1, 2, 1, 1] : (tensor<2x9x6x128xf16>, tensor<2x2x128xf16>) -> tensor<2x8x5x128xf16>
  return %1 : tensor<2x8x5x128xf16>
}
