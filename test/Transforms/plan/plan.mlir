// RUN: spyre-opt %s --spyre-plan | FileCheck %s
// RUN: spyre-opt %s --spyre-plan --remarks-filter=spyre-plan --mlir-disable-threading -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARKS
// RUN: spyre-run %s --entry softmax --check-pipeline='builtin.module(spyre-plan,func.func(coarse-tile,spyre-work-division,spyre-scratchpad-planning,spyre-verify-plan),convert-spyre-to-sdscbundle)' | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry chain --check-pipeline='builtin.module(spyre-plan,func.func(coarse-tile,spyre-work-division,spyre-scratchpad-planning,spyre-verify-plan),convert-spyre-to-sdscbundle)' | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry layers --check-pipeline='builtin.module(spyre-plan,func.func(coarse-tile,spyre-work-division,spyre-scratchpad-planning,spyre-verify-plan),convert-spyre-to-sdscbundle)' | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry turns --tolerance 1e-2 --check-pipeline='builtin.module(spyre-pipeline{plan=true})' | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry returned --check-pipeline='builtin.module(spyre-pipeline{plan=true})' | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry mlp --largest 0.125 --tolerance 2e-2 --check-pipeline='builtin.module(spyre-plan,func.func(coarse-tile,spyre-constants-to-arguments,spyre-work-division,spyre-scratchpad-planning,spyre-verify-plan),convert-spyre-to-sdscbundle)' | FileCheck %s --check-prefix=CARD
// RUN: spyre-run %s --entry softmax --check-pipeline='builtin.module(spyre-pipeline{plan=true})' | FileCheck %s --check-prefix=CARD

// Plans are tried on copies, and the fastest is kept. Two scratchpads have 64 KiB each.

// CARD: same results
// CARD-NOT: different

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#sparse = #spyre.layout<(d0, d1) -> (0, d0, 0)>
!t = tensor<512x256xf16, #stick>
!small = tensor<64x256xf16, #stick>
!column = tensor<64x1xf16, #sparse>
!long_column = tensor<512x1xf16, #sparse>
!row = tensor<1x256xf16, #stick>

