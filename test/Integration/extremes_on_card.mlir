// Maxima and minima in tiles start from infinities, which are NaN in the 16-bit floats of the card: the launcher writes the largest
// numbers in their place, and no result is NaN. The same holds for a mask of infinities in the program.

// RUN: rm -rf %t && mkdir %t
// RUN: spyre-run %s --entry tiles --on=card --compare %s --integers 8 --random-seed 1 --device-floats dl16 2>&1 | FileCheck %s --implicit-check-not=warning
// RUN: spyre-run %s --entry mask --on=card --compare %s --integers 8 --random-seed 2 --device-floats dl16 2>&1 | FileCheck %s --check-prefix=MASK --implicit-check-not=warning
// CHECK: result 0: 0 of 64 elements differ
// CHECK: result 1: 0 of 64 elements differ
// MASK: result 0: 0 of 64 elements differ

// Infinities of the data are NaN on the card, and so is what depends on them.
// RUN: not spyre-run %s --entry tiles --on=card --compare %s --special-values --random-seed 1 --device-floats dl16 2>&1 | FileCheck %s --check-prefix=DATA
// DATA: warning: @{{.+}}: argument 0: {{[0-9]+}} elements beyond the numbers of the card, NaN there
// DATA: result 0: {{[1-9][0-9]*}} of 64 elements differ

// With the floats of the program, infinities stay: 256 elements are each the result of a tile of one row.
// RUN: spyre-run %s --entry tiles --on=card --compare %s --special-values --random-seed 1 | FileCheck %s

// The files of a program of host and device have the numbers too.
// RUN: spyre-opt %s --symbol-privatize=exclude=mask --symbol-dce --spyre-import-linalg=host=true -o %t/mask.mlir
// RUN: spyre-translate --spyre-to-bundle %t/mask.mlir -o %t/mask
// RUN: od -An -v -tx2 -w2 %t/mask/mask_device_0/constant_1.npy | FileCheck %s --check-prefix=FILE --implicit-check-not=fc00
// FILE: fbff

func.func @tiles(%a: tensor<256x64xf16> {spyre.dims = ["A", "B"]}) -> (tensor<64xf16>, tensor<64xf16>) {
  %0 = spyre.max %a dims [0] tile [0: "A" in 4] : (tensor<256x64xf16>) -> tensor<64xf16>
  %1 = spyre.min %a dims [0] tile [1: "A" in 4] : (tensor<256x64xf16>) -> tensor<64xf16>
  return %0, %1 : tensor<64xf16>, tensor<64xf16>
}

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @mask(%a: tensor<64x64xf16>) -> tensor<64xf16> {
  %low = arith.constant 0xFC00 : f16
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<64x64xf16>
  %r = tensor.empty() : tensor<64xf16>
  %start = linalg.fill ins(%low : f16) outs(%r : tensor<64xf16>) -> tensor<64xf16>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<64x64xf16>) outs(%e : tensor<64x64xf16>) {
  ^bb0(%in: f16, %out: f16):
    %is_positive = arith.cmpf ogt, %in, %zero : f16
    %kept = arith.select %is_positive, %in, %low : f16
    linalg.yield %kept : f16
  } -> tensor<64x64xf16>
  %1 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%0 : tensor<64x64xf16>) outs(%start : tensor<64xf16>) {
  ^bb0(%in: f16, %out: f16):
    %m = arith.maximumf %in, %out : f16
    linalg.yield %m : f16
  } -> tensor<64xf16>
  return %1 : tensor<64xf16>
}
