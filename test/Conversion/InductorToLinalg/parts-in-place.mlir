// Loop nests that write a part of a buffer in place: the rest stays what it was.

// RUN: spyre-opt %s --convert-inductor-to-linalg -o %t
// RUN: FileCheck %s --check-prefix=IR --input-file %t
// RUN: spyre-run %t --entry rows | FileCheck %s --check-prefix=ROWS
// RUN: spyre-run %t --entry every_second | FileCheck %s --check-prefix=EVERY_SECOND
// RUN: spyre-run %t --entry transposed | FileCheck %s --check-prefix=TRANSPOSED
// RUN: spyre-run %t --entry merged | FileCheck %s --check-prefix=MERGED
// RUN: spyre-run %t --entry diagonal | FileCheck %s --check-prefix=DIAGONAL
// RUN: spyre-run %t --entry backwards | FileCheck %s --check-prefix=BACKWARDS

// IR-LABEL: func.func @every_second
// IR: tensor.insert_slice {{.*}}[1, 0] [2, 2] [2, 3]
// IR-LABEL: func.func @diagonal
// IR: scf.for
// IR: tensor.insert

// Two rows, as a slice of a cache is.
// ROWS{LITERAL}: result 0: tensor<4x4xf32> [0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 0.0, 0.0, 0.0, 0.0]
inductor.graph @rows {
  %x = inductor.constant "x" value dense<0.0> : tensor<4x4xf32> : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
  %y = inductor.pointwise "op0" as "buf0" [2, 4] into %x : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>> {
  ^bb0(%i0: index, %i1: index):
    %n = inductor.index_expr affine_map<(d0, d1) -> (d0 * 4 + d1 + 1)>(%i0, %i1) : i64
    %v = inductor.to_dtype %n from i64 to f32 : i64 -> f32
    inductor.store %v at affine_map<(d0, d1) -> (d0 + 1, d1)>(%i0, %i1) : f32
  } : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
  inductor.return %y : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
}

// Every second row and every third column.
// EVERY_SECOND{LITERAL}: result 0: tensor<4x4xf32> [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 4.0]
inductor.graph @every_second {
  %x = inductor.constant "x" value dense<0.0> : tensor<4x4xf32> : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
  %y = inductor.pointwise "op0" as "buf0" [2, 2] into %x : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>> {
  ^bb0(%i0: index, %i1: index):
    %n = inductor.index_expr affine_map<(d0, d1) -> (d0 * 2 + d1 + 1)>(%i0, %i1) : i64
    %v = inductor.to_dtype %n from i64 to f32 : i64 -> f32
    inductor.store %v at affine_map<(d0, d1) -> (d0 * 2 + 1, d1 * 3)>(%i0, %i1) : f32
  } : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
  inductor.return %y : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
}

// A window whose loops are in another order.
// TRANSPOSED{LITERAL}: result 0: tensor<4x4xf32> [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 3.0, 5.0, 0.0, 2.0, 4.0, 6.0]
inductor.graph @transposed {
  %x = inductor.constant "x" value dense<0.0> : tensor<4x4xf32> : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
  %y = inductor.pointwise "op0" as "buf0" [3, 2] into %x : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>> {
  ^bb0(%i0: index, %i1: index):
    %n = inductor.index_expr affine_map<(d0, d1) -> (d0 * 2 + d1 + 1)>(%i0, %i1) : i64
    %v = inductor.to_dtype %n from i64 to f32 : i64 -> f32
    inductor.store %v at affine_map<(d0, d1) -> (d1 + 2, d0 + 1)>(%i0, %i1) : f32
  } : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
  inductor.return %y : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
}

// A loop that runs over two dimensions of a window.
// MERGED{LITERAL}: result 0: tensor<4x4xf32> [0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 0.0, 0.0, 0.0, 0.0]
inductor.graph @merged {
  %x = inductor.constant "x" value dense<0.0> : tensor<4x4xf32> : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
  %y = inductor.pointwise "op0" as "buf0" [8] into %x : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>> {
  ^bb0(%i0: index):
    %n = inductor.index_expr affine_map<(d0) -> (d0 + 1)>(%i0) : i64
    %v = inductor.to_dtype %n from i64 to f32 : i64 -> f32
    inductor.store %v at affine_map<(d0) -> (d0 floordiv 4 + 1, d0 mod 4)>(%i0) : f32
  } : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
  inductor.return %y : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
}

// The places on a diagonal, one by one.
// DIAGONAL{LITERAL}: result 0: tensor<4x4xf32> [1.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 0.0, 4.0]
inductor.graph @diagonal {
  %x = inductor.constant "x" value dense<0.0> : tensor<4x4xf32> : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
  %y = inductor.pointwise "op0" as "buf0" [4] into %x : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>> {
  ^bb0(%i0: index):
    %n = inductor.index_expr affine_map<(d0) -> (d0 + 1)>(%i0) : i64
    %v = inductor.to_dtype %n from i64 to f32 : i64 -> f32
    inductor.store %v at affine_map<(d0) -> (d0, d0)>(%i0) : f32
  } : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
  inductor.return %y : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
}

// The last row, from its end.
// BACKWARDS{LITERAL}: result 0: tensor<4x4xf32> [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 4.0, 3.0, 2.0, 1.0]
inductor.graph @backwards {
  %x = inductor.constant "x" value dense<0.0> : tensor<4x4xf32> : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
  %y = inductor.pointwise "op0" as "buf0" [4] into %x : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>> {
  ^bb0(%i0: index):
    %n = inductor.index_expr affine_map<(d0) -> (d0 + 1)>(%i0) : i64
    %v = inductor.to_dtype %n from i64 to f32 : i64 -> f32
    inductor.store %v at affine_map<(d0) -> (3, -d0 + 3)>(%i0) : f32
  } : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
  inductor.return %y : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
}
