// RUN: spyre-opt %s --split-input-file --convert-spyre-to-sdscbundle --verify-diagnostics -o /dev/null

// Planned by hand, a function is checked as well; one that was checked before tiling is not checked again.

#s = #spyre.layout<(d0) -> (d0 floordiv 32, d0 mod 32)>
module attributes {spyre.target = #spyre.target<exceptions = ["int32-arithmetic"]>} {
  func.func @unchecked(%a: tensor<32xi64, #s>) -> tensor<32xi64, #s> {
    // expected-error @+1 {{convert-spyre-to-sdscbundle: an i64 is 32 bits wide on the card, and elements of the result may be in [-4294967296, 4294967294]}}
    %0 = spyre.add %a, %a place arg 1 : tensor<32xi64, #s>
    return %0 : tensor<32xi64, #s>
  }
}

// -----

#s = #spyre.layout<(d0) -> (d0 floordiv 32, d0 mod 32)>
module attributes {spyre.target = #spyre.target<exceptions = ["int32-arithmetic"]>} {
  func.func @checked(%a: tensor<32xi64, #s>) -> tensor<32xi64, #s> attributes {spyre.integers_fit} {
    %0 = spyre.add %a, %a place arg 1 : tensor<32xi64, #s>
    return %0 : tensor<32xi64, #s>
  }
}

// -----

// The contract has no arithmetic of integers, however small they are.
#s = #spyre.layout<(d0) -> (d0 floordiv 32, d0 mod 32)>
func.func @fits(%a: tensor<32xi64, #s>) -> tensor<32xi64, #s> attributes {spyre.integers_fit} {
  // expected-error @+2 {{'add' computes in SEN169_FP16 or IEEE_FP32, but tensor 0 is IEEE_INT32}}
  // expected-note @+1 {{`exceptions = ["int32-arithmetic"]` of #spyre.target allows it}}
  %0 = spyre.add %a, %a place arg 1 : tensor<32xi64, #s>
  return %0 : tensor<32xi64, #s>
}
