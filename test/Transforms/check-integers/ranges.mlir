// RUN: spyre-opt %s --split-input-file --spyre-set-target='target={contract="r3"}' --spyre-check-integers --verify-diagnostics | FileCheck %s

// An i64 is 32 bits wide on the card. What is proven to fit is accepted, and the function says so. The target is one of a contract that
// has comparisons of integers.

// CHECK-LABEL: func.func @bounded(
// CHECK-SAME: attributes {spyre.integers_fit}
func.func @bounded(%a: tensor<32xi64>) -> tensor<32xi64> {
  %hundred = spyre.fill dense<100> : tensor<32xi64>
  %zero = spyre.fill dense<0> : tensor<32xi64>
  %low = spyre.minimum %a, %hundred : tensor<32xi64>
  %b = spyre.maximum %low, %zero : tensor<32xi64>
  %square = spyre.mul %b, %b : tensor<32xi64>
  %0 = spyre.sub %square, %b : tensor<32xi64>
  return %0 : tensor<32xi64>
}

// What is only moved, chosen and compared is what was transferred.
// CHECK-LABEL: func.func @moved(
// CHECK-SAME: attributes {spyre.integers_fit}
func.func @moved(%a: tensor<2x32xi64>, %b: tensor<32x2xi64>) -> (tensor<2x32xi64>, tensor<2x32xi1>) {
  %t = spyre.permute %b [1, 0] : tensor<32x2xi64> to tensor<2x32xi64>
  %row = tensor.extract_slice %t[0, 0] [1, 32] [1, 1] : tensor<2x32xi64> to tensor<1x32xi64>
  %c = spyre.equal %a, %row : (tensor<2x32xi64>, tensor<1x32xi64>) -> tensor<2x32xi1>
  %w = spyre.where3 %c, %a, %t : (tensor<2x32xi1>, tensor<2x32xi64>, tensor<2x32xi64>) -> tensor<2x32xi64>
  %m = spyre.maximum %w, %a : tensor<2x32xi64>
  %e = spyre.empty : tensor<2x32xi64>
  %i = tensor.insert_slice %m into %e[0, 0] [2, 32] [1, 1] : tensor<2x32xi64> into tensor<2x32xi64>
  return %i, %c : tensor<2x32xi64>, tensor<2x32xi1>
}

// Positions are below the extent that is searched.
// CHECK-LABEL: func.func @positions(
// CHECK-SAME: attributes {spyre.integers_fit}
func.func @positions(%a: tensor<64x256xf16>) -> tensor<64x1xi64> {
  %p = spyre.topkindex %a dim 1 k 1 : (tensor<64x256xf16>) -> tensor<64x1xi64>
  %0 = spyre.add %p, %p : tensor<64x1xi64>
  return %0 : tensor<64x1xi64>
}

// An index that counts from the end where it is negative: the sum does not fit where it is not read.
// CHECK-LABEL: func.func @from_the_end(
// CHECK-SAME: attributes {spyre.integers_fit}
func.func @from_the_end(%a: tensor<32xi64>) -> tensor<32xi64> {
  %zero = spyre.fill dense<0> : tensor<32xi64>
  %extent = spyre.fill dense<1000> : tensor<32xi64>
  %behind = spyre.lesserthan %a, %zero : (tensor<32xi64>, tensor<32xi64>) -> tensor<32xi1>
  %sum = spyre.add %a, %extent : tensor<32xi64>
  %0 = spyre.where3 %behind, %sum, %a : (tensor<32xi1>, tensor<32xi64>, tensor<32xi64>) -> tensor<32xi64>
  return %0 : tensor<32xi64>
}

// What a bitcast makes has 32 bits.
// CHECK-LABEL: func.func @bits(
// CHECK-SAME: attributes {spyre.integers_fit}
func.func @bits(%a: tensor<32xi32>) -> tensor<32xi64> {
  %0 = spyre.mul %a, %a : tensor<32xi32>
  %1 = spyre.bitcast %0 : (tensor<32xi32>) -> tensor<32xi64>
  return %1 : tensor<32xi64>
}

// Other integers wrap everywhere alike.
// CHECK-LABEL: func.func @narrow(
// CHECK-NOT: spyre.integers_fit
func.func @narrow(%a: tensor<32xi32>) -> tensor<32xi32> {
  %0 = spyre.mul %a, %a : tensor<32xi32>
  return %0 : tensor<32xi32>
}

// -----

func.func @product(%a: tensor<32xi64>, %b: tensor<32xi64>) -> tensor<32xi64> {
  // expected-error @+1 {{spyre-check-integers: an i64 is 32 bits wide on the card, and elements of the result may be in [-4611686016279904256, 4611686018427387904]; use i32, which wraps at 32 bits everywhere, or bound the operands with spyre.minimum and spyre.maximum}}
  %0 = spyre.mul %a, %b : tensor<32xi64>
  return %0 : tensor<32xi64>
}

// -----

// One more than fits.
func.func @one_more(%a: tensor<32xi64>) -> tensor<32xi64> {
  %one = spyre.fill dense<1> : tensor<32xi64>
  // expected-error @+1 {{elements of the result may be in [-2147483647, 2147483648]}}
  %0 = spyre.add %a, %one : tensor<32xi64>
  return %0 : tensor<32xi64>
}

