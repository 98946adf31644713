// RUN: spyre-opt %s --spyre-scratchpad-planning=relayouts=true --spyre-verify-plan | FileCheck %s
// RUN: spyre-opt %s --spyre-scratchpad-planning --spyre-verify-plan | FileCheck %s --check-prefix=WITHOUT

// A value that is read in other slices than those in which it is made moves from scratchpad to scratchpad, where that can be and takes
// less time than device memory.

// WITHOUT-NOT: from [

!t = tensor<64x512xf16>

// CHECK-LABEL: func.func @rows_to_columns
// CHECK:       %[[Y:.+]] = spyre.exp %arg0 split [8, 1] place lx
// CHECK-NEXT:  %[[R:.+]] = spyre.copy %[[Y]] from [0] by [8] to [1] by [8] split [1, 8] place lx
// CHECK-NEXT:  spyre.neg %[[R]] split [1, 8] place arg 1
func.func @rows_to_columns(%a: !t) -> !t {
  %0 = spyre.exp %a split [8, 1] : !t
  %1 = spyre.neg %0 split [1, 8] : !t
  return %1 : !t
}

// A core would read from 32 others.
// CHECK-LABEL: func.func @too_many_sources
// CHECK-NOT:   from [
// CHECK:       return
func.func @too_many_sources(%a: tensor<64x2048xf16>) -> tensor<64x2048xf16> {
  %0 = spyre.exp %a split [32, 1] : tensor<64x2048xf16>
  %1 = spyre.neg %0 split [1, 32] : tensor<64x2048xf16>
  return %1 : tensor<64x2048xf16>
}

// Eight cores have parts, and four cores read them.
// CHECK-LABEL: func.func @fewer_cores
// CHECK-NOT:   from [
// CHECK:       return
func.func @fewer_cores(%a: !t) -> !t {
  %0 = spyre.exp %a split [8, 1] : !t
  %1 = spyre.neg %0 split [1, 4] : !t
  return %1 : !t
}

// Parts of sums are combined by the card, and no core has them.
// CHECK-LABEL: func.func @parts_of_sums
// CHECK-NOT:   from [
// CHECK:       return
func.func @parts_of_sums(%a: tensor<64x64x512xf16>) -> !t {
  %0 = spyre.sum %a dims [0] split [2, 1, 4] : (tensor<64x64x512xf16>) -> !t
  %1 = spyre.neg %0 split [1, 8] : !t
  return %1 : !t
}

// The last stick of a row is filled in part: a copy leaves the rest of it as it is.
// CHECK-LABEL: func.func @ragged
// CHECK-NOT:   from [
// CHECK:       return
func.func @ragged(%a: tensor<8x8x100xf16>) -> tensor<8x8x100xf16> {
  %0 = spyre.exp %a split [8, 1, 1] : tensor<8x8x100xf16>
  %1 = spyre.neg %0 split [1, 8, 1] : tensor<8x8x100xf16>
  return %1 : tensor<8x8x100xf16>
}

// A view would have to be made again.
// CHECK-LABEL: func.func @through_a_view
// CHECK-NOT:   from [
// CHECK:       return
func.func @through_a_view(%a: !t) -> tensor<8x8x512xf16> {
  %0 = spyre.exp %a split [1, 8] : !t
  %1 = tensor.expand_shape %0 [[0, 1], [2]] output_shape [8, 8, 512] : !t into tensor<8x8x512xf16>
  %2 = spyre.neg %1 split [8, 1, 1] : tensor<8x8x512xf16>
  return %2 : tensor<8x8x512xf16>
}

// The usual case: every four cores of a product read the same rows, each from four cores.
// CHECK-LABEL: func.func @shared_rows
// CHECK:       %[[Y:.+]] = spyre.exp %arg0 split [32, 1] place lx
// CHECK-NEXT:  %[[R:.+]] = spyre.copy %[[Y]] from [0] by [32] to [0, -1] by [8, 4] split [8, 1] place lx
// CHECK-NEXT:  spyre.batchmatmul %[[R]], %arg1 split [8, 4, 1] place arg 2
func.func @shared_rows(%a: !t, %b: tensor<512x256xf16>) -> tensor<64x256xf16> {
  %0 = spyre.exp %a split [32, 1] : !t
  %1 = spyre.batchmatmul %0, %b split [8, 4, 1] : (!t, tensor<512x256xf16>) -> tensor<64x256xf16>
  return %1 : tensor<64x256xf16>
}

// Each of eight cores would send its rows to four cores, one after the other, which takes longer than device memory.
// CHECK-LABEL: func.func @slower
// CHECK-NOT:   from [
// CHECK:       return
func.func @slower(%a: !t, %b: tensor<512x256xf16>) -> tensor<64x256xf16> {
  %0 = spyre.exp %a split [8, 1] : !t
  %1 = spyre.batchmatmul %0, %b split [2, 4, 1] : (!t, tensor<512x256xf16>) -> tensor<64x256xf16>
  return %1 : tensor<64x256xf16>
}

// In a loop, of a tile.
// CHECK-LABEL: func.func @in_a_loop
// CHECK:       scf.for
// CHECK:         %[[Y:.+]] = spyre.exp %{{.+}} split [8, 1] place lx
// CHECK:         %[[R:.+]] = spyre.copy %[[Y]] from [0] by [8] to [1] by [8] split [1, 8] place lx
// CHECK:         spyre.neg %[[R]] split [1, 8] place window
func.func @in_a_loop(%a: tensor<256x512xf16>) -> tensor<256x512xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %init = spyre.empty : tensor<256x512xf16>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %init) -> tensor<256x512xf16> {
    %at = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %w = tensor.extract_slice %a[%at, 0] [64, 512] [1, 1] : tensor<256x512xf16> to !t
    %y = spyre.exp %w split [8, 1] : !t
    %z = spyre.neg %y split [1, 8] : !t
    %n = tensor.insert_slice %z into %acc[%at, 0] [64, 512] [1, 1] : !t into tensor<256x512xf16>
    scf.yield %n : tensor<256x512xf16>
  }
  return %r : tensor<256x512xf16>
}
