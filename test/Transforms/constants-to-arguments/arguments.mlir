// RUN: spyre-opt %s --spyre-constants-to-arguments | FileCheck %s

// Constants become arguments after the inputs. Equal ones share an argument, also from inside a loop; other attributes of
// arguments stay.

// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %[[A:.*]]: tensor<128x64xf16> {spyre.dims = ["A", "B"]},
// CHECK-SAME:    %[[ONE:.*]]: tensor<128x64xf16> {spyre.constant = dense<1.000000e+00> : tensor<128x64xf16>},
// CHECK-SAME:    %[[TWO:.*]]: tensor<64xf16> {spyre.constant = dense<2.000000e+00> : tensor<64xf16>}) -> tensor<128x64xf16> {
// CHECK-NOT:     spyre.fill
// CHECK:         spyre.add %[[A]], %[[ONE]]
// CHECK:         scf.for
// CHECK:           spyre.mul %{{.*}}, %[[ONE]]
// CHECK:           spyre.sub %{{.*}}, %[[TWO]]
// CHECK-NOT:     spyre.fill
func.func @f(%a: tensor<128x64xf16> {spyre.dims = ["A", "B"]}) -> tensor<128x64xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = spyre.fill dense<1.0> : tensor<128x64xf16>
  %x = spyre.add %a, %one : tensor<128x64xf16>
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%so_far = %x) -> (tensor<128x64xf16>) {
    %again = spyre.fill dense<1.0> : tensor<128x64xf16>
    %two = spyre.fill dense<2.0> : tensor<64xf16>
    %y = spyre.mul %so_far, %again : tensor<128x64xf16>
    %z = spyre.sub %y, %two : (tensor<128x64xf16>, tensor<64xf16>) -> tensor<128x64xf16>
    scf.yield %z : tensor<128x64xf16>
  }
  return %r : tensor<128x64xf16>
}

// A function without device operations is not a kernel.
// CHECK-LABEL: func.func @other() -> tensor<4xf16> {
// CHECK-NEXT:    spyre.fill
func.func @other() -> tensor<4xf16> {
  %one = spyre.fill dense<1.0> : tensor<4xf16>
  return %one : tensor<4xf16>
}
