// `exp` and `sigmoid` are slow on a CPU: PyTorch computes them once there. Softmax has 4 buffers on the CPU, and 3 elsewhere.

// RUN: spyre-opt %s --inductor-realize=policy=cpp -o %t.cpp
// RUN: FileCheck %s --check-prefixes=CHECK,CPP --input-file %t.cpp
// RUN: spyre-opt %s --inductor-realize=policy=simd -o %t.simd
// RUN: FileCheck %s --check-prefixes=CHECK,SIMD --input-file %t.simd
// RUN: spyre-opt %s --inductor-realize | diff - %t.simd
// RUN: spyre-opt %s --convert-inductor-to-linalg -o %t.0
// RUN: spyre-opt %t.cpp --convert-inductor-to-linalg -o %t.1
// RUN: spyre-opt %t.simd --convert-inductor-to-linalg -o %t.2
// RUN: spyre-run %t.1 --entry softmax --random-seed 1 --compare %t.0
// RUN: spyre-run %t.2 --entry softmax --random-seed 1 --compare %t.0
// RUN: spyre-run %t.1 --entry sigmoid --random-seed 1 --compare %t.0
// RUN: spyre-run %t.2 --entry sigmoid --random-seed 1 --compare %t.0
// RUN: spyre-run %t.2 --entry one_reader --random-seed 1 --compare %t.0
// RUN: not spyre-opt %s --inductor-realize=policy=gpu 2>&1 | FileCheck %s --check-prefix=POLICY
// RUN: spyre-opt %s --inductor-realize=policy=cpp --remarks-filter=inductor-realize --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// POLICY: there is no policy 'gpu'; there are cpp, simd and spyre

// REMARK: [Passed] Realized | Category:inductor-realize | Function=softmax | Loads=2, Operation=op2, Readers=2, Reason="2 operations read it, and it has 'exp' or 'sigmoid'", Values=4
// REMARK: [Passed] Inlined | Category:inductor-realize | Function=softmax | Loads=2, Operation=op1, Readers=1, Replaced=1, Values=3

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0, 0)>
!t = tensor<10x64xf32, #inductor.layout<flexible, [64, 1]>>
!m = tensor<10x1xf32, #inductor.layout<flexible, [1, 1]>>

// CHECK-LABEL: inductor.graph @softmax
// CHECK: %[[MAX:.*]] = inductor.reduction "op0" as "buf0" max
// CHECK-NOT: "op1"
// CPP: %[[EXP:.*]] = inductor.pointwise "op2" as "buf2" [10, 64] {
// CPP: arith.subf
// CPP: math.exp
// SIMD-NOT: "op2"
// CHECK: %[[SUM:.*]] = inductor.reduction "op3" as "buf3" sum
// CPP: inductor.load %[[EXP]]
// SIMD: inductor.load %[[MAX]]
// SIMD: math.exp
// CHECK: inductor.pointwise "op4" as "buf4"
// CPP: inductor.load %[[EXP]]
// SIMD: inductor.load %[[MAX]]
// SIMD: math.exp
// CHECK: inductor.load %[[SUM]]
inductor.graph @softmax {
  %x = inductor.input "x" : !t
  %max = inductor.reduction "op0" as "buf0" max [10, 1] over [64] from f32 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !t -> f32
    inductor.store %0 at #row(%i, %j) : f32
  } : !m
  %sub = inductor.pointwise "op1" as "buf1" [10, 64] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !t -> f32
    %1 = inductor.load %max at #row(%i, %j) : !m -> f32
    %2 = arith.subf %0, %1 : f32
    inductor.store %2 at #id(%i, %j) : f32
  } : !t
  %exp = inductor.pointwise "op2" as "buf2" [10, 64] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %sub at #id(%i, %j) : !t -> f32
    %1 = math.exp %0 : f32
    inductor.store %1 at #id(%i, %j) : f32
  } : !t
  %sum = inductor.reduction "op3" as "buf3" sum [10, 1] over [64] from f32 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %exp at #id(%i, %j) : !t -> f32
    inductor.store %0 at #row(%i, %j) : f32
  } : !m
  %div = inductor.pointwise "op4" as "buf4" [10, 64] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %exp at #id(%i, %j) : !t -> f32
    %1 = inductor.load %sum at #row(%i, %j) : !m -> f32
    %2 = arith.divf %0, %1 : f32
    inductor.store %2 at #id(%i, %j) : f32
  } : !t
  inductor.return %div : !t
}

// CHECK-LABEL: inductor.graph @sigmoid
// CPP: "op0"
// SIMD-NOT: "op0"
// CHECK: "op1"
inductor.graph @sigmoid {
  %x = inductor.input "x" : !t
  %a = inductor.pointwise "op0" as "buf0" [10, 64] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !t -> f32
    %1 = inductor.apply "sigmoid"(%0) : (f32) -> f32
    inductor.store %1 at #id(%i, %j) : f32
  } : !t
  %b = inductor.pointwise "op1" as "buf1" [10, 64] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %a at #id(%i, %j) : !t -> f32
    %1 = arith.negf %0 : f32
    inductor.store %1 at #id(%i, %j) : f32
  } : !t
  %c = inductor.reduction "op2" as "buf2" sum [10, 1] over [64] from f32 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %a at #id(%i, %j) : !t -> f32
    inductor.store %0 at #row(%i, %j) : f32
  } : !m
  inductor.return %b, %c outputs [#inductor.operand<0>, #inductor.operand<1>] : !t, !m
}

// One reader computes it in any case.
// CHECK-LABEL: inductor.graph @one_reader
// CHECK-NOT: "op0"
// CHECK: "op1"
inductor.graph @one_reader {
  %x = inductor.input "x" : !t
  %a = inductor.pointwise "op0" as "buf0" [10, 64] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !t -> f32
    %1 = math.exp %0 : f32
    inductor.store %1 at #id(%i, %j) : f32
  } : !t
  %c = inductor.reduction "op1" as "buf1" sum [10, 1] over [64] from f32 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %a at #id(%i, %j) : !t -> f32
    inductor.store %0 at #row(%i, %j) : f32
  } : !m
  inductor.return %c : !m
}
