// RUN: spyre-opt %s --split-input-file --spyre-pipeline --verify-diagnostics | FileCheck %s

// The published contract says in which formats the card's compiler has an OpFunc: an operation in another format is refused at it,
// unless the target lists an exception that allows it.

// CHECK-LABEL: module
// CHECK:       "batchmatmul"
// CHECK-NEXT:    SEN169_FP16
// CHECK:       "add"
// CHECK-NEXT:    IEEE_FP32
// CHECK:       "exp"
// CHECK-NEXT:    IEEE_FP32
// CHECK:       "greaterthan"
// CHECK-NEXT:    IEEE_FP32
// CHECK:       func.func @sdsc_bundle
func.func @admitted(%a: tensor<64x64xf16>, %b: tensor<64x64xf32>) -> (tensor<64x64xf16>, tensor<64x64xf32>, tensor<64x64xi1>) {
  %0 = spyre.batchmatmul %a, %a : tensor<64x64xf16>
  %1 = spyre.add %b, %b : tensor<64x64xf32>
  %2 = spyre.exp %1 : tensor<64x64xf32>
  %3 = spyre.greaterthan %b, %2 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xi1>
  return %0, %2, %3 : tensor<64x64xf16>, tensor<64x64xf32>, tensor<64x64xi1>
}

// -----

// A copy only moves bytes, and the indices of a gather are no operand of arithmetic.
// CHECK-LABEL: sdscbundle.op_spec @sdsc_0 "identity"
// CHECK:       sdscbundle.op_spec @sdsc_1 "identity"
// CHECK:       func.func @sdsc_bundle
func.func @integers_that_move(%a: tensor<64x64xf16>, %c: tensor<64x64xi32>, %i: tensor<64xi32>)
    -> (tensor<64x64xi32>, tensor<64x64xf16>) {
  %0 = spyre.copy %c : tensor<64x64xi32>
  %1 = spyre.gather %i, %a dim 0 : (tensor<64xi32>, tensor<64x64xf16>) -> tensor<64x64xf16>
  return %0, %1 : tensor<64x64xi32>, tensor<64x64xf16>
}

// -----

