// How a reader computes an expression: at its own places, in masked blocks, by indices that are read, rounded to 16 bits.

// RUN: spyre-opt %s --inductor-realize -o %t.1
// RUN: FileCheck %s --input-file %t.1
// RUN: spyre-opt %s --convert-inductor-to-linalg=sizes=s77=6 -o %t.0
// RUN: spyre-opt %t.1 --convert-inductor-to-linalg=sizes=s77=6 -o %t
// RUN: spyre-run %t --entry places --random-seed 1 --compare %t.0
// RUN: spyre-run %t --entry masked --random-seed 1 --compare %t.0
// RUN: spyre-run %t --entry indirect --random-seed 1 --compare %t.0
// RUN: spyre-run %t --entry rounded --random-seed 1 --compare %t.0
// RUN: spyre-run %t --entry twice --random-seed 1 --compare %t.0
// RUN: spyre-run %t --entry hints --random-seed 1 --compare %t.0
// RUN: spyre-run %t --entry symbol --random-seed 1 --compare %t.0
// RUN: spyre-run %t --entry clamped --random-seed 1 --compare %t.0

#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-DAG: #[[MERGED:map[0-9]*]] = affine_map<(d0) -> (d0 mod 4, (d0 floordiv 4) * 2 + 1)>
// CHECK-LABEL: inductor.graph @places
// CHECK-NOT: "op0"
// CHECK: inductor.pointwise "op1"
// CHECK-NEXT: ^bb0(%[[I:.*]]: index):
// CHECK-NEXT: inductor.load %x at #[[MERGED]](%[[I]])
// CHECK-NEXT: math.sin
// CHECK-NEXT: math.cos
!x = tensor<4x6xf32, #inductor.layout<fixed, [6, 1]>>
!e = tensor<3x1x4xf32, #inductor.layout<flexible, [4, 4, 1]>>
!a = tensor<12xf32, #inductor.layout<flexible, [1]>>
inductor.graph @places {
  %x = inductor.input "x" : !x
  %e = inductor.pointwise "op0" as "buf0" [3, 1, 4] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at affine_map<(d0, d1) -> (d1, d0 * 2 + 1)>(%i, %j) : !x -> f32
    %1 = math.sin %0 : f32
    inductor.store %1 at affine_map<(d0, d1) -> (d0, 0, d1)>(%i, %j) : f32
  } : !e
  %a = inductor.pointwise "op1" as "buf1" [12] {
  ^bb0(%i: index):
    %0 = inductor.load %e at affine_map<(d0) -> (d0 floordiv 4, 0, d0 mod 4)>(%i) : !e -> f32
    %1 = math.cos %0 : f32
    inductor.store %1 at affine_map<(d0) -> (d0)>(%i) : f32
  } : !a
  inductor.return %a : !a
}

// A padding of a padding: the inner mask is computed where the outer one holds.
// CHECK-LABEL: inductor.graph @masked
// CHECK-NOT: "op0"
// CHECK: inductor.pointwise "op1"
// CHECK: inductor.masked {{.*}} else 1.000000e+00
// CHECK: inductor.masked {{.*}} else 2.000000e+00
// CHECK: inductor.load %x
!v = tensor<8xf32, #inductor.layout<fixed, [1]>>
!p = tensor<10xf32, #inductor.layout<flexible, [1]>>
!q = tensor<12xf32, #inductor.layout<flexible, [1]>>
inductor.graph @masked {
  %x = inductor.input "x" : !v
  %p = inductor.pointwise "op0" as "buf0" [10] {
  ^bb0(%i: index):
    %0 = inductor.index_expr affine_map<(d0) -> (d0)>(%i) : i64
    %c = arith.constant 8 : i64
    %1 = arith.cmpi slt, %0, %c : i64
    %2 = inductor.masked %1 else 2.0 : f32 {
      %3 = inductor.load %x at affine_map<(d0) -> (d0)>(%i) : !v -> f32
      inductor.yield %3 : f32
    } : f32
    inductor.store %2 at affine_map<(d0) -> (d0)>(%i) : f32
  } : !p
  %q = inductor.pointwise "op1" as "buf1" [12] {
  ^bb0(%i: index):
    %0 = inductor.index_expr affine_map<(d0) -> (d0 - 2)>(%i) : i64
    %c = arith.constant 0 : i64
    %1 = arith.cmpi sge, %0, %c : i64
    %2 = inductor.masked %1 else 1.0 : f32 {
      %3 = inductor.load %p at affine_map<(d0) -> (d0 - 2)>(%i) : !p -> f32
      inductor.yield %3 : f32
    } : f32
    inductor.store %2 at affine_map<(d0) -> (d0)>(%i) : f32
  } : !q
  inductor.return %q : !q
}

