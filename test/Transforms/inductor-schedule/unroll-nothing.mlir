// A reduction of no elements is what it starts from.

// RUN: spyre-opt %s --inductor-split-reductions | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
!r = tensor<3xf32, #inductor.layout<fixed, [1]>>

// CHECK-LABEL: inductor.graph @no_element
// CHECK: inductor.pointwise "op0" as "buf0" [3] {
// CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: inductor.store %[[ONE]]
// The largest of no elements is no number: PyTorch refuses it.
// CHECK: inductor.reduction "op1"
inductor.graph @no_element {
  %x = inductor.input "x" : tensor<3x0xf32, #inductor.layout<fixed, [1, 1]>>
  %y = inductor.reduction "op0" as "buf0" prod [3] over [0] from f32 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : tensor<3x0xf32, #inductor.layout<fixed, [1, 1]>> -> f32
    inductor.store %0 at #row(%i, %j) : f32
  } : !r
  %z = inductor.reduction "op1" as "buf1" max [3] over [0] from f32 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : tensor<3x0xf32, #inductor.layout<fixed, [1, 1]>> -> f32
    inductor.store %0 at #row(%i, %j) : f32
  } : !r
  inductor.return %y, %z outputs [#inductor.operand<0>, #inductor.operand<1>] : !r, !r
}
