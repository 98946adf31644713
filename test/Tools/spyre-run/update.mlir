// A row is written into a copy of a tensor, and a column of that is read: neither is a range inside of the other, and it is an update all
// the same.

// RUN: spyre-run %s --entry=column --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry=unread --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry=update_of_a_tile --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --implicit-check-not=DIFFER
// CHECK: a bundle, same results on the simulated card
module attributes {spyre.target = #spyre.target<cores = 1>} {
func.func @column(%a: tensor<2x128x7x12xf16>) -> tensor<2x1x7x12xf16> {
  %row = tensor.extract_slice %a[0, 0, 0, 0] [1, 128, 7, 12] [1, 1, 1, 1] : tensor<2x128x7x12xf16> to tensor<1x128x7x12xf16>
  %0 = spyre.neg %row : (tensor<1x128x7x12xf16>) -> tensor<1x128x7x12xf16>
  %1 = tensor.insert_slice %0 into %a[0, 0, 0, 0] [1, 128, 7, 12] [1, 1, 1, 1] : tensor<1x128x7x12xf16> into tensor<2x128x7x12xf16>
  %column = tensor.extract_slice %1[0, 0, 0, 0] [2, 1, 7, 12] [1, 1, 1, 1] : tensor<2x128x7x12xf16> to tensor<2x1x7x12xf16>
  %2 = spyre.neg %column : (tensor<2x1x7x12xf16>) -> tensor<2x1x7x12xf16>
  return %2 : tensor<2x1x7x12xf16>
}

// Rows are written that nobody reads. The rest of the tensor is read, and none of it is lost when another takes the place.
func.func @unread(%a: tensor<2x64x64xf16>, %b: tensor<2x2x64xf16>, %c: tensor<2x64x64xf16, #spyre.layout<(d0, d1, d2) -> (d2, d0 floordiv 64, d1, d0 mod 64)>>) -> (tensor<2x1x64xf16>, tensor<2x64x64xf16>) {
  %0 = spyre.neg %b : tensor<2x2x64xf16>
  %1 = tensor.insert_slice %0 into %a[0, 29, 0] [2, 2, 64] [1, 1, 1] : tensor<2x2x64xf16> into tensor<2x64x64xf16>
  %row = tensor.extract_slice %1[0, 0, 0] [2, 1, 64] [1, 1, 1] : tensor<2x64x64xf16> to tensor<2x1x64xf16>
  %2 = spyre.neg %row : tensor<2x1x64xf16>
  %3 = spyre.add %a, %c : (tensor<2x64x64xf16>, tensor<2x64x64xf16, #spyre.layout<(d0, d1, d2) -> (d2, d0 floordiv 64, d1, d0 mod 64)>>) -> tensor<2x64x64xf16>
  return %2, %3 : tensor<2x1x64xf16>, tensor<2x64x64xf16>
}

// A tile that a loop has made is replaced by other rows. The others are read.
func.func @update_of_a_tile(%a: tensor<128x128xf16> {spyre.dims = ["A", "B"]}, %n: tensor<32x128xf16>) -> tensor<128x1xf16> {
  %x = spyre.relufwd %a tile [0: "A" in 4] : tensor<128x128xf16>
  %u = tensor.insert_slice %n into %x[32, 0] [32, 128] [1, 1] : tensor<32x128xf16> into tensor<128x128xf16>
  %s = spyre.max %u dims [1] keepdim : (tensor<128x128xf16>) -> tensor<128x1xf16>
  return %s : tensor<128x1xf16>
}
}
