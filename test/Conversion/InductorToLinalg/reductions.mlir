// Every kind of reduction, run. The numbers are NumPy's: the first of equal ones counts, and NaN is the largest and the smallest.

// RUN: spyre-opt %s --convert-inductor-to-linalg -o %t
// RUN: FileCheck %s --check-prefix=IR --input-file %t
// RUN: spyre-run %t --entry sum | FileCheck %s --check-prefix=SUM
// RUN: spyre-run %t --entry prod | FileCheck %s --check-prefix=PROD
// RUN: spyre-run %t --entry max | FileCheck %s --check-prefix=MAX
// RUN: spyre-run %t --entry min | FileCheck %s --check-prefix=MIN
// RUN: spyre-run %t --entry argmax | FileCheck %s --check-prefix=ARGMAX
// RUN: spyre-run %t --entry argmin | FileCheck %s --check-prefix=ARGMIN
// RUN: spyre-run %t --entry any | FileCheck %s --check-prefix=ANY
// RUN: spyre-run %t --entry xor_sum | FileCheck %s --check-prefix=XOR_SUM
// RUN: spyre-run %t --entry sum_of_integers | FileCheck %s --check-prefix=SUM_OF_INTEGERS
// RUN: spyre-run %t --entry prod_of_integers | FileCheck %s --check-prefix=PROD_OF_INTEGERS
// RUN: spyre-run %t --entry max_of_integers | FileCheck %s --check-prefix=MAX_OF_INTEGERS
// RUN: spyre-run %t --entry argmin_of_integers | FileCheck %s --check-prefix=ARGMIN_OF_INTEGERS
// RUN: spyre-run %t --entry dot | FileCheck %s --check-prefix=DOT
// RUN: spyre-run %t --entry mean | FileCheck %s --check-prefix=MEAN
// RUN: spyre-run %t --entry deviations | FileCheck %s --check-prefix=DEVIATIONS
// RUN: spyre-run %t --entry number | FileCheck %s --check-prefix=NUMBER
// RUN: spyre-run %t --entry combined_mean | FileCheck %s --check-prefix=COMBINED_MEAN
// RUN: spyre-run %t --entry combined_deviations | FileCheck %s --check-prefix=COMBINED_DEVIATIONS
// RUN: spyre-run %t --entry combined_weight | FileCheck %s --check-prefix=COMBINED_WEIGHT
// RUN: spyre-run %t --entry largest | FileCheck %s --check-prefix=LARGEST
// RUN: spyre-run %t --entry exponentials | FileCheck %s --check-prefix=EXPONENTIALS

// IR-LABEL: func.func @argmax
// IR: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]{{.*}} ins({{.*}} : tensor<4x4xf32>) outs({{.*}} : tensor<4xf32>, tensor<4xi64>)
// IR-LABEL: func.func @deviations
// IR-COUNT-2: iterator_types = ["parallel", "reduction"]

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
!f32 = tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
!row_f32 = tensor<4xf32, #inductor.layout<fixed, [1]>>
!i64 = tensor<4x4xi64, #inductor.layout<fixed, [4, 1]>>
!row_i64 = tensor<4xi64, #inductor.layout<fixed, [1]>>
!i1 = tensor<4x4xi1, #inductor.layout<fixed, [4, 1]>>
!row_i1 = tensor<4xi1, #inductor.layout<fixed, [1]>>

// SUM: result 0: tensor<4xf32> [3.75, 1.5, 0.125, 9.0]
inductor.graph @sum {
  %x0 = inductor.constant "x0" value dense<[[1.5, -2.0, 0.25, 4.0], [-1.0, -1.0, 0.5, 3.0], [0.0, 2.0, -2.0, 0.125], [2.0, 7.5, 7.5, -8.0]]> : tensor<4x4xf32> : !f32
  %y = inductor.reduction "op0" as "buf0" sum [4] over [4] from f32 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x0 at #id(%i, %j) : !f32 -> f32
    inductor.store %0 at #row(%i, %j) : f32
  } : !row_f32
  inductor.return %y : !row_f32
}

