// A value between two loops lives in the pool, which the bundle allocates; its offsets are symbols.

// RUN: spyre-translate --spyre-to-bundle %s -o %t
// RUN: spyre-translate --verify-bundle %t
// RUN: FileCheck %s --check-prefix=BUNDLE --input-file=%t/bundle.mlir
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t/sdsc_1.json

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<256x512xf16, #stick>

module attributes {spyre.target = #spyre.target<cores = 2>} {
  func.func @two(%x: !t {spyre.dims = ["A", "B"]}) -> !t {
    %a = spyre.exp %x tile [0: "A" in 4] : !t
    %c = spyre.sqrt %a tile [1: "A" in 2] : !t
    return %c : !t
  }
}

// One map for each distinct step, in the order of their first use.
// BUNDLE:      #map_0 = affine_map<(d0)[s0] -> (s0 + 8192*d0)>
// BUNDLE-NEXT: #map_1 = affine_map<(d0)[s0] -> (s0 + 16384*d0)>
// BUNDLE-NEXT: module {
// The pool is no parameter.
// BUNDLE-NEXT: func.func @sdsc_bundle(%arg_0_base_addr: !sdscbundle.input_arg<index>, %arg_1_base_addr: !sdscbundle.input_arg<index>) {
// BUNDLE-NEXT: %pool = sdscbundle.device_mem_allocate 262144 bytes : index
// BUNDLE-NEXT: %arg_0 = sdscbundle.input_arg_extract
// BUNDLE:      %pool_offset_0 = arith.constant 0 : index
// BUNDLE-NEXT: %pool_addr_0 = arith.addi %pool, %pool_offset_0 : index
// BUNDLE-NEXT: %pool_offset_4096 = arith.constant 4096 : index
// BUNDLE-NEXT: %pool_addr_4096 = arith.addi %pool, %pool_offset_4096 : index
// BUNDLE:      scf.for %i_0 =
// BUNDLE:      affine.apply #map_0(%i_0)[%pool_addr_4096]
// BUNDLE:      scf.for %i_1 =
// BUNDLE-NEXT: affine.apply #map_1(%i_1)[%pool_addr_0]

// JSON: "1_sqrt": {
// JSON: "name_": "allocate-Tensor0_hbm"
// JSON: "component_": "hbm"
// JSON: "isStartAddrSymbolic_": 1
// JSON: "[0, 0, 0]": "-5",
// JSON: "[1, 0, 0]": "-6"
