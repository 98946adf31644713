// Dumps of PyTorch's scheduler, as they were before and after fusion. What is read computes what the program does.

// RUN: spyre-translate --import-inductor-text %S/Inputs/softmax-rows-old.txt -o %t.rows
// RUN: FileCheck %s --check-prefix=ROWS --input-file %t.rows
// RUN: spyre-translate --import-inductor-text %S/Inputs/softmax-columns.txt -o %t.columns
// RUN: FileCheck %s --check-prefix=COLUMNS --input-file %t.columns
// RUN: spyre-translate --import-inductor-text %S/Inputs/softmax-columns-post.txt -o %t.post
// RUN: diff %t.columns %t.post
// RUN: spyre-translate --import-inductor-text %S/../../../examples/inductor/sum.txt -o %t.sum
// RUN: FileCheck %s --check-prefix=SUM --input-file %t.sum
// RUN: spyre-opt %s --convert-inductor-to-linalg -o %t.0
// RUN: spyre-opt %t.rows --convert-inductor-to-linalg -o %t.1
// RUN: spyre-opt %t.columns --convert-inductor-to-linalg -o %t.2
// RUN: spyre-opt %t.sum --convert-inductor-to-linalg -o %t.3
// RUN: sed 's/@graph0/@rows/' %t.1 > %t.1n
// RUN: sed 's/@graph0/@columns/' %t.2 > %t.2n
// RUN: sed 's/@graph0/@sum/' %t.3 > %t.3n
// RUN: spyre-run %t.1n --entry rows --random-seed 1 --compare %t.0 --tolerance 1e-5
// RUN: spyre-run %t.2n --entry columns --random-seed 1 --compare %t.0 --tolerance 1e-5
// RUN: spyre-run %t.3n --entry sum --random-seed 1 --compare %t.0

// RUN: not spyre-translate --import-inductor-text %S/Inputs/fused-old.txt 2>&1 | FileCheck %s --check-prefix=FUSED
// FUSED: fused-old.txt:9:25: error: the text has no nodes of 'buf0_buf1_buf2', but their names
// RUN: sed 's/ops.exp(sub)/ops.exp(sub/' %S/Inputs/softmax-columns.txt | not spyre-translate --import-inductor-text - 2>&1 | FileCheck %s --check-prefix=SYNTAX
// SYNTAX: <stdin>:61:9: error: expected ',', got 'get_index_2'
// RUN: not spyre-translate --import-inductor-text %t.missing.txt 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: {{.*}}missing.txt: No such file or directory
// RUN: sed 's/ops.exp(sub)/ops.exp(sub, sub)/' %S/Inputs/softmax-columns.txt | not spyre-translate --import-inductor-text - 2>&1 | FileCheck %s --check-prefix=FUNCTION
// FUNCTION: <stdin>: error: at ops[1].body.blocks.body[3]

// An older dump has no layouts: buffers are lines as long as what is accessed.
// ROWS: inductor.input "arg0_1" : tensor<38400xf32, #layout>
// ROWS: inductor.reduction "buf0" as "buf0" max [10] over [3840] from f32 {
// ROWS: inductor.load %arg0_1 at #map(%i0, %i1) : tensor<38400xf32, #layout> -> f32
// ROWS: inductor.reduction "buf1" as "buf1" sum [10] over [3840] from f32 {
// ROWS: inductor.pointwise "buf2" as "buf2" [10, 3840] {
// ROWS: arith.divf
// ROWS: inductor.return %buf2

// COLUMNS: inductor.input "arg0_1" : tensor<10x384xf32
// COLUMNS: inductor.reduction "op0" as "buf0" max [384] over [10] from f32 {
// COLUMNS: inductor.load %arg0_1 at #map(%i0, %i1) view #layout1 : tensor<10x384xf32
// COLUMNS: inductor.pointwise "op1" as "buf1" [10, 384] {
// COLUMNS: inductor.reduction "op2" as "buf2" sum [384] over [10] from f32 {
// COLUMNS: inductor.pointwise "op3" as "buf3" [10, 384] {

// SUM: inductor.pointwise "op0" as "buf0" [1200] {
// SUM-NEXT: ^bb0(%i0: index):

