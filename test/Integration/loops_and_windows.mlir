// What loops carry, and tensors that are filled window by window, as front ends write them: no layout is given. Each program runs on
// the CPU before and after every pass, and as a bundle on the simulated card, which faults a read of what nobody has written.

// RUN: spyre-opt %s --spyre-simplify-views --spyre-propagate-layouts --spyre-optimize-restickify --spyre-insert-restickify --spyre-work-division --spyre-scratchpad-planning | FileCheck %s
// RUN: spyre-run %s --entry exchanged --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry recurrence --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry window_of_the_other --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry filled_inside_a_stick --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry rotated_in_f32 --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry merged_windows --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' --max-ulps 16 | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry sum_of_a_cast --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' --max-ulps 64 | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry product_with_a_window --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER

// CARD: a bundle, same results on the simulated card

// CHECK-DAG: #[[$SPARSE:layout[0-9]*]] = #spyre.layout<(d0) -> (0, d0, 0)>

// Two tensors change places. A bundle's loops carry nothing, so one is kept beside while the other is overwritten.
// CHECK-LABEL: func.func @exchanged(
// CHECK: scf.for {{.*}}iter_args(%[[X:.*]] = %{{.*}}, %[[Y:.*]] = %{{.*}})
// CHECK: %[[KEPT:.*]] = spyre.copy %[[Y]]
// CHECK: %[[SECOND:.*]] = spyre.copy %[[X]]
// CHECK: %[[FIRST:.*]] = spyre.copy %[[KEPT]]
// CHECK: scf.yield %[[FIRST]], %[[SECOND]]
func.func @exchanged(%a: tensor<3x64xf16>, %b: tensor<3x64xf16>) -> (tensor<3x64xf16>, tensor<3x64xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %a, %y = %b) -> (tensor<3x64xf16>, tensor<3x64xf16>) {
    scf.yield %y, %x : tensor<3x64xf16>, tensor<3x64xf16>
  }
  return %r#0, %r#1 : tensor<3x64xf16>, tensor<3x64xf16>
}

// A recurrence over two steps.
// CHECK-LABEL: func.func @recurrence(
// CHECK: %[[SUM:.*]] = spyre.add
// CHECK: spyre.copy
// CHECK: spyre.copy %[[SUM]]
func.func @recurrence(%a: tensor<3x65xf16>, %b: tensor<3x65xf16>) -> tensor<3x65xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%x = %a, %y = %b) -> (tensor<3x65xf16>, tensor<3x65xf16>) {
    %s = spyre.add %x, %y : tensor<3x65xf16>
    scf.yield %y, %s : tensor<3x65xf16>, tensor<3x65xf16>
  }
  return %r#1 : tensor<3x65xf16>
}

// What is yielded is a window of another tensor that the loop carries, put into a third one.
// CHECK-LABEL: func.func @window_of_the_other(
// CHECK: scf.for
// CHECK: spyre.copy
func.func @window_of_the_other(%a: tensor<4x64xf16>, %b: tensor<8x64xf16>) -> (tensor<4x64xf16>, tensor<8x64xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %a, %y = %b) -> (tensor<4x64xf16>, tensor<8x64xf16>) {
    %w = tensor.extract_slice %y[2, 0] [4, 64] [1, 1] : tensor<8x64xf16> to tensor<4x64xf16>
    %n = tensor.insert_slice %x into %y[4, 0] [4, 64] [1, 1] : tensor<4x64xf16> into tensor<8x64xf16>
    scf.yield %w, %n : tensor<4x64xf16>, tensor<8x64xf16>
  }
  return %r#0, %r#1 : tensor<4x64xf16>, tensor<8x64xf16>
}

// Windows of one element: the tensor that they fill has one element in each stick from the start, and is never copied before it is full.
// CHECK-LABEL: func.func @filled_inside_a_stick(
// CHECK: %[[EMPTY:.*]] = spyre.empty {{.*}}tensor<5xf16, #[[$SPARSE]]>
// CHECK: scf.for {{.*}}iter_args(%[[TO:.*]] = %[[EMPTY]])
// CHECK: tensor.insert_slice {{.*}} into %[[TO]]
func.func @filled_inside_a_stick(%x: tensor<5xf16>) -> tensor<5xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %e = spyre.empty : tensor<5xf16>
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%to = %e) -> (tensor<5xf16>) {
    %s = tensor.extract_slice %x[%i] [1] [1] : tensor<5xf16> to tensor<1xf16>
    %y = spyre.neg %s : tensor<1xf16>
    %n = tensor.insert_slice %y into %to[%i] [1] [1] : tensor<1xf16> into tensor<5xf16>
    scf.yield %n : tensor<5xf16>
  }
  return %r : tensor<5xf16>
}

