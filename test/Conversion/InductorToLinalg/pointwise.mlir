// Loop nests, run. The numbers are NumPy's.

// RUN: spyre-opt %s --convert-inductor-to-linalg -o %t
// RUN: FileCheck %s --check-prefix=IR --input-file %t
// RUN: spyre-run %t --entry shifted | FileCheck %s --check-prefix=SHIFTED
// RUN: spyre-run %t --entry patches | FileCheck %s --check-prefix=PATCHES
// RUN: spyre-run %t --entry chosen | FileCheck %s --check-prefix=CHOSEN
// RUN: spyre-run %t --entry registers | FileCheck %s --check-prefix=REGISTERS
// RUN: spyre-run %t --entry rounded | FileCheck %s --check-prefix=ROUNDED
// RUN: spyre-run %t --entry flipped | FileCheck %s --check-prefix=FLIPPED
// RUN: spyre-run %t --entry joined | FileCheck %s --check-prefix=JOINED
// RUN: spyre-run %t --entry remainder | FileCheck %s --check-prefix=REMAINDER
// RUN: spyre-run %t --entry floordiv | FileCheck %s --check-prefix=FLOORDIV
// RUN: spyre-run %t --entry truncdiv | FileCheck %s --check-prefix=TRUNCDIV
// RUN: spyre-run %t --entry mod | FileCheck %s --check-prefix=MOD
// RUN: spyre-run %t --entry truths | FileCheck %s --check-prefix=TRUTHS

// A pad of what is read outside of the buffer, and digits of a merged loop.
// IR-LABEL: func.func @shifted
// IR: tensor.pad
// IR: linalg.generic
// IR-LABEL: func.func @patches
// IR-NOT: arith.remsi
// IR: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "parallel"]
// IR-LABEL: func.func @chosen
// IR: tensor.extract

// A masked load of another place, which is outside of the buffer at the edges.
// SHIFTED{LITERAL}: result 0: tensor<4x4xf32> [-1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -2.0, -1.75, -1.0, -1.0, -1.0, -0.75, -1.0, -1.0, 0.0, 0.25]
inductor.graph @shifted {
  %x = inductor.constant "x" value dense<[[-2.0, -1.75, -1.5, -1.25], [-1.0, -0.75, -0.5, -0.25], [0.0, 0.25, 0.5, 0.75], [1.0, 1.25, 1.5, 1.75]]> : tensor<4x4xf32> : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
  %y = inductor.pointwise "op0" as "buf0" [4, 4] {
  ^bb0(%i: index, %j: index):
    %zero = arith.constant 0 : i64
    %a = inductor.index_expr affine_map<(d0, d1) -> (d0 - 1)>(%i, %j) : i64
    %b = inductor.index_expr affine_map<(d0, d1) -> (d1 - 2)>(%i, %j) : i64
    %c = arith.cmpi sge, %a, %zero : i64
    %d = arith.cmpi sge, %b, %zero : i64
    %m = arith.andi %c, %d : i1
    %v = inductor.masked %m else -1.0 : f32 {
      %w = inductor.load %x at affine_map<(d0, d1) -> (d0 - 1, d1 - 2)>(%i, %j) : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>> -> f32
      inductor.yield %w : f32
    } : f32
    inductor.store %v at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : f32
  } : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
  inductor.return %y : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
}

// Windows of an image by quotients and remainders of one merged loop.
// PATCHES{LITERAL}: result 0: tensor<4x4xf32> [-2.0, -1.75, -1.0, -0.75, -1.5, -1.25, -0.5, -0.25, 0.0, 0.25, 1.0, 1.25, 0.5, 0.75, 1.5, 1.75]
inductor.graph @patches {
  %x = inductor.constant "x" value dense<[[-2.0, -1.75, -1.5, -1.25], [-1.0, -0.75, -0.5, -0.25], [0.0, 0.25, 0.5, 0.75], [1.0, 1.25, 1.5, 1.75]]> : tensor<4x4xf32> : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
  %y = inductor.pointwise "op0" as "buf0" [4, 4] loops [16] {
  ^bb0(%i: index):
    %v = inductor.load %x at affine_map<(d0) -> (((d0 floordiv 8) * 2 + (d0 floordiv 2) mod 2) * 4 + ((d0 floordiv 4) mod 2) * 2 + d0 mod 2)>(%i) view <fixed, [1], size = [16]> : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>> -> f32
    inductor.store %v at affine_map<(d0) -> (d0)>(%i) view <fixed, [1], size = [16]> : f32
  } : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
  inductor.return %y : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
}

