// The maximum of absolute values is one OpFunc, of 16-bit floats, and has the same bits.

// RUN: spyre-opt %s --spyre-raise-opfuncs --canonicalize | FileCheck %s
// RUN: spyre-run %s --entry half --random-seed 1 --special-values --check-pipeline='builtin.module(func.func(spyre-raise-opfuncs,canonicalize,cse),spyre-pipeline)' | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry between_casts --random-seed 2 --special-values --check-pipeline='builtin.module(func.func(spyre-raise-opfuncs,canonicalize,cse),spyre-pipeline)' | FileCheck %s --check-prefix=SAME
// SAME: builtin.module(func.func(spyre-raise-opfuncs)): same results
// SAME: a bundle, same results on the simulated card

!h = tensor<64x128xf16>
!s = tensor<64x128xf32>

// CHECK-LABEL: func.func @half(
// CHECK-SAME:    %[[X:[^ :]+]]:
// CHECK-NEXT:    %[[ROWS:.+]] = spyre.absmax %[[X]] dims [1] keepdim tile [0: "A" in 2] : (tensor<64x128xf16>) -> tensor<64x1xf16>
// CHECK-NEXT:    %[[COLUMNS:.+]] = spyre.absmax %[[X]] dims [0] : (tensor<64x128xf16>) -> tensor<128xf16>
// CHECK-NEXT:    return %[[ROWS]], %[[COLUMNS]]
func.func @half(%x: !h {spyre.dims = ["A", "B"]}) -> (tensor<64x1xf16>, tensor<128xf16>) {
  %0 = spyre.abs %x tile [0: "A" in 2] : !h
  %1 = spyre.max %0 dims [1] keepdim tile [0: "A" in 2] : (!h) -> tensor<64x1xf16>
  %2 = spyre.abs %x : !h
  %3 = spyre.max %2 dims [0] : (!h) -> tensor<128xf16>
  return %1, %3 : tensor<64x1xf16>, tensor<128xf16>
}

// CHECK-LABEL: func.func @between_casts(
// CHECK-SAME:    %[[X:[^ :]+]]:
// CHECK-NEXT:    %[[M:.+]] = spyre.absmax %[[X]] dims [1] : (tensor<64x128xf16>) -> tensor<64xf16>
// CHECK-NEXT:    return %[[M]]
func.func @between_casts(%x: !h) -> tensor<64xf16> {
  %0 = spyre.dl16tofp32 %x : (!h) -> !s
  %1 = spyre.absmax %0 dims [1] : (!s) -> tensor<64xf32>
  %2 = spyre.fp32todl16 %1 : (tensor<64xf32>) -> tensor<64xf16>
  return %2 : tensor<64xf16>
}

// The absolute values are there in any case; and a minimum of them is none.
// CHECK-LABEL: func.func @read_twice(
// CHECK:         spyre.max
// CHECK:         spyre.min
func.func @read_twice(%x: !h) -> (tensor<64xf16>, tensor<64xf16>) {
  %0 = spyre.abs %x : !h
  %1 = spyre.max %0 dims [1] : (!h) -> tensor<64xf16>
  %2 = spyre.min %0 dims [1] : (!h) -> tensor<64xf16>
  return %1, %2 : tensor<64xf16>, tensor<64xf16>
}

// The reference compiler has none of 32 bits (K4a).
// CHECK-LABEL: func.func @single(
// CHECK:         spyre.abs
// CHECK:         spyre.max
func.func @single(%x: !s) -> tensor<64xf32> {
  %0 = spyre.abs %x : !s
  %1 = spyre.max %0 dims [1] : (!s) -> tensor<64xf32>
  return %1 : tensor<64xf32>
}
