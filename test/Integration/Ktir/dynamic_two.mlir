// Two dynamic extents, each with its name: the sticks and their strides depend on both.

// RUN: split-file %s %t
// RUN: for cores in 1 4 32; do spyre-opt --spyre-pipeline="bundle=false plan=false target={cores=$cores}" %t/program.mlir -o %t/planned.mlir && spyre-opt --convert-spyre-to-ktir --mlir-print-local-scope %t/planned.mlir -o %t/$cores.mlir || exit 1; done
// RUN: FileCheck %s --check-prefix=KERNEL --input-file %t/4.mlir
// KERNEL: extent_names = ["E", "S"], extents = {{\[\[}}3, 64, 256], [4, 4, 128]]
// RUN: for cores in 1 4 32; do for sizes in "S=4 --size E=64" "S=36 --size E=192" "E=256 --size S=128"; do spyre-run %t/program.mlir --ktir %t/$cores.mlir --compare %t/program.mlir --random-seed 1 --core-order both --size $sizes || exit 1; done; done | FileCheck %s
// CHECK: result 0: 0 of 256 elements differ
// CHECK-NEXT: result 0: 0 of 6912 elements differ
// CHECK-NEXT: result 0: 0 of 32768 elements differ
// CHECK-COUNT-6: result 0: 0 of {{256|6912|32768}} elements differ

// The extent that the command line leaves out.
// RUN: not spyre-run %t/4.mlir --random-seed 1 --size S=36 2>&1 | FileCheck %s --check-prefix=OPEN
// OPEN: 4.mlir:{{.*}}: error: convert-ktdp-to-linalg: argument 3, the extent "E", is no address, and has no value
// OPEN: note: --size E=N or --size 3=N of spyre-run, or the option extents=3=N of the pass, gives it one, in elements

//--- program.mlir
!t = tensor<?x?xf16>
func.func @two(%x: !t {spyre.dims = ["S", "E"]}, %y: !t {spyre.dims = ["S", "E"]}) -> !t
    attributes {spyre.dim_sizes = {E = #spyre.dynamic<granularity = 64, max = 256>, S = #spyre.dynamic<granularity = 4, max = 128>}} {
  %0 = spyre.sub %x, %y tile [0: "S" by 4, 1: "E" by 64] : !t
  %1 = spyre.exp %0 tile [0: "S" by 4, 1: "E" by 64] : !t
  return %1 : !t
}
