// Rotary embedding after a cast to 32 bits: both halves of what a cast leaves go into one tensor. The halves of a tensor of 16 bits do too,
// and are cast then (loops_and_windows.mlir).

// RUN: for f in halves_of_a_stick halves_of_whole_sticks; do spyre-run %s --entry $f --on=card --compare %s --compare-entry $f --random-seed 1; done \
// RUN:   | FileCheck %s
// CHECK: result 0: 0 of 384 elements differ
// CHECK: result 0: 0 of 768 elements differ

// A half of 32 elements is a window of the rows of a tensor with another dimension on its sticks.
func.func @halves_of_a_stick(%x: tensor<6x64xf16>) -> tensor<6x64xf16> {
  %w = spyre.dl16tofp32 %x : (tensor<6x64xf16>) -> tensor<6x64xf32>
  %lo = tensor.extract_slice %w[0, 0] [6, 32] [1, 1] : tensor<6x64xf32> to tensor<6x32xf32>
  %hi = tensor.extract_slice %w[0, 32] [6, 32] [1, 1] : tensor<6x64xf32> to tensor<6x32xf32>
  %minus = spyre.neg %hi : tensor<6x32xf32>
  %e = spyre.empty : tensor<6x64xf32>
  %0 = tensor.insert_slice %minus into %e[0, 0] [6, 32] [1, 1] : tensor<6x32xf32> into tensor<6x64xf32>
  %1 = tensor.insert_slice %lo into %0[0, 32] [6, 32] [1, 1] : tensor<6x32xf32> into tensor<6x64xf32>
  %2 = spyre.add %1, %w : tensor<6x64xf32>
  %3 = spyre.fp32todl16 %2 : (tensor<6x64xf32>) -> tensor<6x64xf16>
  return %3 : tensor<6x64xf16>
}

// Halves of whole sticks of both widths keep the order of the cast in every window, and the tensor that they fill has it.
func.func @halves_of_whole_sticks(%x: tensor<6x128xf16>) -> tensor<6x128xf16> {
  %w = spyre.dl16tofp32 %x : (tensor<6x128xf16>) -> tensor<6x128xf32>
  %lo = tensor.extract_slice %w[0, 0] [6, 64] [1, 1] : tensor<6x128xf32> to tensor<6x64xf32>
  %hi = tensor.extract_slice %w[0, 64] [6, 64] [1, 1] : tensor<6x128xf32> to tensor<6x64xf32>
  %minus = spyre.neg %hi : tensor<6x64xf32>
  %e = spyre.empty : tensor<6x128xf32>
  %0 = tensor.insert_slice %minus into %e[0, 0] [6, 64] [1, 1] : tensor<6x64xf32> into tensor<6x128xf32>
  %1 = tensor.insert_slice %lo into %0[0, 64] [6, 64] [1, 1] : tensor<6x64xf32> into tensor<6x128xf32>
  %2 = spyre.add %1, %w : tensor<6x128xf32>
  %3 = spyre.fp32todl16 %2 : (tensor<6x128xf32>) -> tensor<6x128xf16>
  return %3 : tensor<6x128xf16>
}