// Rows that the program chooses, from the end where the number is below 0.
// CHOSEN{LITERAL}: result 0: tensor<3x4xf32> [1.0, 1.25, 1.5, 1.75, 1.0, 1.25, 1.5, 1.75, -2.0, -1.75, -1.5, -1.25]
inductor.graph @chosen {
  %x = inductor.constant "x" value dense<[[-2.0, -1.75, -1.5, -1.25], [-1.0, -0.75, -0.5, -0.25], [0.0, 0.25, 0.5, 0.75], [1.0, 1.25, 1.5, 1.75]]> : tensor<4x4xf32> : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
  %n = inductor.constant "n" value dense<[3, -1, -4]> : tensor<3xi64> : tensor<3xi64, #inductor.layout<fixed, [1]>>
  %y = inductor.pointwise "op0" as "buf0" [3, 4] {
  ^bb0(%i: index, %j: index):
    %k = inductor.load %n at affine_map<(d0, d1) -> (d0)>(%i, %j) : tensor<3xi64, #inductor.layout<fixed, [1]>> -> i64
    %at = inductor.indirect %k below [4] check wrap : i64
    %v = inductor.load %x at affine_map<(d0, d1) -> (d0, d1)>(%at, %j) : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>> -> f32
    inductor.store %v at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : f32
  } : tensor<3x4xf32, #inductor.layout<fixed, [4, 1]>>
  inductor.return %y : tensor<3x4xf32, #inductor.layout<fixed, [4, 1]>>
}

// A conversion that PyTorch computes in registers does not round.
// REGISTERS{LITERAL}: result 0: tensor<4xbf16> [0.001953125, 0.001953125, 0.001953125, 0.001953125]
inductor.graph @registers {
  %x = inductor.constant "x" value dense<[1.0, 2.0, -4.0, 256.0]> : tensor<4xbf16> : tensor<4xbf16, #inductor.layout<fixed, [1]>>
  %y = inductor.pointwise "op0" as "buf0" [4] {
  ^bb0(%i: index):
    %a = arith.constant 0.001953125 : f32
    %v = inductor.load %x at affine_map<(d0) -> (d0)>(%i) : tensor<4xbf16, #inductor.layout<fixed, [1]>> -> f32
    %s = arith.addf %v, %a : f32
    %r = inductor.to_dtype %s to bf16 compute : f32 -> f32
    %d = arith.subf %r, %v : f32
    inductor.store %d at affine_map<(d0) -> (d0)>(%i) : f32
  } : tensor<4xbf16, #inductor.layout<fixed, [1]>>
  inductor.return %y : tensor<4xbf16, #inductor.layout<fixed, [1]>>
}

// One that it does not compute in registers rounds.
// ROUNDED{LITERAL}: result 0: tensor<4xbf16> [0.0, 0.0, 0.0, 0.0]
inductor.graph @rounded {
  %x = inductor.constant "x" value dense<[1.0, 2.0, -4.0, 256.0]> : tensor<4xbf16> : tensor<4xbf16, #inductor.layout<fixed, [1]>>
  %y = inductor.pointwise "op0" as "buf0" [4] {
  ^bb0(%i: index):
    %a = arith.constant 0.001953125 : f32
    %v = inductor.load %x at affine_map<(d0) -> (d0)>(%i) : tensor<4xbf16, #inductor.layout<fixed, [1]>> -> f32
    %s = arith.addf %v, %a : f32
    %r = inductor.to_dtype %s to bf16 : f32 -> f32
    %d = arith.subf %r, %v : f32
    inductor.store %d at affine_map<(d0) -> (d0)>(%i) : f32
  } : tensor<4xbf16, #inductor.layout<fixed, [1]>>
  inductor.return %y : tensor<4xbf16, #inductor.layout<fixed, [1]>>
}

