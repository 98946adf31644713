// Loop nests that run element by element, run. The numbers are NumPy's.

// RUN: spyre-opt %s --convert-inductor-to-linalg -o %t
// RUN: FileCheck %s --check-prefix=IR --input-file %t
// RUN: spyre-run %t --entry sums | FileCheck %s --check-prefix=SUMS
// RUN: spyre-run %t --entry products | FileCheck %s --check-prefix=PRODUCTS
// RUN: spyre-run %t --entry positions | FileCheck %s --check-prefix=POSITIONS
// RUN: spyre-run %t --entry descending | FileCheck %s --check-prefix=DESCENDING
// RUN: spyre-run %t --entry order | FileCheck %s --check-prefix=ORDER
// RUN: spyre-run %t --entry added | FileCheck %s --check-prefix=ADDED
// RUN: spyre-run %t --entry put | FileCheck %s --check-prefix=PUT

// IR-LABEL: func.func @sums
// IR-COUNT-3: scf.for
// IR-LABEL: func.func @added
// IR: scf.for
// IR: arith.addf
// IR: tensor.insert

// Sums so far along the rows.
// SUMS{LITERAL}: result 0: tensor<4x4xf32> [-2.0, -3.75, -5.25, -6.5, -1.0, -1.75, -2.25, -2.5, 0.0, 0.25, 0.75, 1.5, 1.0, 2.25, 3.75, 5.5]
inductor.graph @sums {
  %x = inductor.constant "x" value dense<[[-2.0, -1.75, -1.5, -1.25], [-1.0, -0.75, -0.5, -0.25], [0.0, 0.25, 0.5, 0.75], [1.0, 1.25, 1.5, 1.75]]> : tensor<4x4xf32> : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
  %y = inductor.scan "op0" as "buf0" [4, 4] over [4] output 0 {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>> -> f32
    inductor.store %v at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : f32
  } combine {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    inductor.yield %s : f32
  } : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
  inductor.return %y : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
}

// Products so far along the columns: the loop of a scan is the last one.
// PRODUCTS{LITERAL}: result 0: tensor<4x4xf32> [-2.0, -1.75, -1.5, -1.25, 2.0, 1.3125, 0.75, 0.3125, 0.0, 0.328125, 0.375, 0.234375, 0.0, 0.41015625, 0.5625, 0.41015625]
inductor.graph @products {
  %x = inductor.constant "x" value dense<[[-2.0, -1.75, -1.5, -1.25], [-1.0, -0.75, -0.5, -0.25], [0.0, 0.25, 0.5, 0.75], [1.0, 1.25, 1.5, 1.75]]> : tensor<4x4xf32> : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
  %y = inductor.scan "op0" as "buf0" [4, 4] over [4] output 0 {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at affine_map<(d0, d1) -> (d1, d0)>(%i, %j) : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>> -> f32
    inductor.store %v at affine_map<(d0, d1) -> (d1, d0)>(%i, %j) : f32
  } combine {
  ^bb0(%a: f32, %b: f32):
    %s = arith.mulf %a, %b : f32
    inductor.yield %s : f32
  } : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
  inductor.return %y : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
}

// The place of the largest element so far: two values, of which the buffer has the second.
// POSITIONS{LITERAL}: result 0: tensor<2x6xi64> [0, 1, 1, 1, 4, 4, 0, 0, 0, 3, 3, 3]
inductor.graph @positions {
  %x = inductor.constant "x" value dense<[[1.0, 5.0, 5.0, 2.0, 7.0, 7.0], [3.0, 3.0, 2.0, 9.0, 1.0, 9.0]]> : tensor<2x6xf32> : tensor<2x6xf32, #inductor.layout<fixed, [6, 1]>>
  %y = inductor.scan "op0" as "buf0" [2, 6] over [6] output 1 {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : tensor<2x6xf32, #inductor.layout<fixed, [6, 1]>> -> f32
    %n = inductor.index_expr affine_map<(d0, d1) -> (d1)>(%i, %j) : i64
    inductor.store %v, %n at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : f32, i64
  } combine {
  ^bb0(%a: f32, %n: i64, %b: f32, %m: i64):
    %c = arith.cmpf ogt, %b, %a : f32
    %s = arith.select %c, %b, %a : f32
    %t = arith.select %c, %m, %n : i64
    inductor.yield %s, %t : f32, i64
  } : tensor<2x6xi64, #inductor.layout<fixed, [6, 1]>>
  inductor.return %y : tensor<2x6xi64, #inductor.layout<fixed, [6, 1]>>
}

