// Reductions of terms, of truth values, of several loops, and from something else than the identity.

// RUN: spyre-opt %s --spyre-import-linalg | FileCheck %s
// RUN: spyre-run %s --entry norms --random-seed 1 --check-pipeline='builtin.module(spyre-import-linalg,spyre-pipeline)' --tolerance 1e-2 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry two_loops --random-seed 2 --check-pipeline='builtin.module(spyre-import-linalg,spyre-pipeline)' --tolerance 1e-2 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry from_bias --random-seed 3 --check-pipeline='builtin.module(spyre-import-linalg,spyre-pipeline)' --tolerance 1e-2 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry any_above --random-seed 4 --check-pipeline='builtin.module(spyre-import-linalg,spyre-pipeline)' 2>/dev/null | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry largest --random-seed 5 --integers 3 --on=card --stats --compare %s --compare-entry largest 2>&1 | FileCheck %s --check-prefix=SEARCH
// RUN: spyre-run %s --entry smallest --random-seed 6 --integers 3 --on=card --stats --compare %s --compare-entry smallest 2>&1 | FileCheck %s --check-prefix=SEARCH
// RUN: spyre-run %s --entry from_a_number --random-seed 7 --integers 3 --on=card --stats --compare %s --compare-entry from_a_number 2>&1 | FileCheck %s --check-prefix=SEARCH
// CARD-NOT: DIFFER
// CARD:     a bundle, same results on the simulated card
// SEARCH-NOT: stays on the host
// SEARCH:     device: @{{largest|smallest|from_a_number}}_device_0,
// SEARCH:     host: 64 elements
// SEARCH:     result 0: 0 of 64 elements differ
// RUN: not spyre-run %s --entry largest --check-pipeline='builtin.module(spyre-import-linalg,spyre-pipeline)' 2>&1 | FileCheck %s --check-prefix=INTEGERS

#all = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
#columns = affine_map<(d0, d1) -> (d1)>
#three = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#middle = affine_map<(d0, d1, d2) -> (d1)>

// CHECK-LABEL: @norms(
// CHECK:         %[[A:.*]] = spyre.abs
// CHECK:         spyre.sum %[[A]] dims [1] : (tensor<96x128xf16>) -> tensor<96xf16>
func.func @norms(%x: tensor<96x128xf16>) -> tensor<96xf16> {
  %zero = arith.constant 0.0 : f16
  %0 = tensor.empty() : tensor<96xf16>
  %1 = linalg.fill ins(%zero : f16) outs(%0 : tensor<96xf16>) -> tensor<96xf16>
  %y = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<96x128xf16>) outs(%1 : tensor<96xf16>) {
  ^bb0(%in: f16, %out: f16):
    %a = math.absf %in : f16
    %s = arith.addf %a, %out : f16
    linalg.yield %s : f16
  } -> tensor<96xf16>
  return %y : tensor<96xf16>
}

// CHECK-LABEL: @two_loops(
// CHECK-NOT:     spyre.permute
// CHECK:         spyre.max %{{.+}} dims [0, 2] : (tensor<4x8x64xf16>) -> tensor<8xf16>
func.func @two_loops(%x: tensor<4x8x64xf16>) -> tensor<8xf16> {
  %low = arith.constant 0xFC00 : f16
  %0 = tensor.empty() : tensor<8xf16>
  %1 = linalg.fill ins(%low : f16) outs(%0 : tensor<8xf16>) -> tensor<8xf16>
  %y = linalg.reduce { arith.maximumf } ins(%x : tensor<4x8x64xf16>) outs(%1 : tensor<8xf16>) dimensions = [0, 2]
  return %y : tensor<8xf16>
}

// CHECK-LABEL: @from_bias(
// CHECK:         %[[S:.*]] = spyre.sum
// CHECK:         spyre.add %[[S]], %arg1
func.func @from_bias(%x: tensor<96x64xf16>, %b: tensor<96xf16>) -> tensor<96xf16> {
  %y = linalg.reduce { arith.addf } ins(%x : tensor<96x64xf16>) outs(%b : tensor<96xf16>) dimensions = [1]
  return %y : tensor<96xf16>
}

// CHECK-LABEL: @any_above(
// CHECK:         spyre.greaterthan
// CHECK:         spyre.max
// CHECK:         spyre.notequal
func.func @any_above(%x: tensor<64x64xf16>) -> tensor<64xi1> {
  %one = arith.constant 1.5 : f16
  %false = arith.constant false
  %0 = tensor.empty() : tensor<64xi1>
  %1 = linalg.fill ins(%false : i1) outs(%0 : tensor<64xi1>) -> tensor<64xi1>
  %y = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x64xf16>) outs(%1 : tensor<64xi1>) {
  ^bb0(%in: f16, %out: i1):
    %c = arith.cmpf ogt, %in, %one : f16
    %s = arith.ori %c, %out : i1
    linalg.yield %s : i1
  } -> tensor<64xi1>
  return %y : tensor<64xi1>
}

