// A sum of sticks that a cast has left leaves padding where the cast did: a cast back reads it.

// RUN: spyre-run %s --check-pipeline='builtin.module(spyre-pipeline)' 2>/dev/null | FileCheck %s
// CHECK: a bundle, same results on the simulated card

#stick = #spyre.layout<(d0, d1, d2) -> (d1, d0 floordiv 32, d2, d0 mod 32), size = [3, 2, 96, 32]>
func.func @f(%a: tensor<5x3x96xf32, #stick>) -> tensor<5x96xf32> {
  %0 = spyre.fp32todl16 %a : (tensor<5x3x96xf32, #stick>) -> tensor<5x3x96xf16>
  %1 = spyre.sum %0 dims [1] : (tensor<5x3x96xf16>) -> tensor<5x96xf16>
  %2 = spyre.dl16tofp32 %1 : (tensor<5x96xf16>) -> tensor<5x96xf32>
  return %2 : tensor<5x96xf32>
}
