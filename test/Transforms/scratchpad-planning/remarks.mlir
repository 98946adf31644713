// RUN: spyre-opt %s --spyre-scratchpad-planning --remarks-filter=spyre-scratchpad-planning -o /dev/null 2>&1 | FileCheck %s
// RUN: spyre-opt %s --spyre-scratchpad-planning -o /dev/null 2>&1 | count 0

// Where values are, and what keeps them out of the scratchpad.

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#transposed = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
!t = tensor<64x64xf16, #stick>

// 4096 bytes of scratchpad on each of 2 cores: one tensor of 64 x 64 x 2 bytes fits.
module attributes {spyre.target = #spyre.target<cores = 2, lx_bytes = 4096, lx_reserved_bytes = 0, lx_backend_percent = 0>} {

// CHECK:      remark: [Analysis] Placement | Category:spyre-scratchpad-planning | Function=capacity | {{.*}}Reason="values without room move 8192 bytes on each core, which no addresses avoid"
// CHECK:      remark: [Passed] InScratchpad | {{.*}} Operation=spyre.exp, Place="lx 0", Reason="all its readers are in its block, each core has the slice that it reads, and it fits"
// CHECK:      remark: [Missed] Spilled | {{.*}} Operation=spyre.neg, Place="pool 0", Reason="it needs 4096 bytes on each core in addition to the values that are live with it, and programs have 4096 bytes", Suggestion="smaller tiles (--coarse-tile) or a split over more cores"
// CHECK-NEXT: spyre.neg
// CHECK:      remark: [Analysis] Argument | {{.*}} Operation=spyre.add, Place="arg 1", Reason="it is a result of the function"
func.func @capacity(%a: !t) -> !t {
  %0 = spyre.exp %a split [2, 1] : !t
  %1 = spyre.neg %0 split [2, 1] : !t
  %2 = spyre.add %0, %1 split [2, 1] : !t
  return %2 : !t
}

// CHECK:      remark: [Missed] Spilled | {{.*}} Function=slices | Operation=spyre.exp, {{.*}} Reason="the cores compute it in slices of [2, 1], but spyre.neg at {{.*}}remarks.mlir:[[#@LINE+3]]:8 reads other slices, [1, 1]", Suggestion="give both a split that cuts the value in the same way"
func.func @slices(%a: !t) -> !t {
  %0 = spyre.exp %a split [2, 1] : !t
  %1 = spyre.neg %0 split [1, 1] : !t
  return %1 : !t
}

// CHECK:      remark: [Missed] Spilled | {{.*}} Function=restickify | Operation=spyre.exp, {{.*}} Reason="spyre.restickify at {{.*}} changes its layout, which goes through device memory", Suggestion="layouts that agree need no change; --spyre-optimize-restickify looks for them"
// CHECK:      remark: [Missed] Spilled | {{.*}} Operation=spyre.restickify, {{.*}} Reason="it changes its layout, which goes through device memory"
func.func @restickify(%a: !t) -> tensor<64x64xf16, #transposed> {
  %0 = spyre.exp %a : !t
  %1 = spyre.restickify %0 : (!t) -> tensor<64x64xf16, #transposed>
  %2 = spyre.neg %1 : tensor<64x64xf16, #transposed>
  return %2 : tensor<64x64xf16, #transposed>
}

// CHECK:      remark: [Missed] Spilled | {{.*}} Function=elsewhere | Operation=spyre.exp, {{.*}} Reason="tensor.extract_slice at {{.*}}, which is no device operation of its block, uses it", Suggestion="tile the operations that use it together with this one (--coarse-tile)"
// CHECK:      remark: [Analysis] InWindow | {{.*}} Operation=spyre.neg, Place=window, Reason="no operation of its block reads it"
func.func @elsewhere(%a: !t) -> !t {
  %lb = arith.constant 0 : index
  %ub = arith.constant 4 : index
  %step = arith.constant 1 : index
  %y = spyre.exp %a : !t
  %e = spyre.empty : !t
  %r = scf.for %i = %lb to %ub step %step iter_args(%acc = %e) -> !t {
    %at = affine.apply affine_map<(d0) -> (d0 * 16)>(%i)
    %w = tensor.extract_slice %y[%at, 0] [16, 64] [1, 1] : !t to tensor<16x64xf16, #stick>
    %v = spyre.neg %w : tensor<16x64xf16, #stick>
    %n = tensor.insert_slice %v into %acc[%at, 0] [16, 64] [1, 1] : tensor<16x64xf16, #stick> into !t
    scf.yield %n : !t
  }
  return %r : !t
}

// Indices and what they choose from are in device memory; what is chosen may be in the scratchpad.
// CHECK:      remark: [Missed] Spilled | {{.*}} Function=gather | Operation=spyre.add, {{.*}} Reason="spyre.gather at {{.*}} takes indices from it, which it does in device memory", Suggestion="nothing can be done: indices are in device memory"
// CHECK:      remark: [Missed] Spilled | {{.*}} Operation=spyre.neg, {{.*}} Reason="spyre.gather at {{.*}} chooses elements of it by indices, which it does in device memory", Suggestion="nothing can be done: any core may need any of them"
// CHECK:      remark: [Passed] InScratchpad | {{.*}} Operation=spyre.gather, Place="lx 0"
func.func @gather(%i: tensor<16xi32>, %t: !t) -> tensor<16x64xf16, #stick> {
  %0 = spyre.add %i, %i : tensor<16xi32>
  %1 = spyre.neg %t : !t
  %2 = spyre.gather %0, %1 dim 0 : (tensor<16xi32>, !t) -> tensor<16x64xf16, #stick>
  %3 = spyre.exp %2 : tensor<16x64xf16, #stick>
  return %3 : tensor<16x64xf16, #stick>
}

}
