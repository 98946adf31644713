// Searches of rows and of columns, one element and several: compiled, as a bundle, and on the sorted input. Positions are numbers of
// the format of the input. What is searched is never on the stick, so one search in two begins with a restickify.

// RUN: spyre-translate %s --spyre-to-bundle -o %t.bundle
// RUN: spyre-run %s --bundle %t.bundle --compare %s --random-seed 1 --special-values | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --bundle %t.bundle --compare %s --random-seed 2 --integers 3 | FileCheck %s --check-prefix=SAME
// SAME-COUNT-8: 0 of {{[0-9]+}} elements differ

// The stick of one found element is that of the input, and the searched dimension is another one.
// RUN: FileCheck %s --check-prefix=MOVED --input-file %t.bundle/sdsc_0.json
// MOVED:     "opFuncName": "ReStickifyOpHBM"
// RUN: FileCheck %s --check-prefix=FILE --input-file %t.bundle/sdsc_3.json
// FILE:      "layoutDimOrder_": [
// FILE-NEXT:   "out"
// FILE-NEXT:   "mb"
// FILE:      "stickDimOrder_": [
// FILE-NEXT:   "mb"
// FILE:      "layoutDimOrder_": [
// FILE-NEXT:   "mb"
// FILE-NEXT:   "y"
// FILE:      "stickDimOrder_": [
// FILE-NEXT:   "mb"
// FILE:      "opFuncName": "topkvalue"

!x = tensor<48x128xf16>

func.func @f(%x: !x) -> (tensor<48x5xf16>, tensor<48x5xf16>, tensor<48x1xf16>, tensor<48x1xf16>,
                         tensor<7x128xf16>, tensor<7x128xf16>, tensor<1x128xf16>, tensor<1x128xf16>) {
  %0 = spyre.topkvalue %x dim 1 k 5 : (!x) -> tensor<48x5xf16>
  %1 = spyre.topkindex %x dim 1 k 5 : (!x) -> tensor<48x5xf16>
  %2 = spyre.topkvalue %x dim 1 k 1 : (!x) -> tensor<48x1xf16>
  %3 = spyre.topkindex %x dim 1 k 1 : (!x) -> tensor<48x1xf16>
  %4 = spyre.topkvalue %x dim 0 k 7 : (!x) -> tensor<7x128xf16>
  %5 = spyre.topkindex %x dim 0 k 7 : (!x) -> tensor<7x128xf16>
  %6 = spyre.topkvalue %x dim 0 k 1 : (!x) -> tensor<1x128xf16>
  %7 = spyre.topkindex %x dim 0 k 1 : (!x) -> tensor<1x128xf16>
  return %0, %1, %2, %3, %4, %5, %6, %7
    : tensor<48x5xf16>, tensor<48x5xf16>, tensor<48x1xf16>, tensor<48x1xf16>,
      tensor<7x128xf16>, tensor<7x128xf16>, tensor<1x128xf16>, tensor<1x128xf16>
}
