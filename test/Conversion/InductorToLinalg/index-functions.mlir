// Indices that no affine map has, run with the loops of the graph and with fewer, and on the card. The numbers are NumPy's.

// RUN: spyre-opt %s --convert-inductor-to-linalg -o %t
// RUN: FileCheck %s --check-prefix=IR --input-file %t
// RUN: spyre-opt %s --inductor-simplify-loops -o %t.simple
// RUN: FileCheck %s --check-prefix=SIMPLE --input-file %t.simple
// RUN: spyre-opt %t.simple --convert-inductor-to-linalg -o %t.after
// RUN: spyre-run %t --entry repeated | FileCheck %s --check-prefix=REPEATED
// RUN: spyre-run %t.after --entry repeated | FileCheck %s --check-prefix=REPEATED
// RUN: spyre-run %t --entry repeated --on card | FileCheck %s --check-prefix=REPEATED
// RUN: spyre-run %t --entry reflected | FileCheck %s --check-prefix=REFLECTED
// RUN: spyre-run %t.after --entry reflected | FileCheck %s --check-prefix=REFLECTED
// RUN: spyre-run %t --entry reflected --on card | FileCheck %s --check-prefix=REFLECTED
// RUN: spyre-run %t --entry numbers | FileCheck %s --check-prefix=NUMBERS
// RUN: spyre-run %t.after --entry numbers | FileCheck %s --check-prefix=NUMBERS

// The functions are parts of the indices that read them.
// IR-LABEL: func.func @repeated
// IR-NOT:   inductor.
// IR:       tensor.extract

// The first two loops become one; the functions are those of the new loops.
// SIMPLE-LABEL: inductor.graph @repeated
// SIMPLE:         inductor.pointwise "op0" as "buf0" [2, 2, 4] loops [4, 4]
// SIMPLE-NEXT:    ^bb0(%i0: index, %i1: index):
// SIMPLE-NEXT:    %[[LOW:.*]] = inductor.index_apply "max" #{{.*}}(%i0, %i1)
// SIMPLE-NEXT:    %[[HIGH:.*]] = inductor.index_apply "min" #{{.*}}(%i0, %i1, %[[LOW]])
// SIMPLE-NEXT:    inductor.load {{.*}}(%i0, %i1, %[[HIGH]])
// SIMPLE-LABEL: inductor.graph @numbers

// np.pad(x, ((0, 0), (0, 0), (1, 1)), mode="edge")
// REPEATED{LITERAL}: result 0: tensor<2x2x4xf32> [1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0, 5.0, 5.0, 6.0, 6.0, 7.0, 7.0, 8.0, 8.0]
inductor.graph @repeated {
  %x = inductor.constant "x" value dense<[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]> : tensor<2x2x2xf32> : tensor<2x2x2xf32, #inductor.layout<fixed, [4, 2, 1]>>
  %y = inductor.pointwise "op0" as "buf0" [2, 2, 4] {
  ^bb0(%i: index, %j: index, %k: index):
    %low = inductor.index_apply "max" affine_map<(d0, d1, d2) -> (0, d2 - 1)>(%i, %j, %k)
    %high = inductor.index_apply "min" affine_map<(d0, d1, d2, d3) -> (1, d3)>(%i, %j, %k, %low)
    %v = inductor.load %x at affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>(%i, %j, %k, %high) : tensor<2x2x2xf32, #inductor.layout<fixed, [4, 2, 1]>> -> f32
    inductor.store %v at affine_map<(d0, d1, d2) -> (d0, d1, d2)>(%i, %j, %k) : f32
  } : tensor<2x2x4xf32, #inductor.layout<fixed, [8, 4, 1]>>
  inductor.return %y : tensor<2x2x4xf32, #inductor.layout<fixed, [8, 4, 1]>>
}

// np.pad(x, ((0, 0), (1, 2)), mode="reflect")
// REFLECTED{LITERAL}: result 0: tensor<2x6xf32> [2.0, 1.0, 2.0, 3.0, 2.0, 1.0, 5.0, 4.0, 5.0, 6.0, 5.0, 4.0]
inductor.graph @reflected {
  %x = inductor.constant "x" value dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32> : tensor<2x3xf32, #inductor.layout<fixed, [3, 1]>>
  %y = inductor.pointwise "op0" as "buf0" [2, 6] {
  ^bb0(%i: index, %j: index):
    %first = inductor.index_apply "abs" affine_map<(d0, d1) -> (d1 - 1)>(%i, %j)
    %second = inductor.index_apply "abs" affine_map<(d0, d1, d2) -> (d2 - 2)>(%i, %j, %first)
    inductor.check_bounds affine_map<(d0, d1, d2) -> (2 - d2)>(%i, %j, %second) below [3]
    %v = inductor.load %x at affine_map<(d0, d1, d2) -> (d0, 2 - d2)>(%i, %j, %second) : tensor<2x3xf32, #inductor.layout<fixed, [3, 1]>> -> f32
    inductor.store %v at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : f32
  } : tensor<2x6xf32, #inductor.layout<fixed, [6, 1]>>
  inductor.return %y : tensor<2x6xf32, #inductor.layout<fixed, [6, 1]>>
}

// i = np.arange(2)[:, None]; j = np.arange(3); 60 / ((i + 1) * (j + 1) + (j + 7) // (i + 1) + (j + 7) % (i + 1) + (j + 7) // (i + 1) % (j + 1))
// NUMBERS{LITERAL}: result 0: tensor<2x3xf32> [7.5, 6.0, 5.0, 10.0, 7.5, 5.0]
inductor.graph @numbers {
  %y = inductor.pointwise "op0" as "buf0" [2, 3] {
  ^bb0(%i: index, %j: index):
    %all = arith.constant 60.0 : f32
    %product = inductor.index_apply "mul" affine_map<(d0, d1) -> (d0 + 1, d1 + 1)>(%i, %j)
    %quotient = inductor.index_apply "floordiv" affine_map<(d0, d1) -> (d1 + 7, d0 + 1)>(%i, %j)
    %remainder = inductor.index_apply "mod" affine_map<(d0, d1) -> (d1 + 7, d0 + 1)>(%i, %j)
    %digit = inductor.index_apply "modidx" affine_map<(d0, d1) -> (d1 + 7, d0 + 1, d1 + 1)>(%i, %j)
    %n = inductor.index_expr affine_map<(d0, d1, d2, d3, d4, d5) -> (d2 + d3 + d4 + d5)>(%i, %j, %product, %quotient, %remainder, %digit) : i32
    %v = inductor.apply "truediv"(%all, %n) : (f32, i32) -> f32
    inductor.store %v at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : f32
  } : tensor<2x3xf32, #inductor.layout<fixed, [3, 1]>>
  inductor.return %y : tensor<2x3xf32, #inductor.layout<fixed, [3, 1]>>
}