// Views of the memory: columns in reverse order, and the transposed matrix.
// FLIPPED{LITERAL}: result 0: tensor<4x4xf32> [-3.25, -1.25, 0.75, 2.75, -3.25, -1.25, 0.75, 2.75, -3.25, -1.25, 0.75, 2.75, -3.25, -1.25, 0.75, 2.75]
// FLIPPED-NEXT{LITERAL}: result 1: tensor<4x4xf32> [-2.0, -1.0, 0.0, 1.0, -1.75, -0.75, 0.25, 1.25, -1.5, -0.5, 0.5, 1.5, -1.25, -0.25, 0.75, 1.75]
inductor.graph @flipped {
  %x = inductor.constant "x" value dense<[[-2.0, -1.75, -1.5, -1.25], [-1.0, -0.75, -0.5, -0.25], [0.0, 0.25, 0.5, 0.75], [1.0, 1.25, 1.5, 1.75]]> : tensor<4x4xf32> : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
  %t = inductor.view %x : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>> -> tensor<4x4xf32, #inductor.layout<fixed, [1, 4]>>
  %y = inductor.pointwise "op0" as "buf0" [4, 4] {
  ^bb0(%i: index, %j: index):
    %a = inductor.load %x at affine_map<(d0, d1) -> (d1, 3 - d0)>(%i, %j) : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>> -> f32
    %b = inductor.load %t at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : tensor<4x4xf32, #inductor.layout<fixed, [1, 4]>> -> f32
    %s = arith.addf %a, %b : f32
    inductor.store %s at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : f32
  } : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
  inductor.return %y, %t outputs [#inductor.operand<0>, #inductor.operand<1>] : tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>, tensor<4x4xf32, #inductor.layout<fixed, [1, 4]>>
}

// A concatenation, and a part of it.
// JOINED{LITERAL}: result 0: tensor<2x8xf32> [-2.0, -1.75, -1.5, -1.25, -4.0, -3.5, -3.0, -2.5, -1.0, -0.75, -0.5, -0.25, -2.0, -1.5, -1.0, -0.5]
// JOINED-NEXT{LITERAL}: result 1: tensor<2x4xf32> [-1.25, -4.0, -3.5, -3.0, -0.25, -2.0, -1.5, -1.0]
inductor.graph @joined {
  %x = inductor.constant "x" value dense<[[-2.0, -1.75, -1.5, -1.25], [-1.0, -0.75, -0.5, -0.25]]> : tensor<2x4xf32> : tensor<2x4xf32, #inductor.layout<fixed, [4, 1]>>
  %d = inductor.pointwise "op0" as "buf0" [2, 4] {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %x at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : tensor<2x4xf32, #inductor.layout<fixed, [4, 1]>> -> f32
    %s = arith.addf %v, %v : f32
    inductor.store %s at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : f32
  } : tensor<2x4xf32, #inductor.layout<non_owning, [8, 1], base_offset = 4>>
  %b = inductor.concat "op1" as "buf1" %x, %d : (tensor<2x4xf32, #inductor.layout<fixed, [4, 1]>>, tensor<2x4xf32, #inductor.layout<non_owning, [8, 1], base_offset = 4>>) -> tensor<2x8xf32, #inductor.layout<fixed, [8, 1]>>
  %y = inductor.pointwise "op2" as "buf2" [2, 4] {
  ^bb0(%i: index, %j: index):
    %v = inductor.load %b at affine_map<(d0, d1) -> (d0, d1 + 3)>(%i, %j) : tensor<2x8xf32, #inductor.layout<fixed, [8, 1]>> -> f32
    inductor.store %v at affine_map<(d0, d1) -> (d0, d1)>(%i, %j) : f32
  } : tensor<2x4xf32, #inductor.layout<fixed, [4, 1]>>
  inductor.return %b, %y outputs [#inductor.operand<0>, #inductor.operand<1>] : tensor<2x8xf32, #inductor.layout<fixed, [8, 1]>>, tensor<2x4xf32, #inductor.layout<fixed, [4, 1]>>
}

// PyTorch's 'remainder' of integers.
// REMAINDER{LITERAL}: result 0: tensor<4xi64> [1, 2, -1, -2]
inductor.graph @remainder {
  %x = inductor.constant "x" value dense<[7, -7, 5, -5]> : tensor<4xi64> : tensor<4xi64, #inductor.layout<fixed, [1]>>
  %z = inductor.constant "z" value dense<[3, 3, -3, -3]> : tensor<4xi64> : tensor<4xi64, #inductor.layout<fixed, [1]>>
  %y = inductor.pointwise "op0" as "buf0" [4] {
  ^bb0(%i: index):
    %a = inductor.load %x at affine_map<(d0) -> (d0)>(%i) : tensor<4xi64, #inductor.layout<fixed, [1]>> -> i64
    %b = inductor.load %z at affine_map<(d0) -> (d0)>(%i) : tensor<4xi64, #inductor.layout<fixed, [1]>> -> i64
    %r = inductor.apply "remainder"(%a, %b) : (i64, i64) -> i64
    inductor.store %r at affine_map<(d0) -> (d0)>(%i) : i64
  } : tensor<4xi64, #inductor.layout<fixed, [1]>>
  inductor.return %y : tensor<4xi64, #inductor.layout<fixed, [1]>>
}

// PyTorch's 'floordiv' of integers.
// FLOORDIV{LITERAL}: result 0: tensor<4xi64> [2, -3, -2, 1]
inductor.graph @floordiv {
  %x = inductor.constant "x" value dense<[7, -7, 5, -5]> : tensor<4xi64> : tensor<4xi64, #inductor.layout<fixed, [1]>>
  %z = inductor.constant "z" value dense<[3, 3, -3, -3]> : tensor<4xi64> : tensor<4xi64, #inductor.layout<fixed, [1]>>
  %y = inductor.pointwise "op0" as "buf0" [4] {
  ^bb0(%i: index):
    %a = inductor.load %x at affine_map<(d0) -> (d0)>(%i) : tensor<4xi64, #inductor.layout<fixed, [1]>> -> i64
    %b = inductor.load %z at affine_map<(d0) -> (d0)>(%i) : tensor<4xi64, #inductor.layout<fixed, [1]>> -> i64
    %r = inductor.apply "floordiv"(%a, %b) : (i64, i64) -> i64
    inductor.store %r at affine_map<(d0) -> (d0)>(%i) : i64
  } : tensor<4xi64, #inductor.layout<fixed, [1]>>
  inductor.return %y : tensor<4xi64, #inductor.layout<fixed, [1]>>
}

// PyTorch's 'truncdiv' of integers.
// TRUNCDIV{LITERAL}: result 0: tensor<4xi64> [2, -2, -1, 1]
inductor.graph @truncdiv {
  %x = inductor.constant "x" value dense<[7, -7, 5, -5]> : tensor<4xi64> : tensor<4xi64, #inductor.layout<fixed, [1]>>
  %z = inductor.constant "z" value dense<[3, 3, -3, -3]> : tensor<4xi64> : tensor<4xi64, #inductor.layout<fixed, [1]>>
  %y = inductor.pointwise "op0" as "buf0" [4] {
  ^bb0(%i: index):
    %a = inductor.load %x at affine_map<(d0) -> (d0)>(%i) : tensor<4xi64, #inductor.layout<fixed, [1]>> -> i64
    %b = inductor.load %z at affine_map<(d0) -> (d0)>(%i) : tensor<4xi64, #inductor.layout<fixed, [1]>> -> i64
    %r = inductor.apply "truncdiv"(%a, %b) : (i64, i64) -> i64
    inductor.store %r at affine_map<(d0) -> (d0)>(%i) : i64
  } : tensor<4xi64, #inductor.layout<fixed, [1]>>
  inductor.return %y : tensor<4xi64, #inductor.layout<fixed, [1]>>
}

// PyTorch's 'mod' of integers.
// MOD{LITERAL}: result 0: tensor<4xi64> [1, -1, 2, -2]
inductor.graph @mod {
  %x = inductor.constant "x" value dense<[7, -7, 5, -5]> : tensor<4xi64> : tensor<4xi64, #inductor.layout<fixed, [1]>>
  %z = inductor.constant "z" value dense<[3, 3, -3, -3]> : tensor<4xi64> : tensor<4xi64, #inductor.layout<fixed, [1]>>
  %y = inductor.pointwise "op0" as "buf0" [4] {
  ^bb0(%i: index):
    %a = inductor.load %x at affine_map<(d0) -> (d0)>(%i) : tensor<4xi64, #inductor.layout<fixed, [1]>> -> i64
    %b = inductor.load %z at affine_map<(d0) -> (d0)>(%i) : tensor<4xi64, #inductor.layout<fixed, [1]>> -> i64
    %r = inductor.apply "mod"(%a, %b) : (i64, i64) -> i64
    inductor.store %r at affine_map<(d0) -> (d0)>(%i) : i64
  } : tensor<4xi64, #inductor.layout<fixed, [1]>>
  inductor.return %y : tensor<4xi64, #inductor.layout<fixed, [1]>>
}

// a, b = [False, False, True, True], [False, True, False, True]; 32 * (a > b) + 16 * (a < b) + 8 * (a >= b) + 4 * (a <= b) + 2 * (a | b) + (a & b) + 64 * (a * b)
// TRUTHS{LITERAL}: result 0: tensor<4xf32> [12.0, 22.0, 42.0, 79.0]
inductor.graph @truths {
  %x = inductor.constant "x" value dense<[0.0, 0.0, 1.0, 1.0]> : tensor<4xf32> : tensor<4xf32, #inductor.layout<fixed, [1]>>
  %z = inductor.constant "z" value dense<[0.0, 1.0, 0.0, 1.0]> : tensor<4xf32> : tensor<4xf32, #inductor.layout<fixed, [1]>>
  %y = inductor.pointwise "op0" as "buf0" [4] {
  ^bb0(%i: index):
    %v = inductor.load %x at affine_map<(d0) -> (d0)>(%i) : tensor<4xf32, #inductor.layout<fixed, [1]>> -> f32
    %w = inductor.load %z at affine_map<(d0) -> (d0)>(%i) : tensor<4xf32, #inductor.layout<fixed, [1]>> -> f32
    %zero = arith.constant 0.0 : f32
    %a = arith.cmpf une, %v, %zero : f32
    %b = arith.cmpf une, %w, %zero : f32
    %t0 = inductor.apply "gt"(%a, %b) : (i1, i1) -> i1
    %c0 = arith.constant 32.0 : f32
    %n0 = arith.select %t0, %c0, %zero : f32
    %s0 = arith.addf %zero, %n0 : f32
    %t1 = inductor.apply "lt"(%a, %b) : (i1, i1) -> i1
    %c1 = arith.constant 16.0 : f32
    %n1 = arith.select %t1, %c1, %zero : f32
    %s1 = arith.addf %s0, %n1 : f32
    %t2 = inductor.apply "ge"(%a, %b) : (i1, i1) -> i1
    %c2 = arith.constant 8.0 : f32
    %n2 = arith.select %t2, %c2, %zero : f32
    %s2 = arith.addf %s1, %n2 : f32
    %t3 = inductor.apply "le"(%a, %b) : (i1, i1) -> i1
    %c3 = arith.constant 4.0 : f32
    %n3 = arith.select %t3, %c3, %zero : f32
    %s3 = arith.addf %s2, %n3 : f32
    %t4 = inductor.apply "maximum"(%a, %b) : (i1, i1) -> i1
    %c4 = arith.constant 2.0 : f32
    %n4 = arith.select %t4, %c4, %zero : f32
    %s4 = arith.addf %s3, %n4 : f32
    %t5 = inductor.apply "minimum"(%a, %b) : (i1, i1) -> i1
    %c5 = arith.constant 1.0 : f32
    %n5 = arith.select %t5, %c5, %zero : f32
    %s5 = arith.addf %s4, %n5 : f32
    %t6 = inductor.apply "mul"(%a, %b) : (i1, i1) -> i1
    %c6 = arith.constant 64.0 : f32
    %n6 = arith.select %t6, %c6, %zero : f32
    %s6 = arith.addf %s5, %n6 : f32
    inductor.store %s6 at affine_map<(d0) -> (d0)>(%i) : f32
  } : tensor<4xf32, #inductor.layout<fixed, [1]>>
  inductor.return %y : tensor<4xf32, #inductor.layout<fixed, [1]>>
}