// PROD: result 0: tensor<4xf32> [-3.0, 1.5, -0.0, -900.0]
inductor.graph @prod {
  %x0 = inductor.constant "x0" value dense<[[1.5, -2.0, 0.25, 4.0], [-1.0, -1.0, 0.5, 3.0], [0.0, 2.0, -2.0, 0.125], [2.0, 7.5, 7.5, -8.0]]> : tensor<4x4xf32> : !f32
  %y = inductor.reduction "op0" as "buf0" prod [4] over [4] from f32 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x0 at #id(%i, %j) : !f32 -> f32
    inductor.store %0 at #row(%i, %j) : f32
  } : !row_f32
  inductor.return %y : !row_f32
}

// MAX: result 0: tensor<4xf32> [4.0, NaN, -inf, 7.5]
inductor.graph @max {
  %x0 = inductor.constant "x0" value dense<[[1.5, -2.0, 0.25, 4.0], [-1.0, -1.0, 0x7FC00000, 3.0], [0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [2.0, 7.5, 7.5, -8.0]]> : tensor<4x4xf32> : !f32
  %y = inductor.reduction "op0" as "buf0" max [4] over [4] from f32 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x0 at #id(%i, %j) : !f32 -> f32
    inductor.store %0 at #row(%i, %j) : f32
  } : !row_f32
  inductor.return %y : !row_f32
}

// MIN: result 0: tensor<4xf32> [-2.0, NaN, -inf, -8.0]
inductor.graph @min {
  %x0 = inductor.constant "x0" value dense<[[1.5, -2.0, 0.25, 4.0], [-1.0, -1.0, 0x7FC00000, 3.0], [0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [2.0, 7.5, 7.5, -8.0]]> : tensor<4x4xf32> : !f32
  %y = inductor.reduction "op0" as "buf0" min [4] over [4] from f32 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x0 at #id(%i, %j) : !f32 -> f32
    inductor.store %0 at #row(%i, %j) : f32
  } : !row_f32
  inductor.return %y : !row_f32
}

// ARGMAX: result 0: tensor<4xi64> [3, 2, 0, 1]
inductor.graph @argmax {
  %x0 = inductor.constant "x0" value dense<[[1.5, -2.0, 0.25, 4.0], [-1.0, -1.0, 0x7FC00000, 3.0], [0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [2.0, 7.5, 7.5, -8.0]]> : tensor<4x4xf32> : !f32
  %y = inductor.reduction "op0" as "buf0" argmax [4] over [4] from f32 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x0 at #id(%i, %j) : !f32 -> f32
    inductor.store %0 at #row(%i, %j) : f32
  } : !row_i64
  inductor.return %y : !row_i64
}

// ARGMIN: result 0: tensor<4xi64> [1, 2, 0, 3]
inductor.graph @argmin {
  %x0 = inductor.constant "x0" value dense<[[1.5, -2.0, 0.25, 4.0], [-1.0, -1.0, 0x7FC00000, 3.0], [0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [2.0, 7.5, 7.5, -8.0]]> : tensor<4x4xf32> : !f32
  %y = inductor.reduction "op0" as "buf0" argmin [4] over [4] from f32 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x0 at #id(%i, %j) : !f32 -> f32
    inductor.store %0 at #row(%i, %j) : f32
  } : !row_i64
  inductor.return %y : !row_i64
}

// ANY: result 0: tensor<4xi1> [true, false, true, true]
inductor.graph @any {
  %x0 = inductor.constant "x0" value dense<[[true, false, false, false], [false, false, false, false], [true, true, true, true], [false, true, true, false]]> : tensor<4x4xi1> : !i1
  %y = inductor.reduction "op0" as "buf0" any [4] over [4] from i1 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x0 at #id(%i, %j) : !i1 -> i1
    inductor.store %0 at #row(%i, %j) : i1
  } : !row_i1
  inductor.return %y : !row_i1
}

// XOR_SUM: result 0: tensor<4xi64> [4, -6, 0, -9223372036854775808]
inductor.graph @xor_sum {
  %x0 = inductor.constant "x0" value dense<[[1, 2, 3, 4], [-5, 6, 7, 0], [3, 3, 3, 3], [9223372036854775807, 1, 2, -4]]> : tensor<4x4xi64> : !i64
  %y = inductor.reduction "op0" as "buf0" xor_sum [4] over [4] from i64 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x0 at #id(%i, %j) : !i64 -> i64
    inductor.store %0 at #row(%i, %j) : i64
  } : !row_i64
  inductor.return %y : !row_i64
}

