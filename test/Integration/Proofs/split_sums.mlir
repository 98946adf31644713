// RUN: rm -rf %t && mkdir %t
// RUN: spyre-opt %s --spyre-propagate-layouts --spyre-optimize-restickify --spyre-insert-restickify --spyre-work-division --spyre-scratchpad-planning -o %t/planned.mlir
// RUN: spyre-opt %t/planned.mlir --spyre-prove='before=%s unknown=error' -o /dev/null
// RUN: spyre-translate bundle %t/planned.mlir --verify-written -o %t/bundle || true
// RUN: spyre-translate prove %t/bundle %t/planned.mlir
// RUN: spyre-translate prove %t/bundle %t/planned.mlir 2>&1 | FileCheck %s

// Cores that share a reduced dimension have parts of a result, which the card combines: no core has the result in its
// scratchpad.

// CHECK: P5 {{[1-9][0-9]*}}): {{[1-9][0-9]*}} proved, 0 refuted, 0 not decided

module attributes {spyre.target = #spyre.target<cores = 8>} {
func.func @f(%a: tensor<64x512xf16>, %b: tensor<512x128xf16>) -> (tensor<64x128xf16>, tensor<64xf16>, tensor<512xf16>, tensor<64xf16>, tensor<64x128xf16>, tensor<64x128xf16>) {
  %c = spyre.batchmatmul %a, %b split [2, 1, 4] : (tensor<64x512xf16>, tensor<512x128xf16>) -> tensor<64x128xf16>
  %d = spyre.max %a dims [1] split [2, 4] : (tensor<64x512xf16>) -> tensor<64xf16>
  %e = spyre.mean %a dims [0] split [1, 8] : (tensor<64x512xf16>) -> tensor<512xf16>
  // The sum has half of a row of each of four groups of rows.
  %n = spyre.neg %c split [4, 2] : tensor<64x128xf16>
  %g = spyre.sum %n dims [1] split [4, 2] : (tensor<64x128xf16>) -> tensor<64xf16>
  // Core 0 reads all of this, and has a part of the sum.
  %h = spyre.batchmatmul %a, %b split [1, 1, 4] : (tensor<64x512xf16>, tensor<512x128xf16>) -> tensor<64x128xf16>
  %i = spyre.neg %h split [1, 1] : tensor<64x128xf16>
  // The core that makes a part of this is not the one that sums it up.
  %j = spyre.neg %a split [2, 4] : tensor<64x512xf16>
  %k = spyre.batchmatmul %j, %b split [2, 1, 4] : (tensor<64x512xf16>, tensor<512x128xf16>) -> tensor<64x128xf16>
  return %c, %d, %e, %g, %i, %k : tensor<64x128xf16>, tensor<64xf16>, tensor<512xf16>, tensor<64xf16>, tensor<64x128xf16>, tensor<64x128xf16>
}
}
