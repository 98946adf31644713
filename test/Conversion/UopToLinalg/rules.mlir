// Rules of tinygrad that values depend on.

// RUN: spyre-opt %s --convert-uop-to-linalg -o %t
// RUN: spyre-run %t --entry sigmoid | FileCheck %s --check-prefix=SIGMOID
// RUN: spyre-run %t --entry moved | FileCheck %s --check-prefix=MOVED
// RUN: spyre-run %t --entry swish | FileCheck %s --check-prefix=SWISH
// RUN: spyre-run %t --entry sum_of_products | FileCheck %s --check-prefix=SUM
// RUN: spyre-run %t --entry one_plus_sum | FileCheck %s --check-prefix=ADDED
// RUN: spyre-run %t --entry squares | FileCheck %s --check-prefix=SQUARES
// RUN: spyre-run %t --entry zeros | FileCheck %s --check-prefix=ZEROS
// RUN: spyre-run %t --entry terms | FileCheck %s --check-prefix=TERMS
// RUN: spyre-run %t --entry other | FileCheck %s --check-prefix=OTHER

// The same functions as they are written.
// RUN: spyre-opt %s --convert-uop-to-linalg=literal=true -o %t.literal
// RUN: spyre-run %t.literal --entry sigmoid | FileCheck %s --check-prefix=WRITTEN
// RUN: spyre-run %t.literal --entry terms | FileCheck %s --check-prefix=CANCELLED

// A function in which operations were made of others has an order of sums.
// RUN: spyre-opt %s --uop-decompose=keep=exp2 --convert-uop-to-linalg -o %t.decomposed
// RUN: spyre-run %t.decomposed --entry terms | FileCheck %s --check-prefix=DECOMPOSED

// e * (r * r) * -1 of r = 1 / (1 + e), e = 2^x: -(r * (1 - r)). With e = inf it would be inf * 0.
// SIGMOID{LITERAL}: result 0: tensor<3xf32> [-0.0, -0.25, -0.0]
// WRITTEN{LITERAL}: result 0: tensor<3xf32> [NaN, -0.25, -0.0]
func.func @sigmoid() -> tensor<3xf32> {
  %x = uop.const dense<[200.0, 0.0, -200.0]> : tensor<3xf32>
  %one = uop.const dense<1.0> : tensor<3xf32>
  %minus = uop.const dense<-1.0> : tensor<3xf32>
  %e = uop.exp2 %x : tensor<3xf32>
  %d = uop.add %one, %e : tensor<3xf32>
  %r = uop.recip %d : tensor<3xf32>
  %m = uop.mul %minus, %r : tensor<3xf32>
  %rr = uop.mul %m, %r : tensor<3xf32>
  %g = uop.mul %e, %rr : tensor<3xf32>
  return %g : tensor<3xf32>
}

// Through movements: the inverse is that of the element that it is multiplied with.
// MOVED{LITERAL}: result 0: tensor<2x2xf32> [1.0, 1.0, 0.5, 0.5]
func.func @moved() -> tensor<2x2xf32> {
  %x = uop.const dense<[200.0, 0.0]> : tensor<2xf32>
  %one = uop.const dense<1.0> : tensor<1x2xf32>
  %e = uop.exp2 %x : tensor<2xf32>
  %row = uop.reshape %e to [1, 2] : tensor<2xf32>
  %d = uop.add %row, %one : tensor<1x2xf32>
  %r = uop.recip %d : tensor<1x2xf32>
  %column = uop.permute %r [1, 0] : tensor<1x2xf32>
  %wide = uop.expand %column to [2, 2] : tensor<2x1xf32>
  %own = uop.reshape %e to [2, 1] : tensor<2xf32>
  %factor = uop.expand %own to [2, 2] : tensor<2x1xf32>
  %p = uop.mul %wide, %factor : tensor<2x2xf32>
  return %p : tensor<2x2xf32>
}

