// Buffers after effects, run.

// RUN: spyre-opt %s --convert-uop-to-linalg -o %t
// RUN: spyre-run %t --entry effects | FileCheck %s
// RUN: spyre-run %t --entry unwritten | FileCheck %s --check-prefix=UNWRITTEN
// RUN: spyre-run %t --entry gated | FileCheck %s --check-prefix=GATED
// RUN: spyre-run %t --entry in_order | FileCheck %s --check-prefix=ORDER

// CHECK{LITERAL}: result 0: tensor<3xi32> [1, 5, 3]
// CHECK{LITERAL}: result 1: tensor<3xi32> [4, 2, 6]
func.func @effects() -> (tensor<3xi32>, tensor<3xi32>) {
  %b = uop.buffer 0 local : tensor<3xi32>
  %x = uop.const dense<[1, 2, 3]> : tensor<3xi32>
  %y = uop.const dense<[4, 5, 6]> : tensor<3xi32>
  %gate = uop.const dense<[false, true, false]> : tensor<3xi1>
  %0 = uop.store %x into %b : tensor<3xi32>
  %1 = uop.after %b, %0 : tensor<3xi32>, !uop.effect
  %2 = uop.store %y into %1 if %gate : tensor<3xi1> in : tensor<3xi32>
  %3 = uop.linear %0, %2
  %4 = uop.after %1, %3 : tensor<3xi32>, !uop.effect
  %5 = uop.load %x if %gate : tensor<3xi1> else %y : tensor<3xi32> : tensor<3xi32>
  return %4, %5 : tensor<3xi32>, tensor<3xi32>
}

// What nothing has written is bytes of 0x5A, as the interpreter has it.
// UNWRITTEN{LITERAL}: result 0: tensor<2xi32> [7, 1515870810]
func.func @unwritten() -> tensor<2xi32> {
  %b = uop.buffer 0 local : tensor<2xi32>
  %seven = uop.const dense<7> : tensor<2xi32>
  %gate = uop.const dense<[true, false]> : tensor<2xi1>
  %0 = uop.store %seven into %b if %gate : tensor<2xi1> in : tensor<2xi32>
  %1 = uop.after %b, %0 : tensor<2xi32>, !uop.effect
  return %1 : tensor<2xi32>
}

// Positions where the gate is false are outside of the tensor, and nothing is read there.
// GATED{LITERAL}: result 0: tensor<3xi32> [9, 1, 9]
func.func @gated() -> tensor<3xi32> {
  %x = uop.const dense<[1, 2]> : tensor<2xi32>
  %at = uop.const dense<[-1, 0, 7]> : tensor<3xi32>
  %gate = uop.const dense<[false, true, false]> : tensor<3xi1>
  %nine = uop.const dense<9> : tensor<3xi32>
  %0 = uop.index %x[%at] : tensor<2xi32>[tensor<3xi32>]
  %1 = uop.load %0 if %gate : tensor<3xi1> else %nine : tensor<3xi32> : tensor<3xi32>
  return %1 : tensor<3xi32>
}

// Nodes are executed in their order, so that a buffer is read as the write in front of it has left it, and behind the next one anew.
// ORDER{LITERAL}: result 0: tensor<3xi32> [1, 2, 3]
// ORDER{LITERAL}: result 1: tensor<3xi32> [4, 5, 6]
func.func @in_order() -> (tensor<3xi32>, tensor<3xi32>) {
  %b = uop.buffer 0 local : tensor<3xi32>
  %x = uop.const dense<[1, 2, 3]> : tensor<3xi32>
  %y = uop.const dense<[4, 5, 6]> : tensor<3xi32>
  %0 = uop.store %x into %b : tensor<3xi32>
  %none = uop.sink nothing
  %1 = uop.after %b, %none : tensor<3xi32>, !uop.effect
  %2 = uop.store %y into %b : tensor<3xi32>
  %both = uop.group %0, %2
  %4 = uop.after %b, %both : tensor<3xi32>, !uop.effect
  return %1, %4 : tensor<3xi32>, tensor<3xi32>
}
