// Kernels that are right, for all cores and iterations.

// RUN: spyre-translate verify-ktir %s 2>&1 | FileCheck %s
// CHECK: verify-ktir.mlir:{{[0-9]+}}:{{[0-9]+}}: remark: assumes that the indices of dimension 0 are at least 0 and below 96, the extent of the view of argument 0 [KC9]
// CHECK: verify-ktir.mlir: 2 kernels, 5 views, 5 accesses,{{.*}} 0 not decided, 0 warnings

// RUN: spyre-translate --verify-ktir %S/Inputs/ktir-difference.mlir 2>&1 | FileCheck %s --check-prefix=DIFFERENCE
// DIFFERENCE-NOT: {{error|warning:|remark}}
// DIFFERENCE: ktir-difference.mlir: 1 kernel, 3 views, 3 accesses, {{[0-9]+}} claims proved, 0 not decided, 0 warnings
// RUN: spyre-translate verify-ktir %S/Inputs/ktir-spread.mlir 2>&1 | FileCheck %s --check-prefix=SPREAD
// SPREAD-NOT: {{error|warning:|remark}}
// SPREAD: ktir-spread.mlir: 1 kernel, 2 views, 2 accesses, {{[0-9]+}} claims proved, 0 not decided, 0 warnings
// RUN: spyre-translate verify-ktir %S/Inputs/ktir-product.mlir 2>&1 | FileCheck %s --check-prefix=PRODUCT
// PRODUCT-NOT: {{error|warning:|remark}}
// PRODUCT: ktir-product.mlir: 1 kernel, 3 views, 3 accesses, {{[0-9]+}} claims proved, 0 not decided, 0 warnings

// An accumulator in device memory, values that idle cores load, and launches of one program.
// RUN: spyre-translate verify-ktir %S/Inputs/ktir-accumulate.mlir 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: spyre-translate verify-ktir %S/Inputs/ktir-idle.mlir 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: spyre-translate verify-ktir %S/Inputs/ktir-launches.mlir 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: spyre-translate verify-ktir %S/Inputs/ktir-again.mlir 2>&1 | FileCheck %s --check-prefix=RIGHT
// RIGHT-NOT: {{error|warning:|remark}}
// RIGHT: {{[0-9]+}} claims proved, 0 not decided, 0 warnings

// A view of the first rows of an argument is a part of it, and no whole tensor with gaps.
// RUN: sed 's/attributes {/attributes {argument_bytes = [196608, 98304, 98304], /' %S/Inputs/ktir-difference.mlir | sed '/as = ktdp/s/6144, 64, 1/12288, 64, 1/' | spyre-translate verify-ktir - 2>&1 | FileCheck %s --check-prefix=RIGHT

// A dynamic extent. The interpreter has no such arguments; the scheduler takes none.
// RUN: spyre-translate verify-ktir %S/Inputs/ktir-dynamic.mlir 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// DYNAMIC: warning: the interpreter of KTIR has no 'ktdp.runtime_arg_extract' [KC20]
// DYNAMIC: 0 not decided, 1 warning
// RUN: spyre-translate verify-ktir --flavour upstream %S/Inputs/ktir-dynamic.mlir 2>&1 | FileCheck %s --check-prefix=UPSTREAM
// UPSTREAM: warning: the scheduler takes no dynamic extents [KC22]

// An odd number of tiles for an extent that is no multiple: the last tile ends past the view.
// RUN: sed 's/granularity=16/granularity=8/' %S/Inputs/ktir-dynamic.mlir | sed 's/divui %%rows/ceildivui %%rows/' | not spyre-translate verify-ktir - 2>&1 | FileCheck %s --check-prefix=RAGGED
// RAGGED: error: the kernel loads coordinate 8 of dimension 1, and the view of argument 0 has 0 to 7: extents (8), iteration (0), core 0, point [0, 8, 0] [KC8]

// The same for an argument without bounds: tiles of 16 rows are the whole of an extent that is a multiple of 16.
// RUN: sed -e 's/%%n: .*>) attributes/%%rows: index) attributes/' -e '/runtime_arg_extract/d' %S/Inputs/ktir-dynamic.mlir | spyre-translate verify-ktir - 2>&1 | FileCheck %s --check-prefix=MULTIPLE
// MULTIPLE: remark: assumes that argument 2 is a multiple of 16: the elements of argument 1 after the last whole tile are in no tile [KC26]
// MULTIPLE: 0 not decided, 0 warnings

// The attribute of the function has the bounds, so that nothing is assumed.
// RUN: sed 's/grid = .2./extents = [[2, 16, 512]], extent_names = ["S"], grid = [2]/' %S/Inputs/ktir-extents.mlir | spyre-translate verify-ktir - 2>&1 | FileCheck %s --check-prefix=STATED
// STATED-NOT: remark
// STATED: 0 not decided, 0 warnings

