// RUN: spyre-opt %s --canonicalize --cse | FileCheck %s
// RUN: spyre-opt %s --canonicalize --loop-invariant-code-motion --cse | FileCheck %s --check-prefix=LICM

// What is known about a parameter at compile time folds to a constant; what the
// runtime passes does not.
// CHECK-LABEL: func.func @fold_static_fields(
// CHECK-SAME: %[[ARG:.*]]: !sdscbundle.input_arg<index, granularity=64, max_value=512>)
func.func @fold_static_fields(%arg: !sdscbundle.input_arg<index, granularity=64, max_value=512>) {
  // CHECK-DAG: %[[G:.*]] = arith.constant 64 : index
  // CHECK-DAG: %[[M:.*]] = arith.constant 512 : index
  // CHECK-NOT: extract {{granularity|max_value}}
  // CHECK: %[[V:.*]] = sdscbundle.input_arg_extract value from %[[ARG]]
  // CHECK-NEXT: sdscbundle.sdsc_execute (%[[G]], %[[M]], %[[V]])
  %g = sdscbundle.input_arg_extract granularity from %arg : !sdscbundle.input_arg<index, granularity=64, max_value=512> -> index
  %m = sdscbundle.input_arg_extract max_value from %arg : !sdscbundle.input_arg<index, granularity=64, max_value=512> -> index
  %v = sdscbundle.input_arg_extract value from %arg : !sdscbundle.input_arg<index, granularity=64, max_value=512> -> index
  sdscbundle.sdsc_execute (%g, %m, %v) {sdsc_filename = "sdsc_0.json", symbol_ids = [-1, -2, -3]}
  return
}

// Extractions of a value are pure: merged, and removed if unused.
// CHECK-LABEL: func.func @extract_is_pure(
// CHECK-SAME: %[[ARG:.*]]: !sdscbundle.input_arg<index>, %{{.*}}: !sdscbundle.input_arg<index>)
func.func @extract_is_pure(%arg: !sdscbundle.input_arg<index>, %unused: !sdscbundle.input_arg<index>) {
  // CHECK-NEXT: %[[V:.*]] = sdscbundle.input_arg_extract value from %[[ARG]]
  // CHECK-NEXT: sdscbundle.sdsc_execute (%[[V]], %[[V]])
  // CHECK-NEXT: return
  %0 = sdscbundle.input_arg_extract value from %arg : !sdscbundle.input_arg<index> -> index
  %1 = sdscbundle.input_arg_extract value from %arg : !sdscbundle.input_arg<index> -> index
  %2 = sdscbundle.input_arg_extract value from %unused : !sdscbundle.input_arg<index> -> index
  sdscbundle.sdsc_execute (%0, %1) {sdsc_filename = "sdsc_0.json", symbol_ids = [-1, -2]}
  return
}

// Executions are neither merged nor removed, even if they are all alike.
// CHECK-LABEL: func.func @executions_are_kept(
func.func @executions_are_kept(%a: index) {
  // CHECK-NEXT: sdscbundle.sdsc_execute (%{{.*}}) {sdsc_filename = "sdsc_0.json"
  // CHECK-NEXT: sdscbundle.sdsc_execute (%{{.*}}) {sdsc_filename = "sdsc_0.json"
  // CHECK-NEXT: sdscbundle.sdsc_execute () {sdsc_filename = "sdsc_1.json"}
  // CHECK-NEXT: sdscbundle.sdsc_execute () {sdsc_filename = "sdsc_1.json"}
  // CHECK-NEXT: return
  sdscbundle.sdsc_execute (%a) {sdsc_filename = "sdsc_0.json", symbol_ids = [-1]}
  sdscbundle.sdsc_execute (%a) {sdsc_filename = "sdsc_0.json", symbol_ids = [-1]}
  sdscbundle.sdsc_execute () {sdsc_filename = "sdsc_1.json"}
  sdscbundle.sdsc_execute () {sdsc_filename = "sdsc_1.json"}
  return
}

// Two pools of one size stay two; one that nobody uses goes.
// CHECK-LABEL: func.func @allocations_are_distinct(
func.func @allocations_are_distinct() {
  // CHECK-NEXT: %[[P:.*]] = sdscbundle.device_mem_allocate 4096 bytes : index
  // CHECK-NEXT: %[[Q:.*]] = sdscbundle.device_mem_allocate 4096 bytes : index
  // CHECK-NEXT: sdscbundle.sdsc_execute (%[[P]], %[[Q]])
  // CHECK-NEXT: return
  %0 = sdscbundle.device_mem_allocate 4096 bytes : index
  %1 = sdscbundle.device_mem_allocate 4096 bytes : index
  %2 = sdscbundle.device_mem_allocate 4096 bytes : index
  sdscbundle.sdsc_execute (%0, %1) {sdsc_filename = "sdsc_0.json", symbol_ids = [-1, -2]}
  return
}

// An execution that does not depend on the loop stays in it; its address, which
// does not either, leaves.
// LICM-LABEL: func.func @executions_stay_in_loops(
// LICM-SAME: %[[ARG:.*]]: !sdscbundle.input_arg<index>)
func.func @executions_stay_in_loops(%arg: !sdscbundle.input_arg<index>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // LICM: %[[V:.*]] = sdscbundle.input_arg_extract value from %[[ARG]]
  // LICM-NEXT: scf.for
  // LICM-NEXT: sdscbundle.sdsc_execute (%[[V]]) {sdsc_filename = "sdsc_0.json", symbol_ids = [-1]}
  // LICM-NEXT: }
  scf.for %i = %c0 to %c4 step %c1 {
    %0 = sdscbundle.input_arg_extract value from %arg : !sdscbundle.input_arg<index> -> index
    sdscbundle.sdsc_execute (%0) {sdsc_filename = "sdsc_0.json", symbol_ids = [-1]}
  }
  return
}
