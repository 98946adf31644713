// A tensor that a block hands over twice is copied for the second result.

// RUN: spyre-opt %s --spyre-copy-shared-results | FileCheck %s
// RUN: spyre-opt %s --spyre-copy-shared-results --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: (S) 4 copies - Tensors that are copied

// CHECK-LABEL: func.func @loop(
// CHECK: %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[V:.*]]) : tensor<3xi32>
// CHECK-NEXT: scf.yield %[[V]], %[[COPY]] : tensor<3xi32>, tensor<3xi32>
func.func @loop(%a: tensor<3xi32>, %n: index) -> (tensor<3xi32>, tensor<3xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %a) -> (tensor<3xi32>, tensor<3xi32>) {
    %v = arith.addi %x, %y : tensor<3xi32>
    scf.yield %v, %v : tensor<3xi32>, tensor<3xi32>
  }
  return %r#0, %r#1 : tensor<3xi32>, tensor<3xi32>
}

// A view of the same tensor, with a dynamic extent.
// CHECK-LABEL: func.func @view(
// CHECK: %[[VIEW:.*]] = tensor.expand_shape
// CHECK-NEXT: %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[VIEW]]) : tensor<1x?xi32>
// CHECK-NEXT: return %{{.*}}, %[[COPY]]
func.func @view(%a: tensor<?xi32>, %n: index) -> (tensor<?xi32>, tensor<1x?xi32>) {
  %v = tensor.expand_shape %a [[0, 1]] output_shape [1, %n] : tensor<?xi32> into tensor<1x?xi32>
  return %a, %v : tensor<?xi32>, tensor<1x?xi32>
}

// CHECK-LABEL: func.func @while(
// CHECK: bufferization.alloc_tensor() copy(
// CHECK-NEXT: scf.condition
// CHECK: bufferization.alloc_tensor() copy(
// CHECK-NEXT: scf.yield
func.func @while(%a: tensor<3xi32>, %go: i1) -> (tensor<3xi32>, tensor<3xi32>) {
  %r:2 = scf.while (%x = %a, %y = %a) : (tensor<3xi32>, tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>) {
    scf.condition(%go) %x, %x : tensor<3xi32>, tensor<3xi32>
  } do {
  ^bb0(%x: tensor<3xi32>, %y: tensor<3xi32>):
    scf.yield %y, %y : tensor<3xi32>, tensor<3xi32>
  }
  return %r#0, %r#1 : tensor<3xi32>, tensor<3xi32>
}

// Numbers, and different tensors, stay.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: bufferization
// CHECK: return
func.func @others(%a: tensor<3xi32>, %b: tensor<3xi32>, %n: index) -> (tensor<3xi32>, index, index, tensor<3xi32>) {
  return %a, %n, %n, %b : tensor<3xi32>, index, index, tensor<3xi32>
}
