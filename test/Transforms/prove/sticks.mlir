// RUN: not spyre-opt %s --spyre-prove --split-input-file -o /dev/null 2>&1 | FileCheck %s

// The card writes whole sticks: a window that ends inside of one overwrites the elements after it. The witness is the
// first element that is lost, with a note where it has been written.

#l = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<16x128xf16, #l>
!w = tensor<16x32xf16, #l>
// CHECK: [[#@LINE+7]]:8: error: spyre-prove: P3: result 0: the write ends at position 32 along dimension 1 of the tensor, inside of a stick of 64, and overwrites element [0, 32] with the rest of the stick (core 0, point [0, 0])
// CHECK: [[#@LINE+3]]:8: note: the element is written here
func.func @lost(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  %full = spyre.empty place arg 1 : !t
  %0 = spyre.exp %a split [2, 1] place window : !t
  %1 = tensor.insert_slice %0 into %full[0, 0] [16, 128] [1, 1] : !t into !t
  %w = tensor.extract_slice %a[0, 0] [16, 32] [1, 1] : !t to !w
  %2 = spyre.neg %w split [2, 1] place window : !w
  %3 = tensor.insert_slice %2 into %1[0, 0] [16, 32] [1, 1] : !w into !t
  return %3 : !t
}

// -----

// The other way around, all elements are those of the later window.
#l = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<16x128xf16, #l>
!w = tensor<16x32xf16, #l>
// CHECK: 2 operations, {{.*}} 0 refuted, 0 not decided
func.func @kept(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  %full = spyre.empty place arg 1 : !t
  %w = tensor.extract_slice %a[0, 0] [16, 32] [1, 1] : !t to !w
  %0 = spyre.neg %w split [2, 1] place window : !w
  %1 = tensor.insert_slice %0 into %full[0, 0] [16, 32] [1, 1] : !w into !t
  %2 = spyre.exp %a split [2, 1] place window : !t
  %3 = tensor.insert_slice %2 into %1[0, 0] [16, 128] [1, 1] : !t into !t
  return %3 : !t
}

// -----

// In a loop, over a tensor that has contents: the first iteration is the witness.
#l = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<16x256xf16, #l>
!w = tensor<16x32xf16, #l>
// CHECK: error: spyre-prove: P3: result 0: the write ends at position 32 along dimension 1 of the tensor, inside of a stick of 64, and overwrites element [0, 32] with the rest of the stick (iteration (0), core 0, point [0, 0])
// CHECK: note: the tensor with the element is here
func.func @looped(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = spyre.exp %a split [2, 1] place arg 1 : !t
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %0) -> !t {
    %at = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %w = tensor.extract_slice %a[0, %at] [16, 32] [1, 1] : !t to !w
    %n = spyre.neg %w split [2, 1] place window : !w
    %m = tensor.insert_slice %n into %acc[0, %at] [16, 32] [1, 1] : !w into !t
    scf.yield %m : !t
  }
  return %r : !t
}

// -----

// A tensor may end inside of a stick, and its last window with it.
#l = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<16x100xf16, #l>
!w = tensor<16x36xf16, #l>
!v = tensor<16x64xf16, #l>
// CHECK: 2 operations, {{.*}} 0 refuted, 0 not decided
func.func @end(%a: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  %full = spyre.empty place arg 1 : !t
  %v = tensor.extract_slice %a[0, 0] [16, 64] [1, 1] : !t to !v
  %0 = spyre.exp %v split [2, 1] place window : !v
  %1 = tensor.insert_slice %0 into %full[0, 0] [16, 64] [1, 1] : !v into !t
  %w = tensor.extract_slice %a[0, 64] [16, 36] [1, 1] : !t to !w
  %2 = spyre.neg %w split [2, 1] place window : !w
  %3 = tensor.insert_slice %2 into %1[0, 64] [16, 36] [1, 1] : !w into !t
  return %3 : !t
}
