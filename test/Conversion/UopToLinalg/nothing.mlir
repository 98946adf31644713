// Tensors without elements, and what is made of them; sums that do not fit. Run.

// RUN: spyre-opt %s --convert-uop-to-linalg -o %t
// RUN: FileCheck %s --check-prefix=IR --input-file %t
// RUN: spyre-run %t --entry padded | FileCheck %s --check-prefix=PADDED
// RUN: spyre-run %t --entry reduced | FileCheck %s --check-prefix=REDUCED
// RUN: spyre-run %t --entry bytes | FileCheck %s --check-prefix=BYTES
// RUN: spyre-run %t --entry wraps | FileCheck %s --check-prefix=WRAPS

// Padding around nothing is zeros, and no element of nothing is read.
// IR-LABEL: func.func @padded
// IR-NOT: tensor.extract
// PADDED{LITERAL}: result 0: tensor<2xf32> [0.0, 0.0]
func.func @padded() -> tensor<2xf32> {
  %x = uop.const dense<> : tensor<0xf32>
  %0 = uop.pad %x at [1] to [2] : tensor<0xf32>
  return %0 : tensor<2xf32>
}

// A reduction of nothing is its identity.
// IR-LABEL: func.func @reduced
// IR-NOT: "reduction"
// REDUCED{LITERAL}: result 0: tensor<1xi32> [1]
func.func @reduced() -> tensor<1xi32> {
  %x = uop.const dense<> : tensor<0xi32>
  %0 = uop.reduce mul %x axes [0] : tensor<0xi32>
  return %0 : tensor<1xi32>
}

// Tensors of nothing are stacked to one.
// IR-LABEL: func.func @bytes
// IR-NOT: tensor.insert_slice
// BYTES: result 0: tensor<1xi8> [0]
func.func @bytes() -> tensor<1xui8> {
  %x = uop.const dense<> : tensor<0xui8>
  %0 = uop.stack %x, %x : tensor<0xui8>, tensor<0xui8>
  %1 = uop.reduce add %0 axes [1] : tensor<2x0xui8>
  %2 = uop.reduce add %1 axes [0] : tensor<2x1xui8>
  %3 = uop.reshape %2 to [1] : tensor<1x1xui8>
  return %3 : tensor<1xui8>
}

// A sum of one number that no index expression has is computed, and wraps.
// IR-LABEL: func.func @wraps
// IR: arith.addi
// WRAPS{LITERAL}: result 0: tensor<1xi64> [-9223372036854775808]
func.func @wraps() -> tensor<1xi64> {
  %x = uop.const dense<-9223372036854775808> : tensor<3xi64>
  %0 = uop.reduce add %x axes [0] : tensor<3xi64>
  return %0 : tensor<1xi64>
}

// A program that was imported is one, if it only returns what it gets.
// IR: func.func @main(%{{.*}}: tensor<2xi8>) -> tensor<2xi8>
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> attributes {uop.name = "as it is"} {
  return %x : tensor<2xui8>
}
