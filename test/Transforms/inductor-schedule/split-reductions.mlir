// Long reductions in parts. The numbers stay.

// RUN: spyre-opt %s --inductor-split-reductions=processors=8 -o %t.1
// RUN: FileCheck %s --input-file %t.1
// RUN: spyre-opt %s --inductor-split-reductions | FileCheck %s --check-prefix=OFF
// RUN: spyre-opt %s --convert-inductor-to-linalg -o %t.0
// RUN: spyre-opt %t.1 --inductor-schedule=policy=simd --convert-inductor-to-linalg -o %t
// RUN: spyre-run %t --entry rows --random-seed 1 --compare %t.0 --tolerance 1e-4
// RUN: spyre-run %t --entry all --random-seed 1 --compare %t.0
// RUN: spyre-run %t --entry columns --random-seed 1 --compare %t.0 --tolerance 1e-4
// RUN: spyre-run %t --entry short --random-seed 1 --compare %t.0 --tolerance 1e-4

// OFF-NOT: _part

#id = affine_map<(d0, d1) -> (d0, d1)>

// 2 parts of 4501 elements, of which the last one has no element: 0 in its place.
// CHECK-LABEL: inductor.graph @rows
// CHECK: %[[P:.*]] = inductor.reduction "op0_part" as "buf0_part" sum [10, 2] over [4501] from f32 {
// CHECK-NEXT: ^bb0(%i0: index, %i1: index, %i2: index):
// CHECK: %[[N:.*]] = inductor.index_expr #[[NUMBER:map[0-9]*]](%i0, %i1, %i2) : i64
// CHECK: %[[M:.*]] = arith.cmpi slt, %[[N]], %c9001_i64 : i64
// CHECK: inductor.masked %[[M]] else 0.000000e+00 : f32 {
// CHECK: inductor.load %x at #{{map[0-9]*}}(%i0, %i1, %i2)
// CHECK: } : tensor<10x2xf32, #{{layout[0-9]*}}>
// CHECK: inductor.reduction "op0" as "buf0" sum [10] over [2] from f32 {
// CHECK: inductor.load %[[P]] at #{{map[0-9]*}}(%i0, %i1) : tensor<10x2xf32
inductor.graph @rows {
  %x = inductor.input "x" : tensor<10x9001xf16, #inductor.layout<fixed, [9001, 1]>>
  %y = inductor.reduction "op0" as "buf0" sum [10] over [9001] from f32 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : tensor<10x9001xf16, #inductor.layout<fixed, [9001, 1]>> -> f32
    inductor.store %0 at affine_map<(d0, d1) -> (d0)>(%i, %j) : f32
  } : tensor<10xf16, #inductor.layout<fixed, [1]>>
  inductor.return %y : tensor<10xf16, #inductor.layout<fixed, [1]>>
}

// One result: two loops are one number, and no part is short.
// CHECK-LABEL: inductor.graph @all
// CHECK: inductor.reduction "op0_part" as "buf0_part" max [2] over [8192] from f32 {
// CHECK-NOT: inductor.masked
// CHECK: inductor.reduction "op0" as "buf0" max [] over [2] from f32 {
inductor.graph @all {
  %x = inductor.input "x" : tensor<128x128xf32, #inductor.layout<fixed, [128, 1]>>
  %y = inductor.reduction "op0" as "buf0" max [] over [128, 128] from f32 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : tensor<128x128xf32, #inductor.layout<fixed, [128, 1]>> -> f32
    inductor.store %0 at affine_map<(d0, d1) -> ()>(%i, %j) : f32
  } : tensor<f32, #inductor.layout<fixed, []>>
  inductor.return %y : tensor<f32, #inductor.layout<fixed, []>>
}

// Columns: 4 rows for each of 32 elements of a thread.
// CHECK-LABEL: inductor.graph @columns
// CHECK: inductor.reduction "op0_part" as "buf0_part" sum [50, 8] over [125] from f32 {
inductor.graph @columns {
  %x = inductor.input "x" : tensor<1000x50xf32, #inductor.layout<fixed, [50, 1]>>
  %y = inductor.reduction "op0" as "buf0" sum [50] over [1000] from f32 {
  ^bb0(%j: index, %i: index):
    %0 = inductor.load %x at affine_map<(d0, d1) -> (d1, d0)>(%j, %i) : tensor<1000x50xf32, #inductor.layout<fixed, [50, 1]>> -> f32
    inductor.store %0 at affine_map<(d0, d1) -> (d0)>(%j, %i) : f32
  } : tensor<50xf32, #inductor.layout<fixed, [1]>>
  inductor.return %y : tensor<50xf32, #inductor.layout<fixed, [1]>>
}

// 8192 elements of a row are one part, and so is what has no identity.
// CHECK-LABEL: inductor.graph @short
// CHECK-NOT: _part
inductor.graph @short {
  %x = inductor.input "x" : tensor<2x8192xf32, #inductor.layout<fixed, [8192, 1]>>
  %y = inductor.reduction "op0" as "buf0" sum [2] over [8192] from f32 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : tensor<2x8192xf32, #inductor.layout<fixed, [8192, 1]>> -> f32
    inductor.store %0 at affine_map<(d0, d1) -> (d0)>(%i, %j) : f32
  } : tensor<2xf32, #inductor.layout<fixed, [1]>>
  %z = inductor.reduction "op1" as "buf1" argmax [] over [2, 8192] from f32 {
  ^bb0(%i: index, %j: index):
    %0 = inductor.load %x at #id(%i, %j) : tensor<2x8192xf32, #inductor.layout<fixed, [8192, 1]>> -> f32
    inductor.store %0 at affine_map<(d0, d1) -> ()>(%i, %j) : f32
  } : tensor<i64, #inductor.layout<fixed, []>>
  inductor.return %y, %z outputs [#inductor.operand<0>, #inductor.operand<1>] : tensor<2xf32, #inductor.layout<fixed, [1]>>, tensor<i64, #inductor.layout<fixed, []>>
}
