// Hints that `transform.annotate` writes on structured operations reach the device operations.

// RUN: spyre-opt %s --transform-interpreter | spyre-opt --spyre-import-linalg | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK:         spyre.exp %{{.+}} tile [0: "rows" in 3]
// CHECK:         spyre.tanh %{{.+}} tile [0: "rows" in 3]
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %ops = transform.structured.match interface{LinalgOp} in %m : (!transform.any_op) -> !transform.any_op
    %hint = transform.param.constant [#spyre.tile_hint<0 : "rows" in 3>] -> !transform.any_param
    transform.annotate %ops "spyre.tile" = %hint : !transform.any_op, !transform.any_param
    transform.yield
  }
  func.func @f(%x: tensor<96x512xf16> {spyre.dims = ["rows", "columns"]}) -> tensor<96x512xf16> {
    %0 = tensor.empty() : tensor<96x512xf16>
    %1 = linalg.exp ins(%x : tensor<96x512xf16>) outs(%0 : tensor<96x512xf16>) -> tensor<96x512xf16>
    %2 = linalg.tanh ins(%1 : tensor<96x512xf16>) outs(%0 : tensor<96x512xf16>) -> tensor<96x512xf16>
    return %2 : tensor<96x512xf16>
  }
}
