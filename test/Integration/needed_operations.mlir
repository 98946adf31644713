// The pipeline drops what nobody uses, and computes once what is written twice: each operation of a bundle is needed.
// Positions of hint scopes count what was written.

// RUN: spyre-opt %s --split-input-file --spyre-pipeline | FileCheck %s

// CHECK-LABEL: sdscbundle.op_spec @sdsc_0 "exp"
// CHECK-NOT: sdscbundle.op_spec
// CHECK: func.func @sdsc_bundle
func.func @dead(%a: tensor<64x128xf16>) -> tensor<64x128xf16> {
  %unused = spyre.neg %a : tensor<64x128xf16>
  %of_unused = spyre.exp %unused : tensor<64x128xf16>
  %0 = spyre.exp %a : tensor<64x128xf16>
  return %0 : tensor<64x128xf16>
}

// -----

// CHECK-LABEL: sdscbundle.op_spec @sdsc_0 "exp"
// CHECK: sdscbundle.op_spec @sdsc_1 "add"
// CHECK-NOT: sdscbundle.op_spec
// CHECK: func.func @sdsc_bundle
func.func @twice(%a: tensor<64x128xf16>) -> tensor<64x128xf16> {
  %0 = spyre.exp %a : tensor<64x128xf16>
  %1 = spyre.exp %a : tensor<64x128xf16>
  %2 = spyre.add %0, %1 : tensor<64x128xf16>
  return %2 : tensor<64x128xf16>
}

// -----

// The scope is around the last two operations as they were written.
// CHECK-LABEL: sdscbundle.op_spec @sdsc_0 "exp"
// CHECK-NOT: loops
// CHECK: sdscbundle.op_spec @sdsc_1 "neg"
// CHECK-SAME: loops [2]
// CHECK: sdscbundle.op_spec @sdsc_2 "tanh"
// CHECK-SAME: loops [2]
func.func @positions(%a: tensor<64x128xf16> {spyre.dims = ["A", "B"]}) -> tensor<64x128xf16>
    attributes {spyre.tile_scopes = [#spyre.tile_scope<"A" in 2, ops 2 to 3>]} {
  %unused = spyre.neg %a : tensor<64x128xf16>
  %0 = spyre.exp %a : tensor<64x128xf16>
  %1 = spyre.neg %0 : tensor<64x128xf16>
  %2 = spyre.tanh %1 : tensor<64x128xf16>
  return %2 : tensor<64x128xf16>
}
