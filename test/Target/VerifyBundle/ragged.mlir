// One dimension cut at several levels, of which none divides the one before: the shorter tiles at the end of others are where
// they should be (VB75).

// RUN: spyre-translate --spyre-to-bundle --verify-written %s -o %t 2>&1 | count 0
// RUN: spyre-translate --verify-bundle %t 2>&1 | FileCheck %s
// CHECK: 9 files, 9 operations, 3 loops, 2 parameters, 0 warnings

// A tile further on is no such place: a row more in each iteration of the outer loop.
// RUN: sed -i 's/8960\*d0/9088*d0/' %t/bundle.mlir
// RUN: spyre-translate --verify-bundle %t 2>&1 | FileCheck %s --check-prefix=MOVED
// MOVED: moves by 9088 * 1 bytes, 3 times in loop 0, which is no multiple of the window along any dimension; either the windows overlap, or the stride is wrong [VB75]

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<250x128xf16, #stick>
module attributes {spyre.target = #spyre.target<cores = 2>} {
  func.func @f(%a: !t {spyre.dims = ["A", "B"]}) -> !t {
    %x = spyre.exp %a tile [0: "A" by 70, 1: "A" by 16] : !t
    %y = spyre.neg %x tile [0: "A" by 70, 1: "A" by 16] : !t
    %w = spyre.abs %y : !t
    return %w : !t
  }
}
