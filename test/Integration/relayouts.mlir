// RUN: rm -rf %t && mkdir %t
// RUN: spyre-opt %s --spyre-pipeline="bundle=false plan=false relayouts=true" --spyre-verify-plan -o %t/planned.mlir
// RUN: FileCheck %s --input-file=%t/planned.mlir
// RUN: spyre-opt %s --spyre-pipeline="plan=false relayouts=true" | spyre-translate --spyre-to-bundle - -o %t/bundle
// RUN: spyre-translate --verify-bundle %t/bundle
// RUN: FileCheck %s --check-prefix=FILE --input-file=%t/bundle/sdsc_1.json
// RUN: spyre-run %s --bundle %t/bundle --compare %s --integers 3 --random-seed 5 --max-ulps 0 | FileCheck %s --check-prefix=SAME
// RUN: spyre-opt %s --spyre-pipeline="bundle=false plan=false" | FileCheck %s --check-prefix=WITHOUT

// Values that are read in other slices than those in which they are made move from scratchpad to scratchpad. On the card, what nobody has
// written is poison.

// SAME-COUNT-4: result {{[0-9]}}: 0 of {{[0-9]+}} elements differ

// FILE-DAG: "opFuncName": "shuffle"
// FILE-DAG: "numCoresUsed_": 32

// WITHOUT-NOT: from [
// WITHOUT: place pool

// CHECK-LABEL: func.func @f(
func.func @f(%a: tensor<64x512xf16>, %b: tensor<512x256xf16>) -> (tensor<64x256xf16>, tensor<64x512xf16>, tensor<64x512xf16>, tensor<64x512xf16>) {
  // Every four cores of the product read the same eight rows, from four cores.
  // CHECK: %[[E:.*]] = spyre.neg %arg0 split [32, 1] place lx
  // CHECK: %[[R:.*]] = spyre.copy %[[E]] from [0] by [32] to [0, -1] by [8, 4] split [8, 1] place lx
  // CHECK: spyre.batchmatmul %[[R]], %arg1 split [8, 4, 1] place arg
  %e = spyre.neg %a split [32, 1] : tensor<64x512xf16>
  %p = spyre.batchmatmul %e, %b split [8, 4, 1] : (tensor<64x512xf16>, tensor<512x256xf16>) -> tensor<64x256xf16>
  // Columns become rows, and both are read: two readers of one relayout, and one of the source.
  // CHECK: %[[S:.*]] = spyre.abs %arg0 split [1, 8] place lx
  // CHECK: %[[T:.*]] = spyre.copy %[[S]] from [1] by [8] to [0] by [8] split [8, 1] place lx
  // CHECK: %[[U:.*]] = spyre.neg %[[T]] split [8, 1] place lx
  // CHECK: spyre.add %[[T]], %[[U]] split [8, 1] place arg
  // CHECK: spyre.neg %[[S]] split [1, 8] place arg
  %s = spyre.abs %a split [1, 8] : tensor<64x512xf16>
  %u = spyre.neg %s split [8, 1] : tensor<64x512xf16>
  %q = spyre.add %s, %u split [8, 1] : tensor<64x512xf16>
  %r = spyre.neg %s split [1, 8] : tensor<64x512xf16>
  // Eight cores have the source, which the file says, and four times as many read it.
  // CHECK: %[[V:.*]] = spyre.relufwd %arg0 split [8, 1] place lx
  // CHECK: spyre.copy %[[V]] from [0] by [8] to [0, 1] by [8, 4] split [8, 4] place lx
  %v = spyre.relufwd %a split [8, 1] : tensor<64x512xf16>
  %w = spyre.neg %v split [8, 4] : tensor<64x512xf16>
  return %p, %q, %r, %w : tensor<64x256xf16>, tensor<64x512xf16>, tensor<64x512xf16>, tensor<64x512xf16>
}