// 0 is the identity of a maximum of absolute values, which may have been moved and rounded. It is none without them.
// RUN: spyre-translate verify-ktir %S/Inputs/ktir-magnitude.mlir 2>&1 | FileCheck %s --check-prefix=MAGNITUDE
// MAGNITUDE-NOT: KC18
// MAGNITUDE: 1 kernel, {{.*}} 0 not decided
// RUN: sed 's/math.absf/math.ceil/' %S/Inputs/ktir-magnitude.mlir | spyre-translate verify-ktir - 2>&1 | FileCheck %s --check-prefix=SIGNED
// SIGNED-COUNT-3: warning: the init is 0, and the identity of 'arith.max{{imum|num}}f' is -inf [KC18]

// Older spellings are read, and found in the text.
// RUN: sed 's/#ktdp.memory_space<global>/#ktdp.spyre_memory_space<HBM>/' %S/Inputs/ktir-difference.mlir > %t.mlir
// RUN: spyre-translate verify-ktir %t.mlir 2>&1 | FileCheck %s --check-prefix=SPELLING
// SPELLING-COUNT-3: warning: the memory space in line {{[0-9]+}} has an older spelling

// The report for programs.
// RUN: sed 's/%%c3 = arith.constant 3/%%c3 = arith.constant 4/' %S/Inputs/ktir-difference.mlir > %t.long.mlir
// RUN: not spyre-translate verify-ktir --json %t.long.mlir | FileCheck %s --check-prefix=JSON
// JSON: {"file":"{{.*}}long.mlir","is_right":false,"errors":3,"warnings":0,"proved":{{[0-9]+}},"undecided":0,"findings":[{"severity":"error","rule":"KC8","message":"the kernel loads coordinate 96 of dimension 1, and the view of argument 0 has 0 to 95","location":{"file":"{{.*}}long.mlir","line":21,"column":15},"witness":{"extents":[],"iteration":[3],"core":0,"point":[0,96,0]},"notes":[{"message":"the view is here","location":{"file":"{{.*}}long.mlir","line":10,"column":9}}]}

// Rows of a table at indices in memory.
func.func @rows(%table: index, %indices: index, %y: index) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %core = ktdp.get_compute_tile_id : index
  %row = arith.muli %core, %c16 : index
  %ts = ktdp.construct_memory_view %table, sizes: [96, 64], strides: [64, 1] {
      coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 95 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
      memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  %is = ktdp.construct_memory_view %indices, sizes: [32], strides: [1] {
      coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 31 >= 0)>,
      memory_space = #ktdp.memory_space<global>} : memref<32xi32>
  %ys = ktdp.construct_memory_view %y, sizes: [32, 64], strides: [64, 1] {
      coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
      memory_space = #ktdp.memory_space<global>} : memref<32x64xf16>
  %tile = ktdp.construct_indirect_access_tile intermediate_variables(%m, %k) %ts[ind(%is[%m + %row]), (%k)] {
      variables_space_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
      variables_space_order = affine_map<(d0, d1) -> (d0, d1)>}
      : memref<96x64xf16>, memref<32xi32> -> !ktdp.access_tile<16x64xindex>
  %rows = ktdp.load %tile : !ktdp.access_tile<16x64xindex> -> tensor<16x64xf16>
  %y_tile = ktdp.construct_access_tile %ys[%row, %c0] {
      access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
      access_tile_order = affine_map<(d0, d1) -> (d0, d1)>}
      : memref<32x64xf16> -> !ktdp.access_tile<16x64xindex>
  ktdp.store %rows, %y_tile : tensor<16x64xf16>, !ktdp.access_tile<16x64xindex>
  return
}

// Two cores compute one sum, and the first one stores it.
func.func @first(%x: index, %y: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %core = ktdp.get_compute_tile_id : index
  %half = arith.divui %core, %c2 : index
  %copy = arith.remui %core, %c2 : index
  %row = arith.muli %half, %c32 : index
  %is_first = arith.cmpi eq, %copy, %c0 : index
  %xs = ktdp.construct_memory_view %x, sizes: [64, 64], strides: [64, 1] {
      coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
      memory_space = #ktdp.memory_space<global>} : memref<64x64xf16>
  %ys = ktdp.construct_memory_view %y, sizes: [64, 64], strides: [64, 1] {
      coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
      memory_space = #ktdp.memory_space<global>} : memref<64x64xf16>
  %x_tile = ktdp.construct_access_tile %xs[%row, %c0] {
      access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
      access_tile_order = affine_map<(d0, d1) -> (d0, d1)>}
      : memref<64x64xf16> -> !ktdp.access_tile<32x64xindex>
  %v = ktdp.load %x_tile : !ktdp.access_tile<32x64xindex> -> tensor<32x64xf16>
  scf.if %is_first {
    %y_tile = ktdp.construct_access_tile %ys[%row, %c0] {
        access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
        access_tile_order = affine_map<(d0, d1) -> (d0, d1)>}
        : memref<64x64xf16> -> !ktdp.access_tile<32x64xindex>
    ktdp.store %v, %y_tile : tensor<32x64xf16>, !ktdp.access_tile<32x64xindex>
  }
  return
}
