// RUN: spyre-opt %s --verify-roundtrip
// RUN: spyre-opt %s --emit-bytecode | spyre-opt | FileCheck %s

// CHECK: #[[MAP:.*]] = affine_map<(d0)[s0] -> (d0 * 128 + s0)>
#map_0 = affine_map<(d0)[s0] -> (s0 + 128*d0)>

// CHECK-LABEL: func.func @sdsc_bundle(
// CHECK-SAME: %[[ARG0:.*]]: !sdscbundle.input_arg<index>,
// CHECK-SAME: %[[ARG1:.*]]: !sdscbundle.input_arg<index, granularity=64>,
// CHECK-SAME: %[[ARG2:.*]]: !sdscbundle.input_arg<index, max_value=512>,
// CHECK-SAME: %[[ARG3:.*]]: !sdscbundle.input_arg<index, granularity=64, max_value=512>)
func.func @sdsc_bundle(%arg0: !sdscbundle.input_arg<index>,
                       %arg1: !sdscbundle.input_arg<index, granularity=64>,
                       %arg2: !sdscbundle.input_arg<index, max_value=512>,
                       %arg3: !sdscbundle.input_arg<index, granularity=64, max_value=512>) {
  // CHECK-NEXT: %[[POOL:.*]] = sdscbundle.device_mem_allocate 262272 bytes : index
  %pool = sdscbundle.device_mem_allocate 262272 bytes : index
  // CHECK-NEXT: %[[BASE:.*]] = sdscbundle.input_arg_extract value from %[[ARG0]] : !sdscbundle.input_arg<index> -> index
  %base = sdscbundle.input_arg_extract value from %arg0 : !sdscbundle.input_arg<index> -> index
  // CHECK-NEXT: sdscbundle.input_arg_extract granularity from %[[ARG1]] : !sdscbundle.input_arg<index, granularity=64> -> index
  %tile = sdscbundle.input_arg_extract granularity from %arg1 : !sdscbundle.input_arg<index, granularity=64> -> index
  // CHECK-NEXT: sdscbundle.input_arg_extract max_value from %[[ARG2]] : !sdscbundle.input_arg<index, max_value=512> -> index
  %max = sdscbundle.input_arg_extract max_value from %arg2 : !sdscbundle.input_arg<index, max_value=512> -> index
  // CHECK-NEXT: %[[SIZE:.*]] = sdscbundle.input_arg_extract value from %[[ARG3]] : !sdscbundle.input_arg<index, granularity=64, max_value=512> -> index
  %size = sdscbundle.input_arg_extract value from %arg3 : !sdscbundle.input_arg<index, granularity=64, max_value=512> -> index
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  // CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[SIZE]] step
  scf.for %i = %c0 to %size step %c64 {
    // CHECK-NEXT: %[[ADDR:.*]] = affine.apply #[[MAP]](%[[I]])[%[[BASE]]]
    %addr = affine.apply #map_0(%i)[%base]
    // CHECK-NEXT: sdscbundle.sdsc_execute (%[[SIZE]], %[[ADDR]], %[[POOL]]) {sdsc_filename = "sdsc_0.json", symbol_ids = [-1, -2, -3]}
    sdscbundle.sdsc_execute (%size, %addr, %pool) {sdsc_filename="sdsc_0.json", "symbol_ids"=[-1, -2, -3]}
    // CHECK-NEXT: sdscbundle.sdsc_execute () {sdsc_filename = "sdsc_1.json", symbol_ids = []}
    sdscbundle.sdsc_execute () {sdsc_filename="sdsc_1.json", "symbol_ids"=[]}
  }
  // CHECK: sdscbundle.sdsc_execute () {sdsc_filename = "sdsc_2.json"}
  sdscbundle.sdsc_execute () {sdsc_filename="sdsc_2.json"}
  return
}
