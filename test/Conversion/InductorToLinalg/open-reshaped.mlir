// Sizes that are left open, merged and split in another order: `(x.reshape(-1) + y.reshape(-1)).reshape(x.shape[1], -1).sum(1)` with both
// extents of x open. The line of elements has a product for an extent, so the reshape is one operation.

// RUN: spyre-opt %s --convert-inductor-to-linalg="sizes=s27=16:48,s77=16:96" -o %t
// RUN: FileCheck %s --input-file %t
// RUN: spyre-opt %s --convert-inductor-to-linalg="sizes=s27=32,s77=80" -o %t.fixed
// RUN: FileCheck %s --input-file %t.fixed --check-prefix=FIXED
// RUN: spyre-run %t --entry merged --size s27=32 --size s77=80 --random-seed 2 --compare %t.fixed --compare-entry merged | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t.fixed --entry merged --random-seed 2 --compare %t.fixed --compare-entry by_hand | FileCheck %s --check-prefix=SAME
// SAME: result 0: 0 of 32 elements differ

// The host has the reshape, and one bundle serves every size: the smallest, twice the smallest, the largest, and two equal ones.
// RUN: spyre-opt %s --convert-inductor-to-linalg="sizes=s27=64:256,s77=64:256" --spyre-import-linalg="host=true float=dl16" -o %t.split
// RUN: spyre-opt %s --convert-inductor-to-linalg="sizes=s27=64:256,s77=64:256" -o %t.open
// RUN: FileCheck %s --input-file %t.split --check-prefix=SPLIT
// RUN: spyre-run %t.split --entry merged --size s27=64 --size s77=128 --on=card --integers 1 --random-seed 3 --compare %t.open --compare-entry merged --stats 2>&1 | FileCheck %s --check-prefix=CARD --implicit-check-not="not for all"
// RUN: spyre-run %t.split --entry merged --size s27=128 --size s77=64 --on=card --integers 1 --random-seed 3 --compare %t.open --compare-entry merged --stats 2>&1 | FileCheck %s --check-prefix=CARD --implicit-check-not="not for all"
// RUN: spyre-run %t.split --entry merged --size s27=256 --size s77=256 --on=card --integers 1 --random-seed 3 --compare %t.open --compare-entry merged --stats 2>&1 | FileCheck %s --check-prefix=CARD --implicit-check-not="not for all"
// RUN: spyre-run %t.open --entry merged --size s27=64 --size s77=64 --on=card --float=dl16 --integers 1 --random-seed 3 --compare %t.open --compare-entry merged --stats 2>&1 | FileCheck %s --check-prefix=CARD --implicit-check-not="not for all"
// CARD: 100.0 % of the work is the device's
// CARD: result 0: 0 of {{64|128|256}} elements differ
// SPLIT: tensor.reshape
// SPLIT: call @merged_device_0
// SPLIT: func.func private @merged_device_0(%{{.+}}: tensor<?x?xf16> {spyre.dims = ["s27", "s77"]}, %{{.+}}: tensor<?x?xf16> {spyre.dims = ["s27", "s77"]}) -> tensor<?xf16>

#x = #inductor.layout<fixed, [s0, 1], size = [s1, s0]>
#y = #inductor.layout<fixed, [s1, 1], size = [s0, s1]>
#line = #inductor.layout<fixed, [1], size = [s0 * s1]>
#sum = #inductor.layout<fixed, [1], size = [s0]>
#flat = affine_map<(d0, d1)[s0, s1] -> (d0 * s1 + d1)>

// CHECK-LABEL: func.func @merged(
// CHECK-DAG:     %[[S77:.+]] = tensor.dim %arg0, %c0
// CHECK-DAG:     %[[S27:.+]] = tensor.dim %arg0, %c1
// CHECK-NOT:     collapse_shape
// CHECK:         %[[SHAPE:.+]] = tensor.from_elements %[[S27]], %[[S77]] : tensor<2xindex>
// CHECK:         %[[X:.+]] = tensor.reshape %arg0(%[[SHAPE]]) : (tensor<?x?xf16>, tensor<2xindex>) -> tensor<?x?xf16>
// CHECK:         linalg.generic {{.*}} ins(%[[X]], %arg1 : tensor<?x?xf16>, tensor<?x?xf16>)
// FIXED-LABEL: func.func @merged(
// FIXED:         tensor.collapse_shape {{.*}} into tensor<2560xf16>
// FIXED:         tensor.expand_shape {{.*}} into tensor<32x80xf16>
inductor.graph @merged symbols [#inductor.sym<"s27", hint = 10, min = 2>, #inductor.sym<"s77", hint = 6, min = 2>] {
  %x = inductor.input "x" : tensor<?x?xf16, #x>
  %y = inductor.input "y" : tensor<?x?xf16, #y>
  %z = inductor.reduction "op0" as "buf0" sum [s0] over [s1] from f32 {
  ^bb0(%i: index, %j: index):
    %a = inductor.load %x at #flat(%i, %j) view #line : tensor<?x?xf16, #x> -> f32
    %b = inductor.load %y at #flat(%i, %j) view #line : tensor<?x?xf16, #y> -> f32
    %s = arith.addf %a, %b : f32
    inductor.store %s at affine_map<(d0, d1) -> (d0)>(%i, %j) : f32
  } : tensor<?xf16, #sum>
  inductor.return %z outputs [#inductor.operand<0>] : tensor<?xf16, #sum>
}

// The same for one pair of sizes, where the places are computed in the memory of x.
func.func @by_hand(%x: tensor<80x32xf16>, %y: tensor<32x80xf16>) -> tensor<32xf16> {
  %t = tensor.generate {
  ^bb0(%i: index, %j: index):
    %r = affine.apply affine_map<(d0, d1) -> ((d0 * 80 + d1) floordiv 32)>(%i, %j)
    %c = affine.apply affine_map<(d0, d1) -> ((d0 * 80 + d1) mod 32)>(%i, %j)
    %a = tensor.extract %x[%r, %c] : tensor<80x32xf16>
    %b = tensor.extract %y[%i, %j] : tensor<32x80xf16>
    %c32 = arith.extf %a : f16 to f32
    %d = arith.extf %b : f16 to f32
    %s = arith.addf %c32, %d : f32
    tensor.yield %s : f32
  } : tensor<32x80xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32xf32>) -> tensor<32xf32>
  %w = linalg.reduce {arith.addf} ins(%t : tensor<32x80xf32>) outs(%f : tensor<32xf32>) dimensions = [1]
  %z = arith.truncf %w : tensor<32xf32> to tensor<32xf16>
  return %z : tensor<32xf16>
}
