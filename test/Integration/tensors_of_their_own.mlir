// Tensors that are written into while somebody needs them as they were: the program says what is to be seen, and copies see to it.

// RUN: spyre-run %s --entry=filled_and_updated --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry=read_as_it_was --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry=one_start --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry=started_anew --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry=inserted_and_changed --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry=in_turn --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --implicit-check-not=DIFFER
// CHECK: spyre-scratchpad-planning{{{[^}]*}}})): same results
// CHECK: a bundle, same results on the simulated card

module attributes {spyre.target = #spyre.target<cores = 4>} {
// What loops have put together is a result, and is what is updated.
func.func @filled_and_updated(%a: tensor<64x128xf16> {spyre.dims = ["A", "B"]}) -> (tensor<64x128xf16>, tensor<64x128xf16>) {
  %0 = spyre.exp %a tile [0: "A" in 2] : tensor<64x128xf16>
  %t = tensor.extract_slice %0[40, 0] [8, 128] [1, 1] : tensor<64x128xf16> to tensor<8x128xf16>
  %1 = spyre.neg %t : tensor<8x128xf16>
  %2 = tensor.insert_slice %1 into %0[40, 0] [8, 128] [1, 1] : tensor<8x128xf16> into tensor<64x128xf16>
  return %0, %2 : tensor<64x128xf16>, tensor<64x128xf16>
}

// A loop reads the tensor that it updates as it was before.
func.func @read_as_it_was(%a: tensor<64x128xf16>) -> tensor<64x128xf16> {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %init = spyre.abs %a : tensor<64x128xf16>
  %r = scf.for %i = %c0 to %c64 step %c32 iter_args(%acc = %init) -> tensor<64x128xf16> {
    %t = tensor.extract_slice %acc[%i, 0] [32, 128] [1, 1] : tensor<64x128xf16> to tensor<32x128xf16>
    %y = spyre.neg %t : tensor<32x128xf16>
    %n = tensor.insert_slice %y into %acc[%i, 0] [32, 128] [1, 1] : tensor<32x128xf16> into tensor<64x128xf16>
    %z = spyre.sub %acc, %n : tensor<64x128xf16>
    %m = tensor.insert_slice %y into %z[0, 0] [32, 128] [1, 1] : tensor<32x128xf16> into tensor<64x128xf16>
    scf.yield %m : tensor<64x128xf16>
  }
  return %r : tensor<64x128xf16>
}

// Two tensors of a loop start from one that is empty.
func.func @one_start(%a: tensor<64x128xf16>) -> (tensor<64x128xf16>, tensor<64x128xf16>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %init = spyre.empty : tensor<64x128xf16>
  %r:2 = scf.for %i = %c0 to %c64 step %c32 iter_args(%x = %init, %y = %init) -> (tensor<64x128xf16>, tensor<64x128xf16>) {
    %t = tensor.extract_slice %a[%i, 0] [32, 128] [1, 1] : tensor<64x128xf16> to tensor<32x128xf16>
    %0 = spyre.neg %t : tensor<32x128xf16>
    %1 = spyre.abs %t : tensor<32x128xf16>
    %n = tensor.insert_slice %0 into %x[%i, 0] [32, 128] [1, 1] : tensor<32x128xf16> into tensor<64x128xf16>
    %m = tensor.insert_slice %1 into %y[%i, 0] [32, 128] [1, 1] : tensor<32x128xf16> into tensor<64x128xf16>
    scf.yield %n, %m : tensor<64x128xf16>, tensor<64x128xf16>
  }
  return %r#0, %r#1 : tensor<64x128xf16>, tensor<64x128xf16>
}

// Each iteration starts from the tensor without what the one before has inserted.
func.func @started_anew(%a: tensor<64x128xf16>) -> tensor<64x128xf16> {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %e = spyre.empty : tensor<64x128xf16>
  %0 = spyre.abs %a : tensor<64x128xf16>
  %from = tensor.insert_slice %0 into %e[0, 0] [64, 128] [1, 1] : tensor<64x128xf16> into tensor<64x128xf16>
  %zero = spyre.sub %a, %a : tensor<64x128xf16>
  %r = scf.for %i = %c0 to %c64 step %c32 iter_args(%acc = %zero) -> tensor<64x128xf16> {
    %t = tensor.extract_slice %a[%i, 0] [32, 128] [1, 1] : tensor<64x128xf16> to tensor<32x128xf16>
    %1 = spyre.neg %t : tensor<32x128xf16>
    %n = tensor.insert_slice %1 into %from[%i, 0] [32, 128] [1, 1] : tensor<32x128xf16> into tensor<64x128xf16>
    %2 = spyre.add %acc, %n : tensor<64x128xf16>
    scf.yield %2 : tensor<64x128xf16>
  }
  return %r : tensor<64x128xf16>
}

// One tensor, two updates of it, and the tensor itself, in this order and read in between.
func.func @in_turn(%a: tensor<64x128xf16>) -> (tensor<64x128xf16>, tensor<64x128xf16>, tensor<64x128xf16>) {
  %e = spyre.empty : tensor<64x128xf16>
  %0 = spyre.abs %a : tensor<64x128xf16>
  %1 = tensor.insert_slice %0 into %e[0, 0] [64, 128] [1, 1] : tensor<64x128xf16> into tensor<64x128xf16>
  %t = tensor.extract_slice %a[8, 0] [8, 128] [1, 1] : tensor<64x128xf16> to tensor<8x128xf16>
  %2 = spyre.neg %t : tensor<8x128xf16>
  %3 = tensor.insert_slice %2 into %1[0, 0] [8, 128] [1, 1] : tensor<8x128xf16> into tensor<64x128xf16>
  %4 = spyre.add %1, %3 : tensor<64x128xf16>
  %5 = tensor.insert_slice %2 into %1[8, 0] [8, 128] [1, 1] : tensor<8x128xf16> into tensor<64x128xf16>
  %6 = spyre.add %3, %5 : tensor<64x128xf16>
  return %4, %6, %1 : tensor<64x128xf16>, tensor<64x128xf16>, tensor<64x128xf16>
}

// The hints keep the copies, which would be folded.
func.func @inserted_and_changed(%a: tensor<64x128xf16>, %b: tensor<32x128xf16>, %c: tensor<32x64xf16>) -> (tensor<64x128xf16>, tensor<32x128xf16>) {
  %x = spyre.copy %a tile [0: "columns" by 128] : (tensor<64x128xf16>) -> tensor<64x128xf16>
  %y = spyre.copy %b tile [0: "columns" by 128] : (tensor<32x128xf16>) -> tensor<32x128xf16>
  %0 = tensor.insert_slice %y into %x[16, 0] [32, 128] [1, 1] : tensor<32x128xf16> into tensor<64x128xf16>
  %1 = tensor.insert_slice %c into %y[0, 64] [32, 64] [1, 1] : tensor<32x64xf16> into tensor<32x128xf16>
  return %0, %1 : tensor<64x128xf16>, tensor<32x128xf16>
}
}
