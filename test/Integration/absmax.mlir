// The maximum of absolute values over the stick and over another dimension, with rows that end inside of a stick, and shared by
// cores: the card has the numbers of the CPU.

// RUN: rm -rf %t && mkdir %t
// RUN: spyre-opt %s --spyre-pipeline=plan=false | spyre-translate --spyre-to-bundle - -o %t/bundle
// RUN: spyre-translate --verify-bundle %t/bundle
// RUN: FileCheck %s --check-prefix=STICK --input-file=%t/bundle/sdsc_0.json
// RUN: FileCheck %s --check-prefix=ROWS --input-file=%t/bundle/sdsc_1.json
// RUN: spyre-run %s --bundle %t/bundle --compare %s --random-seed 5 --special-values --max-ulps 0 | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --random-seed 6 --special-values --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=LEVELS --implicit-check-not=DIFFER

// SAME-COUNT-4: result {{[0-9]}}: 0 of {{[0-9]+}} elements differ
// LEVELS: a bundle, same results on the simulated card

// What is masked reads as 0 (K7).
// STICK:     "coordinateMasking_"
// STICK:     "samv-maskvalue"
// STICK:     "opFuncName": "absmax"
// ROWS-NOT:  "samv-maskvalue"
// ROWS:      "opFuncName": "absmaxnonstick"

module attributes {spyre.target = #spyre.target<cores = 8>} {
func.func @f(%a: tensor<64x100xf16>, %b: tensor<64x512xf16>) -> (tensor<64xf16>, tensor<1x100xf16>, tensor<64xf16>, tensor<512xf16>) {
  %0 = spyre.absmax %a dims [1] : (tensor<64x100xf16>) -> tensor<64xf16>
  %1 = spyre.absmax %a dims [0] keepdim : (tensor<64x100xf16>) -> tensor<1x100xf16>
  %2 = spyre.absmax %b dims [1] split [2, 4] : (tensor<64x512xf16>) -> tensor<64xf16>
  %3 = spyre.absmax %b dims [0] split [2, 4] : (tensor<64x512xf16>) -> tensor<512xf16>
  return %0, %1, %2, %3 : tensor<64xf16>, tensor<1x100xf16>, tensor<64xf16>, tensor<512xf16>
}
}
