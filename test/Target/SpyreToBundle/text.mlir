// The text of a small bundle, byte by byte (SDSC bundle specification, sections 2.2 to 2.7).
//
// Tiles of 32 rows and 128 columns of a tensor of 64 rows and 256 columns, two cores. A stick is 64 columns of one
// row, 128 bytes; sticks of neighbouring rows are neighbours. So the next tile of rows is 32 * 128 = 4096 bytes away,
// the next tile of columns 2 * 64 * 128 = 16384 bytes, and the second core starts 16 * 128 = 2048 bytes after the
// first. Each operation reads or writes two tensors in memory, with a symbol for each core: 2 * 2 * 2 symbols.

// RUN: spyre-translate --spyre-to-bundle %s -o %t
// RUN: spyre-translate --verify-bundle %t
// RUN: sed -n 's,^//|,,p' %s | diff - %t/bundle.mlir

// JSON ends without a new line, and its keys are in the order of section 5.
// RUN: test "$(tail -c 2 %t/sdsc_0.json | od -An -c | tr -d ' ')" = '\n}'
// RUN: grep -o '^    "[A-Za-z_]*"' %t/sdsc_0.json | tr -d ' "' | tr '\n' ' ' | FileCheck %s --check-prefix=KEYS
// KEYS: debug_handle_ sdscFoldProps_ sdscFolds_ coreFoldProp_ coreletFoldProp_ numCoresUsed_ coreIdToDsc_ numWkSlicesPerDim_ coreIdToWkSlice_ coreIdToDscSchedule dscs_ {{$}}

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x256xf16, #stick>

module attributes {spyre.target = #spyre.target<cores = 2>} {
  func.func @add_mul(%a: !t {spyre.dims = ["A", "B"]}, %b: !t {spyre.dims = ["A", "B"]},
                     %c: !t {spyre.dims = ["A", "B"]}) -> !t {
    %y = spyre.add %a, %b tile [0: "A" in 2, 1: "B" in 2] : !t
    %z = spyre.mul %y, %c tile [0: "A" in 2, 1: "B" in 2] : !t
    return %z : !t
  }
}

//|#map_0 = affine_map<(d0, d1)[s0] -> (s0 + 4096*d0 + 16384*d1)>
//|module {
//|	func.func @sdsc_bundle(%arg_0_base_addr: !sdscbundle.input_arg<index>, %arg_1_base_addr: !sdscbundle.input_arg<index>, %arg_2_base_addr: !sdscbundle.input_arg<index>, %arg_3_base_addr: !sdscbundle.input_arg<index>) {
//|		%arg_0 = sdscbundle.input_arg_extract value from %arg_0_base_addr : !sdscbundle.input_arg<index> -> index
//|		%arg_1 = sdscbundle.input_arg_extract value from %arg_1_base_addr : !sdscbundle.input_arg<index> -> index
//|		%arg_2 = sdscbundle.input_arg_extract value from %arg_2_base_addr : !sdscbundle.input_arg<index> -> index
//|		%arg_3 = sdscbundle.input_arg_extract value from %arg_3_base_addr : !sdscbundle.input_arg<index> -> index
//|		%c0 = arith.constant 0 : index
//|		%c1 = arith.constant 1 : index
//|		%loop_bound_0 = arith.constant 2 : index
//|		%loop_bound_1 = arith.constant 2 : index
//|		%arg_0_core_offset_2048 = arith.constant 2048 : index
//|		%arg_0_core_2048 = arith.addi %arg_0, %arg_0_core_offset_2048 : index
//|		%arg_1_core_offset_2048 = arith.constant 2048 : index
//|		%arg_1_core_2048 = arith.addi %arg_1, %arg_1_core_offset_2048 : index
//|		%arg_2_core_offset_2048 = arith.constant 2048 : index
//|		%arg_2_core_2048 = arith.addi %arg_2, %arg_2_core_offset_2048 : index
//|		%arg_3_core_offset_2048 = arith.constant 2048 : index
//|		%arg_3_core_2048 = arith.addi %arg_3, %arg_3_core_offset_2048 : index
//|		scf.for %i_0 = %c0 to %loop_bound_0 step %c1 {
//|			scf.for %i_1 = %c0 to %loop_bound_1 step %c1 {
//|				%addr_0 = affine.apply #map_0(%i_0, %i_1)[%arg_0]
//|				%addr_1 = affine.apply #map_0(%i_0, %i_1)[%arg_0_core_2048]
//|				%addr_2 = affine.apply #map_0(%i_0, %i_1)[%arg_1]
//|				%addr_3 = affine.apply #map_0(%i_0, %i_1)[%arg_1_core_2048]
//|				sdscbundle.sdsc_execute (%addr_0, %addr_1, %addr_2, %addr_3) {sdsc_filename="sdsc_0.json", "symbol_ids"=[-1, -2, -3, -4]}
//|				%addr_4 = affine.apply #map_0(%i_0, %i_1)[%arg_2]
//|				%addr_5 = affine.apply #map_0(%i_0, %i_1)[%arg_2_core_2048]
//|				%addr_6 = affine.apply #map_0(%i_0, %i_1)[%arg_3]
//|				%addr_7 = affine.apply #map_0(%i_0, %i_1)[%arg_3_core_2048]
//|				sdscbundle.sdsc_execute (%addr_4, %addr_5, %addr_6, %addr_7) {sdsc_filename="sdsc_1.json", "symbol_ids"=[-5, -6, -7, -8]}
//|			}
//|		}
//|		return
//|	}
//|}
