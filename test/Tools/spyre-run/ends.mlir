// What would take a process down ends a program with an error, at the operation.

// RUN: not spyre-run %s --entry divided --random-seed 1 --integers 0 2>&1 | FileCheck %s --check-prefix=DIVIDED
// DIVIDED: error: {{.*}}ends.mlir:[[#@LINE+2]]:{{[0-9]+}}: an integer is divided by zero
func.func @divided(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {
  %0 = arith.divsi %a, %b : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// RUN: not spyre-run %s --entry remainder --random-seed 1 --integers 0 2>&1 | FileCheck %s --check-prefix=REMAINDER
func.func @remainder(%a: tensor<4xi8>, %b: tensor<4xi8>) -> tensor<4xi8> {
  // REMAINDER: error: {{.*}}ends.mlir:[[#@LINE+1]]:{{[0-9]+}}: an integer is divided by zero
  %0 = arith.remui %a, %b : tensor<4xi8>
  return %0 : tensor<4xi8>
}

// The least integer has no opposite.
// RUN: not spyre-run %s --entry least 2>&1 | FileCheck %s --check-prefix=LEAST
func.func @least() -> tensor<2xi32> {
  %a = spyre.fill dense<-2147483648> : tensor<2xi32>
  %b = spyre.fill dense<-1> : tensor<2xi32>
  // LEAST: error: {{.*}}ends.mlir:[[#@LINE+1]]:{{[0-9]+}}: the least integer of its type is divided by -1, and the result does not fit
  %0 = arith.divsi %a, %b : tensor<2xi32>
  return %0 : tensor<2xi32>
}

// Others are divided as ever.
// RUN: spyre-run %s --entry quotient | FileCheck %s --check-prefix=QUOTIENT
// QUOTIENT: result 0: tensor<2xi32> [-2147483648, -2147483648]
func.func @quotient() -> tensor<2xi32> {
  %a = spyre.fill dense<-2147483648> : tensor<2xi32>
  %b = spyre.fill dense<1> : tensor<2xi32>
  %0 = arith.divsi %a, %b : tensor<2xi32>
  return %0 : tensor<2xi32>
}

// RUN: not spyre-run %s --entry huge_empty 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not spyre-run %s --entry huge_empty --poison 2>&1 | FileCheck %s --check-prefix=EMPTY
func.func @huge_empty() -> tensor<1xf16> {
  %c0 = arith.constant 0 : index
  // EMPTY: error: {{.*}}ends.mlir:{{[0-9]+}}:{{[0-9]+}}: {{2199023[0-9]+}} bytes do not fit into memory; the program could have {{[0-9]+}} bytes in all
  %0 = spyre.empty : tensor<1099511627776xf16>
  %1 = spyre.exp %0 : tensor<1099511627776xf16>
  %2 = tensor.extract_slice %1[%c0] [1] [1] : tensor<1099511627776xf16> to tensor<1xf16>
  return %2 : tensor<1xf16>
}

// RUN: not spyre-run %s --entry huge_fill 2>&1 | FileCheck %s --check-prefix=FILL
func.func @huge_fill() -> tensor<1xf16> {
  %c0 = arith.constant 0 : index
  // FILL: error: {{.*}}ends.mlir:{{[0-9]+}}:{{[0-9]+}}: {{2199023[0-9]+}} bytes do not fit into memory
  %0 = spyre.fill dense<1.0> : tensor<1099511627776xf16>
  %1 = spyre.exp %0 : tensor<1099511627776xf16>
  %2 = tensor.extract_slice %1[%c0] [1] [1] : tensor<1099511627776xf16> to tensor<1xf16>
  return %2 : tensor<1xf16>
}

// A tensor of a million elements and more is filled while the program runs.
// RUN: spyre-run %s --entry large_fill | FileCheck %s --check-prefix=LARGE
// LARGE: result 0: tensor<2xf16> [1.5, 1.5]
func.func @large_fill() -> tensor<2xf16> {
  %c1 = arith.constant 1048575 : index
  %0 = spyre.fill dense<1.5> : tensor<1048577xf16>
  %1 = tensor.extract_slice %0[%c1] [2] [1] : tensor<1048577xf16> to tensor<2xf16>
  return %1 : tensor<2xf16>
}

// RUN: not spyre-run %s --entry uncountable 2>&1 | FileCheck %s --check-prefix=UNCOUNTABLE
func.func @uncountable() -> tensor<1xf16> {
  %c0 = arith.constant 0 : index
  // UNCOUNTABLE: ends.mlir:[[#@LINE+1]]:{{[0-9]+}}: error: {{.*}} is not compiled for the CPU: it has more than the 281474976710656 elements that have addresses
  %0 = spyre.empty : tensor<4611686018427387904x4xf16>
  %1 = tensor.extract_slice %0[%c0, 0] [1, 1] [1, 1] : tensor<4611686018427387904x4xf16> to tensor<1xf16>
  return %1 : tensor<1xf16>
}

// Calls may nest, but not for ever.
// RUN: spyre-run %s --entry nested | FileCheck %s --check-prefix=NESTED
// NESTED: result 0: tensor<i64> [5050]
func.func @nested() -> tensor<i64> {
  %n = arith.constant dense<100> : tensor<i64>
  %0 = call @sum(%n) : (tensor<i64>) -> tensor<i64>
  return %0 : tensor<i64>
}

// RUN: not spyre-run %s --entry too_deep 2>&1 | FileCheck %s --check-prefix=DEEP
// DEEP: error: {{.*}}ends.mlir:[[#@LINE+7]]:{{[0-9]+}}: calls nest too deeply for the stack
func.func @too_deep() -> tensor<i64> {
  %n = arith.constant dense<100000000> : tensor<i64>
  %0 = call @sum(%n) : (tensor<i64>) -> tensor<i64>
  return %0 : tensor<i64>
}

func.func private @sum(%n: tensor<i64>) -> tensor<i64> {
  %c0 = arith.constant 0 : i64
  %number = tensor.extract %n[] : tensor<i64>
  %is_more = arith.cmpi sgt, %number, %c0 : i64
  %r = scf.if %is_more -> tensor<i64> {
    %one = arith.constant dense<1> : tensor<i64>
    %less = arith.subi %n, %one : tensor<i64>
    %rest = func.call @sum(%less) : (tensor<i64>) -> tensor<i64>
    %0 = arith.addi %rest, %n : tensor<i64>
    scf.yield %0 : tensor<i64>
  } else {
    scf.yield %n : tensor<i64>
  }
  return %r : tensor<i64>
}
