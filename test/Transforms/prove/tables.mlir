// RUN: spyre-opt %s --coarse-tile=verify-tiling=true -o %t.tiled.mlir 2>&1 | FileCheck %s --check-prefix=TILED --allow-empty
// RUN: FileCheck %s --check-prefix=LOOPS < %t.tiled.mlir
// RUN: spyre-opt %t.tiled.mlir --spyre-prove=before=%s -o /dev/null 2>&1 | FileCheck %s

// A table of factors of which some are 1: the products with these are products in both programs.

// TILED-NOT: error:
// LOOPS-COUNT-2: scf.for
// CHECK-NOT: error:
// CHECK: remark: spyre-prove: {{.*}} 0 refuted, 0 not decided

func.func @f(%a: tensor<4x128xf16> {spyre.dims = ["A", "B"]}, %n: tensor<4x128xf16> {spyre.dims = ["A", "B"]}, %k: tensor<4x1xf16> {spyre.constant = dense<[[1.0], [2.0], [1.0], [3.0]]> : tensor<4x1xf16>}) -> (tensor<4x128xf16>, tensor<4x1xf16>) {
  %u = spyre.mul %a, %k tile [0: "A" in 2, 1: "B" in 2] : (tensor<4x128xf16>, tensor<4x1xf16>) -> tensor<4x128xf16>
  %c = spyre.sub %u, %n tile [0: "A" in 2, 1: "B" in 2] : tensor<4x128xf16>
  %s = spyre.sum %u dims [1] keepdim tile [0: "A" in 2, 1: "B" in 2] : (tensor<4x128xf16>) -> tensor<4x1xf16>
  return %c, %s : tensor<4x128xf16>, tensor<4x1xf16>
}
