// RUN: rm -rf %t && mkdir %t
// RUN: spyre-opt %s --coarse-tile -o %t/tiled.mlir
// RUN: FileCheck %s --check-prefix=TILED --input-file=%t/tiled.mlir
// RUN: spyre-opt %t/tiled.mlir --spyre-prove=before=%s -o /dev/null 2>&1 | FileCheck %s

// A search for positions in tiles searches for elements as well. That is none of the searches for elements of the program before, and
// is not refuted, since no law combines parts of searches.

// TILED: scf.for
// TILED: spyre.topkvalue
// CHECK-NOT: error
// CHECK: 'topkvalue' is not decided: no law that combines parts of 'topkvalue'

func.func @f(%a: tensor<128xf16> {spyre.dims = ["D0"]}) -> (tensor<1xi32>, tensor<1xf16>) {
  %0 = spyre.neg %a tile [0: "D0" in 2] : (tensor<128xf16>) -> tensor<128xf16>
  %1 = spyre.topkindex %0 dim 0 k 1 tile [0: "D0" in 2] : (tensor<128xf16>) -> tensor<1xi32>
  %2 = spyre.topkvalue %a dim 0 k 1 tile [0: "D0" in 2] : (tensor<128xf16>) -> tensor<1xf16>
  return %1, %2 : tensor<1xi32>, tensor<1xf16>
}
