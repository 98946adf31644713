// linalg extends the truth values of a product as signed integers, by which true is -1. A warning says so.

// RUN: spyre-opt %s --spyre-generalize-named-ops -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=warning
// RUN: spyre-run %s --entry signed --random-seed 1 --integers 4 --on=card --compare %s --compare-entry negated 2>/dev/null | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry unsigned --random-seed 1 --integers 4 --on=card --compare %s --compare-entry same | FileCheck %s --check-prefix=SAME
// SAME: result 0: 0 of 2 elements differ

// CHECK: truth.mlir:[[@LINE+6]]:8: warning: 'linalg.matmul' multiplies operands of i1 as signed integers, by which true is -1; 'cast = #linalg.type_fn<cast_unsigned>' makes it 1, and so does a conversion to the type of the result before the product
func.func @signed(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %m = arith.constant dense<[[true, false], [false, true]]> : tensor<2x2xi1>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2xf32>) -> tensor<1x2xf32>
  %r = linalg.matmul ins(%x, %m : tensor<1x2xf32>, tensor<2x2xi1>) outs(%f : tensor<1x2xf32>) -> tensor<1x2xf32>
  return %r : tensor<1x2xf32>
}

func.func @unsigned(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %m = arith.constant dense<[[true, false], [false, true]]> : tensor<2x2xi1>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2xf32>) -> tensor<1x2xf32>
  %r = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%x, %m : tensor<1x2xf32>, tensor<2x2xi1>) outs(%f : tensor<1x2xf32>) -> tensor<1x2xf32>
  return %r : tensor<1x2xf32>
}

func.func @same(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  return %x : tensor<1x2xf32>
}

func.func @negated(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %e = tensor.empty() : tensor<1x2xf32>
  %r = linalg.negf ins(%x : tensor<1x2xf32>) outs(%e : tensor<1x2xf32>) -> tensor<1x2xf32>
  return %r : tensor<1x2xf32>
}
