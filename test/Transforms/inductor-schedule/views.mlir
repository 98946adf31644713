// Nests load from views: a kernel has copies of the views that its nests read, each after the buffer that it is a view of, and a
// view that several operations read stays before the first of them.

// RUN: spyre-opt %s --inductor-schedule=policy=cpp -o %t.cpp
// RUN: FileCheck %s --input-file %t.cpp
// RUN: spyre-opt %s --inductor-schedule=policy=simd -o %t.simd
// RUN: spyre-opt %s --convert-inductor-to-linalg -o %t.plain
// RUN: spyre-opt %t.cpp --convert-inductor-to-linalg -o %t.cpp-linalg
// RUN: spyre-opt %t.simd --convert-inductor-to-linalg -o %t.simd-linalg
// RUN: spyre-run %t.plain --entry fused --compare %t.cpp-linalg --random-seed 1 | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t.plain --entry fused --compare %t.simd-linalg --random-seed 1 | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t.plain --entry shared --compare %t.cpp-linalg --random-seed 1 | FileCheck %s --check-prefix=SAME

// SAME: result 0: 0 of 12 elements differ

!x = tensor<12xf32, #inductor.layout<fixed, [1]>>
!rows = tensor<3x4xf32, #inductor.layout<fixed, [4, 1]>>
#flat = affine_map<(d0) -> (d0)>
#same = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: inductor.graph @fused
// CHECK: inductor.kernel
// CHECK: %[[BUF0:.*]] = inductor.pointwise "op0"
// CHECK: %[[VIEW:.*]] = inductor.view %[[BUF0]]
// CHECK: inductor.pointwise "op1"
// CHECK: inductor.load %[[VIEW]]
inductor.graph @fused {
  %x = inductor.input "x" : !x
  %a = inductor.pointwise "op0" as "buf0" [12] {
  ^bb0(%i: index):
    %0 = inductor.load %x at #flat(%i) : !x -> f32
    %1 = arith.addf %0, %0 : f32
    inductor.store %1 at #flat(%i) : f32
  } : !x
  %view = inductor.view %a : !x -> !rows
  %b = inductor.pointwise "op1" as "buf1" [3, 4] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %view at #same(%i, %j) : !rows -> f32
    %1 = arith.mulf %0, %0 : f32
    inductor.store %1 at #same(%i, %j) : f32
  } : !rows
  inductor.return %b outputs [#inductor.operand<0>] : !rows
}

// CHECK-LABEL: inductor.graph @shared
// CHECK: %[[ROW:.*]] = inductor.view %{{.*}} : tensor<3x4xf32
// CHECK-NEXT: inductor.extern "op0" {{.*}}(%[[ROW]]
// CHECK-NEXT: inductor.extern "op1" {{.*}}(%[[ROW]]
!line = tensor<1x4xf32, #inductor.layout<fixed, [4, 1]>>
!w = tensor<4x12xf32, #inductor.layout<fixed, [12, 1]>>
!y = tensor<1x12xf32, #inductor.layout<fixed, [12, 1]>>
inductor.graph @shared {
  %x = inductor.input "x" : !rows
  %w = inductor.input "w" : !w
  %row = inductor.view %x : !rows -> !line
  %a = inductor.extern "op0" as "buf0" "FallbackKernel" "aten.mm.out"(%row, %w) {kernel = "extern_kernels.mm"} : (!line, !w) -> !y
  %b = inductor.extern "op1" as "buf1" "FallbackKernel" "aten.mm.out"(%row, %w) {kernel = "extern_kernels.mm"} : (!line, !w) -> !y
  inductor.return %a, %b outputs [#inductor.operand<0>, #inductor.operand<1>] : !y, !y
}