// Elements from the largest one, the first of equal ones first: their values.
// DESCENDING{LITERAL}: result 0: tensor<2x6xf32> [7.0, 7.0, 5.0, 5.0, 2.0, 1.0, 9.0, 9.0, 3.0, 3.0, 2.0, 1.0]
inductor.graph @descending {
  %x = inductor.constant "x" value dense<[[1.0, 5.0, 5.0, 2.0, 7.0, 7.0], [3.0, 3.0, 2.0, 9.0, 1.0, 9.0]]> : tensor<2x6xf32> : tensor<2x6xf32, #inductor.layout<fixed, [6, 1]>>
  %y = inductor.sort "op0" as "buf0" [2, 6] over [6] output 0 stable descending {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : tensor<2x6xf32, #inductor.layout<fixed, [6, 1]>> -> f32
    %n = inductor.index_expr affine_map<(d0, d1) -> (d1)>(%i, %j) : i64
    inductor.store %v, %n at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : f32, i64
  } : tensor<2x6xf32, #inductor.layout<fixed, [6, 1]>>
  inductor.return %y : tensor<2x6xf32, #inductor.layout<fixed, [6, 1]>>
}

// Elements from the largest one, the first of equal ones first: their places.
// ORDER{LITERAL}: result 0: tensor<2x6xi64> [4, 5, 1, 2, 3, 0, 3, 5, 0, 1, 2, 4]
inductor.graph @order {
  %x = inductor.constant "x" value dense<[[1.0, 5.0, 5.0, 2.0, 7.0, 7.0], [3.0, 3.0, 2.0, 9.0, 1.0, 9.0]]> : tensor<2x6xf32> : tensor<2x6xf32, #inductor.layout<fixed, [6, 1]>>
  %y = inductor.sort "op0" as "buf0" [2, 6] over [6] output 1 stable descending {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : tensor<2x6xf32, #inductor.layout<fixed, [6, 1]>> -> f32
    %n = inductor.index_expr affine_map<(d0, d1) -> (d1)>(%i, %j) : i64
    inductor.store %v, %n at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : f32, i64
  } : tensor<2x6xi64, #inductor.layout<fixed, [6, 1]>>
  inductor.return %y : tensor<2x6xi64, #inductor.layout<fixed, [6, 1]>>
}

// Rows that are added at places, two of them at the same one.
// ADDED{LITERAL}: result 0: tensor<3x2xf32> [13.0, 14.0, 17.0, 18.0, 16.0, 18.0]
inductor.graph @added {
  %x = inductor.constant "x" value dense<[[10.0, 10.0], [10.0, 10.0], [10.0, 10.0]]> : tensor<3x2xf32> : tensor<3x2xf32, #inductor.layout<fixed, [2, 1]>>
  %n = inductor.constant "n" value dense<[2, 0, 2, 1]> : tensor<4xi64> : tensor<4xi64, #inductor.layout<fixed, [1]>>
  %y = inductor.constant "y" value dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32> : tensor<4x2xf32, #inductor.layout<fixed, [2, 1]>>
  %z = inductor.scatter "op0" as "buf0" [4, 2] into %x mode "atomic_add" {
  ^bb0(%i: index, %j: index):
    %k = inductor.load %n at affine_map<(d0, d1) -> (d0)>(%i, %j) : tensor<4xi64, #inductor.layout<fixed, [1]>> -> i64
    %at = inductor.indirect %k below [3] : i64
    %v = inductor.load %y at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : tensor<4x2xf32, #inductor.layout<fixed, [2, 1]>> -> f32
    inductor.store %v at affine_map<(d0, d1) -> (d0, d1)>(%at, %j) : f32
  } : tensor<3x2xf32, #inductor.layout<fixed, [2, 1]>> -> tensor<3x2xf32, #inductor.layout<fixed, [2, 1]>>
  inductor.return %z : tensor<3x2xf32, #inductor.layout<fixed, [2, 1]>>
}

// Rows that are put at places: the last one stays.
// PUT{LITERAL}: result 0: tensor<3x2xf32> [3.0, 4.0, 7.0, 8.0, 5.0, 6.0]
inductor.graph @put {
  %x = inductor.constant "x" value dense<[[10.0, 10.0], [10.0, 10.0], [10.0, 10.0]]> : tensor<3x2xf32> : tensor<3x2xf32, #inductor.layout<fixed, [2, 1]>>
  %n = inductor.constant "n" value dense<[2, 0, 2, 1]> : tensor<4xi64> : tensor<4xi64, #inductor.layout<fixed, [1]>>
  %y = inductor.constant "y" value dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32> : tensor<4x2xf32, #inductor.layout<fixed, [2, 1]>>
  %z = inductor.scatter "op0" as "buf0" [4, 2] into %x {
  ^bb0(%i: index, %j: index):
    %k = inductor.load %n at affine_map<(d0, d1) -> (d0)>(%i, %j) : tensor<4xi64, #inductor.layout<fixed, [1]>> -> i64
    %at = inductor.indirect %k below [3] : i64
    %v = inductor.load %y at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : tensor<4x2xf32, #inductor.layout<fixed, [2, 1]>> -> f32
    inductor.store %v at affine_map<(d0, d1) -> (d0, d1)>(%at, %j) : f32
  } : tensor<3x2xf32, #inductor.layout<fixed, [2, 1]>> -> tensor<3x2xf32, #inductor.layout<fixed, [2, 1]>>
  inductor.return %z : tensor<3x2xf32, #inductor.layout<fixed, [2, 1]>>
}
