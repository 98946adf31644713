// An index that the table has no element for reads nobody's memory: it gives NaN on a CPU, and the simulated card reports it.

// RUN: spyre-run %s --entry f --compare %s --compare-entry wanted --random-seed 1 | FileCheck %s
// CHECK-COUNT-3: 0 of 2112 elements differ

// RUN: not spyre-run %s --entry f --check-pipeline='builtin.module(spyre-pipeline)' 2>&1 | FileCheck %s --check-prefix=CARD
// CARD: spyre-scratchpad-planning{{{[^}]*}}})): same results
// CARD: A FAULTY BUNDLE
// A gather by 33 indices is one by 32, which are a stick, and one by two of the last index.
// CARD: error: Index: identity (sdsc_{{[0-9]+}}.json, bundle.mlir:{{.+}}), core 0, Tensor0 (input 0), argument {{.+}}, byte 0, element [mb=0, out=0]: index -1 is outside of Tensor1 (input 1), which has an extent of 10 there (32 times)
// CARD: error: Index: {{.+}}: index -1 is outside of Tensor1 (input 1), which has an extent of 10 there (2 times)
// CARD: error: Index: {{.+}}: index 10 is outside of Tensor1 (input 1), which has an extent of 10 there (32 times)
// CARD: error: Index: {{.+}}: index 10 is outside of Tensor1 (input 1), which has an extent of 10 there (2 times)
// CARD-NOT: index 9 is

!t = tensor<33x64xf16>

func.func @f(%t: tensor<10x64xf16> {spyre.dims = ["R", "E"]}) -> (!t, !t, !t) {
  %below = spyre.fill dense<-1> : tensor<33xi32>
  %above = spyre.fill dense<10> : tensor<33xi32>
  %last = spyre.fill dense<9> : tensor<33xi32>
  %0 = spyre.gather %below, %t dim 0 : (tensor<33xi32>, tensor<10x64xf16>) -> !t
  %1 = spyre.gather %above, %t dim 0 : (tensor<33xi32>, tensor<10x64xf16>) -> !t
  %2 = spyre.gather %last, %t dim 0 : (tensor<33xi32>, tensor<10x64xf16>) -> !t
  return %0, %1, %2 : !t, !t, !t
}

func.func @wanted(%t: tensor<10x64xf16>) -> (!t, !t, !t) {
  %nan = spyre.fill dense<0x7E00> : !t
  %inf = spyre.fill dense<0x7C00> : !t
  %row = tensor.extract_slice %t[9, 0] [1, 64] [1, 1] : tensor<10x64xf16> to tensor<1x64xf16>
  %last = spyre.minimum %row, %inf : (tensor<1x64xf16>, !t) -> !t
  return %nan, %nan, %last : !t, !t, !t
}
