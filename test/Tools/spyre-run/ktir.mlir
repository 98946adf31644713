// Kernels in KTIR run on the CPU: for the program that they were compiled from, and on the contents of device memory.

// RUN: split-file %s %t
// RUN: spyre-translate ktir %t/program.mlir -o %t/kernel.mlir
// RUN: spyre-run %t/program.mlir --ktir %t/kernel.mlir --compare %t/program.mlir --random-seed 1 | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t/program.mlir --ktir %t/kernel.mlir --core-order reverse --compare %t/program.mlir --random-seed 1 | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t/program.mlir --ktir %t/kernel.mlir --core-order both --compare %t/program.mlir --random-seed 1 | FileCheck %s --check-prefix=SAME
// SAME: result 0: 0 of 16384 elements differ

// Addresses in bytes.
// RUN: spyre-translate ktir --base-unit=byte %t/program.mlir -o %t/bytes.mlir
// RUN: spyre-run %t/program.mlir --ktir %t/bytes.mlir --base-unit byte --compare %t/program.mlir --random-seed 1 | FileCheck %s --check-prefix=SAME

// The rest of a stick has no contents, and is the same in both orders.
// RUN: spyre-translate ktir %t/padded.mlir -o %t/padded.ktir.mlir
// RUN: spyre-run %t/padded.mlir --ktir %t/padded.ktir.mlir --core-order both --compare %t/padded.mlir --random-seed 1 | FileCheck %s --check-prefix=PADDED
// PADDED: result 0: 0 of 210 elements differ

// Neither has a tensor that nothing has written: as the data of a store, and as the init of a sum.
// RUN: spyre-run %t/empty.mlir --random-seed 1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: result 0: tensor<1x64xf16> [NaN, NaN

// RUN: sed 's/ktdp.bytes = 128/ktdp.bytes = -128/' %t/empty.mlir | not spyre-run - --random-seed 1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: convert-ktdp-to-linalg: argument 1 states -128 bytes; ktdp.bytes or pool_bytes is a size

// A kernel alone: arrays have the extents of views, and results are the arguments that it stores.
// RUN: spyre-run %t/rows.mlir --random-seed 1 --integers 3 --save-inputs %t/in --output %t/y.npy
// RUN: spyre-run %t/rows.mlir --input %t/in/input_0.npy --expect %t/y.npy | FileCheck %s --check-prefix=EXPECT
// RUN: spyre-run %t/rows.mlir --random-seed 1 --integers 3 | FileCheck %s --check-prefix=ROWS
// EXPECT: result 0: 0 of 128 elements differ
// The rows that no core stores stay NaN.
// ROWS: result 0: tensor<2x64xf16> [{{.*}}NaN, NaN

// The extent of an argument.
// RUN: spyre-run %t/extent.mlir --random-seed 1 --size 2=64 | FileCheck %s --check-prefix=EXTENT
// RUN: not spyre-run %t/extent.mlir --random-seed 1 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: sed 's/%rows: index/%rows_arg: !ktdp.runtime_arg<index, granularity=2, upperbound=64>/; s/^  %c1 = .*/&\n%rows = ktdp.runtime_arg_extract value from %rows_arg : !ktdp.runtime_arg<index, granularity=2, upperbound=64> -> index/' %t/extent.mlir > %t/runtime.mlir
// RUN: spyre-run %t/runtime.mlir --random-seed 1 --size 2=64 | FileCheck %s --check-prefix=EXTENT
// EXTENT: result 0: tensor<64x64xf16>
// OPEN: extent.mlir:1:3: error: convert-ktdp-to-linalg: argument 2 is no address, and has no value
// OPEN: note: --size 2=N of spyre-run, or the option extents=2=N of the pass, gives it one, in elements

// Accesses outside of a view, a set of coordinates or an argument are errors, with the core and the iteration.
// RUN: not spyre-run %t/past.mlir --random-seed 1 2>&1 | FileCheck %s --check-prefix=PAST
// PAST: error: {{.*}}past.mlir:13:13: core 0 at (1) loads coordinate 67 of dimension 0 of a view, which has 0 to 63
// RUN: not spyre-run %t/past.mlir --random-seed 1 --core-order reverse 2>&1 | FileCheck %s --check-prefix=LAST
// LAST: error: {{.*}}past.mlir:13:13: core 1 at (1) loads coordinate 68 of dimension 0 of a view, which has 0 to 63