// SUM_OF_INTEGERS: result 0: tensor<4xi64> [10, 8, 12, 9223372036854775806]
inductor.graph @sum_of_integers {
  %x0 = inductor.constant "x0" value dense<[[1, 2, 3, 4], [-5, 6, 7, 0], [3, 3, 3, 3], [9223372036854775807, 1, 2, -4]]> : tensor<4x4xi64> : !i64
  %y = inductor.reduction "op0" as "buf0" sum [4] over [4] from i64 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x0 at #id(%i, %j) : !i64 -> i64
    inductor.store %0 at #row(%i, %j) : i64
  } : !row_i64
  inductor.return %y : !row_i64
}

// PROD_OF_INTEGERS: result 0: tensor<4xi64> [24, 0, 81, 8]
inductor.graph @prod_of_integers {
  %x0 = inductor.constant "x0" value dense<[[1, 2, 3, 4], [-5, 6, 7, 0], [3, 3, 3, 3], [9223372036854775807, 1, 2, -4]]> : tensor<4x4xi64> : !i64
  %y = inductor.reduction "op0" as "buf0" prod [4] over [4] from i64 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x0 at #id(%i, %j) : !i64 -> i64
    inductor.store %0 at #row(%i, %j) : i64
  } : !row_i64
  inductor.return %y : !row_i64
}

// MAX_OF_INTEGERS: result 0: tensor<4xi64> [4, 7, 3, 9223372036854775807]
inductor.graph @max_of_integers {
  %x0 = inductor.constant "x0" value dense<[[1, 2, 3, 4], [-5, 6, 7, 0], [3, 3, 3, 3], [9223372036854775807, 1, 2, -4]]> : tensor<4x4xi64> : !i64
  %y = inductor.reduction "op0" as "buf0" max [4] over [4] from i64 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x0 at #id(%i, %j) : !i64 -> i64
    inductor.store %0 at #row(%i, %j) : i64
  } : !row_i64
  inductor.return %y : !row_i64
}

// ARGMIN_OF_INTEGERS: result 0: tensor<4xi64> [0, 0, 0, 3]
inductor.graph @argmin_of_integers {
  %x0 = inductor.constant "x0" value dense<[[1, 2, 3, 4], [-5, 6, 7, 0], [3, 3, 3, 3], [9223372036854775807, 1, 2, -4]]> : tensor<4x4xi64> : !i64
  %y = inductor.reduction "op0" as "buf0" argmin [4] over [4] from i64 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x0 at #id(%i, %j) : !i64 -> i64
    inductor.store %0 at #row(%i, %j) : i64
  } : !row_i64
  inductor.return %y : !row_i64
}

// DOT: result 0: tensor<4xf32> [13.75, 3.0, -5.5, -3.75]
inductor.graph @dot {
  %x0 = inductor.constant "x0" value dense<[[1.5, -2.0, 0.25, 4.0], [-1.0, -1.0, 0.5, 3.0], [0.0, 2.0, -2.0, 0.125], [2.0, 7.5, 7.5, -8.0]]> : tensor<4x4xf32> : !f32
  %x1 = inductor.constant "x1" value dense<[[1.0, 2.0, 1.0, 4.0], [2.0, 2.0, 2.0, 2.0], [1.0, 0.0, 3.0, 4.0], [0.5, 0.5, 1.0, 2.0]]> : tensor<4x4xf32> : !f32
  %y = inductor.reduction "op0" as "buf0" dot [4] over [4] from f32 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x0 at #id(%i, %j) : !f32 -> f32
    %1 = inductor.load %x1 at #id(%i, %j) : !f32 -> f32
    inductor.store %0, %1 at #row(%i, %j) : f32, f32
  } : !row_f32
  inductor.return %y : !row_f32
}

