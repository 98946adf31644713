// What graphs of PyTorch 2.15 have: a pair of an element and its position, the parts of a number, its bits, buffers that nothing is
// written to, and blocks that name values as the blocks around them do.

// RUN: spyre-translate --import-inductor %S/Inputs/parts-of-values.json -o %t.mlir
// RUN: FileCheck %s --check-prefix=IR --input-file %t.mlir
// RUN: spyre-translate --export-inductor %t.mlir | spyre-translate --import-inductor - | diff - %t.mlir
// RUN: spyre-opt %t.mlir --convert-inductor-to-linalg -o %t.linalg.mlir
// RUN: spyre-run %t.linalg.mlir | FileCheck %s
// RUN: spyre-opt %t.mlir --inductor-schedule=policy=cpp --convert-inductor-to-linalg | spyre-run - | FileCheck %s
// RUN: spyre-opt %t.mlir --convert-inductor-to-linalg | FileCheck %s --check-prefix=LINALG
// RUN: sed 's/"id":"b"/"id":"load"/' %S/Inputs/parts-of-values.json | not spyre-translate --import-inductor - 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: sed 's/"i":1/"i":2/' %S/Inputs/parts-of-values.json | not spyre-translate --import-inductor - 2>&1 | FileCheck %s --check-prefix=PART
// RUN: sed 's/"i32","f32"\]/"i16","f32"]/' %S/Inputs/parts-of-values.json | not spyre-translate --import-inductor - 2>&1 | FileCheck %s --check-prefix=WIDTH

// TWICE: error: at ops[4].body.blocks.body[1].id: 'load' is defined twice
// PART: error: at ops[2].body.blocks.body[3].i: 'frexp' has the parts 0 and 1
// WIDTH: error: at ops[4].body.blocks.body[1].args: f32 and i16 have different widths

// IR: inductor.reduction "op0" as "buf0" argmax
// IR:   inductor.store %{{.*}}, %{{.*}} at
// IR: inductor.apply "frexp"(%{{.*}}) : (f32) -> f32
// IR: inductor.apply "frexp"(%{{.*}}) : (f32) -> i32
// IR: inductor.apply "to_dtype_bitcast"(%{{.*}}) {dtype = i32, source = f32} : (f32) -> i32
// IR: inductor.extern "op5" as "buf5" "NopKernel"()

// Positions that number the iterations need no comparison of equal elements.
// LINALG: linalg.generic
// LINALG-NOT: arith.cmpf oeq
// LINALG: linalg.generic
// LINALG: arith.cmpf oeq

// Column by column, the first of the largest elements is not the one with the smallest position.
// CHECK:      result 0: tensor<i64> [1]
// CHECK-NEXT: result 1: tensor<i64> [1]
// CHECK-NEXT: result 2: tensor<4xf32> [0.75, -0.75, 0.0, 0.5]
// CHECK-NEXT: result 3: tensor<4xi32> [0, 3, 0, 1]
// CHECK-NEXT: result 4: tensor<4xi32> [1061158913, -1061158911, 1, 1065353217]
// CHECK-NEXT: result 5: tensor<5xf32> [-1.0, -2.0, -2.0, 0.0, 1.0]
// CHECK-NOT:  result 6
