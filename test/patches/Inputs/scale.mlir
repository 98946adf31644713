// A program of the front end that test/patches/scale.patch adds, from its file to the card.

// RUN: split-file %s %t
// RUN: spyre-translate --import %t/program.json | FileCheck %s --check-prefix=IMPORT
// RUN: spyre-translate --import-scale %t/program.json | spyre-opt --convert-scale-to-linalg | FileCheck %s --check-prefix=LINALG
// RUN: spyre-run %t/program.json --on=card --compare %t/product.mlir --random-seed 1 | FileCheck %s --check-prefix=CARD

// IMPORT: scale.scale %{{.*}} by 2.5{{.*}} : tensor<2x64xf32>
// LINALG: arith.mulf %{{.*}} : tensor<2x64xf32>
// CARD: result 0: 0 of 128 elements differ

//--- program.json
{"format": "scale-1", "shape": [2, 64], "by": 2.5}

//--- product.mlir
func.func @main(%x: tensor<2x64xf32>) -> tensor<2x64xf32> {
  %by = arith.constant dense<2.5> : tensor<2x64xf32>
  %y = arith.mulf %x, %by : tensor<2x64xf32>
  return %y : tensor<2x64xf32>
}
