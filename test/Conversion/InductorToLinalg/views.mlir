// Views that are neither slices nor reshapes, views by another type, and outputs that are not buffers.

// RUN: spyre-opt %s --convert-inductor-to-linalg -o %t
// RUN: spyre-run %t --entry diagonal | FileCheck %s --check-prefix=DIAGONAL
// RUN: spyre-run %t --entry product | FileCheck %s --check-prefix=PRODUCT
// RUN: spyre-run %t --entry overlapping | FileCheck %s --check-prefix=OVERLAPPING
// RUN: spyre-run %t --entry bits | FileCheck %s --check-prefix=BITS
// RUN: spyre-run %t --entry none | FileCheck %s --check-prefix=NONE

// The diagonal of a matrix is an output.
// DIAGONAL{LITERAL}: result 0: tensor<4xf32> [0.0, 5.0, 10.0, 15.0]
inductor.graph @diagonal {
  %x = inductor.constant "x" value dense<[[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0, 11.0], [12.0, 13.0, 14.0, 15.0]]> : tensor<4x4xf32> : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
  %d = inductor.view %x : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>> -> tensor<4xf32, #inductor.layout<fixed, [5]>>
  inductor.return %d : tensor<4xf32, #inductor.layout<fixed, [5]>>
}

// A product of a matrix whose columns are its diagonal.
// PRODUCT{LITERAL}: result 0: tensor<1x1xf32> [100.0]
inductor.graph @product {
  %x = inductor.constant "x" value dense<[[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0, 11.0], [12.0, 13.0, 14.0, 15.0]]> : tensor<4x4xf32> : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
  %w = inductor.constant "w" value dense<[[1.0], [2.0], [3.0], [4.0]]> : tensor<4x1xf32> : tensor<4x1xf32, #inductor.layout<fixed, [1, 1]>>
  %d = inductor.view %x : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>> -> tensor<1x4xf32, #inductor.layout<fixed, [0, 5]>>
  %y = inductor.extern "op0" as "buf0" "FallbackKernel" "aten.mm.out"(%d, %w) {kernel = "extern_kernels.mm"} : (tensor<1x4xf32, #inductor.layout<fixed, [0, 5]>>, tensor<4x1xf32, #inductor.layout<fixed, [1, 1]>>) -> tensor<1x1xf32, #inductor.layout<fixed, [1, 1]>>
  inductor.return %y : tensor<1x1xf32, #inductor.layout<fixed, [1, 1]>>
}

// Windows of a line that overlap, in rows.
// OVERLAPPING{LITERAL}: result 0: tensor<3x3xf32> [0.0, 1.0, 2.0, 1.0, 2.0, 3.0, 2.0, 3.0, 4.0]
inductor.graph @overlapping {
  %x = inductor.constant "x" value dense<[0.0, 1.0, 2.0, 3.0, 4.0]> : tensor<5xf32> : tensor<5xf32, #inductor.layout<fixed, [1]>>
  %d = inductor.view %x : tensor<5xf32, #inductor.layout<fixed, [1]>> -> tensor<3x3xf32, #inductor.layout<fixed, [1, 1]>>
  inductor.return %d : tensor<3x3xf32, #inductor.layout<fixed, [1, 1]>>
}

// The bits of floats as integers, and back: those of an output and of an operand.
// BITS{LITERAL}: result 0: tensor<2x2xi32> [1065353216, -1073741824, 0, 2143289344]
// BITS-NEXT{LITERAL}: result 1: tensor<2x2xf32> [1.0, 0.0, -2.0, NaN]
inductor.graph @bits {
  %x = inductor.constant "x" value dense<[[1.0, -2.0], [0.0, 0x7FC00000]]> : tensor<2x2xf32> : tensor<2x2xf32, #inductor.layout<fixed, [2, 1]>>
  %n = inductor.constant "n" value dense<[[1065353216, -1073741824], [0, 2143289344]]> : tensor<2x2xi32> : tensor<2x2xi32, #inductor.layout<fixed, [2, 1]>>
  %d = inductor.view %x : tensor<2x2xf32, #inductor.layout<fixed, [2, 1]>> -> tensor<2x2xi32, #inductor.layout<fixed, [2, 1]>>
  %e = inductor.view %n : tensor<2x2xi32, #inductor.layout<fixed, [2, 1]>> -> tensor<2x2xf32, #inductor.layout<fixed, [1, 2]>>
  inductor.return %d, %e : tensor<2x2xi32, #inductor.layout<fixed, [2, 1]>>, tensor<2x2xf32, #inductor.layout<fixed, [1, 2]>>
}

// An output that is None is no result, and a size is an integer.
// NONE{LITERAL}: result 0: tensor<2xf32> [1.0, 2.0]
// NONE-NEXT{LITERAL}: result 1: tensor<i64> [7]
inductor.graph @none {
  %x = inductor.constant "x" value dense<[1.0, 2.0]> : tensor<2xf32> : tensor<2xf32, #inductor.layout<fixed, [1]>>
  inductor.return %x outputs [unit, #inductor.operand<0>, affine_map<() -> (7)>] : tensor<2xf32, #inductor.layout<fixed, [1]>>
}