func.func @product(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+2 {{convert-spyre-to-sdscbundle: 'batchmatmul' computes in SEN169_FP16, but tensor 0 is IEEE_FP32}}
  // expected-note @+1 {{compute it in a format that the card has, or on the host}}
  %0 = spyre.batchmatmul %a, %a : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

func.func @tanh(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = spyre.add %a, %a : tensor<64x64xf32>
  // expected-error @+2 {{'tanh' computes in SEN169_FP16, but tensor 0 is IEEE_FP32}}
  // expected-note @+1 {{compute it in a format that the card has, or on the host}}
  %1 = spyre.tanh %0 : tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}

// -----

func.func @mish(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+2 {{'mish' computes in SEN169_FP16, but tensor 0 is IEEE_FP32}}
  // expected-note @+1 {{compute it in a format that the card has, or on the host}}
  %0 = spyre.mish %a : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

func.func @relu6(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+2 {{'relu6fwd' computes in SEN169_FP16, but tensor 0 is IEEE_FP32}}
  // expected-note @+1 {{compute it in a format that the card has, or on the host}}
  %0 = spyre.relu6fwd %a : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

func.func @fast(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = spyre.add %a, %a : tensor<64x64xf32>
  // expected-error @+2 {{'fastsigmoid' computes in SEN169_FP16, but tensor 0 is IEEE_FP32}}
  // expected-note @+1 {{compute it in a format that the card has, or on the host}}
  %1 = spyre.fastsigmoid %0 : tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}

// -----

func.func @root(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+2 {{'sqrt' computes in SEN169_FP16, but tensor 0 is IEEE_FP32}}
  // expected-note @+1 {{compute it in a format that the card has, or on the host; `exceptions = ["fp32-roots"]` of #spyre.target allows it (source: torch-spyre}}
  %0 = spyre.sqrt %a : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

func.func @integer_product(%a: tensor<64x64xi32>) -> tensor<64x64xi32> {
  // expected-error @+2 {{'mul' computes in SEN169_FP16 or IEEE_FP32, but tensor 0 is IEEE_INT32}}
  // expected-note @+1 {{`exceptions = ["int32-arithmetic"]` of #spyre.target allows it}}
  %0 = spyre.mul %a, %a : tensor<64x64xi32>
  return %0 : tensor<64x64xi32>
}

// -----

// No source has a difference of integers.
module attributes {spyre.target = #spyre.target<exceptions = ["int32-arithmetic"]>} {
  func.func @integer_difference(%a: tensor<64x64xi32>) -> tensor<64x64xi32> {
    // expected-error @+2 {{'sub' computes in SEN169_FP16 or IEEE_FP32, but tensor 0 is IEEE_INT32}}
    // expected-note-re @+1 {{compute it in a format that the card has, or on the host{{$}}}}
    %0 = spyre.sub %a, %a : tensor<64x64xi32>
    return %0 : tensor<64x64xi32>
  }
}

// -----

func.func @integer_comparison(%a: tensor<64x64xi32>) -> tensor<64x64xi1> {
  // expected-error @+1 {{compares integers, and the card computes with floats only: 'lesserequal' computes in SEN169_FP16 or IEEE_FP32, but tensor 0 is IEEE_INT32}}
  %0 = spyre.lesserequal %a, %a : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi1>
  return %0 : tensor<64x64xi1>
}

// -----

func.func @product_of_elements(%a: tensor<64x64xf16>) -> tensor<64xf16> {
  // expected-error @+2 {{'prod' is not in the table of OpFuncs of SuperDSC-Bundle 1.0.0 (torch-spyre constants.py: no product reduction in the backend)}}
  // expected-note @+1 {{`exceptions = ["product-reduction"]` of #spyre.target allows it}}
  %0 = spyre.prod %a dims [0] : (tensor<64x64xf16>) -> tensor<64xf16>
  return %0 : tensor<64xf16>
}

// -----

// Layouts ask for no restickify that the contract lacks.
// expected-note @+1 {{operand #1 is defined here}}
func.func @transposed(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = spyre.permute %a [1, 0] : tensor<64x64xf32> to tensor<64x64xf32>
  // expected-error @+1 {{spyre-propagate-layouts: operand #1 has to change the dimension on its stick: 'ReStickifyOpHBM' computes in SEN169_FP16, but tensor 0 is IEEE_FP32; have the same dimension on the sticks of all operands, or compute in f16 or on the host}}
  %1 = spyre.add %0, %b : tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}

// -----

// CHECK-LABEL: #spyre.target<exceptions = ["fp32-roots", "fp32-restickify"]>
// CHECK:       "ReStickifyOpHBM"
// CHECK-NEXT:    IEEE_FP32
// CHECK:       "sqrt"
// CHECK-NEXT:    IEEE_FP32
// CHECK:       "rsqrt"
// CHECK-NEXT:    IEEE_FP32
// CHECK:       func.func @sdsc_bundle
module attributes {spyre.target = #spyre.target<exceptions = ["fp32-roots", "fp32-restickify"]>} {
  func.func @floats_by_exception(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = spyre.permute %a [1, 0] : tensor<64x64xf32> to tensor<64x64xf32>
    %1 = spyre.add %0, %b : tensor<64x64xf32>
    %2 = spyre.sqrt %1 : tensor<64x64xf32>
    %3 = spyre.rsqrt %2 : tensor<64x64xf32>
    return %3 : tensor<64x64xf32>
  }
}

// -----

// CHECK-LABEL: #spyre.target<exceptions = ["int32-arithmetic", "product-reduction"]>
// CHECK:       "add"
// CHECK-NEXT:    IEEE_INT32
// CHECK:       "mul"
// CHECK-NEXT:    IEEE_INT32
// CHECK:       "prod"
// CHECK-NEXT:    SEN169_FP16
// CHECK:       func.func @sdsc_bundle
module attributes {spyre.target = #spyre.target<exceptions = ["int32-arithmetic", "product-reduction"]>} {
  func.func @arithmetic_by_exception(%a: tensor<64x64xi32>, %b: tensor<64x64xf16>) -> (tensor<64x64xi32>, tensor<64xf16>) {
    %0 = spyre.add %a, %a : tensor<64x64xi32>
    %1 = spyre.mul %0, %a : tensor<64x64xi32>
    %2 = spyre.prod %b dims [0] : (tensor<64x64xf16>) -> tensor<64xf16>
    return %1, %2 : tensor<64x64xi32>, tensor<64xf16>
  }
}

// -----

// An exception allows what it is about, and nothing else.
module attributes {spyre.target = #spyre.target<exceptions = ["fp32-roots"]>} {
  func.func @logarithm(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
    // expected-error @+2 {{'log' computes in SEN169_FP16, but tensor 0 is IEEE_FP32}}
    // expected-note @+1 {{compute it in a format that the card has, or on the host}}
    %0 = spyre.log %a : tensor<64x64xf32>
    return %0 : tensor<64x64xf32>
  }
}

// -----

// A recorded revision is the only evidence of itself, so the table does not judge it.
// CHECK-LABEL: #spyre.target<contract = "r3">
// CHECK:       "tanh"
// CHECK-NEXT:    IEEE_FP32
// CHECK:       "sub"
// CHECK-NEXT:    IEEE_INT32
// CHECK:       func.func @sdsc_bundle
module attributes {spyre.target = #spyre.target<contract = "r3">} {
  func.func @recorded(%a: tensor<64x64xf32>, %b: tensor<64x64xi32>) -> (tensor<64x64xf32>, tensor<64x64xi32>) {
    %0 = spyre.tanh %a : tensor<64x64xf32>
    %1 = spyre.sub %b, %b : tensor<64x64xi32>
    return %0, %1 : tensor<64x64xf32>, tensor<64x64xi32>
  }
}
