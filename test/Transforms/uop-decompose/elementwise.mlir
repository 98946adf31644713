// Operations in terms of others, and the program computes the same.

// RUN: spyre-opt %s --uop-decompose | FileCheck %s
// RUN: spyre-opt %s --uop-decompose=keep=exp2,not | FileCheck %s --check-prefix=KEEP
// RUN: not spyre-opt %s --uop-decompose=keep=exp3 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: spyre-opt %s --convert-uop-to-linalg | spyre-run - | FileCheck %s --check-prefix=VALUES
// RUN: spyre-opt %s --uop-decompose --convert-uop-to-linalg | spyre-run - | FileCheck %s --check-prefix=VALUES

// NAME: error: uop-decompose: there is no elementwise operation 'uop.exp3'

// CHECK-LABEL: func.func @decomposed
// CHECK-NOT: uop.{{(sub|not|exp2|cmpge|cmpeq|threefry|mulacc|neg) }}
// CHECK: return
// KEEP-LABEL: func.func @decomposed
// KEEP-DAG: uop.exp2
// KEEP-DAG: uop.not
// KEEP: return

// VALUES{LITERAL}: result 0: tensor<3xi32> [-9, -2, 7]
// VALUES{LITERAL}: result 1: tensor<3xi1> [false, true, false]
// VALUES{LITERAL}: result 2: tensor<3xf32> [2.0, 0.25, 8.0]
// The known answer of Threefry 2x32 for zeros: 6b200159 99ba4efe.
// VALUES{LITERAL}: result 3: tensor<1xi64> [-7369490985612476071]
func.func @decomposed() -> (tensor<3xi32>, tensor<3xi1>, tensor<3xf32>, tensor<1xui64>) {
  %a = uop.const dense<[1, 2, 3]> : tensor<3xi32>
  %b = uop.const dense<[10, 4, -4]> : tensor<3xi32>
  %0 = uop.sub %a, %b : tensor<3xi32>
  %1 = uop.cmpge %a, %b : tensor<3xi32>
  %2 = uop.not %1 : tensor<3xi1>
  %two = uop.const dense<2> : tensor<3xi32>
  %3 = uop.cmpeq %a, %two : tensor<3xi32>
  %4 = uop.and %2, %3 : tensor<3xi1>
  %x = uop.const dense<[1.0, -2.0, 3.0]> : tensor<3xf32>
  %5 = uop.exp2 %x : tensor<3xf32>
  %zero = uop.const dense<0> : tensor<1xui64>
  %6 = uop.threefry %zero, %zero : tensor<1xui64>
  return %0, %4, %5, %6 : tensor<3xi32>, tensor<3xi1>, tensor<3xf32>, tensor<1xui64>
}
