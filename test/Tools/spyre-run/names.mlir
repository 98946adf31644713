// A function whose name is not UTF-8 has none that a command line could have.

// RUN: not spyre-run %s 2>&1 | FileCheck %s
// RUN: not spyre-run %s --entry f 2>&1 | FileCheck %s
// RUN: not spyre-translate --spyre-to-bundle %s -o %t 2>&1 | FileCheck %s
// RUN: not spyre-opt %s --coarse-tile 2>&1 | FileCheck %s
// RUN: not spyre-opt %s --convert-spyre-to-linalg 2>&1 | FileCheck %s

func.func private @f(%a: tensor<4xf16>) -> tensor<4xf16> {
  return %a : tensor<4xf16>
}

// CHECK: names.mlir:[[#@LINE+1]]:{{[0-9]+}}: error: the name "\FF" is not UTF-8; give it another name
func.func @"\FF"(%a: tensor<4xf16>) -> tensor<4xf16> {
  return %a : tensor<4xf16>
}