// A view of indices has indices of elements of the view that they index, with any distribution; others are errors.
// RUN: spyre-run %t/index.mlir --random-seed 1 --integers 7 --save-inputs %t/gathered | FileCheck %s --check-prefix=INDICES
// RUN: spyre-run %t/index.mlir --random-seed 2 --special-values | FileCheck %s --check-prefix=INDICES
// INDICES: result 0: tensor<16x64xf16>
// RUN: sed 's/-d0 + 3 /-d0 + 2 /' %t/index.mlir > %t/fewer.mlir
// RUN: not spyre-run %t/fewer.mlir --input %t/gathered/input_0.npy --input %t/gathered/input_1.npy 2>&1 | FileCheck %s --check-prefix=INDEX
// INDEX: error: {{.*}}fewer.mlir:{{[0-9]+}}:{{[0-9]+}}: core 0 reads index 3 for dimension 0 of a view, which has 0 to 2

// A pool that is the first argument is no input, and no tensor of the program.
// RUN: spyre-translate ktir --flavour upstream %t/chain.mlir -o %t/upstream.mlir
// RUN: FileCheck %s --check-prefix=UPSTREAM --input-file %t/upstream.mlir
// UPSTREAM: pool_argument = 0
// RUN: spyre-run %t/chain.mlir --ktir %t/upstream.mlir --base-unit byte --core-order both --compare %t/chain.mlir --random-seed 1 | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t/upstream.mlir --base-unit byte --random-seed 1 --save-inputs %t/chain | FileCheck %s --check-prefix=CHAIN
// CHAIN: result 0: tensor<4x64x64xf16>
// CHAIN-NOT: result
// RUN: ls %t/chain | FileCheck %s --check-prefix=CHAIN-INPUTS
// CHAIN-INPUTS: input_1.npy
// CHAIN-INPUTS-NOT: input_2.npy

// Launches are those of the attributes, whatever the names of functions; a program of the launches is a kernel.
// RUN: spyre-translate ktir %{root}/examples/ktir/gather.mlir -o %t/launches.ktir.mlir
// RUN: sed -e 's/@gather_0/@begin/' -e 's/@gather_1/@end/' %t/launches.ktir.mlir > %t/renamed.mlir
// RUN: FileCheck %s --check-prefix=RENAMED --input-file %t/renamed.mlir
// RENAMED: @begin({{.*}}launch = 0 : i64{{.*}}program = "gather"
// RENAMED: @end({{.*}}launch = 1 : i64{{.*}}program = "gather"
// RUN: spyre-run %{root}/examples/ktir/gather.mlir --ktir %t/renamed.mlir --core-order both --compare %{root}/examples/ktir/gather.mlir --random-seed 1 --integers 200 | FileCheck %s --check-prefix=LAUNCHES
// LAUNCHES: result 0: 0 of
// RUN: sed 's/, program = "gather"//' %t/renamed.mlir | not spyre-run - --random-seed 1 2>&1 | FileCheck %s --check-prefix=UNTIED
// UNTIED: error: a kernel with `launch` has the name of its program in `program`