// MEAN: result 0: tensor<4xf32> [0.9375, 0.375, 0.03125, 2.25]
inductor.graph @mean {
  %x0 = inductor.constant "x0" value dense<[[1.5, -2.0, 0.25, 4.0], [-1.0, -1.0, 0.5, 3.0], [0.0, 2.0, -2.0, 0.125], [2.0, 7.5, 7.5, -8.0]]> : tensor<4x4xf32> : !f32
  %y = inductor.reduction "op0" as "buf0" welford_reduce [4] over [4] from f32 output 0 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x0 at #id(%i, %j) : !f32 -> f32
    inductor.store %0 at #row(%i, %j) : f32
  } : !row_f32
  inductor.return %y : !row_f32
}

// DEVIATIONS: result 0: tensor<4xf32> [18.796875, 10.6875, 8.011719, 160.25]
inductor.graph @deviations {
  %x0 = inductor.constant "x0" value dense<[[1.5, -2.0, 0.25, 4.0], [-1.0, -1.0, 0.5, 3.0], [0.0, 2.0, -2.0, 0.125], [2.0, 7.5, 7.5, -8.0]]> : tensor<4x4xf32> : !f32
  %y = inductor.reduction "op0" as "buf0" welford_reduce [4] over [4] from f32 output 1 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x0 at #id(%i, %j) : !f32 -> f32
    inductor.store %0 at #row(%i, %j) : f32
  } : !row_f32
  inductor.return %y : !row_f32
}

// NUMBER: result 0: tensor<4xf32> [4.0, 4.0, 4.0, 4.0]
inductor.graph @number {
  %x0 = inductor.constant "x0" value dense<[[1.5, -2.0, 0.25, 4.0], [-1.0, -1.0, 0.5, 3.0], [0.0, 2.0, -2.0, 0.125], [2.0, 7.5, 7.5, -8.0]]> : tensor<4x4xf32> : !f32
  %y = inductor.reduction "op0" as "buf0" welford_reduce [4] over [4] from f32 output 2 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x0 at #id(%i, %j) : !f32 -> f32
    inductor.store %0 at #row(%i, %j) : f32
  } : !row_f32
  inductor.return %y : !row_f32
}

// COMBINED_MEAN: result 0: tensor<4xf32> [1.71875, 0.375, -0.6875, -0.9375]
inductor.graph @combined_mean {
  %x0 = inductor.constant "x0" value dense<[[1.5, -2.0, 0.25, 4.0], [-1.0, -1.0, 0.5, 3.0], [0.0, 2.0, -2.0, 0.125], [2.0, 7.5, 7.5, -8.0]]> : tensor<4x4xf32> : !f32
  %x1 = inductor.constant "x1" value dense<[[1.5, 2.0, 0.25, 4.0], [1.0, 1.0, 0.5, 3.0], [0.0, 2.0, 2.0, 0.125], [2.0, 7.5, 7.5, 8.0]]> : tensor<4x4xf32> : !f32
  %x2 = inductor.constant "x2" value dense<[[1.0, 2.0, 1.0, 4.0], [2.0, 2.0, 2.0, 2.0], [1.0, 0.0, 3.0, 4.0], [0.5, 0.5, 1.0, 2.0]]> : tensor<4x4xf32> : !f32
  %y = inductor.reduction "op0" as "buf0" welford_combine [4] over [4] from f32 output 0 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x0 at #id(%i, %j) : !f32 -> f32
    %1 = inductor.load %x1 at #id(%i, %j) : !f32 -> f32
    %2 = inductor.load %x2 at #id(%i, %j) : !f32 -> f32
    inductor.store %0, %1, %2 at #row(%i, %j) : f32, f32, f32
  } : !row_f32
  inductor.return %y : !row_f32
}

