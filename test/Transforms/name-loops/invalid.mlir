// RUN: not spyre-opt %s --spyre-generalize-named-ops --spyre-name-loops --split-input-file 2>&1 | FileCheck %s

// CHECK: invalid.mlir:[[@LINE+2]]:8: error: spyre-name-loops: a hint asks for tiles of loop d2, but the operation has 2 loops
func.func @few(%x: tensor<96x512xf16>, %o: tensor<96x512xf16>) -> tensor<96x512xf16> {
  %0 = linalg.exp {spyre.tile = [#spyre.tile_hint<0 : "d2" in 3>]}
    ins(%x : tensor<96x512xf16>) outs(%o : tensor<96x512xf16>) -> tensor<96x512xf16>
  return %0 : tensor<96x512xf16>
}

// -----

// A name that nothing declares would be lost.
// CHECK: error: spyre-name-loops: a hint numbers a loop along which this value moves, so its dimensions need names, but tensor<?x512xf16> has a dynamic extent in dimension 0
// CHECK-SAME: name the dimensions of the hint in 'spyre.dims'
func.func @open(%x: tensor<?x512xf16>, %o: tensor<?x512xf16>) -> tensor<?x512xf16> {
  %0 = linalg.exp {spyre.tile = [#spyre.tile_hint<0 : "d1" in 4>]}
    ins(%x : tensor<?x512xf16>) outs(%o : tensor<?x512xf16>) -> tensor<?x512xf16>
  return %0 : tensor<?x512xf16>
}
