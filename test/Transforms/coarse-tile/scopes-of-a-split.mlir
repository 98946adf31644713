// An operation that needs a value of a group goes into a group of its own, behind the loops, with what it needs. The scopes of that other
// group are none of the first one.

// RUN: spyre-opt %s --coarse-tile 2>&1 | FileCheck %s
// RUN: spyre-run %s --random-seed 1 --check-pipeline='builtin.module(func.func(coarse-tile))' | FileCheck %s --check-prefix=SAME
// SAME: same results
// SAME-NOT: DIFFER

// CHECK:      remark: coarse-tile: scope 0 goes on in a second nest of loops
// CHECK-NOT:  warning
// CHECK:      func.func @split_off(
// CHECK:        %[[M:.+]] = scf.for
// CHECK:          scf.for
// CHECK:            spyre.max %{{.+}} dims [1]
// CHECK:        tensor.extract_slice %[[M]][32] [64] [1]
// CHECK:        scf.for
// CHECK:          scf.for
// CHECK:            spyre.maximum
func.func @split_off(%x: tensor<128x256xf16> {spyre.dims = ["R", "C"]}) -> (tensor<128xf16>, tensor<64x256xf16>) {
  %a = spyre.neg %x tile [0: "C" by 128, 1: "R" by 32] : tensor<128x256xf16>
  %m = spyre.max %a dims [1] tile [0: "C" by 128, 1: "R" by 32] : (tensor<128x256xf16>) -> tensor<128xf16>
  %s = tensor.extract_slice %m[32] [64] [1] : tensor<128xf16> to tensor<64xf16>
  %c = tensor.extract_slice %x[3, 0] [1, 256] [1, 1] : tensor<128x256xf16> to tensor<1x256xf16>
  %e = tensor.expand_shape %s [[0, 1]] output_shape [64, 1] : tensor<64xf16> into tensor<64x1xf16>
  %n = spyre.neg %c tile [0: "C" by 128, 2: "C" by 64] : tensor<1x256xf16>
  %y = spyre.maximum %n, %e tile [0: "C" by 128, 2: "C" by 64] : (tensor<1x256xf16>, tensor<64x1xf16>) -> tensor<64x256xf16>
  return %m, %y : tensor<128xf16>, tensor<64x256xf16>
}