// e * ((x * r) * r) is (x * r) * (1 - r).
// SWISH{LITERAL}: result 0: tensor<2xf32> [0.0, 0.5]
func.func @swish() -> tensor<2xf32> {
  %x = uop.const dense<[200.0, 0.0]> : tensor<2xf32>
  %y = uop.const dense<[3.0, 2.0]> : tensor<2xf32>
  %one = uop.const dense<1.0> : tensor<2xf32>
  %e = uop.exp2 %x : tensor<2xf32>
  %d = uop.add %one, %e : tensor<2xf32>
  %r = uop.recip %d : tensor<2xf32>
  %a = uop.mul %y, %r : tensor<2xf32>
  %b = uop.mul %a, %r : tensor<2xf32>
  %g = uop.mul %e, %b : tensor<2xf32>
  return %g : tensor<2xf32>
}

// A sum of products computes what the rule has made of them.
// SUM{LITERAL}: result 0: tensor<1xf32> [1.5]
func.func @sum_of_products() -> tensor<1xf32> {
  %x = uop.const dense<[200.0, 0.0]> : tensor<2xf32>
  %one = uop.const dense<1.0> : tensor<2xf32>
  %e = uop.exp2 %x : tensor<2xf32>
  %d = uop.add %one, %e : tensor<2xf32>
  %r = uop.recip %d : tensor<2xf32>
  %p = uop.mul %e, %r : tensor<2xf32>
  %s = uop.reduce add %p axes [0] : tensor<2xf32>
  return %s : tensor<1xf32>
}

// e * (r + y) is (1 - r) + e * y.
// RUN: FileCheck %s --check-prefix=DIFFERENCE < %t
// DIFFERENCE-LABEL: func.func @one_plus_sum(
// DIFFERENCE:         arith.subf
// DIFFERENCE:         return
// ADDED{LITERAL}: result 0: tensor<2xf32> [2.0, 2.5]
func.func @one_plus_sum() -> tensor<2xf32> {
  %x = uop.const dense<[24.0, 0.0]> : tensor<2xf32>
  %z = uop.const dense<[-24.0, 1.0]> : tensor<2xf32>
  %one = uop.const dense<1.0> : tensor<2xf32>
  %e = uop.exp2 %x : tensor<2xf32>
  %tiny = uop.exp2 %z : tensor<2xf32>
  %d = uop.add %one, %e : tensor<2xf32>
  %r = uop.recip %d : tensor<2xf32>
  %a = uop.add %r, %tiny : tensor<2xf32>
  %p = uop.mul %e, %a : tensor<2xf32>
  return %p : tensor<2xf32>
}

// 1 / (x * x) is (1 / x) * (1 / x): 2^10 squared is no number of f16. 1 / (x * x * x) and 1 / (x * c) as well.
// SQUARES: result 0: tensor<1xf16> [9.536743e-7]
// SQUARES: result 1: tensor<1xf16> [5.9604645e-8]
// SQUARES: result 2: tensor<1xf16> [1.5258789e-5]
func.func @squares() -> (tensor<1xf16>, tensor<1xf16>, tensor<1xf16>) {
  %ten = uop.const dense<[10.0]> : tensor<1xf16>
  %eight = uop.const dense<[8.0]> : tensor<1xf16>
  %c = uop.const dense<64.0> : tensor<1xf16>
  %x = uop.exp2 %ten : tensor<1xf16>
  %y = uop.exp2 %eight : tensor<1xf16>
  %xx = uop.mul %x, %x : tensor<1xf16>
  %yy = uop.mul %y, %y : tensor<1xf16>
  %yyy = uop.mul %yy, %y : tensor<1xf16>
  %xc = uop.mul %x, %c : tensor<1xf16>
  %a = uop.recip %xx : tensor<1xf16>
  %b = uop.recip %yyy : tensor<1xf16>
  %d = uop.recip %xc : tensor<1xf16>
  return %a, %b, %d : tensor<1xf16>, tensor<1xf16>, tensor<1xf16>
}

// x * 0, x / x, and (x * y) / y, of infinite x and y.
// ZEROS{LITERAL}: result 0: tensor<1xf32> [0.0]
// ZEROS{LITERAL}: result 1: tensor<1xf32> [1.0]
// ZEROS{LITERAL}: result 2: tensor<1xf32> [2.0]
func.func @zeros() -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) {
  %n = uop.const dense<[200.0]> : tensor<1xf32>
  %zero = uop.const dense<0.0> : tensor<1xf32>
  %one = uop.const dense<[1.0]> : tensor<1xf32>
  %x = uop.exp2 %n : tensor<1xf32>
  %y = uop.exp2 %one : tensor<1xf32>
  %r = uop.recip %x : tensor<1xf32>
  %xy = uop.mul %x, %y : tensor<1xf32>
  %a = uop.mul %x, %zero : tensor<1xf32>
  %b = uop.mul %x, %r : tensor<1xf32>
  %c = uop.mul %xy, %r : tensor<1xf32>
  return %a, %b, %c : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
}

