// Buffers after effects, run.

// RUN: spyre-opt %s --convert-uop-to-linalg -o %t
// RUN: spyre-run %t --entry effects | FileCheck %s
// RUN: spyre-run %t --entry unwritten | FileCheck %s --check-prefix=UNWRITTEN
// RUN: spyre-run %t --entry gated | FileCheck %s --check-prefix=GATED
// RUN: spyre-run %t --entry in_order | FileCheck %s --check-prefix=ORDER
// RUN: spyre-opt %s --uop-canonicalize --convert-uop-to-linalg -o %t.cse
// RUN: spyre-run %t.cse --entry turns | FileCheck %s --check-prefix=TURNS
// RUN: spyre-run %t --entry turns | FileCheck %s --check-prefix=TURNS
// RUN: spyre-run %t --entry late | FileCheck %s --check-prefix=LATE
// RUN: spyre-run %t --entry parts | FileCheck %s --check-prefix=PARTS
// RUN: spyre-run %t --entry positions | FileCheck %s --check-prefix=POSITIONS
// RUN: spyre-run %t --entry scan | FileCheck %s --check-prefix=SCAN
// RUN: spyre-run %t --entry total | FileCheck %s --check-prefix=TOTAL
// RUN: spyre-run %t --entry squares | FileCheck %s --check-prefix=SQUARES
// RUN: spyre-run %t --entry calls | FileCheck %s --check-prefix=CALLS
// RUN: FileCheck %s --check-prefix=LOOPS < %t

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
// Upstream's elimination of common subexpressions sees the write between the two, which are alike.
// TURNS{LITERAL}: result 0: tensor<3xi32> [1, 2, 3]
// TURNS{LITERAL}: result 1: tensor<3xi32> [4, 5, 6]
func.func @turns() -> (tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) {
  %b = uop.buffer 0 local : tensor<3xi32>
  %x = uop.const dense<[1, 2, 3]> : tensor<3xi32>
  %y = uop.const dense<[4, 5, 6]> : tensor<3xi32>
  %0 = uop.store %x into %b : tensor<3xi32>
  %1 = uop.after %b, %0 : tensor<3xi32>, !uop.effect
  %2 = uop.store %y into %b : tensor<3xi32>
  %3 = uop.after %b, %0 : tensor<3xi32>, !uop.effect
  %both = uop.group %0, %2
  %4 = uop.after %b, %both : tensor<3xi32>, !uop.effect
  return %1, %3, %4 : tensor<3xi32>, tensor<3xi32>, tensor<3xi32>
}

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

// A window of a buffer after effects is one of what the buffer held then, before the second write.
// LATE{LITERAL}: result 0: tensor<2xi32> [1, 2]
func.func @late() -> (tensor<2xi32>, tensor<3xi32>) {
  %b = uop.buffer 0 local : tensor<3xi32>
  %x = uop.const dense<[1, 2, 3]> : tensor<3xi32>
  %y = uop.const dense<[4, 5, 6]> : tensor<3xi32>
  %0 = uop.store %x into %b : tensor<3xi32>
  %1 = uop.after %b, %0 : tensor<3xi32>, !uop.effect
  %2 = uop.store %y into %b : tensor<3xi32>
  %both = uop.group %0, %2
  %3 = uop.shrink %1 at [0] to [2] : tensor<3xi32>
  %4 = uop.after %b, %both : tensor<3xi32>, !uop.effect
  return %3, %4 : tensor<2xi32>, tensor<3xi32>
}

// A write goes back along the movements that lead to a part.
// PARTS{LITERAL}: result 0: tensor<2x3xi32> [0, 6, 5, 0, 4, 3]
func.func @parts() -> tensor<2x3xi32> {
  %b = uop.buffer 0 local : tensor<2x3xi32>
  %zero = uop.const dense<0> : tensor<2x3xi32>
  %x = uop.const dense<[[3, 4], [5, 6]]> : tensor<2x2xi32>
  %0 = uop.store %zero into %b : tensor<2x3xi32>
  %1 = uop.shrink %b at [0, 1] to [2, 2] : tensor<2x3xi32>
  %2 = uop.flip %1 [true, true] : tensor<2x2xi32>
  %3 = uop.store %x into %2 : tensor<2x2xi32>
  %4 = uop.linear %0, %3
  %5 = uop.after %b, %4 : tensor<2x3xi32>, !uop.effect
  return %5 : tensor<2x3xi32>
}

