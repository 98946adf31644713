// RUN: spyre-opt %s --split-input-file --spyre-check-integers --verify-diagnostics
// RUN: spyre-opt %s --split-input-file --spyre-pipeline --verify-diagnostics
// RUN: spyre-opt %s --split-input-file --spyre-set-target='target={contract="r3"}' --spyre-check-integers | FileCheck %s

// The card computes with floats only, so a comparison of integers is refused where the program has it, and not where its truth values
// are read. A target of an older contract has it.

// CHECK-LABEL: func.func @chooses(
// CHECK:         spyre.greaterthan
func.func @chooses(%x: tensor<64x64xi32>, %y: tensor<64x64xi32>, %a: tensor<64x64xf16>, %b: tensor<64x64xf16>) -> tensor<64x64xf16> {
  // expected-error @+1 {{spyre-check-integers: compares integers, and the card computes with floats only: 'greaterthan' computes in SEN169_FP16 or IEEE_FP32, but tensor 0 is IEEE_INT32; compare floats, of which f32 holds integers up to 16777216 exactly, or leave the comparison to the host (host=true of --spyre-import-linalg)}}
  %c = spyre.greaterthan %x, %y : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi1>
  %0 = spyre.where3 %c, %a, %b : (tensor<64x64xi1>, tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  return %0 : tensor<64x64xf16>
}

// -----

// In a loop, and of 64 bits.
// CHECK-LABEL: func.func @in_a_loop(
func.func @in_a_loop(%x: tensor<64xi64>, %y: tensor<64xi64>, %a: tensor<64xf32>) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %a) -> (tensor<64xf32>) {
    // expected-error @+1 {{spyre-check-integers: compares integers, and the card computes with floats only: 'equal' computes in}}
    %c = spyre.equal %x, %y : (tensor<64xi64>, tensor<64xi64>) -> tensor<64xi1>
    %0 = spyre.where3 %c, %s, %a : (tensor<64xi1>, tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    scf.yield %0 : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}