// -----

func.func @constant(%a: tensor<32xi64>) -> tensor<32xi64> {
  // expected-error @+1 {{elements of the result may be in [4294967296, 4294967296]}}
  %big = spyre.fill dense<4294967296> : tensor<32xi64>
  %0 = spyre.minimum %a, %big : tensor<32xi64>
  return %0 : tensor<32xi64>
}

// -----

// A number that grows with every round of a loop has no bound, however slowly.
func.func @grows(%a: tensor<32xi64>) -> tensor<32xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %one = spyre.fill dense<1> : tensor<32xi64>
  %zero = spyre.fill dense<0> : tensor<32xi64>
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%n = %zero) -> (tensor<32xi64>) {
    // expected-error @+1 {{elements of the result may be in [-9223372036854775808, 9223372036854775807]}}
    %next = spyre.add %n, %one : tensor<32xi64>
    %same = tensor.extract_slice %next[0] [32] [1] : tensor<32xi64> to tensor<32xi64>
    scf.yield %same : tensor<32xi64>
  }
  return %r : tensor<32xi64>
}

// -----

// The sum is returned as well, where it is not read by the choice.
func.func @sum_of_an_index(%a: tensor<32xi64>) -> (tensor<32xi64>, tensor<32xi64>) {
  %zero = spyre.fill dense<0> : tensor<32xi64>
  %extent = spyre.fill dense<1000> : tensor<32xi64>
  %behind = spyre.lesserthan %a, %zero : (tensor<32xi64>, tensor<32xi64>) -> tensor<32xi1>
  // expected-error @+1 {{spyre-check-integers: an i64 is 32 bits wide on the card, and elements of the result may be in [-2147482648, 2147484647]}}
  %sum = spyre.add %a, %extent : tensor<32xi64>
  %0 = spyre.where3 %behind, %sum, %a : (tensor<32xi1>, tensor<32xi64>, tensor<32xi64>) -> tensor<32xi64>
  return %0, %sum : tensor<32xi64>, tensor<32xi64>
}

// -----

// The other way round: a positive number and a positive one.
func.func @other_choice(%a: tensor<32xi64>) -> tensor<32xi64> {
  %zero = spyre.fill dense<0> : tensor<32xi64>
  %extent = spyre.fill dense<1000> : tensor<32xi64>
  %behind = spyre.lesserthan %a, %zero : (tensor<32xi64>, tensor<32xi64>) -> tensor<32xi1>
  // expected-error @+1 {{spyre-check-integers: an i64 is 32 bits wide on the card}}
  %sum = spyre.add %a, %extent : tensor<32xi64>
  %0 = spyre.where3 %behind, %a, %sum : (tensor<32xi1>, tensor<32xi64>, tensor<32xi64>) -> tensor<32xi64>
  return %0 : tensor<32xi64>
}

// -----

// A constant argument has the numbers of the constant, whatever the host narrows.
// CHECK-LABEL: func.func @constant_argument(
// CHECK:         attributes {spyre.integers_fit}
func.func @constant_argument(%a: tensor<2xi64> {spyre.constant = dense<[-1, 2147483646]> : tensor<2xi64>}) -> tensor<2xi64> {
  %one = spyre.fill dense<1> : tensor<2xi64>
  %0 = spyre.add %a, %one : tensor<2xi64>
  return %0 : tensor<2xi64>
}

// -----

func.func @wide_argument(%x: tensor<2xi64>, %a: tensor<2xi64> {spyre.constant = dense<[-1, 2147483648]> : tensor<2xi64>}) -> tensor<2xi1> {
  // expected-error @+1 {{spyre-check-integers: an i64 is 32 bits wide on the card, and elements that are read may be in [-1, 2147483648]}}
  %0 = spyre.lesserthan %x, %a : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}

// -----

// The largest extent that fits.
// CHECK-LABEL: func.func @far_end(
// CHECK-SAME:    attributes {spyre.integers_fit}
func.func @far_end(%a: tensor<32xi64>) -> tensor<32xi64> {
  %zero = spyre.fill dense<0> : tensor<32xi64>
  %extent = spyre.fill dense<2147483647> : tensor<32xi64>
  %behind = spyre.lesserthan %a, %zero : (tensor<32xi64>, tensor<32xi64>) -> tensor<32xi1>
  %sum = spyre.add %a, %extent : tensor<32xi64>
  %0 = spyre.where3 %behind, %sum, %a : (tensor<32xi1>, tensor<32xi64>, tensor<32xi64>) -> tensor<32xi64>
  return %0 : tensor<32xi64>
}

// -----

// A constant without elements has no range, which upstream does not expect.
// CHECK-LABEL: func.func @no_elements(
// CHECK:         arith.constant dense<> : tensor<0xi8>
func.func @no_elements() -> (tensor<0xi64>, tensor<0xi8>) {
  %nothing = arith.constant dense<> : tensor<0xi64>
  %no_bytes = arith.constant dense<> : tensor<0xi8>
  return %nothing, %no_bytes : tensor<0xi64>, tensor<0xi8>
}