module attributes {spyre.target = #spyre.target<cores = 2, lx_bytes = 65536, lx_reserved_bytes = 0, lx_backend_percent = 0>} {

// All values fit, and the argument is read twice: a copy of it is, and it moves once.
// CHECK-LABEL: func.func @softmax(
// CHECK-SAME: spyre.plan = #spyre.plan<cache_arguments = true
// CHECK-NOT: tile
// REMARKS: [Passed] Chosen | {{.*}}Function=softmax | CompulsoryBytes=65536, DistinctBytes=65536, {{.*}}Plan="no tiles, copies of arguments"
func.func @softmax(%x: !small {spyre.dims = ["S", "E"]}) -> !small {
  %m = spyre.max %x dims [1] keepdim : (!small) -> !column
  %d = spyre.sub %x, %m : (!small, !column) -> !small
  %e = spyre.exp %d : !small
  %s = spyre.sum %e dims [1] keepdim : (!small) -> !column
  %p = spyre.realdiv %e, %s : (!small, !column) -> !small
  return %p : !small
}

// Values are larger than the scratchpads, so tiles go through them.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: {spyre.dims = ["dim0", "dim1"]}
// CHECK: spyre.exp %{{.*}} tile [10000: "dim0" in 4]
// CHECK: spyre.neg %{{.*}} tile [10000: "dim0" in 4]
// CHECK: spyre.add %{{.*}} tile [10000: "dim0" in 4]
func.func @chain(%x: !t) -> !t {
  %a = spyre.exp %x : !t
  %b = spyre.neg %a : !t
  %c = spyre.add %a, %b : !t
  return %c : !t
}

// Layers that each read the stream of the one before: more than eight runs of operations, and one loop.
// REMARKS: [Passed] Chosen | {{.*}}Function=layers | {{.*}}Plan="tiles S in 8 of 20 operations, copies of arguments"
// CHECK-LABEL: func.func @layers(
// CHECK-SAME: spyre.plan = #spyre.plan<cache_arguments = true
// CHECK-COUNT-20: tile [10000: "S" in
// CHECK-NOT: tile [10001
func.func @layers(%x0: !t {spyre.dims = ["S", "E"]}) -> !t {
  %q0 = spyre.mul %x0, %x0 : !t
  %s0 = spyre.mean %q0 dims [1] keepdim : (!t) -> !long_column
  %n0 = spyre.mul %x0, %s0 : (!t, !long_column) -> !t
  %x1 = spyre.add %x0, %n0 : !t
  %q1 = spyre.mul %x1, %x1 : !t
  %s1 = spyre.mean %q1 dims [1] keepdim : (!t) -> !long_column
  %n1 = spyre.mul %x1, %s1 : (!t, !long_column) -> !t
  %x2 = spyre.add %x1, %n1 : !t
  %q2 = spyre.mul %x2, %x2 : !t
  %s2 = spyre.mean %q2 dims [1] keepdim : (!t) -> !long_column
  %n2 = spyre.mul %x2, %s2 : (!t, !long_column) -> !t
  %x3 = spyre.add %x2, %n2 : !t
  %q3 = spyre.mul %x3, %x3 : !t
  %s3 = spyre.mean %q3 dims [1] keepdim : (!t) -> !long_column
  %n3 = spyre.mul %x3, %s3 : (!t, !long_column) -> !t
  %x4 = spyre.add %x3, %n3 : !t
  %q4 = spyre.mul %x4, %x4 : !t
  %s4 = spyre.mean %q4 dims [1] keepdim : (!t) -> !long_column
  %n4 = spyre.mul %x4, %s4 : (!t, !long_column) -> !t
  %x5 = spyre.add %x4, %n4 : !t
  return %x5 : !t
}

// It moves no more than it must: nothing to plan.
// CHECK-LABEL: func.func @fits(
// CHECK-NOT: spyre.plan
// CHECK: spyre.exp %{{[^ ]*}} :
func.func @fits(%x: !small) -> !small {
  %a = spyre.exp %x : !small
  %b = spyre.neg %a : !small
  return %b : !small
}

// A hint stays, and so does a split; the rest is planned around them. Without the copy x is read in every tile.
// CHECK-LABEL: func.func @hinted(
// CHECK-SAME: spyre.plan = #spyre.plan<cache_arguments = true
// CHECK: spyre.max %{{.*}} tile [0: "S" in 2] :
// CHECK: spyre.exp %{{.*}} tile [0: "S" in 2] split [1, 2] :
// REMARKS: [Passed] Chosen | {{.*}}Function=hinted | {{.*}}Plan="the tiles of the hints, copies of arguments
func.func @hinted(%x: !t {spyre.dims = ["S", "E"]}) -> !t {
  %m = spyre.max %x dims [1] keepdim tile [0: "S" in 2] : (!t) -> !long_column
  %a = spyre.sub %x, %m tile [0: "S" in 2] : (!t, !long_column) -> !t
  %b = spyre.exp %a tile [0: "S" in 2] split [1, 2] : !t
  return %b : !t
}

// What has a place is planned.
// CHECK-LABEL: func.func @placed(
// REMARKS: [Missed] NotPlanned | {{.*}}Function=placed | {{.*}}it has places, so it is planned already
func.func @placed(%x: !t {spyre.place = #spyre.place<arg 0>}) -> !t {
  %y = spyre.neg %x split [2, 1] place arg 1 : !t
  return %y : !t
}

// So is a function that has a plan, such as one that was written by hand: it copies no arguments.
// CHECK-LABEL: func.func @by_hand(
// CHECK-SAME: attributes {spyre.plan = #spyre.plan<memory_weight = 1>}
// CHECK-NOT: tile
// REMARKS: [Missed] NotPlanned | {{.*}}Function=by_hand | {{.*}}it has 'spyre.plan', so it is planned already
func.func @by_hand(%x: !t) -> !t attributes {spyre.plan = #spyre.plan<memory_weight = 1>} {
  %m = spyre.max %x dims [1] keepdim : (!t) -> !long_column
  %y = spyre.sub %x, %m : (!t, !long_column) -> !t
  return %y : !t
}

// An extent that is chosen at run time has no size to plan with.
// CHECK-LABEL: func.func @open(
// REMARKS: [Missed] NotPlanned | {{.*}}Function=open | {{.*}}it cannot be planned by itself: tensor<?x64xf16> has a dynamic extent in dimension 0
func.func @open(%x: tensor<?x64xf16> {spyre.dims = ["S", "B"]}) -> tensor<?x64xf16>
    attributes {spyre.dim_sizes = {S = #spyre.dynamic<max = 1024, granularity = 64>}} {
  // CHECK: spyre.neg %{{.*}} tile [0: "S" in 2] :
  %y = spyre.neg %x tile [0: "S" in 2] : tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// An empty list of scopes says that there are to be no tiles. The rest is planned.
// CHECK-LABEL: func.func @none(
// CHECK-SAME: spyre.tile_scopes = []
// CHECK-NOT: tile [
// REMARKS: [Passed] Chosen | {{.*}}Function=none | {{.*}}Plan="the tiles of the hints,
func.func @none(%x: !t) -> !t attributes {spyre.tile_scopes = []} {
  %m = spyre.max %x dims [1] keepdim : (!t) -> !long_column
  %y = spyre.sub %x, %m : (!t, !long_column) -> !t
  return %y : !t
}

// The last product adds up along F. It is cut with the operations in front of it, so that no part of what is between them is moved, and
// a copy of x is read by every tile.
// CHECK-LABEL: func.func @mlp(
// CHECK-SAME: spyre.plan = #spyre.plan<cache_arguments = true
// CHECK-COUNT-4: tile [10000: "F" in
// CHECK: return
// REMARKS: [Passed] Chosen | {{.*}}Function=mlp | {{.*}}Plan="tiles F in 8 of 4 operations, copies of arguments"
func.func @mlp(%x: !small {spyre.dims = ["S", "E"]}, %w: tensor<256x2048xf16, #stick> {spyre.dims = ["E", "F"]}, %v: tensor<2048x256xf16, #stick> {spyre.dims = ["F", "E"]}) -> !small {
  %h = spyre.batchmatmul %x, %w : (!small, tensor<256x2048xf16, #stick>) -> tensor<64x2048xf16, #stick>
  %a = spyre.silu %h : tensor<64x2048xf16, #stick>
  %b = spyre.mul %a, %h : tensor<64x2048xf16, #stick>
  %y = spyre.batchmatmul %b, %v : (tensor<64x2048xf16, #stick>, tensor<2048x256xf16, #stick>) -> !small
  return %y : !small
}

// Tiles are chosen operation by operation. The columns are normed in tiles of them, together with what is done to the rows in front; but the
// mean of the rows, which would be a sum of parts in such tiles, comes before the loop. Four tiles of all operations move 1,246,208 bytes.
// CHECK-LABEL: func.func @turns(
// CHECK-NOT: tile
// CHECK: spyre.mean %{{[^ ]*}} dims [1] keepdim :
// CHECK-COUNT-6: tile [10000: "E" in 4]
// CHECK: return
// REMARKS: [Passed] Chosen | {{.*}}Function=turns | CompulsoryBytes=524288, DistinctBytes=1115136, {{.*}}Plan="tiles E in 4 of 6 operations,
func.func @turns(%x: !t {spyre.dims = ["S", "E"]}) -> !t {
  %m = spyre.mean %x dims [1] keepdim : (!t) -> !long_column
  %d = spyre.sub %x, %m : (!t, !long_column) -> !t
  %e = spyre.exp %d : !t
  %n = spyre.mean %e dims [0] keepdim : (!t) -> !row
  %f = spyre.sub %e, %n : (!t, !row) -> !t
  %g = spyre.exp %f : !t
  %y = spyre.add %g, %x : !t
  return %y : !t
}

// What is returned as it came is copied, behind the last operation.
// CHECK-LABEL: func.func @returned(
// CHECK: spyre.exp %{{.*}} tile [
func.func @returned(%x: !t, %y: !t) -> (!t, !t) {
  %a = spyre.exp %x : !t
  %b = spyre.neg %a : !t
  %c = spyre.add %a, %b : !t
  %j = tensor.insert_slice %c into %y[0, 0] [512, 256] [1, 1] : !t into !t
  return %c, %j : !t, !t
}
}
