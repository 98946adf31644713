// A window drops a dimension, and starts inside the stick of its tensor, whose layout is in its type: the window of all dimensions
// between has none, so the tensor can be copied.

// RUN: spyre-opt %s --spyre-simplify-views | FileCheck %s
//      CHECK: %[[ALL:.+]] = spyre.abs %{{.+}} : (tensor<7x96xf16>) -> tensor<7x96xf16, #{{.+}}>
// CHECK-NEXT: %[[TILE:.+]] = tensor.extract_slice %[[ALL]][0, 3] [7, 1] [1, 1] : tensor<7x96xf16, #{{.+}}> to tensor<7x1xf16>
// CHECK-NEXT: tensor.collapse_shape %[[TILE]] {{.*}} : tensor<7x1xf16> into tensor<7xf16>
// RUN: spyre-run %s --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=SAME
// SAME: spyre-insert-restickify{{.*}}: same results
// SAME: a bundle, same results on the simulated card
#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
func.func @f(%a: tensor<7x96xf16>) -> tensor<7xf16> {
  %1 = spyre.abs %a : (tensor<7x96xf16>) -> tensor<7x96xf16, #rows>
  %2 = tensor.extract_slice %1[0, 3] [7, 1] [1, 1] : tensor<7x96xf16, #rows> to tensor<7xf16>
  return %2 : tensor<7xf16>
}
