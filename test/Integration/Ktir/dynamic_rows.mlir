// A kernel with a dynamic extent runs for its program: the size of the dimension is the argument of the kernel with its
// name, and tensors in device memory have the extent, and not the room for the largest one.

// RUN: split-file %s %t
// RUN: spyre-opt --spyre-pipeline="bundle=false plan=false target={cores=1}" %t/program.mlir | spyre-opt --convert-spyre-to-ktir --mlir-print-local-scope -o %t/one.mlir
// RUN: spyre-opt --spyre-pipeline="bundle=false plan=false target={cores=4}" %t/program.mlir | spyre-opt --convert-spyre-to-ktir --mlir-print-local-scope -o %t/four.mlir
// RUN: spyre-opt --spyre-pipeline="bundle=false plan=false target={cores=32}" %t/program.mlir | spyre-opt --convert-spyre-to-ktir --mlir-print-local-scope -o %t/card.mlir
// RUN: for kernel in one four card; do for size in 32 64 96 128; do spyre-run %t/program.mlir --ktir %t/$kernel.mlir --compare %t/program.mlir --random-seed 1 --size S=$size --core-order both || exit 1; done; done | FileCheck %s --check-prefix=SIZES
// SIZES: result 0: 0 of 8192 elements differ
// SIZES-NEXT: result 0: 0 of 16384 elements differ
// SIZES-NEXT: result 0: 0 of 24576 elements differ
// SIZES-NEXT: result 0: 0 of 32768 elements differ
// SIZES-COUNT-8: result 0: 0 of {{8192|16384|24576|32768}} elements differ

// Tiles of other sizes.
// RUN: sed 's/by 32/by 16/' %t/program.mlir > %t/halves.mlir
// RUN: spyre-translate ktir %t/halves.mlir -o %t/halves.ktir.mlir
// RUN: for size in 32 64 96 128; do spyre-run %t/program.mlir --ktir %t/halves.ktir.mlir --compare %t/halves.mlir --random-seed 1 --size S=$size --core-order both || exit 1; done | FileCheck %s --check-prefix=HALVES
// HALVES-COUNT-4: result 0: 0 of

// The size is that of input files, and an argument may have it by number.
// RUN: spyre-run %t/program.mlir --random-seed 3 --size S=64 --save-inputs %t/in --output %t/y.npy
// RUN: spyre-run %t/program.mlir --ktir %t/four.mlir --input %t/in/input_0.npy --expect %t/y.npy | FileCheck %s --check-prefix=FILES
// RUN: sed 's/extent_names = ."S"., //' %t/four.mlir > %t/nameless.mlir
// RUN: spyre-run %t/program.mlir --ktir %t/nameless.mlir --input %t/in/input_0.npy --expect %t/y.npy --size 2=64 | FileCheck %s --check-prefix=FILES
// RUN: not spyre-run %t/program.mlir --ktir %t/nameless.mlir --input %t/in/input_0.npy --expect %t/y.npy 2>&1 | FileCheck %s --check-prefix=NAMELESS
// FILES: result 0: 0 of 16384 elements differ
// NAMELESS: nameless.mlir:{{.*}}: error: convert-ktdp-to-linalg: argument 2 is no address, and has no value
// NAMELESS: note: --size 2=N of spyre-run, or the option extents=2=N of the pass, gives it one, in elements

// A kernel alone has the extent by name or by number.
// RUN: spyre-run %t/four.mlir --random-seed 1 --size S=96 | FileCheck %s --check-prefix=ALONE
// RUN: spyre-run %t/four.mlir --random-seed 1 --size 2=96 | FileCheck %s --check-prefix=ALONE
// ALONE: result 0: tensor<4x96x64xf16>

// Extents that the kernel does not have: no multiple of the granularity, and above the maximum.
// RUN: not spyre-run %t/four.mlir --random-seed 1 --size S=36 2>&1 | FileCheck %s --check-prefix=MULTIPLE
// MULTIPLE: four.mlir:{{.*}}: error: convert-ktdp-to-linalg: argument 2, the extent "S", is a positive multiple of 32 and at most 128, got 36
// MULTIPLE: note: the attribute `extents` has the bounds, which 32 or 64 would be in
// RUN: not spyre-run %t/four.mlir --random-seed 1 --size 2=160 2>&1 | FileCheck %s --check-prefix=MOST
// MOST: error: convert-ktdp-to-linalg: argument 2, the extent "S", is a positive multiple of 32 and at most 128, got 160
// MOST: note: the attribute `extents` has the bounds, which 128 would be in
// RUN: not spyre-run %t/four.mlir --random-seed 1 --size S=0 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: convert-ktdp-to-linalg: argument 2, the extent "S", is a positive multiple of 32 and at most 128, got 0

// The bounds of the kernel are its own: the program has more rows.
// RUN: sed 's/granularity = 32, max = 128/granularity = 32, max = 256/' %t/program.mlir > %t/more.mlir
// RUN: not spyre-run %t/more.mlir --ktir %t/four.mlir --random-seed 1 --size S=192 2>&1 | FileCheck %s --check-prefix=MORE
// MORE: four.mlir:{{.*}}: error: convert-ktdp-to-linalg: argument 2, the extent "S", is a positive multiple of 32 and at most 128, got 192

// Names and numbers that the kernel does not have.
// RUN: not spyre-run %t/four.mlir --random-seed 1 --size T=64 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: the kernel has no extent "T", but "S"; --size N=VALUE gives argument N a value, as in --size 2=192
// RUN: not spyre-run %t/nameless.mlir --random-seed 1 --size T=64 2>&1 | FileCheck %s --check-prefix=NO-NAMES
// NO-NAMES: error: the kernel has no extent "T" and no names of extents; --size N=VALUE
// RUN: not spyre-run %t/four.mlir --random-seed 1 --size S=64 --size 0=64 2>&1 | FileCheck %s --check-prefix=ADDRESS
// ADDRESS: error: convert-ktdp-to-linalg: argument 0 is an address, and has no value such as 64
// RUN: not spyre-run %t/four.mlir --random-seed 1 --size S=64 --size 9=64 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: error: convert-ktdp-to-linalg: the kernel has 3 arguments, and no argument 9 that has the value 64

//--- program.mlir
!t = tensor<?x256xf16>
!c = tensor<?x1xf16>
func.func @rows(%x: !t {spyre.dims = ["S", "E"]}) -> !t
    attributes {spyre.dim_sizes = {E = 256, S = #spyre.dynamic<granularity = 32, max = 128>}} {
  %m = spyre.max %x dims [1] keepdim tile [0: "S" by 32] : (!t) -> !c
  %d = spyre.sub %x, %m tile [0: "S" by 32] : (!t, !c) -> !t
  %e = spyre.exp %d tile [0: "S" by 32] : !t
  %s = spyre.sum %e dims [1] keepdim tile [0: "S" by 32] : (!t) -> !c
  %y = spyre.realdiv %e, %s tile [0: "S" by 32] : (!t, !c) -> !t
  return %y : !t
}
