// Elements that the card has no number for are told, with the operation and its place, or the argument.

// RUN: rm -rf %t && spyre-translate --spyre-to-bundle %s -o %t
// RUN: spyre-run %s --bundle %t --random-seed 1 --largest 32768 --device-floats dl16 2>&1 | FileCheck %s --check-prefix=BUNDLE
// RUN: spyre-run %s --on=card --random-seed 1 --largest 32768 --device-floats dl16 2>&1 | FileCheck %s --check-prefix=CARD
// BUNDLE: warning: exp (sdsc_0.json, bundle.mlir:{{[0-9]+:[0-9]+}}): {{[0-9]+}} results beyond the numbers of the card, NaN there; the first one is
// CARD: warning: @{{.+}}: exp (sdsc_0.json, bundle.mlir:{{[0-9]+:[0-9]+}}): {{[0-9]+}} results beyond the numbers of the card, NaN there; the first one is

// An infinity of an argument is NaN there.
// RUN: spyre-run %s --bundle %t --random-seed 1 --special-values --device-floats dl16 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// ARGUMENT: warning: argument 0: {{[0-9]+}} elements beyond the numbers of the card, NaN there; the first one is element

// Nothing is printed where all elements have a number, and with the floats of the program.
// RUN: spyre-run %s --bundle %t --random-seed 1 --device-floats dl16 2>&1 | FileCheck %s --check-prefix=QUIET --implicit-check-not=warning
// RUN: spyre-run %s --on=card --random-seed 1 --device-floats dl16 2>&1 | FileCheck %s --check-prefix=QUIET --implicit-check-not=warning
// RUN: spyre-run %s --bundle %t --random-seed 1 --largest 32768 2>&1 | FileCheck %s --check-prefix=QUIET --implicit-check-not=warning
// QUIET: result 0: tensor<64x64xf16>

func.func @f(%a: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %0 = spyre.exp %a : tensor<64x64xf16>
  return %0 : tensor<64x64xf16>
}