// A search, as torch-mlir prints it: the first of equal elements. Positions are floats of the format that is searched, along a
// dimension that is not on the stick, and the host makes integers of them.
// CHECK-LABEL: @largest(
// CHECK-DAG:     spyre.max {{.*}} dims [0]
// CHECK:         %[[T:.*]] = spyre.permute %arg0 [1, 0]
// CHECK:         %[[P:.*]] = spyre.topkindex %[[T]] dim 1 k 1 : (tensor<64x128xf32>) -> tensor<64x1xf32>
// CHECK:         %[[C:.*]] = tensor.collapse_shape %[[P]]
// CHECK:         spyre.fptosi %[[C]]
// INTEGERS: 'sub' computes in SEN169_FP16 or IEEE_FP32, but tensor 0 is IEEE_INT32
func.func @largest(%x: tensor<128x64xf32>) -> (tensor<64xf32>, tensor<64xi32>) {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i32
  %0 = tensor.empty() : tensor<64xf32>
  %1 = linalg.fill ins(%low : f32) outs(%0 : tensor<64xf32>) -> tensor<64xf32>
  %2 = tensor.empty() : tensor<64xi32>
  %3 = linalg.fill ins(%zero : i32) outs(%2 : tensor<64xi32>) -> tensor<64xi32>
  %y:2 = linalg.generic {indexing_maps = [#all, #columns, #columns], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<128x64xf32>) outs(%1, %3 : tensor<64xf32>, tensor<64xi32>) {
  ^bb0(%in: f32, %best: f32, %at: i32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %m = arith.maximumf %in, %best : f32
    %c = arith.cmpf ogt, %in, %best : f32
    %s = arith.select %c, %n, %at : i32
    linalg.yield %m, %s : f32, i32
  } -> (tensor<64xf32>, tensor<64xi32>)
  return %y#0, %y#1 : tensor<64xf32>, tensor<64xi32>
}

// The smallest, of which nobody reads the value.
// CHECK-LABEL: @smallest(
// CHECK:         %[[N:.*]] = spyre.neg
// CHECK:         spyre.topkindex %[[N]] dim 1 k 1
// CHECK-NOT:     spyre.min
func.func @smallest(%x: tensor<128x64xf32>) -> tensor<64xi32> {
  %high = arith.constant 0x7F800000 : f32
  %zero = arith.constant 0 : i32
  %0 = tensor.empty() : tensor<64xf32>
  %1 = linalg.fill ins(%high : f32) outs(%0 : tensor<64xf32>) -> tensor<64xf32>
  %2 = tensor.empty() : tensor<64xi32>
  %3 = linalg.fill ins(%zero : i32) outs(%2 : tensor<64xi32>) -> tensor<64xi32>
  %y:2 = linalg.generic {indexing_maps = [#all, #columns, #columns], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<128x64xf32>) outs(%1, %3 : tensor<64xf32>, tensor<64xi32>) {
  ^bb0(%in: f32, %best: f32, %at: i32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %c = arith.cmpf olt, %in, %best : f32
    %m = arith.select %c, %in, %best : f32
    %s = arith.select %c, %n, %at : i32
    linalg.yield %m, %s : f32, i32
  } -> (tensor<64xf32>, tensor<64xi32>)
  return %y#1 : tensor<64xi32>
}

// TOSA starts from the least finite number, and others from any. Where no element is beyond it, the position is the first.
// CHECK-LABEL: @from_a_number(
// CHECK:         %[[START:.*]] = spyre.fill dense<1.000000e+00>
// CHECK:         %[[M:.*]] = spyre.maximum %{{.*}}, %[[START]]
// CHECK-DAG:     spyre.max %[[M]]
// CHECK-DAG:     spyre.topkindex %[[M]]
func.func @from_a_number(%x: tensor<4x64xf32>) -> (tensor<64xf32>, tensor<64xi32>) {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0 : i32
  %0 = tensor.empty() : tensor<64xf32>
  %1 = linalg.fill ins(%one : f32) outs(%0 : tensor<64xf32>) -> tensor<64xf32>
  %2 = tensor.empty() : tensor<64xi32>
  %3 = linalg.fill ins(%zero : i32) outs(%2 : tensor<64xi32>) -> tensor<64xi32>
  %y:2 = linalg.generic {indexing_maps = [#all, #columns, #columns], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<4x64xf32>) outs(%1, %3 : tensor<64xf32>, tensor<64xi32>) {
  ^bb0(%in: f32, %best: f32, %at: i32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %c = arith.cmpf ugt, %in, %best : f32
    %d = arith.cmpf ord, %best, %best : f32
    %e = arith.andi %c, %d : i1
    %m = arith.select %e, %in, %best : f32
    %s = arith.select %e, %n, %at : i32
    linalg.yield %m, %s : f32, i32
  } -> (tensor<64xf32>, tensor<64xi32>)
  return %y#0, %y#1 : tensor<64xf32>, tensor<64xi32>
}
