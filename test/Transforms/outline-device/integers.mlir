// What becomes of integers: the host computes with them, also where f32 would hold them exactly, and hands floats and truth values to the
// card. Contract.md says why, below "Integers".

// RUN: spyre-opt %s --spyre-import-linalg=host=true --remarks-filter=spyre-outline-device -o %t.mlir 2>%t.remarks
// RUN: FileCheck %s --input-file %t.mlir
// RUN: FileCheck %s --input-file %t.remarks --check-prefix=REMARK
// RUN: spyre-run %s --entry positions --random-seed 1 --integers 100 --on=card --compare %s --compare-entry positions --tolerance 1e-6 | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %s --entry masked --random-seed 2 --integers 1 --on=card --compare %s --compare-entry masked --tolerance 1e-6 | FileCheck %s --check-prefix=SAME
// SAME: result 0: 0 of

#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>

// Positions become floats on the host, whatever reads them: bounded by a clamp here, they are far below 2^24.
// REMARK: Function=positions {{.*}} Remark="'spyre.maximum' stays on the host"
// REMARK: Function=positions {{.*}} Remark="'spyre.sitofp' stays on the host"
// CHECK-LABEL: func.func @positions(
// CHECK:         spyre.minimum
// CHECK:         %[[F:.*]] = spyre.sitofp
// CHECK:         call @positions_device_0(%[[F]], %{{.*}})
func.func @positions(%p: tensor<64xi32>, %x: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %e = tensor.empty() : tensor<32x64xf32>
  %low = arith.constant 0 : i32
  %high = arith.constant 511 : i32
  %0 = linalg.generic {indexing_maps = [#row, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%p, %x : tensor<64xi32>, tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%i: i32, %v: f32, %out: f32):
    %a = arith.maxsi %i, %low : i32
    %b = arith.minsi %a, %high : i32
    %f = arith.sitofp %b : i32 to f32
    %r = arith.mulf %f, %v : f32
    linalg.yield %r : f32
  } -> tensor<32x64xf32>
  return %0 : tensor<32x64xf32>
}

// A mask of integers becomes truth values on the host, which arrive in 16 bits, the format of what they choose from.
// REMARK: Function=masked {{.*}} Remark="'spyre.notequal' stays on the host"
// CHECK-LABEL: func.func @masked(
// CHECK:         %[[C:.*]] = spyre.notequal
// CHECK:         call @masked_device_0(%[[C]], %{{.*}})
func.func @masked(%m: tensor<64xi64>, %x: tensor<32x64xf16>) -> tensor<32x64xf16> {
  %e = tensor.empty() : tensor<32x64xf16>
  %zero = arith.constant 0 : i64
  %low = arith.constant -65504.0 : f16
  %0 = linalg.generic {indexing_maps = [#row, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%m, %x : tensor<64xi64>, tensor<32x64xf16>) outs(%e : tensor<32x64xf16>) {
  ^bb0(%i: i64, %v: f16, %out: f16):
    %c = arith.cmpi ne, %i, %zero : i64
    %r = arith.select %c, %v, %low : f16
    linalg.yield %r : f16
  } -> tensor<32x64xf16>
  return %0 : tensor<32x64xf16>
}
