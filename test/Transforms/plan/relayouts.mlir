// RUN: spyre-opt %s --spyre-plan=relayouts=true --remarks-filter=spyre-plan -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARKS
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: spyre-opt %s --spyre-pipeline="relayouts=true bundle=false" | FileCheck %s --check-prefix=PLANNED
// RUN: spyre-opt %s --spyre-pipeline="bundle=false" | FileCheck %s --check-prefix=WITHOUT
// RUN: spyre-run %s --random-seed 1 --entry faster --largest 0.25 --tolerance 2e-2 --check-pipeline='builtin.module(spyre-pipeline{relayouts=true})' | FileCheck %s --check-prefix=CARD

// The divisions of the program stay, so a value is made by rows and read by columns. It moves from scratchpad to scratchpad where that is faster
// than device memory, and where it is slower it does not.

// WITHOUT-NOT: from [
// CARD: same results
// CARD-NOT: different

!t = tensor<64x512xf16>

// REMARKS: [Passed] Chosen | {{.*}}, relayouts"
// CHECK-LABEL: func.func @faster(
// CHECK-SAME: spyre.plan = #spyre.plan<{{.*}}relayouts = true
// PLANNED: spyre.copy {{.*}} from [0] by [8] to [1] by [8] split [1, 8] place lx
func.func @faster(%a: !t) -> !t attributes {spyre.tile_scopes = []} {
  %0 = spyre.exp %a split [8, 1] : !t
  %1 = spyre.neg %0 split [1, 8] : !t
  return %1 : !t
}