// Rows of a table by numbers, twice: what is read first is an index of the second.
// CHECK-LABEL: inductor.graph @indirect
// CHECK-NOT: "op0"
// CHECK: inductor.pointwise "op1"
// CHECK: %[[A:.*]] = inductor.indirect
// CHECK: inductor.load %n at #{{.*}}(%{{.*}}, %{{.*}}, %[[A]])
// CHECK: %[[B:.*]] = inductor.indirect
// CHECK: inductor.load %x at #{{.*}}(%{{.*}}, %{{.*}}, %[[B]])
!n = tensor<5xi64, #inductor.layout<fixed, [1]>>
!t = tensor<5x3xf32, #inductor.layout<flexible, [3, 1]>>
inductor.graph @indirect {
  %x = inductor.input "x" : tensor<5x3xf32, #inductor.layout<fixed, [3, 1]>>
  %n = inductor.constant "n" value dense<[4, 2, 0, 1, 3]> : tensor<5xi64> : !n
  %e = inductor.pointwise "op0" as "buf0" [5, 3] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %n at affine_map<(d0, d1) -> (d0)>(%i, %j) : !n -> i64
    %1 = inductor.indirect %0 below [5] : i64
    %2 = inductor.load %x at affine_map<(d0, d1, d2) -> (d2, d1)>(%i, %j, %1) : tensor<5x3xf32, #inductor.layout<fixed, [3, 1]>> -> f32
    inductor.store %2 at #id(%i, %j) : f32
  } : !t
  %a = inductor.pointwise "op1" as "buf1" [5, 3] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %n at affine_map<(d0, d1) -> (d0)>(%i, %j) : !n -> i64
    %1 = inductor.indirect %0 below [5] : i64
    %2 = inductor.load %e at affine_map<(d0, d1, d2) -> (d2, d1)>(%i, %j, %1) : !t -> f32
    inductor.store %2 at #id(%i, %j) : f32
  } : !t
  inductor.return %a : !t
}

// CHECK-LABEL: inductor.graph @rounded
// CHECK-NOT: "op0"
// CHECK: %[[P:.*]] = arith.mulf
// CHECK: %[[R:.*]] = inductor.to_dtype %[[P]] to f16 : f32 -> f32
// CHECK: arith.subf %[[R]]
!h = tensor<64xf16, #inductor.layout<fixed, [1]>>
inductor.graph @rounded {
  %x = inductor.input "x" : !h
  %e = inductor.pointwise "op0" as "buf0" [64] {
  ^bb0(%i: index):
    %0 = inductor.load %x at affine_map<(d0) -> (d0)>(%i) : !h -> f32
    %1 = arith.mulf %0, %0 : f32
    inductor.store %1 at affine_map<(d0) -> (d0)>(%i) : f32
  } : !h
  %a = inductor.pointwise "op1" as "buf1" [64] {
  ^bb0(%i: index):
    %0 = inductor.load %e at affine_map<(d0) -> (d0)>(%i) : !h -> f32
    %1 = inductor.load %x at affine_map<(d0) -> (d0)>(%i) : !h -> f32
    %2 = arith.mulf %1, %1 : f32
    %3 = arith.subf %0, %2 : f32
    inductor.store %3 at affine_map<(d0) -> (d0)>(%i) : f32
  } : tensor<64xf32, #inductor.layout<fixed, [1]>>
  inductor.return %a : tensor<64xf32, #inductor.layout<fixed, [1]>>
}

// Three loads at two places: it is computed once for each. A reduction computes it as well, and is a buffer before the output is.
// CHECK-LABEL: inductor.graph @twice
// CHECK-NOT: "op0"
// CHECK: inductor.reduction "op2"
// CHECK: math.sin
// CHECK: inductor.pointwise "op1"
// CHECK-COUNT-2: math.sin
// CHECK-NOT: math.sin
// CHECK: inductor.return
!s = tensor<4x4xf32, #inductor.layout<fixed, [4, 1]>>
inductor.graph @twice {
  %x = inductor.input "x" : !s
  %e = inductor.pointwise "op0" as "buf0" [4, 4] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !s -> f32
    %1 = math.sin %0 : f32
    inductor.store %1 at #id(%i, %j) : f32
  } : !s
  %a = inductor.pointwise "op1" as "buf1" [4, 4] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %e at #id(%i, %j) : !s -> f32
    %1 = inductor.load %e at affine_map<(d0, d1) -> (d1, d0)>(%i, %j) : !s -> f32
    %2 = inductor.load %e at #id(%i, %j) : !s -> f32
    %3 = arith.addf %0, %1 : f32
    %4 = arith.mulf %3, %2 : f32
    inductor.store %4 at #id(%i, %j) : f32
  } : !s
  %b = inductor.reduction "op2" as "buf2" sum [4] over [4] from f32 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %e at affine_map<(d0, d1) -> (d1, d0)>(%i, %j) : !s -> f32
    inductor.store %0 at affine_map<(d0, d1) -> (d0)>(%i, %j) : f32
  } : tensor<4xf32, #inductor.layout<fixed, [1]>>
  inductor.return %a, %b outputs [#inductor.operand<0>, #inductor.operand<1>] : !s, tensor<4xf32, #inductor.layout<fixed, [1]>>
}

