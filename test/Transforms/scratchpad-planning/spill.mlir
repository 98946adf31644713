// RUN: spyre-opt %s --spyre-scratchpad-planning | FileCheck %s

// What goes into the pool in device memory instead of the scratchpad.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#transposed = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
#padded = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), size = [1, 64, 64]>
!t = tensor<16x64xf16, #stick>
!p = tensor<4x64xf16, #padded>

// 1024 bytes of scratchpad on each of 2 cores, all for programs: one tensor of 16 x 64 x 2 bytes fits.
module attributes {spyre.target = #spyre.target<cores = 2, lx_bytes = 1024, lx_reserved_bytes = 0, lx_backend_percent = 0>} {

// The first is still read when the second is made, and there is room for one: that which is used more often.
// CHECK-LABEL: func.func @capacity
// CHECK:       %[[Y:.+]] = spyre.exp %arg0 split [2, 1] place lx 0
// CHECK-NEXT:  %[[Z:.+]] = spyre.neg %[[Y]] split [2, 1] place pool 0
// CHECK-NEXT:  spyre.add %[[Y]], %[[Z]] split [2, 1] place arg 1
func.func @capacity(%a: !t) -> !t {
  %0 = spyre.exp %a split [2, 1] : !t
  %1 = spyre.neg %0 split [2, 1] : !t
  %2 = spyre.add %0, %1 split [2, 1] : !t
  return %2 : !t
}

// On one core the slice of a core is the whole: 2048 bytes do not fit.
// CHECK-LABEL: func.func @slice_of_one_core
// CHECK:       spyre.exp %arg0 split [1, 1] place pool 0
func.func @slice_of_one_core(%a: !t) -> !t {
  %0 = spyre.exp %a split [1, 1] : !t
  %1 = spyre.neg %0 split [1, 1] : !t
  return %1 : !t
}

// Padding is stored as well: 4 x 64 x 2 bytes over 2 cores would fit, but 64 rows are stored.
// CHECK-LABEL: func.func @padding_counts
// CHECK:       spyre.exp %arg0 split [2, 1] place pool 0
func.func @padding_counts(%a: !p) -> !p {
  %0 = spyre.exp %a split [2, 1] : !p
  %1 = spyre.neg %0 split [2, 1] : !p
  return %1 : !p
}

// A reader that cuts the value in another way would find another core's slice; one that agrees does not help.
// CHECK-LABEL: func.func @slices_disagree
// CHECK:       %[[Y:.+]] = spyre.exp %arg0 split [2, 1] place pool 0
// CHECK-NEXT:  spyre.neg %[[Y]] split [2, 1] place arg 1
// CHECK-NEXT:  spyre.abs %[[Y]] split [1, 1] place arg 2
func.func @slices_disagree(%a: !t) -> (!t, !t) {
  %0 = spyre.exp %a split [2, 1] : !t
  %1 = spyre.neg %0 split [2, 1] : !t
  %2 = spyre.abs %0 split [1, 1] : !t
  return %1, %2 : !t, !t
}

// Every core needs all of a broadcast row, but has a part of it only, or has it on one core only.
// CHECK-LABEL: func.func @broadcast
// CHECK:       spyre.exp %arg1 split [1, 1] place pool
func.func @broadcast(%a: !t, %row: tensor<1x64xf16, #stick>) -> !t {
  %0 = spyre.exp %row split [1, 1] : tensor<1x64xf16, #stick>
  %1 = spyre.add %a, %0 split [2, 1] : (!t, tensor<1x64xf16, #stick>) -> !t
  return %1 : !t
}

// The same number of slices, of another dimension: with the rows of the result over 2 cores, the left operand of a
// product is cut by its rows, and the right one is needed whole on each core.
// CHECK-LABEL: func.func @matmul_operands
// CHECK:       spyre.exp %arg0 split [2, 1] place lx 0
// CHECK:       spyre.exp %arg1 split [2, 1] place pool 0
func.func @matmul_operands(%a: tensor<16x4xf16, #stick>, %b: tensor<4x64xf16, #stick>) -> (!t, !t) {
  %0 = spyre.exp %a split [2, 1] : tensor<16x4xf16, #stick>
  %1 = spyre.batchmatmul %0, %b split [2, 1, 1] : (tensor<16x4xf16, #stick>, tensor<4x64xf16, #stick>) -> !t
  %2 = spyre.exp %b split [2, 1] : tensor<4x64xf16, #stick>
  %3 = spyre.batchmatmul %a, %2 split [2, 1, 1] : (tensor<16x4xf16, #stick>, tensor<4x64xf16, #stick>) -> !t
  return %1, %3 : !t, !t
}

// A sum over a split dimension leaves a part on every core.
// CHECK-LABEL: func.func @partial_sums
// CHECK:       spyre.sum %arg0 dims [0] split [1, 2] place pool
func.func @partial_sums(%a: !t) -> tensor<64xf16> {
  %0 = spyre.sum %a dims [0] split [1, 2] : (!t) -> tensor<64xf16>
  %1 = spyre.exp %0 split [1] : tensor<64xf16>
  return %1 : tensor<64xf16>
}

// A restickify works in device memory on both sides.
// CHECK-LABEL: func.func @restickify
// CHECK:       spyre.exp %arg0 split [1, 1] place pool
// CHECK:       spyre.restickify %{{.+}} split [1, 1] place pool
// CHECK:       spyre.neg %{{.+}} split [1, 1] place arg 1
func.func @restickify(%a: tensor<4x4xf16, #stick>) -> tensor<4x4xf16, #transposed> {
  %0 = spyre.exp %a split [1, 1] : tensor<4x4xf16, #stick>
  %1 = spyre.restickify %0 split [1, 1] : (tensor<4x4xf16, #stick>) -> tensor<4x4xf16, #transposed>
  %2 = spyre.neg %1 split [1, 1] : tensor<4x4xf16, #transposed>
  return %2 : tensor<4x4xf16, #transposed>
}

// A slice is read from device memory, and so is what nobody reads.
// CHECK-LABEL: func.func @slice_and_unused
// CHECK:       spyre.exp %arg0 split [2, 1] place pool
// CHECK:       spyre.abs %arg0 split [2, 1] place pool
func.func @slice_and_unused(%a: !t) -> tensor<8x64xf16, #stick> {
  %0 = spyre.exp %a split [2, 1] : !t
  %1 = spyre.abs %a split [2, 1] : !t
  %w = tensor.extract_slice %0[8, 0] [8, 64] [1, 1] : !t to tensor<8x64xf16, #stick>
  %2 = spyre.neg %w split [2, 1] : tensor<8x64xf16, #stick>
  return %2 : tensor<8x64xf16, #stick>
}

// Without work division everything is on one core, and agrees.
// CHECK-LABEL: func.func @no_split
// CHECK:       spyre.exp %arg0 place lx 0
func.func @no_split(%a: tensor<4x64xf16, #stick>) -> tensor<4x64xf16, #stick> {
  %0 = spyre.exp %a : tensor<4x64xf16, #stick>
  %1 = spyre.neg %0 : tensor<4x64xf16, #stick>
  return %1 : tensor<4x64xf16, #stick>
}
}
