// Values of `sizes` that are for nothing.

// RUN: spyre-opt %s --convert-inductor-to-linalg=sizes=S0=64,hint -o /dev/null 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: warning: convert-inductor-to-linalg: sizes has a size for 'S0', which is no symbol; there are 's0'

// RUN: not spyre-opt %s --convert-inductor-to-linalg=sizes=s0=64,hints 2>&1 | FileCheck %s --check-prefix=FORM
// FORM: sizes-of-nothing.mlir:[[#@LINE+6]]:1: error: convert-inductor-to-linalg: 'hints' is no choice of a size; sizes=NAME=N gives a symbol a number

// RUN: not spyre-opt %s --convert-inductor-to-linalg=sizes=s0=64,s0=32 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: convert-inductor-to-linalg: sizes gives 's0' two sizes, 64 and 32

#l = #inductor.layout<fixed, [1], size = [s0]>
inductor.graph @graph symbols [#inductor.sym<"s0", hint = 9>] {
  %x = inductor.input "x" : tensor<?xf32, #l>
  inductor.return %x outputs [#inductor.operand<0>] : tensor<?xf32, #l>
}
