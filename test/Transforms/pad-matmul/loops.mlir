// RUN: spyre-opt %s --spyre-pad-matmul | FileCheck %s --implicit-check-not=spyre.fill --implicit-check-not=tensor.insert_slice

// The operand is padded where it is made: outside the loops for one from outside, in the loop for one from inside.

// CHECK-LABEL: func.func @loops(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<100x300xf16>, %[[B:[a-z0-9]+]]: tensor<300x200xf16>,
// CHECK: spyre.empty
// CHECK-NEXT: %[[Z:.*]] = spyre.fill
// CHECK-NEXT: tensor.insert_slice %[[B]]
// CHECK-NEXT: %[[P:.*]] = tensor.insert_slice %[[Z]]
// CHECK-NEXT: scf.for
// CHECK-NEXT: %[[E:.*]] = spyre.exp
// CHECK-NEXT: spyre.empty
// CHECK-NEXT: %[[Y:.*]] = spyre.fill
// CHECK-NEXT: tensor.insert_slice %[[E]]
// CHECK-NEXT: %[[Q:.*]] = tensor.insert_slice %[[Y]]
// CHECK-NEXT: scf.for
// CHECK-NEXT: spyre.batchmatmul %[[A]], %[[P]]
// CHECK-NEXT: spyre.batchmatmul %[[A]], %[[Q]]
// CHECK: spyre.batchmatmul %[[A]], %[[P]]
func.func @loops(%a: tensor<100x300xf16>, %b: tensor<300x200xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %e = spyre.exp %b : tensor<300x200xf16>
    scf.for %j = %c0 to %n step %c1 {
      %0 = spyre.batchmatmul %a, %b : (tensor<100x300xf16>, tensor<300x200xf16>) -> tensor<100x200xf16>
      %1 = spyre.batchmatmul %a, %e : (tensor<100x300xf16>, tensor<300x200xf16>) -> tensor<100x200xf16>
    }
  }
  %2 = spyre.batchmatmul %a, %b : (tensor<100x300xf16>, tensor<300x200xf16>) -> tensor<100x200xf16>
  return
}

// What a loop carries is padded in the loop.
// CHECK-LABEL: func.func @carried(
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %
// CHECK-NEXT: spyre.empty
// CHECK-NEXT: %[[Z:.*]] = spyre.fill
// CHECK-NEXT: tensor.insert_slice %[[ACC]]
// CHECK-NEXT: %[[P:.*]] = tensor.insert_slice %[[Z]]
// CHECK-NEXT: spyre.batchmatmul %{{.*}}, %[[P]]
func.func @carried(%a: tensor<300x300xf16>, %b: tensor<300x200xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %b) -> tensor<300x200xf16> {
    %0 = spyre.batchmatmul %a, %acc : (tensor<300x300xf16>, tensor<300x200xf16>) -> tensor<300x200xf16>
    scf.yield %0 : tensor<300x200xf16>
  }
  return
}
