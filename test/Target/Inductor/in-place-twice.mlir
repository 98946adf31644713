// A buffer that is written in place of one that is in place of an input: all three names are the memory of the input.

// RUN: spyre-translate --import-inductor %S/Inputs/in-place-twice.json -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: spyre-translate --export-inductor %t.mlir | spyre-translate --import-inductor - | diff - %t.mlir

// CHECK: %[[FIRST:.*]] = inductor.pointwise "op0" as "buf0" [4, 6] into %x
// CHECK: %[[SECOND:.*]] = inductor.pointwise "op1" as "buf1" [4, 6] into %[[FIRST]]
// CHECK:   inductor.load %[[FIRST]]
// CHECK: inductor.return %[[SECOND]], %[[SECOND]] mutated ["x"]