// Where it comes from and its hints are the reader's.
// CHECK-LABEL: inductor.graph @hints
// CHECK-NOT: "op0"
// CHECK: hints = [{dims = {rows = 2 : i64}, positions = {rows = 0 : i64}, shape = [4, 4]}]
// CHECK-SAME: origins = ["neg", "sin"]
inductor.graph @hints {
  %x = inductor.input "x" : !s
  %e = inductor.pointwise "op0" as "buf0" [4, 4] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !s -> f32
    %1 = math.sin %0 : f32
    inductor.store %1 at #id(%i, %j) : f32
  } {hints = [{dims = {rows = 2}, positions = {rows = 0}, shape = [4, 4]}], origins = ["sin"]} : !s
  %a = inductor.pointwise "op1" as "buf1" [4, 4] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %e at #id(%i, %j) : !s -> f32
    %1 = arith.negf %0 : f32
    inductor.store %1 at #id(%i, %j) : f32
  } {origins = ["neg"]} : !s
  inductor.return %a : !s
}

// An extent that is a symbol, read backwards.
// CHECK-LABEL: inductor.graph @symbol
// CHECK-NOT: "op0"
// CHECK: inductor.pointwise "op1"
!d = tensor<?x4xf32, #inductor.layout<fixed, [4, 1], size = [s0, 4]>>
inductor.graph @symbol symbols [#inductor.sym<"s77", hint = 6>] {
  %x = inductor.input "x" : !d
  %e = inductor.pointwise "op0" as "buf0" [s0, 4] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at affine_map<(d0, d1)[s0] -> (s0 - d0 - 1, d1)>(%i, %j) : !d -> f32
    %1 = arith.negf %0 : f32
    inductor.store %1 at #id(%i, %j) : f32
  } : !d
  %a = inductor.pointwise "op1" as "buf1" [s0, 4] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %e at affine_map<(d0, d1) -> (d0, -d1 + 3)>(%i, %j) : !d -> f32
    %1 = math.absf %0 : f32
    inductor.store %1 at #id(%i, %j) : f32
  } : !d
  inductor.return %a : !d
}

// A function of indices is built anew for what reads it, and the old one goes with the load.
// CHECK-LABEL: inductor.graph @clamped
// CHECK-NOT: "op0"
// CHECK: inductor.pointwise "op1"
// CHECK-NEXT: ^bb0(%[[I:.*]]: index):
// CHECK-NEXT: %[[LOW:.*]] = inductor.index_apply "max" #{{.*}}(%[[I]])
// CHECK-NEXT: inductor.load %x at #{{.*}}(%[[I]], %[[LOW]])
// CHECK-NEXT: math.sin
// CHECK-NEXT: math.cos
// CHECK-NEXT: inductor.store
!row8 = tensor<8xf32, #inductor.layout<fixed, [1]>>
!made8 = tensor<8xf32, #inductor.layout<flexible, [1]>>
inductor.graph @clamped {
  %x = inductor.input "x" : !row8
  %e = inductor.pointwise "op0" as "buf0" [8] {
  ^bb0(%i: index):
    %0 = inductor.load %x at affine_map<(d0) -> (d0)>(%i) : !row8 -> f32
    %1 = math.sin %0 : f32
    inductor.store %1 at affine_map<(d0) -> (d0)>(%i) : f32
  } : !made8
  %a = inductor.pointwise "op1" as "buf1" [8] {
  ^bb0(%i: index):
    %low = inductor.index_apply "max" affine_map<(d0) -> (0, d0 - 2)>(%i)
    %0 = inductor.load %e at affine_map<(d0, d1) -> (d1)>(%i, %low) : !made8 -> f32
    %1 = math.cos %0 : f32
    inductor.store %1 at affine_map<(d0) -> (d0)>(%i) : f32
  } : !made8
  inductor.return %a : !made8
}
