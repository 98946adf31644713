// RUN: spyre-opt %s --split-input-file --spyre-pipeline=plan=false | FileCheck %s

// Each operation is an OpFunc of its name.

// CHECK-LABEL: sdscbundle.op_spec @sdsc_0 "mish"
// CHECK:       sdscbundle.op_spec @sdsc_1 "relu6fwd"
// CHECK:       sdscbundle.op_spec @sdsc_2 "fastexp"
// CHECK:       sdscbundle.op_spec @sdsc_3 "fastsigmoid"
// CHECK-NOT:   sdscbundle.op_spec
func.func @unary(%x: tensor<64x128xf16>) -> tensor<64x128xf16> {
  %0 = spyre.mish %x : tensor<64x128xf16>
  %1 = spyre.relu6fwd %0 : tensor<64x128xf16>
  %2 = spyre.fastexp %1 : tensor<64x128xf16>
  %3 = spyre.fastsigmoid %2 : tensor<64x128xf16>
  return %3 : tensor<64x128xf16>
}

// -----

// CHECK-LABEL: sdscbundle.op_spec @sdsc_0 "revsub"
// CHECK:       sdscbundle.op_spec @sdsc_1 "biasadd"
// CHECK-NOT:   sdscbundle.op_spec
func.func @binary(%x: tensor<64x128xf16>, %y: tensor<64x1xf16>, %b: tensor<128xf16>) -> tensor<64x128xf16> {
  %0 = spyre.revsub %x, %y : (tensor<64x128xf16>, tensor<64x1xf16>) -> tensor<64x128xf16>
  %1 = spyre.biasadd %0, %b : (tensor<64x128xf16>, tensor<128xf16>) -> tensor<64x128xf16>
  return %1 : tensor<64x128xf16>
}