// COMBINED_DEVIATIONS: result 0: tensor<4xf32> [58.429688, 26.875, 12.40625, 235.85938]
inductor.graph @combined_deviations {
  %x0 = inductor.constant "x0" value dense<[[1.5, -2.0, 0.25, 4.0], [-1.0, -1.0, 0.5, 3.0], [0.0, 2.0, -2.0, 0.125], [2.0, 7.5, 7.5, -8.0]]> : tensor<4x4xf32> : !f32
  %x1 = inductor.constant "x1" value dense<[[1.5, 2.0, 0.25, 4.0], [1.0, 1.0, 0.5, 3.0], [0.0, 2.0, 2.0, 0.125], [2.0, 7.5, 7.5, 8.0]]> : tensor<4x4xf32> : !f32
  %x2 = inductor.constant "x2" value dense<[[1.0, 2.0, 1.0, 4.0], [2.0, 2.0, 2.0, 2.0], [1.0, 0.0, 3.0, 4.0], [0.5, 0.5, 1.0, 2.0]]> : tensor<4x4xf32> : !f32
  %y = inductor.reduction "op0" as "buf0" welford_combine [4] over [4] from f32 output 1 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x0 at #id(%i, %j) : !f32 -> f32
    %1 = inductor.load %x1 at #id(%i, %j) : !f32 -> f32
    %2 = inductor.load %x2 at #id(%i, %j) : !f32 -> f32
    inductor.store %0, %1, %2 at #row(%i, %j) : f32, f32, f32
  } : !row_f32
  inductor.return %y : !row_f32
}

// COMBINED_WEIGHT: result 0: tensor<4xf32> [8.0, 8.0, 8.0, 4.0]
inductor.graph @combined_weight {
  %x0 = inductor.constant "x0" value dense<[[1.5, -2.0, 0.25, 4.0], [-1.0, -1.0, 0.5, 3.0], [0.0, 2.0, -2.0, 0.125], [2.0, 7.5, 7.5, -8.0]]> : tensor<4x4xf32> : !f32
  %x1 = inductor.constant "x1" value dense<[[1.5, 2.0, 0.25, 4.0], [1.0, 1.0, 0.5, 3.0], [0.0, 2.0, 2.0, 0.125], [2.0, 7.5, 7.5, 8.0]]> : tensor<4x4xf32> : !f32
  %x2 = inductor.constant "x2" value dense<[[1.0, 2.0, 1.0, 4.0], [2.0, 2.0, 2.0, 2.0], [1.0, 0.0, 3.0, 4.0], [0.5, 0.5, 1.0, 2.0]]> : tensor<4x4xf32> : !f32
  %y = inductor.reduction "op0" as "buf0" welford_combine [4] over [4] from f32 output 2 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x0 at #id(%i, %j) : !f32 -> f32
    %1 = inductor.load %x1 at #id(%i, %j) : !f32 -> f32
    %2 = inductor.load %x2 at #id(%i, %j) : !f32 -> f32
    inductor.store %0, %1, %2 at #row(%i, %j) : f32, f32, f32
  } : !row_f32
  inductor.return %y : !row_f32
}

// LARGEST: result 0: tensor<4xf32> [4.0, 3.0, 2.0, 7.5]
inductor.graph @largest {
  %x0 = inductor.constant "x0" value dense<[[1.5, -2.0, 0.25, 4.0], [-1.0, -1.0, 0.5, 3.0], [0.0, 2.0, -2.0, 0.125], [2.0, 7.5, 7.5, -8.0]]> : tensor<4x4xf32> : !f32
  %y = inductor.reduction "op0" as "buf0" online_softmax_reduce [4] over [4] from f32 output 0 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x0 at #id(%i, %j) : !f32 -> f32
    inductor.store %0 at #row(%i, %j) : f32
  } : !row_f32
  inductor.return %y : !row_f32
}

// EXPONENTIALS: result 0: tensor<4xf32> [1.1080815, 1.1187162, 1.307006, 2.004087]
inductor.graph @exponentials {
  %x0 = inductor.constant "x0" value dense<[[1.5, -2.0, 0.25, 4.0], [-1.0, -1.0, 0.5, 3.0], [0.0, 2.0, -2.0, 0.125], [2.0, 7.5, 7.5, -8.0]]> : tensor<4x4xf32> : !f32
  %y = inductor.reduction "op0" as "buf0" online_softmax_reduce [4] over [4] from f32 output 1 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x0 at #id(%i, %j) : !f32 -> f32
    inductor.store %0 at #row(%i, %j) : f32
  } : !row_f32
  inductor.return %y : !row_f32
}
