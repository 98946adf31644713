// RUN: spyre-opt %s --spyre-plan --remarks-filter=spyre-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARKS
// RUN: spyre-opt %s --spyre-plan --spyre-insert-tensor-copies --spyre-work-division | FileCheck %s
// RUN: spyre-run %s --largest 0.25 --tolerance 2e-2 --check-pipeline='builtin.module(spyre-pipeline{plan=true})' | FileCheck %s --check-prefix=CARD

// One plan moves the compulsory bytes, and the fastest one a fifth more. Of those that move at most a tenth more, the fastest is neither of
// them, and no plan that counts bytes more or less: only a limit of the bytes finds it. Its two products have other divisions.

// CARD: same results
// CARD-NOT: different

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!x = tensor<64x256xf16, #stick>
!row = tensor<1x256xf16, #stick>
!w = tensor<256x256xf16, #stick>

module attributes {spyre.target = #spyre.target<cores = 4, lx_bytes = 65536, lx_reserved_bytes = 0, lx_backend_percent = 0>} {

// REMARKS: [Missed] NotChosen | {{.*}}DistinctBytes=426496, {{.*}} divisions chosen together"
// REMARKS: [Missed] NotChosen | {{.*}}DistinctBytes=360960, {{.*}} with bytes counted 2 times"
// REMARKS: [Passed] Chosen | {{.*}}DistinctBytes=393728, {{.*}}Plan="the tiles of the hints, copies of arguments, divisions chosen together within [[#]] bytes"
// CHECK-LABEL: func.func @between(
// CHECK-SAME: spyre.plan = #spyre.plan<cache_arguments = true, memory_weight = 1, most_bytes = {{[0-9]+}}>
// CHECK: spyre.batchmatmul %{{.*}} split [1, 4, 1]
// CHECK: spyre.batchmatmul %{{.*}} split [4, 1, 1]
func.func @between(%x: !x, %u: !w, %v: !w) -> (!row, !x, !x) attributes {spyre.tile_scopes = []} {
  %0 = spyre.max %x dims [0] keepdim : (!x) -> !row
  %1 = spyre.batchmatmul %x, %u : (!x, !w) -> !x
  %2 = spyre.batchmatmul %x, %v : (!x, !w) -> !x
  return %0, %1, %2 : !row, !x, !x
}

}
