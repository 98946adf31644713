// Products of more batch dimensions than the card has: what the card computes is what the program computes, and all of it is the
// card's. Sums of integers are exact.

// RUN: spyre-run %s --entry shared --random-seed 1 --integers 1 --on=card --compare %s --compare-entry shared --stats 2>&1 | FileCheck %s --implicit-check-not=warning
// RUN: spyre-run %s --entry four --random-seed 2 --integers 1 --on=card --compare %s --compare-entry four --stats 2>&1 | FileCheck %s --implicit-check-not=warning
// RUN: spyre-run %s --entry between --random-seed 3 --integers 1 --on=card --compare %s --compare-entry between --stats 2>&1 | FileCheck %s --implicit-check-not=warning
// RUN: spyre-run %s --entry rows --random-seed 4 --integers 1 --on=card --compare %s --compare-entry rows --stats 2>&1 | FileCheck %s --implicit-check-not=warning
// RUN: spyre-run %s --entry left_repeats --random-seed 5 --integers 1 --on=card --compare %s --compare-entry left_repeats --stats 2>&1 | FileCheck %s --implicit-check-not=warning
// RUN: spyre-run %s --entry generic --random-seed 6 --integers 1 --on=card --compare %s --compare-entry generic --stats 2>&1 | FileCheck %s --implicit-check-not=warning
// RUN: spyre-run %s --entry repeated_generic --random-seed 7 --integers 1 --on=card --compare %s --compare-entry repeated_generic --stats 2>&1 | FileCheck %s --implicit-check-not=warning
// RUN: spyre-run %s --entry attention --random-seed 8 --largest 1 --on=card --compare %s --compare-entry attention --tolerance 1e-2 --stats 2>&1 | FileCheck %s --implicit-check-not=warning

// CHECK: host: 0 elements
// CHECK: result 0: 0 of

func.func @shared(%a: tensor<2x3x4x32x64xf16>, %b: tensor<2x3x4x64x64xf16>) -> tensor<2x3x4x32x64xf16> {
  %0 = spyre.batchmatmul %a, %b : (tensor<2x3x4x32x64xf16>, tensor<2x3x4x64x64xf16>) -> tensor<2x3x4x32x64xf16>
  return %0 : tensor<2x3x4x32x64xf16>
}

// Ragged along all three dimensions of the matrices.
func.func @four(%a: tensor<2x3x2x3x5x33xf16>, %b: tensor<2x3x2x3x33x70xf16>) -> tensor<2x3x2x3x5x70xf16> {
  %0 = spyre.batchmatmul %a, %b : (tensor<2x3x2x3x5x33xf16>, tensor<2x3x2x3x33x70xf16>) -> tensor<2x3x2x3x5x70xf16>
  return %0 : tensor<2x3x2x3x5x70xf16>
}

func.func @between(%a: tensor<3x2x5x4x7x64xf16>, %b: tensor<1x2x1x4x64x65xf16>) -> tensor<3x2x5x4x7x65xf16> {
  %0 = spyre.batchmatmul %a, %b : (tensor<3x2x5x4x7x64xf16>, tensor<1x2x1x4x64x65xf16>) -> tensor<3x2x5x4x7x65xf16>
  return %0 : tensor<3x2x5x4x7x65xf16>
}

func.func @rows(%a: tensor<2x3x4x32x64xf16>, %b: tensor<64x64xf16>) -> tensor<2x3x4x32x64xf16> {
  %0 = spyre.batchmatmul %a, %b : (tensor<2x3x4x32x64xf16>, tensor<64x64xf16>) -> tensor<2x3x4x32x64xf16>
  return %0 : tensor<2x3x4x32x64xf16>
}

func.func @left_repeats(%a: tensor<2x1x4x32x64xf16>, %b: tensor<2x3x4x64x64xf16>) -> tensor<2x3x4x32x64xf16> {
  %0 = spyre.batchmatmul %a, %b : (tensor<2x1x4x32x64xf16>, tensor<2x3x4x64x64xf16>) -> tensor<2x3x4x32x64xf16>
  return %0 : tensor<2x3x4x32x64xf16>
}

#lhs = affine_map<(b, c, d, m, n, k) -> (b, c, d, m, k)>
#rhs = affine_map<(b, c, d, m, n, k) -> (b, c, d, k, n)>
#repeated = affine_map<(b, c, d, m, n, k) -> (b, d, k, n)>
#out = affine_map<(b, c, d, m, n, k) -> (b, c, d, m, n)>

func.func @generic(%a: tensor<2x3x4x8x64xf16>, %b: tensor<2x3x4x64x96xf16>) -> tensor<2x3x4x8x96xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<2x3x4x8x96xf16>
  %i = linalg.fill ins(%zero : f16) outs(%e : tensor<2x3x4x8x96xf16>) -> tensor<2x3x4x8x96xf16>
  %0 = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<2x3x4x8x64xf16>, tensor<2x3x4x64x96xf16>) outs(%i : tensor<2x3x4x8x96xf16>) {
  ^bb0(%x: f16, %y: f16, %sum: f16):
    %p = arith.mulf %x, %y : f16
    %s = arith.addf %sum, %p : f16
    linalg.yield %s : f16
  } -> tensor<2x3x4x8x96xf16>
  return %0 : tensor<2x3x4x8x96xf16>
}

// The right operand has no dimension c.
func.func @repeated_generic(%a: tensor<2x3x4x8x64xf16>, %b: tensor<2x4x64x96xf16>) -> tensor<2x3x4x8x96xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<2x3x4x8x96xf16>
  %i = linalg.fill ins(%zero : f16) outs(%e : tensor<2x3x4x8x96xf16>) -> tensor<2x3x4x8x96xf16>
  %0 = linalg.generic {indexing_maps = [#lhs, #repeated, #out], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<2x3x4x8x64xf16>, tensor<2x4x64x96xf16>) outs(%i : tensor<2x3x4x8x96xf16>) {
  ^bb0(%x: f16, %y: f16, %sum: f16):
    %p = arith.mulf %x, %y : f16
    %s = arith.addf %sum, %p : f16
    linalg.yield %s : f16
  } -> tensor<2x3x4x8x96xf16>
  return %0 : tensor<2x3x4x8x96xf16>
}

// One product reads what another has made, with an operation between them.
func.func @attention(%q: tensor<2x2x3x16x64xf16>, %k: tensor<2x2x3x64x32xf16>, %v: tensor<2x2x3x32x64xf16>) -> tensor<2x2x3x16x64xf16> {
  %0 = spyre.batchmatmul %q, %k : (tensor<2x2x3x16x64xf16>, tensor<2x2x3x64x32xf16>) -> tensor<2x2x3x16x32xf16>
  %1 = spyre.relufwd %0 : tensor<2x2x3x16x32xf16>
  %2 = spyre.batchmatmul %1, %v : (tensor<2x2x3x16x32xf16>, tensor<2x2x3x32x64xf16>) -> tensor<2x2x3x16x64xf16>
  return %2 : tensor<2x2x3x16x64xf16>
}
