// 257 columns in tiles of 64 leave one, which the last tile takes in: softmax of rows, on the CPU and as a bundle.

// RUN: spyre-opt %s --coarse-tile -o %t.tiled.mlir
// RUN: FileCheck %s --input-file %t.tiled.mlir
// RUN: spyre-run %s --compare %t.tiled.mlir --random-seed 1 --poison --max-ulps 4 | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --max-ulps 4 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER

// Exit codes say the rest.
// SAME: result 0: 0 of
// CARD: a bundle, same results on the simulated card

// CHECK:     scf.for {{.+}} to %c3
// CHECK:       spyre.max %{{.+}} : (tensor<32x64xf16>) -> tensor<32x1xf16>
// CHECK:     tensor.extract_slice %arg0[0, 192] [32, 65] [1, 1]
// CHECK:     spyre.max %{{.+}} : (tensor<32x65xf16>) -> tensor<32x1xf16>
func.func @f(%x: tensor<32x257xf16> {spyre.dims = ["Q", "K"]}) -> tensor<32x257xf16> {
  %m = spyre.max %x dims [1] keepdim tile [0: "K" by 64] : (tensor<32x257xf16>) -> tensor<32x1xf16>
  %d = spyre.sub %x, %m tile [0: "K" by 64] : (tensor<32x257xf16>, tensor<32x1xf16>) -> tensor<32x257xf16>
  %e = spyre.exp %d tile [0: "K" by 64] : tensor<32x257xf16>
  %s = spyre.sum %e dims [1] keepdim tile [0: "K" by 64] : (tensor<32x257xf16>) -> tensor<32x1xf16>
  %r = spyre.realdiv %e, %s tile [0: "K" by 64] : (tensor<32x257xf16>, tensor<32x1xf16>) -> tensor<32x257xf16>
  return %r : tensor<32x257xf16>
}