// x - x, (y + x) - x and (x + c) - c are what they are without rounding.
// TERMS{LITERAL}: result 0: tensor<1xf32> [0.0]
// TERMS{LITERAL}: result 1: tensor<1xf32> [2.0]
// TERMS{LITERAL}: result 2: tensor<1xf32> [2.0]
// CANCELLED{LITERAL}: result 0: tensor<1xf32> [NaN]
// CANCELLED{LITERAL}: result 1: tensor<1xf32> [0.0]
// CANCELLED{LITERAL}: result 2: tensor<1xf32> [0.0]
// DECOMPOSED{LITERAL}: result 0: tensor<1xf32> [NaN]
func.func @terms() -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) {
  %n = uop.const dense<[200.0]> : tensor<1xf32>
  %k = uop.const dense<[60.0]> : tensor<1xf32>
  %l = uop.const dense<[1.0]> : tensor<1xf32>
  %minus = uop.const dense<-1.0> : tensor<1xf32>
  %c = uop.const dense<1.0e10> : tensor<1xf32>
  %d = uop.const dense<-1.0e10> : tensor<1xf32>
  %inf = uop.exp2 %n : tensor<1xf32>
  %x = uop.exp2 %k : tensor<1xf32>
  %y = uop.exp2 %l : tensor<1xf32>
  %less = uop.mul %inf, %minus : tensor<1xf32>
  %0 = uop.add %inf, %less : tensor<1xf32>
  %yx = uop.add %y, %x : tensor<1xf32>
  %1 = uop.sub %yx, %x : tensor<1xf32>
  %yc = uop.add %y, %c : tensor<1xf32>
  %2 = uop.add %yc, %d : tensor<1xf32>
  return %0, %1, %2 : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
}

// No rule: the inverse is of another element, and of 2 + e.
// OTHER{LITERAL}: result 0: tensor<2xf32> [NaN, 0.5]
// OTHER{LITERAL}: result 1: tensor<2xf32> [NaN, 0.33333334]
func.func @other() -> (tensor<2xf32>, tensor<2xf32>) {
  %x = uop.const dense<[200.0, 0.0]> : tensor<2xf32>
  %w = uop.const dense<[201.0, 0.0]> : tensor<2xf32>
  %one = uop.const dense<1.0> : tensor<2xf32>
  %two = uop.const dense<2.0> : tensor<2xf32>
  %e = uop.exp2 %x : tensor<2xf32>
  %f = uop.exp2 %w : tensor<2xf32>
  %d = uop.add %one, %f : tensor<2xf32>
  %dd = uop.add %two, %e : tensor<2xf32>
  %r = uop.recip %d : tensor<2xf32>
  %s = uop.recip %dd : tensor<2xf32>
  %p = uop.mul %e, %r : tensor<2xf32>
  %q = uop.mul %e, %s : tensor<2xf32>
  return %p, %q : tensor<2xf32>, tensor<2xf32>
}

// On the card, of numbers of all sizes: the gradient of x / (1 + 2^x), times x.
// RUN: spyre-run %t --entry gradient --on=card --random-seed 1 --special-values --compare %t --compare-entry gradient --tolerance 1e-3 --stats 2>&1 | FileCheck %s --check-prefix=CARD
// CARD: device: @gradient_device_0
// CARD: result 0: 0 of 4096 elements differ
func.func @gradient(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %one = uop.const dense<1.0> : tensor<64x64xf32>
  %e = uop.exp2 %x : tensor<64x64xf32>
  %d = uop.add %one, %e : tensor<64x64xf32>
  %r = uop.recip %d : tensor<64x64xf32>
  %a = uop.mul %x, %r : tensor<64x64xf32>
  %b = uop.mul %a, %r : tensor<64x64xf32>
  %g = uop.mul %e, %b : tensor<64x64xf32>
  return %g : tensor<64x64xf32>
}