// Several kernels in a file: the one of the program, or the one that the command line names.
// RUN: not spyre-run %t/program.mlir --ktir %t/several.mlir --random-seed 1 2>&1 | FileCheck %s --check-prefix=SEVERAL
// SEVERAL: error: the file of --ktir has the kernels @a, @b, and none is @f, the function that runs; --ktir-entry NAME chooses one, and --entry chooses the function of the program
// RUN: not spyre-run %t/program.mlir --ktir %t/several.mlir --ktir-entry c --random-seed 1 2>&1 | FileCheck %s --check-prefix=NO-KERNEL
// NO-KERNEL: error: the module has no kernel @c; it has @a, @b
// RUN: not spyre-run %t/several.mlir --random-seed 1 2>&1 | FileCheck %s --check-prefix=CHOOSE
// CHOOSE: error: the module has the kernels @a, @b; choose one with --entry
// RUN: spyre-run %t/several.mlir --entry b --random-seed 1 | FileCheck %s --check-prefix=B
// B: result 0: tensor<1x64xf16>
// RUN: not spyre-run %t/program.mlir --ktir %t/several.mlir --ktir-entry a --random-seed 1 2>&1 | FileCheck %s --check-prefix=TENSORS
// TENSORS: error: @a has 2 arguments for tensors, and the program has 3: its inputs, the constants of its plan, and its results; the kernel is of another program or plan
// RUN: not spyre-run %t/program.mlir --ktir %t/program.mlir --random-seed 1 2>&1 | FileCheck %s --check-prefix=NO-KERNELS
// NO-KERNELS: error: the module has no kernel: a function with operations of `ktdp`

// RUN: sed 's/grid = .2./grid = [100000000]/' %t/race.mlir | not spyre-run - --random-seed 1 2>&1 | FileCheck %s --check-prefix=CORES
// CORES: error: convert-ktdp-to-linalg: the grid [100000000] has 100000000 cores, and a kernel has at most 65536: 2048 cards of 32

// The bounds of a runtime argument are in its type.
// RUN: not spyre-run %t/runtime.mlir --random-seed 1 --size 2=63 2>&1 | FileCheck %s --check-prefix=RUNTIME
// RUNTIME: error: convert-ktdp-to-linalg: argument 2 is a positive multiple of 2 and at most 64, got 63
// RUNTIME: note: the type !ktdp.runtime_arg<index, granularity=2, upperbound=64> of the argument has the bounds, which 62 or 64 would be in

// Attributes of other forms.
// RUN: sed 's/grid = .2./extents = [[2, 2]], grid = [2]/' %t/extent.mlir | not spyre-run - --random-seed 1 --size 2=64 2>&1 | FileCheck %s --check-prefix=FORM
// FORM: <stdin>:1:3: error: entry 0 of `extents` is [argument, granularity, maximum], three integers, got [2, 2]

// A core reads what another one writes: the order of cores decides.
// RUN: not spyre-run %t/race.mlir --random-seed 1 --core-order both 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: error: argument 1 depends on the order of cores: 64 of 128 elements differ; first at [{{[01]}}, 0]{{.*}}; a core reads or writes elements that another one writes in the same launch

//--- program.mlir
func.func @f(%a: tensor<64x256xf16>, %b: tensor<64x256xf16>) -> tensor<64x256xf16> {
  %0 = spyre.sub %a, %b : tensor<64x256xf16>
  %1 = spyre.exp %0 : tensor<64x256xf16>
  return %1 : tensor<64x256xf16>
}

//--- chain.mlir
func.func @h(%a: tensor<64x256xf16>, %b: tensor<64x256xf16>) -> tensor<64x256xf16> {
  %0 = spyre.sub %a, %b : tensor<64x256xf16>
  %1 = spyre.mul %0, %b : tensor<64x256xf16>
  return %1 : tensor<64x256xf16>
}

//--- padded.mlir
func.func @w(%a: tensor<3x70xf16>) -> tensor<3x70xf16> {
  %0 = spyre.neg %a : tensor<3x70xf16>
  return %0 : tensor<3x70xf16>
}

