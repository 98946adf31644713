// RUN: spyre-opt %s --spyre-plan | FileCheck %s
// RUN: spyre-opt %s --spyre-plan --remarks-filter=spyre-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARKS
// RUN: spyre-opt %s --spyre-plan --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNTS --implicit-check-not=coarse-tile --implicit-check-not=spyre-work-division
// RUN: spyre-run %s --largest 0.25 --tolerance 2e-2 --check-pipeline='builtin.module(spyre-pipeline{plan=true})' | FileCheck %s --check-prefix=CARD

// Layers are planned by themselves, and equal layers once. Each has weights of its own, so no dimension is that of all three products in the
// middle: tiles along one dimension of the whole function are not what suits each layer.

// CARD: same results
// CARD-NOT: different

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!x = tensor<32x256xf16, #stick>
!h = tensor<32x1024xf16, #stick>
!up = tensor<256x1024xf16, #stick>
!down = tensor<1024x256xf16, #stick>

module attributes {spyre.target = #spyre.target<cores = 4, lx_bytes = 8192, lx_reserved_bytes = 0, lx_backend_percent = 0>} {

// COUNTS: (S) 1 functions
// COUNTS: (S) 1 pieces
// REMARKS: [Passed] Chosen | {{.*}}Plan="tiles of pieces that were planned one by one,
// CHECK-LABEL: func.func @layers(
// CHECK-SAME: %{{[^:]*}}: tensor<32x256xf16, #{{.*}}> {spyre.dims = ["dim0", "dim1"]}
// The tiles of the first layer, with the names of each: loops of their own.
// CHECK: spyre.silu %{{.*}} tile [10000: "[[FIRST:dim[0-9]+]]" in 4]
// CHECK: spyre.mul %{{.*}} tile [10000: "[[FIRST]]" in 4]
// CHECK: spyre.silu %{{.*}} tile [10001: "[[SECOND:dim[0-9]+]]" in 4]
// CHECK-NOT: "[[FIRST]]"
// CHECK: spyre.mul %{{.*}} tile [10001: "[[SECOND]]" in 4]
// CHECK: spyre.silu %{{.*}} tile [10002: "[[THIRD:dim[0-9]+]]" in 4]
// CHECK-NOT: "[[SECOND]]"
// CHECK: spyre.mul %{{.*}} tile [10002: "[[THIRD]]" in 4]
func.func @layers(%x: !x,
    %wg_0: !up, %wu_0: !up, %wd_0: !down,
    %wg_1: !up, %wu_1: !up, %wd_1: !down,
    %wg_2: !up, %wu_2: !up, %wd_2: !down) -> !x {
  %v1_0 = spyre.batchmatmul %x, %wg_0 : (!x, !up) -> !h
  %v2_0 = spyre.silu %v1_0 : !h
  %v3_0 = spyre.batchmatmul %x, %wu_0 : (!x, !up) -> !h
  %v4_0 = spyre.mul %v2_0, %v3_0 : !h
  %v5_0 = spyre.batchmatmul %v4_0, %wd_0 : (!h, !down) -> !x
  %v1_1 = spyre.batchmatmul %v5_0, %wg_1 : (!x, !up) -> !h
  %v2_1 = spyre.silu %v1_1 : !h
  %v3_1 = spyre.batchmatmul %v5_0, %wu_1 : (!x, !up) -> !h
  %v4_1 = spyre.mul %v2_1, %v3_1 : !h
  %v5_1 = spyre.batchmatmul %v4_1, %wd_1 : (!h, !down) -> !x
  %v1_2 = spyre.batchmatmul %v5_1, %wg_2 : (!x, !up) -> !h
  %v2_2 = spyre.silu %v1_2 : !h
  %v3_2 = spyre.batchmatmul %v5_1, %wu_2 : (!x, !up) -> !h
  %v4_2 = spyre.mul %v2_2, %v3_2 : !h
  %v5_2 = spyre.batchmatmul %v4_2, %wd_2 : (!h, !down) -> !x
  return %v5_2 : !x
}

}