#id = affine_map<(d0, d1) -> (d0, d1)>
#back = affine_map<(d0, d1) -> (d1, d0)>

!x = tensor<10x3840xf32, #inductor.layout<fixed, [3840, 1]>>
!l = tensor<38400xf32, #inductor.layout<fixed, [1]>>
!m = tensor<10xf32, #inductor.layout<fixed, [1]>>
#row = affine_map<(d0, d1) -> (d0)>
#line = affine_map<(d0, d1) -> (d0 * 3840 + d1)>
inductor.graph @rows {
  %x = inductor.input "x" : !l
  %max = inductor.reduction "op0" as "buf0" max [10] over [3840] from f32 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #line(%i, %j) : !l -> f32
    inductor.store %0 at #row(%i, %j) : f32
  } : !m
  %exp = inductor.pointwise "op1" as "buf1" [10, 3840] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #line(%i, %j) : !l -> f32
    %1 = inductor.load %max at #row(%i, %j) : !m -> f32
    %2 = arith.subf %0, %1 : f32
    %3 = math.exp %2 : f32
    inductor.store %3 at #id(%i, %j) : f32
  } : !x
  %sum = inductor.reduction "op2" as "buf2" sum [10] over [3840] from f32 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %exp at #id(%i, %j) : !x -> f32
    inductor.store %0 at #row(%i, %j) : f32
  } : !m
  %div = inductor.pointwise "op3" as "buf3" [38400] {
  ^bb0(%i: index):
    %0 = inductor.load %exp at affine_map<(d0) -> (d0 floordiv 3840, d0 mod 3840)>(%i) : !x -> f32
    %1 = inductor.load %sum at affine_map<(d0) -> (d0 floordiv 3840)>(%i) : !m -> f32
    %2 = arith.divf %0, %1 : f32
    inductor.store %2 at affine_map<(d0) -> (d0)>(%i) : f32
  } : !l
  inductor.return %div : !l
}

!c = tensor<10x384xf32, #inductor.layout<fixed, [384, 1]>>
!n = tensor<1x384xf32, #inductor.layout<fixed, [384, 1]>>
#first = affine_map<(d0, d1) -> (0, d0)>
#column = affine_map<(d0, d1) -> (0, d1)>
inductor.graph @columns {
  %x = inductor.input "x" : !c
  %max = inductor.reduction "op0" as "buf0" max [1, 384] over [10] from f32 {
  ^bb0(%j: index, %i: index):
    %0 = inductor.load %x at #back(%j, %i) : !c -> f32
    inductor.store %0 at #first(%j, %i) : f32
  } : !n
  %exp = inductor.pointwise "op1" as "buf1" [10, 384] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !c -> f32
    %1 = inductor.load %max at #column(%i, %j) : !n -> f32
    %2 = arith.subf %0, %1 : f32
    %3 = math.exp %2 : f32
    inductor.store %3 at #id(%i, %j) : f32
  } : !c
  %sum = inductor.reduction "op2" as "buf2" sum [1, 384] over [10] from f32 {
  ^bb0(%j: index, %i: index):
    %0 = inductor.load %exp at #back(%j, %i) : !c -> f32
    inductor.store %0 at #first(%j, %i) : f32
  } : !n
  %div = inductor.pointwise "op3" as "buf3" [10, 384] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %exp at #id(%i, %j) : !c -> f32
    %1 = inductor.load %sum at #column(%i, %j) : !n -> f32
    %2 = arith.divf %0, %1 : f32
    inductor.store %2 at #id(%i, %j) : f32
  } : !c
  inductor.return %div : !c
}

!a = tensor<30x40xf32, #inductor.layout<fixed, [40, 1]>>
inductor.graph @sum {
  %x = inductor.input "x" : !a
  %y = inductor.input "y" : !a
  %z = inductor.pointwise "op0" as "buf0" [30, 40] {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : !a -> f32
    %1 = inductor.load %y at #id(%i, %j) : !a -> f32
    %2 = arith.addf %0, %1 : f32
    inductor.store %2 at #id(%i, %j) : f32
  } : !a
  inductor.return %z : !a
}
