// The files of a layer norm have the form of those of the reference compiler (examples/opspec/layer_norm.py): a copy of the rows into the
// scratchpad, their moments in a stick for each row, a scale that is made of those, and the norm with a weight and a bias. The checker
// has nothing to say about the chain (contract, K30).

// RUN: spyre-translate %s --spyre-to-bundle --verify-written -o %t 2>&1 | count 0
// RUN: spyre-translate --verify-bundle %t 2>&1 | FileCheck %s --check-prefix=CLEAN
// CLEAN: 4 files, 4 operations, 0 loops, 4 parameters, 0 warnings

// What is not a number spoils its row, and no other one.
// RUN: spyre-run %s --bundle %t --compare %s --random-seed 2 --special-values --poison | FileCheck %s --check-prefix=SAME
// SAME: result 0: 0 of 6400 elements differ

// Rows of 100 elements are 2 sticks, and the rest is masked with zeros, which add nothing to either sum.
// RUN: FileCheck %s --check-prefix=MOMENTS --input-file %t/sdsc_1.json
// MOMENTS:      "1_exx2": {
// MOMENTS:      "coordinateMasking_": {
// MOMENTS-NEXT:   "out": [
// MOMENTS-NEXT:     [
// MOMENTS-NEXT:       100,
// MOMENTS-NEXT:       28
// MOMENTS:      "labeledDs_": [
// MOMENTS:          "scale_": [
// MOMENTS-NEXT:       1,
// MOMENTS-NEXT:       1
// MOMENTS:          "scale_": [
// MOMENTS-NEXT:       1,
// MOMENTS-NEXT:       -2
// MOMENTS:      "name_": "exx2scale"
// MOMENTS:      "name_": "samv-maskvalue"

// RUN: FileCheck %s --check-prefix=SCALE --input-file %t/sdsc_2.json
// SCALE:        "2_layernormscale": {
// SCALE:        "coordinateMasking_": {}
// SCALE:        "name_": "eps"

// RUN: FileCheck %s --check-prefix=NORM --input-file %t/sdsc_3.json
// NORM:         "3_layernormnorm": {
// NORM:         "coordinateMasking_": {}
// NORM:         "inputLabeledDs": [
// NORM-COUNT-5:   "Tensor{{[0-4]}}-idx{{[0-4]}}"

func.func @layer_norm(%x: tensor<64x100xf16>, %w: tensor<1x100xf16>, %b: tensor<1x100xf16>) -> tensor<64x100xf16> {
  %e = spyre.exx2 %x : (tensor<64x100xf16>) -> tensor<64x2xf16>
  %s = spyre.layernormscale %e eps 0.0009765625 : (tensor<64x2xf16>) -> tensor<64x1xf16>
  %y = spyre.layernormnorm %x, %e, %s, %w, %b
    : (tensor<64x100xf16>, tensor<64x2xf16>, tensor<64x1xf16>, tensor<1x100xf16>, tensor<1x100xf16>) -> tensor<64x100xf16>
  return %y : tensor<64x100xf16>
}
