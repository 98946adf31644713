// Products of matrices in groups. The numbers are those of a program in Python that multiplies group by group.

// RUN: spyre-opt %s --convert-inductor-to-linalg -o %t
// RUN: spyre-run %t --entry rows | FileCheck %s --check-prefix=ROWS
// RUN: spyre-run %t --entry columns | FileCheck %s --check-prefix=COLUMNS
// RUN: spyre-run %t --entry inner | FileCheck %s --check-prefix=INNER
// RUN: spyre-run %t --entry batch | FileCheck %s --check-prefix=BATCH

// Rows in groups. The second group is empty, and its matrix infinite; the last row is of no group.
// ROWS{LITERAL}: result 0: tensor<6x2xf32> [2.75, -2.0, 1.25, -3.5, -1.75, 0.5, 0.75, 1.0, -6.0, 2.0, 0.0, 0.0]
inductor.graph @rows {
  %a = inductor.constant "a" value dense<[[1.5, 1.0, 0.5], [2.0, 0.5, 2.0], [0.5, 1.0, -1.5], [-0.5, 1.0, 0.5], [-1.0, -1.0, -2.0], [-1.0, 0.5, 0.0]]> : tensor<6x3xf32> : tensor<6x3xf32, #inductor.layout<fixed, [3, 1]>>
  %b = inductor.constant "b" value dense<[[[2.0, -2.0], [0.5, 1.0], [-1.5, 0.0]], [[0x7F800000, 0x7F800000], [0x7F800000, 0x7F800000], [0x7F800000, 0x7F800000]], [[1.5, -1.5], [0.5, 0.5], [2.0, -0.5]]]> : tensor<3x3x2xf32> : tensor<3x3x2xf32, #inductor.layout<fixed, [6, 2, 1]>>
  %n = inductor.constant "n" value dense<[2, 2, 5]> : tensor<3xi32> : tensor<3xi32, #inductor.layout<fixed, [1]>>
  %y = inductor.extern "op0" as "buf0" "ExternKernelAlloc" "aten._grouped_mm.default"(%a, %b, %n) {kernel = "extern_kernels._grouped_mm", kwargs = {out_dtype = unit}} : (tensor<6x3xf32, #inductor.layout<fixed, [3, 1]>>, tensor<3x3x2xf32, #inductor.layout<fixed, [6, 2, 1]>>, tensor<3xi32, #inductor.layout<fixed, [1]>>) -> tensor<6x2xf32, #inductor.layout<fixed, [2, 1]>>
  inductor.return %y : tensor<6x2xf32, #inductor.layout<fixed, [2, 1]>>
}

// Columns in groups.
// COLUMNS{LITERAL}: result 0: tensor<2x4xf32> [2.0, 1.5, 2.25, 0.25, 0.5, 1.25, 2.25, -6.75]
inductor.graph @columns {
  %a = inductor.constant "a" value dense<[[[1.5, 0.5, 0.5], [-0.5, 0.5, 2.0]], [[-0.5, -1.0, -1.0], [0.5, 2.0, -1.5]]]> : tensor<2x2x3xf32> : tensor<2x2x3xf32, #inductor.layout<fixed, [6, 3, 1]>>
  %b = inductor.constant "b" value dense<[[1.5, 2.0, 0.5, -1.5], [-1.5, -1.0, -0.5, -1.5], [1.0, -1.5, -2.0, 2.0]]> : tensor<3x4xf32> : tensor<3x4xf32, #inductor.layout<fixed, [4, 1]>>
  %n = inductor.constant "n" value dense<[1, 4]> : tensor<2xi32> : tensor<2xi32, #inductor.layout<fixed, [1]>>
  %y = inductor.extern "op0" as "buf0" "ExternKernelAlloc" "aten._grouped_mm.default"(%a, %b, %n) {kernel = "extern_kernels._grouped_mm", kwargs = {out_dtype = unit}} : (tensor<2x2x3xf32, #inductor.layout<fixed, [6, 3, 1]>>, tensor<3x4xf32, #inductor.layout<fixed, [4, 1]>>, tensor<2xi32, #inductor.layout<fixed, [1]>>) -> tensor<2x4xf32, #inductor.layout<fixed, [4, 1]>>
  inductor.return %y : tensor<2x4xf32, #inductor.layout<fixed, [4, 1]>>
}

// Parts of what is summed in groups. An infinite element is in the first group alone.
// INNER{LITERAL}: result 0: tensor<3x2x2xf32> [inf, 2.0, inf, 2.75, 0.0, 0.0, 0.0, 0.0, -0.75, 0.75, 3.0, -1.25]
inductor.graph @inner {
  %a = inductor.constant "a" value dense<[[1.0, 0.0, 0.0, 1.5, 1.5], [1.5, -0.5, -2.0, -1.5, 1.0]]> : tensor<2x5xf32> : tensor<2x5xf32, #inductor.layout<fixed, [5, 1]>>
  %b = inductor.constant "b" value dense<[[0x7F800000, 2.0], [0.0, 0.5], [-0.5, -1.0], [-1.0, 1.5], [0.5, -1.0]]> : tensor<5x2xf32> : tensor<5x2xf32, #inductor.layout<fixed, [2, 1]>>
  %n = inductor.constant "n" value dense<[2, 2, 5]> : tensor<3xi32> : tensor<3xi32, #inductor.layout<fixed, [1]>>
  %y = inductor.extern "op0" as "buf0" "ExternKernelAlloc" "aten._grouped_mm.default"(%a, %b, %n) {kernel = "extern_kernels._grouped_mm", kwargs = {out_dtype = unit}} : (tensor<2x5xf32, #inductor.layout<fixed, [5, 1]>>, tensor<5x2xf32, #inductor.layout<fixed, [2, 1]>>, tensor<3xi32, #inductor.layout<fixed, [1]>>) -> tensor<3x2x2xf32, #inductor.layout<fixed, [4, 2, 1]>>
  inductor.return %y : tensor<3x2x2xf32, #inductor.layout<fixed, [4, 2, 1]>>
}

// A matrix for each group on both sides.
// BATCH{LITERAL}: result 0: tensor<2x2x2xf32> [1.0, 0.5, -1.0, 1.75, 3.5, -5.25, 0.0, -1.75]
inductor.graph @batch {
  %a = inductor.constant "a" value dense<[[[1.0, -0.5, 0.0], [-1.0, 2.0, 0.5]], [[-1.5, 1.0, -2.0], [1.5, -1.0, -1.5]]]> : tensor<2x2x3xf32> : tensor<2x2x3xf32, #inductor.layout<fixed, [6, 3, 1]>>
  %b = inductor.constant "b" value dense<[[[1.0, 1.5], [0.0, 2.0], [0.0, -1.5]], [[-1.0, 0.5], [0.0, -0.5], [-1.0, 2.0]]]> : tensor<2x3x2xf32> : tensor<2x3x2xf32, #inductor.layout<fixed, [6, 2, 1]>>
  %y = inductor.extern "op0" as "buf0" "ExternKernelAlloc" "aten._grouped_mm.default"(%a, %b) {kernel = "extern_kernels._grouped_mm", kwargs = {out_dtype = unit}} : (tensor<2x2x3xf32, #inductor.layout<fixed, [6, 3, 1]>>, tensor<2x3x2xf32, #inductor.layout<fixed, [6, 2, 1]>>) -> tensor<2x2x2xf32, #inductor.layout<fixed, [4, 2, 1]>>
  inductor.return %y : tensor<2x2x2xf32, #inductor.layout<fixed, [4, 2, 1]>>
}
