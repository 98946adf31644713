// A reshape and a permutation of a tensor of dynamic extent: neither touches the dynamic dimension.

// RUN: spyre-run %s --size S=64 --random-seed 1 --special-values --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --implicit-check-not=DIFFER
// RUN: spyre-run %s --size S=192 --random-seed 1 --special-values --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --implicit-check-not=DIFFER
// CHECK: builtin.module(func.func(spyre-bound-dynamic-dims)): same results
// CHECK: a bundle, same results on the simulated card

// RUN: spyre-opt %s --coarse-tile --spyre-bound-dynamic-dims | FileCheck %s --check-prefix=BOUND
// BOUND: tensor.expand_shape %{{.*}} {{\[\[}}0], [1, 2]] output_shape [192, 8, 64] : tensor<192x512xf16> into tensor<192x8x64xf16>
// BOUND: tensor.collapse_shape %{{.*}} {{\[\[}}0, 1], [2]] : tensor<1x192x512xf16> into tensor<192x512xf16>

func.func @heads(%q: tensor<?x512xf16> {spyre.dims = ["S", #spyre.merged<"H" of 8, "D" of 64>]},
                 %b: tensor<1x?x512xf16> {spyre.dims = ["N", "S", #spyre.merged<"H" of 8, "D" of 64>]}) -> (tensor<8x?xf16>, tensor<?x512xf16>)
    attributes {spyre.dim_sizes = {D = 64, H = 8, N = 1, S = #spyre.dynamic<granularity = 64, max = 192>}} {
  %c0 = arith.constant 0 : index
  %s = tensor.dim %q, %c0 : tensor<?x512xf16>
  %e = tensor.expand_shape %q [[0], [1, 2]] output_shape [%s, 8, 64] : tensor<?x512xf16> into tensor<?x8x64xf16>
  %p = spyre.permute %e [1, 0, 2] : tensor<?x8x64xf16> to tensor<8x?x64xf16>
  %m = spyre.max %p dims [2] tile [0: "S" by 64, 1: "H" in 2] : (tensor<8x?x64xf16>) -> tensor<8x?xf16>
  %f = tensor.collapse_shape %b [[0, 1], [2]] : tensor<1x?x512xf16> into tensor<?x512xf16>
  %y = spyre.sub %q, %f tile [2: "S" by 64] : tensor<?x512xf16>
  return %m, %y : tensor<8x?xf16>, tensor<?x512xf16>
}

// A result that is a view of an argument would be copied as a whole, with what is not there.
// RUN: not spyre-translate --spyre-to-bundle %S/Inputs/view.mlir -o %t.view 2>&1 | FileCheck %s --check-prefix=VIEW
// VIEW: view.mlir:{{[0-9]+}}:{{[0-9]+}}: error: convert-spyre-to-sdscbundle: works on all 192 elements of "S" that there may be