// Rotary embedding in f32: both halves go into one tensor before the cast. A half of 32 elements of what a cast leaves is no window of
// its sticks, and no operation changes their order.
// CHECK-LABEL: func.func @rotated_in_f32(
// CHECK: tensor.insert_slice
// CHECK: tensor.insert_slice
// CHECK: spyre.dl16tofp32
func.func @rotated_in_f32(%x: tensor<6x64xf16>) -> tensor<6x64xf16> {
  %lo = tensor.extract_slice %x[0, 0] [6, 32] [1, 1] : tensor<6x64xf16> to tensor<6x32xf16>
  %hi = tensor.extract_slice %x[0, 32] [6, 32] [1, 1] : tensor<6x64xf16> to tensor<6x32xf16>
  %minus = spyre.neg %hi : tensor<6x32xf16>
  %e = spyre.empty : tensor<6x64xf16>
  %0 = tensor.insert_slice %minus into %e[0, 0] [6, 32] [1, 1] : tensor<6x32xf16> into tensor<6x64xf16>
  %1 = tensor.insert_slice %lo into %0[0, 32] [6, 32] [1, 1] : tensor<6x32xf16> into tensor<6x64xf16>
  %r = spyre.dl16tofp32 %1 : (tensor<6x64xf16>) -> tensor<6x64xf32>
  %w = spyre.dl16tofp32 %x : (tensor<6x64xf16>) -> tensor<6x64xf32>
  %2 = spyre.add %r, %w : tensor<6x64xf32>
  %3 = spyre.fp32todl16 %2 : (tensor<6x64xf32>) -> tensor<6x64xf16>
  return %3 : tensor<6x64xf16>
}

// Windows of an image and heads of 32 merged at once, as in shifted-window attention: the first views leave a layout with one element in
// each stick, the last one needs a copy.
// CHECK-LABEL: func.func @merged_windows(
func.func @merged_windows(%image: tensor<8x8x96xf16>) -> tensor<4x3x16x16xf16> {
  %e = spyre.empty : tensor<8x8x96xf16>
  %below = tensor.extract_slice %image[2, 0, 0] [6, 8, 96] [1, 1, 1] : tensor<8x8x96xf16> to tensor<6x8x96xf16>
  %above = tensor.extract_slice %image[0, 0, 0] [2, 8, 96] [1, 1, 1] : tensor<8x8x96xf16> to tensor<2x8x96xf16>
  %0 = tensor.insert_slice %below into %e[0, 0, 0] [6, 8, 96] [1, 1, 1] : tensor<6x8x96xf16> into tensor<8x8x96xf16>
  %1 = tensor.insert_slice %above into %0[6, 0, 0] [2, 8, 96] [1, 1, 1] : tensor<2x8x96xf16> into tensor<8x8x96xf16>
  %2 = tensor.expand_shape %1 [[0, 1], [2, 3], [4, 5]] output_shape [2, 4, 2, 4, 3, 32] : tensor<8x8x96xf16> into tensor<2x4x2x4x3x32xf16>
  %3 = spyre.permute %2 [0, 2, 4, 1, 3, 5] : tensor<2x4x2x4x3x32xf16> to tensor<2x2x3x4x4x32xf16>
  %q = tensor.collapse_shape %3 [[0, 1], [2], [3, 4], [5]] : tensor<2x2x3x4x4x32xf16> into tensor<4x3x16x32xf16>
  %k = spyre.permute %q [0, 1, 3, 2] : tensor<4x3x16x32xf16> to tensor<4x3x32x16xf16>
  %4 = spyre.batchmatmul %q, %k : (tensor<4x3x16x32xf16>, tensor<4x3x32x16xf16>) -> tensor<4x3x16x16xf16>
  return %4 : tensor<4x3x16x16xf16>
}

// The sum of a cast's result in parts starts from zeros in the order of the cast, which is any order for equal elements.
// CHECK-LABEL: func.func @sum_of_a_cast(
func.func @sum_of_a_cast(%a: tensor<7x65xf16> {spyre.dims = ["S", "E"]}) -> tensor<7x65xf16>
    attributes {spyre.tile_scopes = [#spyre.tile_scope<"E" by 64, ops 0 to 3>]} {
  %0 = spyre.dl16tofp32 %a : (tensor<7x65xf16>) -> tensor<7x65xf32>
  %1 = spyre.sum %0 dims [1] keepdim : (tensor<7x65xf32>) -> tensor<7x1xf32>
  %2 = spyre.sub %0, %1 : (tensor<7x65xf32>, tensor<7x1xf32>) -> tensor<7x65xf32>
  %3 = spyre.fp32todl16 %2 : (tensor<7x65xf32>) -> tensor<7x65xf16>
  return %3 : tensor<7x65xf16>
}

// One of two tensors: the window runs along a dimension of one element that only it has, which is not the one that the product contracts.
// CHECK-LABEL: func.func @product_with_a_window(
// CHECK: tensor.extract_slice
// CHECK: spyre.batchmatmul
func.func @product_with_a_window(%w: tensor<2x14x64x1xf16>, %x: tensor<16x64xf16>) -> tensor<14x16x1xf16> {
  %0 = tensor.extract_slice %w[0, 0, 0, 0] [1, 14, 64, 1] [1, 1, 1, 1] : tensor<2x14x64x1xf16> to tensor<14x64x1xf16>
  %1 = spyre.batchmatmul %x, %0 : (tensor<16x64xf16>, tensor<14x64x1xf16>) -> tensor<14x16x1xf16>
  return %1 : tensor<14x16x1xf16>
}
