// RUN: spyre-opt %s --split-input-file --spyre-work-division | FileCheck %s

// Rows are more than sticks, so they get the cores, unless a core would then reach further than the target allows.

#cols = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x512xf16, #cols>
// CHECK-LABEL: func.func @far
// CHECK: spyre.exp {{.*}} split [32, 1]
func.func @far(%a: !t) -> !t {
  %0 = spyre.exp %a : !t
  return %0 : !t
}

// -----

#cols = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x512xf16, #cols>
!half = tensor<32x512xf16, #cols>
module attributes {spyre.target = #spyre.target<span_limit_bytes = 16384>} {
  // Eight sticks lie 8192 bytes apart: a core may have two of them.
  // CHECK-LABEL: func.func @near
  // CHECK: spyre.exp {{.*}} split [8, 4]
  func.func @near(%a: !t) -> !t {
    %0 = spyre.exp %a : !t
    return %0 : !t
  }

  // A window has the strides of its tensor.
  // CHECK-LABEL: func.func @window
  // CHECK: spyre.exp {{.*}} split [8, 4]
  func.func @window(%a: !t) -> !half {
    %w = tensor.extract_slice %a[32, 0] [32, 512] [1, 1] : !t to !half
    %0 = spyre.exp %w : !half
    return %0 : !half
  }
}

// -----

// Where no split is near enough, the usual one stays; conversion refuses it.
#cols = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x512xf16, #cols>
module attributes {spyre.target = #spyre.target<span_limit_bytes = 128, cores = 2>} {
  // CHECK-LABEL: func.func @nowhere
  // CHECK: spyre.exp {{.*}} split [2, 1]
  func.func @nowhere(%a: !t) -> !t {
    %0 = spyre.exp %a : !t
    return %0 : !t
  }
}
