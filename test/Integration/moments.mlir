// The moments of a row are rounded to the element type before the variance is made of them. In a row of equal elements the variance is 0,
// and what is left of the moments may be negative: 45.09375^2 = 2033.446 is 2033 in f16. The chain of a layer norm is NaN there, and the
// expression that subtracts the mean first is 0. The description of spyre.exx2 says for which rows that holds.

// RUN: spyre-run %s --entry chain | FileCheck %s --check-prefix=CHAIN
// RUN: spyre-run %s --entry chain_without_mean | FileCheck %s --check-prefix=WITHOUT
// RUN: spyre-run %s --entry expression | FileCheck %s --check-prefix=WITHOUT

// CHAIN: result 0: tensor<1x64xf16> [{{-?[nN]a[nN]}}
func.func @chain() -> tensor<1x64xf16> {
  %x = spyre.fill dense<45.09375> : tensor<1x64xf16>
  %one = spyre.fill dense<1.0> : tensor<1x64xf16>
  %zero = spyre.fill dense<0.0> : tensor<1x64xf16>
  %e = spyre.exx2 %x : (tensor<1x64xf16>) -> tensor<1x2xf16>
  %s = spyre.layernormscale %e eps 1.0e-5 : (tensor<1x2xf16>) -> tensor<1x1xf16>
  %y = spyre.layernormnorm %x, %e, %s, %one, %zero
    : (tensor<1x64xf16>, tensor<1x2xf16>, tensor<1x1xf16>, tensor<1x64xf16>, tensor<1x64xf16>) -> tensor<1x64xf16>
  return %y : tensor<1x64xf16>
}

// WITHOUT: result 0: tensor<1x64xf16> [0.0, 0.0, 0.0,
func.func @chain_without_mean() -> tensor<1x64xf16> {
  %full = spyre.fill dense<45.09375> : tensor<1x64xf16>
  %mean = spyre.mean %full dims [1] keepdim : (tensor<1x64xf16>) -> tensor<1x1xf16>
  %x = spyre.sub %full, %mean : (tensor<1x64xf16>, tensor<1x1xf16>) -> tensor<1x64xf16>
  %one = spyre.fill dense<1.0> : tensor<1x64xf16>
  %zero = spyre.fill dense<0.0> : tensor<1x64xf16>
  %e = spyre.exx2 %x : (tensor<1x64xf16>) -> tensor<1x2xf16>
  %s = spyre.layernormscale %e eps 1.0e-5 : (tensor<1x2xf16>) -> tensor<1x1xf16>
  %y = spyre.layernormnorm %x, %e, %s, %one, %zero
    : (tensor<1x64xf16>, tensor<1x2xf16>, tensor<1x1xf16>, tensor<1x64xf16>, tensor<1x64xf16>) -> tensor<1x64xf16>
  return %y : tensor<1x64xf16>
}

func.func @expression() -> tensor<1x64xf16> {
  %full = spyre.fill dense<45.09375> : tensor<1x64xf16>
  %eps = spyre.fill dense<1.0e-5> : tensor<1x1xf16>
  %mean = spyre.mean %full dims [1] keepdim : (tensor<1x64xf16>) -> tensor<1x1xf16>
  %x = spyre.sub %full, %mean : (tensor<1x64xf16>, tensor<1x1xf16>) -> tensor<1x64xf16>
  %square = spyre.mul %x, %x : tensor<1x64xf16>
  %variance = spyre.mean %square dims [1] keepdim : (tensor<1x64xf16>) -> tensor<1x1xf16>
  %sum = spyre.add %variance, %eps : tensor<1x1xf16>
  %root = spyre.rsqrt %sum : tensor<1x1xf16>
  %y = spyre.mul %x, %root : (tensor<1x64xf16>, tensor<1x1xf16>) -> tensor<1x64xf16>
  return %y : tensor<1x64xf16>
}