//--- empty.mlir
func.func @empty(%x: index, %y: index {ktdp.bytes = 128 : i64}) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %xs = ktdp.construct_memory_view %x, sizes: [1, 64], strides: [64, 1] {coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<1x64xf16>
  %ys = ktdp.construct_memory_view %y, sizes: [1, 64], strides: [64, 1] {coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<1x64xf16>
  %from = ktdp.construct_access_tile %xs[%c0, %c0] {access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<1x64xf16> -> !ktdp.access_tile<1x64xindex>
  %to = ktdp.construct_access_tile %ys[%c0, %c0] {access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<1x64xf16> -> !ktdp.access_tile<1x64xindex>
  %rows = ktdp.load %from : !ktdp.access_tile<1x64xindex> -> tensor<1x64xf16>
  %e = tensor.empty() : tensor<1x64xf16>
  %s = linalg.add ins(%rows, %rows : tensor<1x64xf16>, tensor<1x64xf16>) outs(%e : tensor<1x64xf16>) -> tensor<1x64xf16>
  ktdp.store %e, %to : tensor<1x64xf16>, !ktdp.access_tile<1x64xindex>
  return
}

//--- several.mlir
func.func @a(%x: index, %y: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %xs = ktdp.construct_memory_view %x, sizes: [1, 64], strides: [64, 1] {coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<1x64xf16>
  %ys = ktdp.construct_memory_view %y, sizes: [1, 64], strides: [64, 1] {coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<1x64xf16>
  %from = ktdp.construct_access_tile %xs[%c0, %c0] {access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<1x64xf16> -> !ktdp.access_tile<1x64xindex>
  %to = ktdp.construct_access_tile %ys[%c0, %c0] {access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<1x64xf16> -> !ktdp.access_tile<1x64xindex>
  %rows = ktdp.load %from : !ktdp.access_tile<1x64xindex> -> tensor<1x64xf16>
  ktdp.store %rows, %to : tensor<1x64xf16>, !ktdp.access_tile<1x64xindex>
  return
}
func.func @b(%x: index, %y: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %xs = ktdp.construct_memory_view %x, sizes: [1, 64], strides: [64, 1] {coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<1x64xf16>
  %ys = ktdp.construct_memory_view %y, sizes: [1, 64], strides: [64, 1] {coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<1x64xf16>
  %from = ktdp.construct_access_tile %xs[%c0, %c0] {access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<1x64xf16> -> !ktdp.access_tile<1x64xindex>
  %to = ktdp.construct_access_tile %ys[%c0, %c0] {access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<1x64xf16> -> !ktdp.access_tile<1x64xindex>
  %rows = ktdp.load %from : !ktdp.access_tile<1x64xindex> -> tensor<1x64xf16>
  ktdp.store %rows, %to : tensor<1x64xf16>, !ktdp.access_tile<1x64xindex>
  return
}

//--- rows.mlir
func.func @rows(%x: index, %y: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %xs = ktdp.construct_memory_view %x, sizes: [2, 64], strides: [64, 1] {coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<2x64xf16>
  %ys = ktdp.construct_memory_view %y, sizes: [2, 64], strides: [64, 1] {coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<2x64xf16>
  // The points of a triangle: row 0 has two elements, row 1 has one.
  %from = ktdp.construct_access_tile %xs[%c0, %c0] {access_tile_set = affine_set<(d0, d1) : (d0 >= 0, d1 >= 0, -d0 - d1 + 1 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<2x64xf16> -> !ktdp.access_tile<2x2xindex>
  %to = ktdp.construct_access_tile %ys[%c0, %c0] {access_tile_set = affine_set<(d0, d1) : (d0 >= 0, d1 >= 0, -d0 - d1 + 1 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<2x64xf16> -> !ktdp.access_tile<2x2xindex>
  %rows = ktdp.load %from : !ktdp.access_tile<2x2xindex> -> tensor<2x2xf16>
  ktdp.store %rows, %to : tensor<2x2xf16>, !ktdp.access_tile<2x2xindex>
  return
}

//--- extent.mlir
  func.func @extent(%x: index, %y: index, %rows: index) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %id = ktdp.get_compute_tile_id : index
  %half = arith.divui %rows, %c2 : index
  %xs = ktdp.construct_memory_view %x, sizes: [%rows, 64], strides: [64, 1] {coordinate_set = affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<?x64xf16>
  %ys = ktdp.construct_memory_view %y, sizes: [%rows, 64], strides: [64, 1] {coordinate_set = affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<?x64xf16>
  scf.for %i = %c0 to %half step %c1 {
    %first = arith.muli %id, %half : index
    %row = arith.addi %first, %i : index
    %from = ktdp.construct_access_tile %xs[%row, %c0] {access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<?x64xf16> -> !ktdp.access_tile<1x64xindex>
    %to = ktdp.construct_access_tile %ys[%row, %c0] {access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<?x64xf16> -> !ktdp.access_tile<1x64xindex>
    %rows_0 = ktdp.load %from : !ktdp.access_tile<1x64xindex> -> tensor<1x64xf16>
    ktdp.store %rows_0, %to : tensor<1x64xf16>, !ktdp.access_tile<1x64xindex>
  }
  return
  }

//--- past.mlir
func.func @past(%x: index, %y: index) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %id = ktdp.get_compute_tile_id : index
  %xs = ktdp.construct_memory_view %x, sizes: [64, 64], strides: [64, 1] {coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<64x64xf16>
  %ys = ktdp.construct_memory_view %y, sizes: [64, 64], strides: [64, 1] {coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<64x64xf16>
  scf.for %i = %c0 to %c2 step %c1 {
    %s = arith.muli %i, %c64 : index
    %row = arith.addi %s, %id : index
    %from = ktdp.construct_access_tile %xs[%row, %c0] {access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<64x64xf16> -> !ktdp.access_tile<4x64xindex>
    %rows = ktdp.load %from : !ktdp.access_tile<4x64xindex> -> tensor<4x64xf16>
    %to = ktdp.construct_access_tile %ys[%id, %c0] {access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<64x64xf16> -> !ktdp.access_tile<4x64xindex>
    ktdp.store %rows, %to : tensor<4x64xf16>, !ktdp.access_tile<4x64xindex>
  }
  return
}

//--- index.mlir
func.func @index(%x: index, %i: index, %y: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %xs = ktdp.construct_memory_view %x, sizes: [4, 64], strides: [64, 1] {coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<4x64xf16>
  %is = ktdp.construct_memory_view %i, sizes: [16], strides: [1] {coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 15 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<16xi32>
  %ys = ktdp.construct_memory_view %y, sizes: [16, 64], strides: [64, 1] {coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<16x64xf16>
  %from = ktdp.construct_indirect_access_tile intermediate_variables(%m, %k) %xs[ind(%is[%m]), (%k)] {variables_space_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 63 >= 0)>, variables_space_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<4x64xf16>, memref<16xi32> -> !ktdp.access_tile<16x64xindex>
  %to = ktdp.construct_access_tile %ys[%c0, %c0] {access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<16x64xf16> -> !ktdp.access_tile<16x64xindex>
  %rows = ktdp.load %from : !ktdp.access_tile<16x64xindex> -> tensor<16x64xf16>
  ktdp.store %rows, %to : tensor<16x64xf16>, !ktdp.access_tile<16x64xindex>
  return
}

//--- race.mlir
func.func @race(%x: index, %y: index) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %id = ktdp.get_compute_tile_id : index
  %other = arith.subi %c1, %id : index
  %xs = ktdp.construct_memory_view %x, sizes: [2, 64], strides: [64, 1] {coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<2x64xf16>
  %ys = ktdp.construct_memory_view %y, sizes: [2, 64], strides: [64, 1] {coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<2x64xf16>
  %mine = ktdp.construct_access_tile %ys[%id, %c0] {access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<2x64xf16> -> !ktdp.access_tile<1x64xindex>
  %theirs = ktdp.construct_access_tile %ys[%other, %c0] {access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<2x64xf16> -> !ktdp.access_tile<1x64xindex>
  %is_first = arith.cmpi eq, %id, %c0 : index
  %from = ktdp.construct_access_tile %xs[%id, %c0] {access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<2x64xf16> -> !ktdp.access_tile<1x64xindex>
  scf.if %is_first {
    %row = ktdp.load %from : !ktdp.access_tile<1x64xindex> -> tensor<1x64xf16>
    ktdp.store %row, %mine : tensor<1x64xf16>, !ktdp.access_tile<1x64xindex>
  } else {
    %row = ktdp.load %theirs : !ktdp.access_tile<1x64xindex> -> tensor<1x64xf16>
    ktdp.store %row, %mine : tensor<1x64xf16>, !ktdp.access_tile<1x64xindex>
  }
  return
}
