// Bodies become one device operation for each operation; what repeats along a loop stays narrow.

// RUN: spyre-opt %s --spyre-import-linalg | FileCheck %s
// RUN: spyre-run %s --entry bias --random-seed 1 --check-pipeline='builtin.module(spyre-import-linalg,spyre-pipeline)' --tolerance 1e-2 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry transposed_sum --random-seed 2 --check-pipeline='builtin.module(spyre-import-linalg,spyre-pipeline)' --tolerance 1e-2 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry several --random-seed 3 --check-pipeline='builtin.module(spyre-import-linalg,spyre-pipeline)' --tolerance 1e-2 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry comparisons --random-seed 4 --special-values --check-pipeline='builtin.module(spyre-import-linalg,spyre-pipeline)' --tolerance 1e-2 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: not spyre-run %s --entry both_formats --random-seed 5 --check-pipeline='builtin.module(spyre-set-target{target={exceptions=["fp32-restickify"]}},spyre-import-linalg,spyre-pipeline)' --tolerance 1e-2 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: spyre-run %s --entry cast_alike --random-seed 5 --check-pipeline='builtin.module(spyre-import-linalg,spyre-pipeline)' --tolerance 1e-2 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry logic --random-seed 6 --check-pipeline='builtin.module(spyre-import-linalg,spyre-pipeline)' --tolerance 1e-2 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry number_of_two --random-seed 7 --special-values --check-pipeline='builtin.module(spyre-import-linalg,spyre-pipeline)' --tolerance 1e-2 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry both_formats --random-seed 5 --on=card --stats --compare %s --compare-entry both_formats 2>&1 | FileCheck %s --check-prefix=HOST
// CARD-NOT: DIFFER
// CARD:     a bundle, same results on the simulated card

#all = affine_map<(d0, d1) -> (d0, d1)>
#columns = affine_map<(d0, d1) -> (d1)>
#swapped = affine_map<(d0, d1) -> (d1, d0)>
#corner = affine_map<(d0, d1) -> (d0, 3)>

