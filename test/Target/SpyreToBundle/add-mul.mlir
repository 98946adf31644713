// The canonical program: one loop nest, two files, y in the scratchpad.

// RUN: spyre-translate --spyre-to-bundle %s -o %t
// RUN: spyre-translate --verify-bundle %t
// RUN: ls %t | FileCheck %s --check-prefix=FILES
// RUN: FileCheck %s --check-prefix=BUNDLE --input-file=%t/bundle.mlir
// RUN: FileCheck %s --check-prefixes=JSON,ADD --input-file=%t/sdsc_0.json
// RUN: FileCheck %s --check-prefixes=JSON,MUL --input-file=%t/sdsc_1.json

// FILES:      bundle.mlir
// FILES-NEXT: sdsc_0.json
// FILES-NEXT: sdsc_1.json
// FILES-NOT:  {{.}}

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<1024x4096xf16, #stick>

func.func @add_mul(%a: !t {spyre.dims = ["A", "B"]}, %b: !t {spyre.dims = ["A", "B"]},
                   %c: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.add %a, %b tile [0: "A" in 2, 1: "B" in 4] : !t
  %z = spyre.mul %y, %c tile [0: "A" in 2, 1: "B" in 4] : !t
  return %z : !t
}

// 512 rows of a stick, and 16 columns of sticks of 1024 rows.
// BUNDLE:      #map_0 = affine_map<(d0, d1)[s0] -> (s0 + 65536*d0 + 2097152*d1)>
// BUNDLE-NEXT: module {
// BUNDLE-NEXT: func.func @sdsc_bundle(%arg_0_base_addr: !sdscbundle.input_arg<index>, %arg_1_base_addr: {{.*}}, %arg_2_base_addr: {{.*}}, %arg_3_base_addr: !sdscbundle.input_arg<index>) {
// BUNDLE-NOT:  %pool
// BUNDLE:      %loop_bound_0 = arith.constant 2 : index
// BUNDLE-NEXT: %loop_bound_1 = arith.constant 4 : index
// 31 cores start elsewhere than the first one, 16 rows apart.
// BUNDLE-NEXT: %arg_0_core_offset_2048 = arith.constant 2048 : index
// BUNDLE-NEXT: %arg_0_core_2048 = arith.addi %arg_0, %arg_0_core_offset_2048 : index
// BUNDLE:      %arg_3_core_63488 = arith.addi %arg_3, %arg_3_core_offset_63488 : index
// BUNDLE-NEXT: scf.for %i_0 = %c0 to %loop_bound_0 step %c1 {
// BUNDLE-NEXT: scf.for %i_1 = %c0 to %loop_bound_1 step %c1 {
// BUNDLE-NEXT: %addr_0 = affine.apply #map_0(%i_0, %i_1)[%arg_0]
// BUNDLE:      sdscbundle.sdsc_execute (%addr_0, {{.*}}, %addr_63) {sdsc_filename="sdsc_0.json", "symbol_ids"=[-1, {{.*}}, -64]}
// BUNDLE:      sdscbundle.sdsc_execute (%addr_64, {{.*}}, %addr_127) {sdsc_filename="sdsc_1.json", "symbol_ids"=[-65, {{.*}}, -128]}
// BUNDLE-NEXT: }
// BUNDLE-NEXT: }
// BUNDLE-NEXT: return

// ADD:       "0_add": {
// MUL:       "1_mul": {
// JSON:      "coreFoldProp_": {
// JSON-NEXT: "factor_": 32,
// JSON:      "numCoresUsed_": 32,
// JSON:      "numWkSlicesPerDim_": {
// JSON-NEXT: "mb": 32,
// JSON-NEXT: "out": 1
// JSON:      "coreIdToWkSlice_": {
// JSON:      "31": {
// JSON-NEXT: "mb": 31,
// JSON-NEXT: "out": 0
// JSON:      "N_": {
// JSON-NEXT: "name_": "n",
// JSON-NEXT: "mb_": 512,
// JSON-NEXT: "out_": 1024
// JSON:      "ss_": {
// JSON-NEXT: "name_": "core",
// JSON-NEXT: "mb_": 16,
// JSON-NEXT: "out_": 1024,
// JSON:      "layoutDimOrder_": [
// JSON-NEXT: "mb",
// JSON-NEXT: "out"
// JSON:      "stickDimOrder_": [
// JSON-NEXT: "out"
// JSON:      "stickSize_": [
// JSON-NEXT: 64

// A tensor in memory: symbols for addresses, and the gap from the tile to the tensor.
// ADD:       "name_": "allocate-Tensor0_hbm"
// ADD:       "isStartAddrSymbolic_": 1
// ADD:       "[0, 0, 0]": "-1",
// ADD:       "[31, 0, 0]": "-32"
// ADD:       "backGapCore_": {
// ADD-NEXT:  "mb": {
// ADD-NEXT:  "-1": "512"
// ADD:       "out": {
// ADD-NEXT:  "-1": "3072"
// ADD:       "name_": "allocate-Tensor1_hbm"
// ADD:       "[0, 0, 0]": "-33",
// A tensor in the scratchpad: address 0 on every core, no symbol, no gap.
// ADD:       "name_": "allocate-Tensor2_lx"
// ADD-NOT:   isStartAddrSymbolic_
// ADD:       "[0, 0, 0]": "0",
// ADD:       "[31, 0, 0]": "0"
// ADD-NOT:   backGapCore_
// ADD:       "opFuncName": "add"

// MUL:       "name_": "allocate-Tensor0_lx"
// MUL-NOT:   isStartAddrSymbolic_
// MUL:       "[0, 0, 0]": "0",
// MUL:       "name_": "allocate-Tensor1_hbm"
// MUL:       "[0, 0, 0]": "-65",
// MUL:       "name_": "allocate-Tensor2_hbm"
// MUL:       "[31, 0, 0]": "-128"
// MUL:       "opFuncName": "mul"
