// RUN: spyre-opt %s --split-input-file --spyre-pipeline --verify-diagnostics | FileCheck %s

// Formats in which nothing shows the backend to have an OpFunc draw one warning each.

// CHECK-LABEL: func.func @sdsc_bundle
func.func @recorded(%a: tensor<64x64xf16>, %b: tensor<64x64xf32>, %c: tensor<64x64xi32>, %i: tensor<64xi32>)
    -> (tensor<64x64xf16>, tensor<64x64xf32>, tensor<64x64xi32>, tensor<64x64xf16>) {
  %0 = spyre.batchmatmul %a, %a : tensor<64x64xf16>
  %1 = spyre.add %b, %b : tensor<64x64xf32>
  %2 = spyre.add %c, %c : tensor<64x64xi32>
  %3 = spyre.gather %i, %a dim 0 : (tensor<64xi32>, tensor<64x64xf16>) -> tensor<64x64xf16>
  return %0, %1, %2, %3 : tensor<64x64xf16>, tensor<64x64xf32>, tensor<64x64xi32>, tensor<64x64xf16>
}

// -----

// CHECK-LABEL: func.func @sdsc_bundle
func.func @assumed(%a: tensor<64x64xf32>, %b: tensor<64x64xi32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xi32>) {
  // expected-warning @+1 {{no document and no recorded bundle shows OpFunc 'batchmatmul' in IEEE_FP32; the backend may lack it (assumed_formats = false of #spyre.target makes this an error)}}
  %0 = spyre.batchmatmul %a, %a : tensor<64x64xf32>
  %1 = spyre.batchmatmul %a, %0 : tensor<64x64xf32>
  // expected-warning @+1 {{OpFunc 'mul' in IEEE_FP32}}
  %2 = spyre.mul %a, %a : tensor<64x64xf32>
  // expected-warning @+1 {{OpFunc 'mul' in IEEE_INT32}}
  %3 = spyre.mul %b, %b : tensor<64x64xi32>
  return %1, %2, %3 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xi32>
}

// -----

module attributes {spyre.target = #spyre.target<assumed_formats = false>} {
  func.func @refused(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = spyre.add %a, %a : tensor<64x64xf32>
    // expected-error @+1 {{no document and no recorded bundle shows OpFunc 'exp' in IEEE_FP32, and the target has assumed_formats = false; compute in f16, or allow assumed formats}}
    %1 = spyre.exp %0 : tensor<64x64xf32>
    return %1 : tensor<64x64xf32>
  }
}