// CHECK-LABEL: @bias(
// CHECK:         %[[ROW:.*]] = tensor.expand_shape %{{.*}} {{\[\[}}0, 1]] output_shape [1, 128]
// CHECK:         spyre.add %{{.*}}, %[[ROW]] : (tensor<96x128xf16>, tensor<1x128xf16>) -> tensor<96x128xf16>
// CHECK-NOT:     linalg
func.func @bias(%x: tensor<96x128xf16>, %b: tensor<128xf16>) -> tensor<96x128xf16> {
  %0 = tensor.empty() : tensor<96x128xf16>
  %wide = linalg.generic {indexing_maps = [#columns, #all], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<128xf16>) outs(%0 : tensor<96x128xf16>) {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  } -> tensor<96x128xf16>
  %y = linalg.add ins(%x, %wide : tensor<96x128xf16>, tensor<96x128xf16>) outs(%0 : tensor<96x128xf16>) -> tensor<96x128xf16>
  return %y : tensor<96x128xf16>
}

// A column of the second operand, and the first one transposed: views.
// CHECK-LABEL: @transposed_sum(
// CHECK-DAG:     %[[COLUMN:.*]] = tensor.extract_slice %{{.*}}[0, 3] [64, 1] [1, 1]
// CHECK-DAG:     %[[TURNED:.*]] = spyre.permute %{{.*}} [1, 0]
// CHECK:         spyre.add %[[TURNED]], %[[COLUMN]] : (tensor<64x96xf16>, tensor<64x1xf16>) -> tensor<64x96xf16>
func.func @transposed_sum(%x: tensor<96x64xf16>, %y: tensor<64x8xf16>) -> tensor<64x96xf16> {
  %0 = tensor.empty() : tensor<64x96xf16>
  %z = linalg.generic {indexing_maps = [#swapped, #corner, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<96x64xf16>, tensor<64x8xf16>) outs(%0 : tensor<64x96xf16>) {
  ^bb0(%a: f16, %b: f16, %out: f16):
    %s = arith.addf %a, %b : f16
    linalg.yield %s : f16
  } -> tensor<64x96xf16>
  return %z : tensor<64x96xf16>
}

// Two results of one body, one of them in another order of the loops.
// CHECK-LABEL: @several(
// CHECK-DAG:     %[[E:.*]] = spyre.exp %{{.*}} : tensor<64x96xf16>
// CHECK-DAG:     %[[M:.*]] = spyre.mul %{{.*}}, %{{.*}} : (tensor<64x96xf16>, tensor<1x1xf16>)
// CHECK:         spyre.permute %[[M]] [1, 0]
func.func @several(%x: tensor<64x96xf16>) -> (tensor<64x96xf16>, tensor<96x64xf16>) {
  %0 = tensor.empty() : tensor<64x96xf16>
  %1 = tensor.empty() : tensor<96x64xf16>
  %two = arith.constant 2.0 : f16
  %y:2 = linalg.generic {indexing_maps = [#all, #all, #swapped], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64x96xf16>) outs(%0, %1 : tensor<64x96xf16>, tensor<96x64xf16>) {
  ^bb0(%a: f16, %o0: f16, %o1: f16):
    %e = math.exp %a : f16
    %m = arith.mulf %a, %two : f16
    linalg.yield %e, %m : f16, f16
  } -> (tensor<64x96xf16>, tensor<96x64xf16>)
  return %y#0, %y#1 : tensor<64x96xf16>, tensor<96x64xf16>
}

// An unordered comparison holds for NaN, which no comparison of the device but `notequal` does. It is the opposite of one that
// does not, and chooses the other way round.
// CHECK-LABEL: @comparisons(
// CHECK-SAME:    %[[X:[^ :]+]]: {{.*}}, %[[Y:[^ :]+]]:
// CHECK-NEXT:    %[[LE:.*]] = spyre.lesserequal %[[X]], %[[Y]]
// CHECK-NEXT:    spyre.where3 %[[LE]], %[[Y]], %[[X]]
func.func @comparisons(%x: tensor<32x64xf16>, %y: tensor<32x64xf16>) -> tensor<32x64xf16> {
  %0 = tensor.empty() : tensor<32x64xf16>
  %z = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<32x64xf16>, tensor<32x64xf16>) outs(%0 : tensor<32x64xf16>) {
  ^bb0(%a: f16, %b: f16, %out: f16):
    %c = arith.cmpf ugt, %a, %b : f16
    %s = arith.select %c, %a, %b : f16
    linalg.yield %s : f16
  } -> tensor<32x64xf16>
  return %z : tensor<32x64xf16>
}

// A truth value of f32 chooses between numbers of f16 only after a cast, which leaves the elements of a stick in another order, along
// whatever dimension. So no restickify of f32 helps.
// ORDER: error: spyre-propagate-layouts: operand #1 is in the arrangement STANDARD along its stick, but another operand is in FP32_TO_DL16
// With a host, it makes that cast.
// HOST-NOT: warning
// HOST: device: @both_formats_device_0, {{[1-9][0-9]*}} elements
// HOST: device: @both_formats_device_1, {{[1-9][0-9]*}} elements
// HOST: result 0: 0 of 2048 elements differ
// CHECK-LABEL: @both_formats(
// CHECK:         spyre.lesserthan {{.*}}xf32>
// CHECK:         spyre.fp32todl16
// CHECK:         spyre.notequal {{.*}}xf16>
// CHECK:         spyre.where3
func.func @both_formats(%x: tensor<32x64xf32>, %y: tensor<32x64xf32>, %a: tensor<32x64xf16>, %b: tensor<32x64xf16>) -> tensor<32x64xf16> {
  %0 = tensor.empty() : tensor<32x64xf16>
  %z = linalg.generic {indexing_maps = [#all, #all, #all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %y, %a, %b : tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf16>, tensor<32x64xf16>) outs(%0 : tensor<32x64xf16>) {
  ^bb0(%p: f32, %q: f32, %c: f16, %d: f16, %out: f16):
    %t = arith.cmpf olt, %p, %q : f32
    %s = arith.select %t, %c, %d : f16
    linalg.yield %s : f16
  } -> tensor<32x64xf16>
  return %z : tensor<32x64xf16>
}

// All that is chosen between is cast, and so in the order of the truth value; a cast back restores it.
// CHECK-LABEL: @cast_alike(
// CHECK:         spyre.lesserthan {{.*}}xf32>
// CHECK-COUNT-3: spyre.fp32todl16
// CHECK:         spyre.notequal {{.*}}xf16>
// CHECK:         spyre.where3
// CHECK:         spyre.dl16tofp32
func.func @cast_alike(%x: tensor<32x64xf32>, %y: tensor<32x64xf32>, %a: tensor<32x64xf32>, %b: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %0 = tensor.empty() : tensor<32x64xf32>
  %z = linalg.generic {indexing_maps = [#all, #all, #all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %y, %a, %b : tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>) outs(%0 : tensor<32x64xf32>) {
  ^bb0(%p: f32, %q: f32, %c: f32, %d: f32, %out: f32):
    %t = arith.cmpf olt, %p, %q : f32
    %c16 = arith.truncf %c : f32 to f16
    %d16 = arith.truncf %d : f32 to f16
    %s = arith.select %t, %c16, %d16 : f16
    %w = arith.extf %s : f16 to f32
    linalg.yield %w : f32
  } -> tensor<32x64xf32>
  return %z : tensor<32x64xf32>
}

// CHECK-LABEL: @logic(
// CHECK-NOT:     arith
func.func @logic(%x: tensor<32x64xf16>, %y: tensor<32x64xf16>) -> tensor<32x64xf16> {
  %0 = tensor.empty() : tensor<32x64xf16>
  %zero = arith.constant 0.0 : f16
  %true = arith.constant true
  %z = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<32x64xf16>, tensor<32x64xf16>) outs(%0 : tensor<32x64xf16>) {
  ^bb0(%a: f16, %b: f16, %out: f16):
    %p = arith.cmpf ogt, %a, %zero : f16
    %q = arith.cmpf ogt, %b, %zero : f16
    %and = arith.andi %p, %q : i1
    %or = arith.ori %p, %q : i1
    %xor = arith.xori %p, %q : i1
    %not = arith.xori %and, %true : i1
    %n = arith.uitofp %not : i1 to f16
    %s = arith.select %xor, %a, %n : f16
    %t = arith.select %or, %s, %b : f16
    linalg.yield %t : f16
  } -> tensor<32x64xf16>
  return %z : tensor<32x64xf16>
}

// Of a number and NaN it is the number. Of zeros it is any: the processor says which, so they are compared as numbers.
// CHECK-LABEL: @number_of_two(
// CHECK:         spyre.maximum
// CHECK-COUNT-2: spyre.where3
func.func @number_of_two(%x: tensor<32x64xf16>, %y: tensor<32x64xf16>) -> tensor<32x64xf16> {
  %0 = tensor.empty() : tensor<32x64xf16>
  %z = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<32x64xf16>, tensor<32x64xf16>) outs(%0 : tensor<32x64xf16>) {
  ^bb0(%a: f16, %b: f16, %out: f16):
    %m = arith.maxnumf %a, %b : f16
    linalg.yield %m : f16
  } -> tensor<32x64xf16>
  return %z : tensor<32x64xf16>
}
