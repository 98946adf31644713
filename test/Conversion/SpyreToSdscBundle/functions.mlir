// RUN: spyre-opt %s --split-input-file --spyre-pipeline=plan=false --verify-diagnostics | FileCheck %s

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

// -----

// CHECK-LABEL: sdscbundle.op_spec @sdsc_0 "absmax"
// CHECK:       sdscbundle.op_spec @sdsc_1 "absmax"
// CHECK-NOT:   sdscbundle.op_spec
func.func @magnitudes(%x: tensor<64x128xf16>) -> (tensor<64xf16>, tensor<128xf16>) {
  %0 = spyre.absmax %x dims [1] : (tensor<64x128xf16>) -> tensor<64xf16>
  %1 = spyre.absmax %x dims [0] : (tensor<64x128xf16>) -> tensor<128xf16>
  return %0, %1 : tensor<64xf16>, tensor<128xf16>
}

// -----

// Elements of 32 bits cannot be masked (K10), so their rows are whole sticks.
func.func @wide_and_ragged(%x: tensor<64x40xf32>) -> tensor<64xf32> {
  // expected-error @+1 {{cannot be masked, only of up to 16; give the tensor whole sticks of data}}
  %0 = spyre.absmax %x dims [1] : (tensor<64x40xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// Magnitudes of the card have 16 bits.
func.func @wide_scale(%x: tensor<64x64xf32>) -> tensor<64xf32> {
  // expected-error @+2 {{'quantscalepertokenfp8' computes in SEN169_FP16, but tensor 0 is IEEE_FP32}}
  // expected-note @+1 {{compute it in a format that the card has, or on the host}}
  %0 = spyre.quantscalepertokenfp8 %x dims [1] min 0.5 max 4.0 factor 0.125 : (tensor<64x64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// One core makes a scale.
func.func @divided_scale(%x: tensor<64x256xf16>) -> tensor<64xf16> {
  // expected-error @+1 {{split of the reduced dimension 1 leaves each core a part of the result, and parts of 'spyre.quantscalepertokenfp8' are not combined}}
  %0 = spyre.quantscalepertokenfp8 %x dims [1] min 0.5 max 4.0 factor 0.125 split [1, 4] : (tensor<64x256xf16>) -> tensor<64xf16>
  return %0 : tensor<64xf16>
}

// -----

// Nobody says in which order a stick has rows and columns of 8-bit weights (K22).
func.func @bytes(%a: tensor<64x128xi8>, %b: tensor<128x64xi8>) -> tensor<64x64xf16> {
  // expected-error @+1 {{'batchmatmulint8' reads its second operand in sticks of two rows of 64 columns (K22), and sources differ in their order; compute it on the host, or as spyre.batchmatmul of 16-bit floats}}
  %0 = spyre.batchmatmulint8 %a, %b : (tensor<64x128xi8>, tensor<128x64xi8>) -> tensor<64x64xf16>
  return %0 : tensor<64x64xf16>
}