// Of several writes to one position the last counts whose gate is true.
// POSITIONS{LITERAL}: result 0: tensor<4xi32> [2, 0, 5, 4]
func.func @positions() -> tensor<4xi32> {
  %b = uop.buffer 0 local : tensor<4xi32>
  %zero = uop.const dense<0> : tensor<4xi32>
  %at = uop.const dense<[0, 0, 0, 3, 2]> : tensor<5xi32>
  %x = uop.const dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
  %gate = uop.const dense<[true, true, false, true, true]> : tensor<5xi1>
  %0 = uop.store %zero into %b : tensor<4xi32>
  %1 = uop.index %b[%at] : tensor<4xi32>[tensor<5xi32>]
  %2 = uop.store %x into %1 if %gate : tensor<5xi1> in : tensor<5xi32>
  %3 = uop.linear %0, %2
  %4 = uop.after %b, %3 : tensor<4xi32>, !uop.effect
  return %4 : tensor<4xi32>
}

// An iteration reads what the one in front of it has written: the loop carries the buffer.
// LOOPS-LABEL: func.func @scan(
// LOOPS:         scf.for %{{.+}} = %c0{{.*}} to %c4{{.*}} step %c1{{.*}} iter_args(%{{.+}} = %{{.+}}) -> (tensor<5xi32>)
// SCAN{LITERAL}: result 0: tensor<5xi32> [1, 2, 4, 8, 16]
func.func @scan() -> tensor<5xi32> {
  %b = uop.buffer 0 local : tensor<5xi32>
  %first = uop.const dense<1> : tensor<5xi32>
  %one = uop.const dense<1> : tensor<index>
  %r = uop.range 0 to 4 loop : tensor<index>
  %next = uop.add %r, %one : tensor<index>
  %0 = uop.store %first into %b : tensor<5xi32>
  %1 = uop.after %b, %0, %r : tensor<5xi32>, !uop.effect, tensor<index>
  %2 = uop.index %1[%r] : tensor<5xi32>[tensor<index>]
  %3 = uop.add %2, %2 : tensor<i32>
  %4 = uop.index %b[%next] : tensor<5xi32>[tensor<index>]
  %5 = uop.store %3 into %4 : tensor<i32>
  %6 = uop.end %5, %r : tensor<index>
  %7 = uop.after %b, %6 : tensor<5xi32>, !uop.effect
  return %7 : tensor<5xi32>
}

// A reduction over two loops carries the sum.
// LOOPS-LABEL: func.func @total(
// LOOPS:         scf.for
// LOOPS:           scf.for
// TOTAL{LITERAL}: result 0: tensor<i32> [21]
func.func @total() -> tensor<i32> {
  %x = uop.const dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %r = uop.range 0 to 2 reduce : tensor<index>
  %s = uop.range 1 to 3 reduce : tensor<index>
  %0 = uop.index %x[%r, %s] : tensor<2x3xi32>[tensor<index>, tensor<index>]
  %1 = uop.reduce add %0 axes [] over %r, %s : tensor<index>, tensor<index> in : tensor<i32>
  return %1 : tensor<i32>
}

// A function that stores to its parameter writes to the part of a buffer that it is called with.
// SQUARES{LITERAL}: result 0: tensor<2x2xi32> [4, 0, 9, 0]
func.func @squares() -> tensor<2x2xi32> {
  %b = uop.buffer 0 local : tensor<2x2xi32>
  %zero = uop.const dense<0> : tensor<2x2xi32>
  %x = uop.const dense<[2, 3]> : tensor<2xi32>
  %0 = uop.store %zero into %b : tensor<2x2xi32>
  %1 = uop.after %b, %0 : tensor<2x2xi32>, !uop.effect
  %2 = uop.shrink %1 at [0, 0] to [2, 1] : tensor<2x2xi32>
  %3 = uop.reshape %2 to [2] : tensor<2x1xi32>
  %4 = call @square(%3, %x) {uop.opaque} : (tensor<2xi32>, tensor<2xi32>) -> !uop.effect
  %5 = uop.after %b, %4 : tensor<2x2xi32>, !uop.effect
  return %5 : tensor<2x2xi32>
}
func.func private @square(%to: tensor<2xi32>, %from: tensor<2xi32>) -> !uop.effect {
  %0 = uop.mul %from, %from : tensor<2xi32>
  %1 = uop.store %0 into %to : tensor<2xi32>
  return %1 : !uop.effect
}

// A program that another one calls is converted on its own as well.
// LOOPS-LABEL: func.func @called(
// LOOPS-LABEL: func.func @calls(
// LOOPS-NOT:     call
// CALLS{LITERAL}: result 0: tensor<2xi32> [18, 19]
func.func @called(%x: tensor<2xi32>) -> tensor<2xi32> {
  %c = uop.const dense<[8, 9]> : tensor<2xi32>
  %0 = uop.add %x, %c : tensor<2xi32>
  return %0 : tensor<2xi32>
}
func.func @calls() -> tensor<2xi32> {
  %ten = uop.const dense<10> : tensor<2xi32>
  %0 = call @called(%ten) : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
