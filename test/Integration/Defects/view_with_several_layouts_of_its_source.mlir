// A view has its layout in its type and its source has none: the source may have the one that it follows from, or be copied to one of
// the same dimension on the stick. What reads the view has to go with each.

// RUN: split-file %s %t
// RUN: spyre-opt %t/read.mlir --spyre-propagate-layouts | FileCheck %s
// CHECK: spyre.exp {{.*}}candidates = [
// CHECK: tensor.extract_slice
// RUN: spyre-run %t/read.mlir --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t/returned.mlir --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t/carried.mlir --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t/inserted.mlir --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=SAME
// SAME: spyre-insert-restickify{{.*}}: same results
// SAME: a bundle, same results on the simulated card

//--- read.mlir
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
!t = tensor<128x256xf16>
!cols = tensor<64x128xf16, #cols>
func.func @f(%a: !t) -> !cols {
  %0 = spyre.exp %a : !t
  %p = tensor.extract_slice %0[0, 0] [64, 128] [1, 1] : !t to !cols
  %r = spyre.neg %p : !cols
  return %r : !cols
}

//--- returned.mlir
#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<128x256xf16>
!rows = tensor<128x256xf16, #rows>
func.func @f(%a: !t) -> !rows {
  %s = tensor.extract_slice %a[0, 0] [128, 256] [1, 1] : !t to !rows
  return %s : !rows
}

//--- carried.mlir
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
!t = tensor<128x256xf16>
!cols = tensor<64x128xf16, #cols>
func.func @f(%a: !t) -> !cols {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 4 : index
  %0 = spyre.exp %a : !t
  %p = tensor.extract_slice %0[0, 0] [64, 128] [1, 1] : !t to !cols
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %p) -> (!cols) {
    %next = spyre.neg %s : !cols
    scf.yield %next : !cols
  }
  return %r : !cols
}

//--- inserted.mlir
#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
!t = tensor<128x256xf16>
!tile = tensor<64x64xf16, #cols>
!rows = tensor<128x256xf16, #rows>
func.func @f(%a: !t, %tile: !tile) -> !rows {
  %0 = spyre.exp %a : !t
  %p = tensor.insert_slice %tile into %0[0, 64] [64, 64] [1, 1] : !tile into !t
  %s = tensor.extract_slice %p[0, 0] [128, 256] [1, 1] : !t to !rows
  %r = tensor.insert_slice %tile into %s[0, 64] [64, 64] [1, 1] : !tile into !rows
  %q = spyre.neg %r : !rows
  return %q : !rows
}
