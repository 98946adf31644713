// A cast to f32 leaves every second element in a stick of its own. A gather of rows that do not fill a pair of sticks reads both.

// RUN: spyre-run %s --check-pipeline='builtin.module(spyre-pipeline)' 2>/dev/null | FileCheck %s
// CHECK: a bundle, same results on the simulated card

// RUN: spyre-opt %s --spyre-pipeline 2>/dev/null | FileCheck %s --check-prefix=BUNDLE
// BUNDLE: op_spec @{{.+}} "identity" space [<"c0" = 4 over {{.+}}>, <"c1" = 64 over {{.+}}>] args [
// BUNDLE-NEXT: name = "indices"

func.func @f(%x: tensor<8x2xf16>, %at: tensor<4xi32>) -> tensor<4x2xf16> {
  %0 = spyre.dl16tofp32 %x : (tensor<8x2xf16>) -> tensor<8x2xf32>
  %1 = spyre.gather %at, %0 dim 0 : (tensor<4xi32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %2 = spyre.fp32todl16 %1 : (tensor<4x2xf32>) -> tensor<4x2xf16>
  return %2 : tensor<4x2xf16>
}
