// Random numbers of PyTorch: Philox 4x32-10, of which the first block for the seed 0 is 6627e8d5 e169c58d bc57ac4c 9b00dbd8 (the known
// answers of Random123). The numbers of other elements are those of a program in Python. A seed has 32 bits here.

// RUN: spyre-opt %s --convert-inductor-to-linalg -o %t
// RUN: spyre-run %t --entry uniform | FileCheck %s --check-prefix=UNIFORM
// RUN: spyre-run %t --entry normal | FileCheck %s --check-prefix=NORMAL
// RUN: spyre-run %t --entry integers | FileCheck %s --check-prefix=INTEGERS
// RUN: FileCheck %s --check-prefix=DRAWN --input-file %t

!s = tensor<1xi64, #inductor.layout<fixed, [1]>>
!t = tensor<4xf32, #inductor.layout<fixed, [1]>>
!n = tensor<6xi64, #inductor.layout<fixed, [1]>>

// UNIFORM: result 0: tensor<4xf32> [0.7980{{[0-9]*}}, 0.9444{{[0-9]*}}, 0.0388{{[0-9]*}}, 0.5747{{[0-9]*}}]
inductor.graph @uniform {
  %s = inductor.constant "s" value dense<0> : tensor<1xi64> : !s
  %y = inductor.pointwise "op0" as "buf0" [4] {
  ^bb0(%i: index):
    %seed = inductor.load %s at affine_map<() -> (0)>() : !s -> i64
    %at = inductor.index_expr affine_map<(d0) -> (d0)>(%i) : i32
    %r = inductor.apply "rand"(%seed, %at) : (i64, i32) -> f32
    inductor.store %r at affine_map<(d0) -> (d0)>(%i) : f32
  } : !t
  inductor.return %y : !t
}

// NORMAL: result 0: tensor<4xf32> [0.7889{{[0-9]*}}, -0.5877{{[0-9]*}}, -1.6460{{[0-9]*}}, -0.6892{{[0-9]*}}]
inductor.graph @normal {
  %s = inductor.constant "s" value dense<1099511627781> : tensor<1xi64> : !s
  %y = inductor.pointwise "op0" as "buf0" [4] {
  ^bb0(%i: index):
    %seed = inductor.load %s at affine_map<() -> (0)>() : !s -> i64
    %at = inductor.index_expr affine_map<(d0) -> (d0)>(%i) : i32
    %r = inductor.apply "randn"(%seed, %at) : (i64, i32) -> f32
    inductor.store %r at affine_map<(d0) -> (d0)>(%i) : f32
  } : !t
  inductor.return %y : !t
}

// INTEGERS{LITERAL}: result 0: tensor<6xi64> [6, -3, 1, 3, 1, 6]
inductor.graph @integers {
  %s = inductor.constant "s" value dense<1099511627781> : tensor<1xi64> : !s
  %y = inductor.pointwise "op0" as "buf0" [6] {
  ^bb0(%i: index):
    %seed = inductor.load %s at affine_map<() -> (0)>() : !s -> i64
    %at = inductor.index_expr affine_map<(d0) -> (d0)>(%i) : i32
    %low = arith.constant -3 : i64
    %high = arith.constant 7 : i64
    %r = inductor.apply "randint64"(%seed, %at, %low, %high) : (i64, i32, i64, i64) -> i64
    inductor.store %r at affine_map<(d0) -> (d0)>(%i) : i64
  } : !n
  inductor.return %y : !n
}

// Seeds are the last argument.
// DRAWN-LABEL: func.func @drawn(
// DRAWN-SAME:    %{{.*}}: tensor<4xf32>, %{{.*}}: tensor<1xi64>) -> tensor<1xi64>
inductor.graph @drawn {
  %x = inductor.input "x" : !t
  %s = inductor.extern "op0" as "buf0" "RandomSeeds" "aten.randint.low_out"() {constant_args = [-9223372036854775808, 9223372036854775807, [1]], kernel = "aten.randint.low_out", kwargs = {}} : () -> !s
  inductor.return %s : !s
}
