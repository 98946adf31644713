// The examples, smaller: tiled, unrolled and planned as untiled, in every bit; and their pipeline, pass by pass.

// RUN: sed 's/1024x4096/64x512/' %{root}/examples/add_mul.mlir > %t.mlir
// RUN: spyre-opt %t.mlir --coarse-tile -o %t.tiled.mlir
// RUN: spyre-opt %t.tiled.mlir --spyre-unroll-loops -o %t.unrolled.mlir
// RUN: FileCheck %s --check-prefix=TILED --input-file %t.tiled.mlir
// RUN: FileCheck %s --check-prefix=UNROLLED --input-file %t.unrolled.mlir
// TILED-COUNT-2: scf.for
// UNROLLED-NOT: scf.for
// UNROLLED: spyre.mul {{.*}}tensor<32x128xf16
// RUN: spyre-run %t.mlir --compare %t.tiled.mlir --random-seed 1 --special-values --poison | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t.mlir --compare %t.unrolled.mlir --random-seed 2 --special-values --poison | FileCheck %s --check-prefix=SAME
// RUN: spyre-run %t.tiled.mlir --compare %t.unrolled.mlir --random-seed 3 | FileCheck %s --check-prefix=SAME
// SAME: result 0: 0 of 32768 elements differ{{$}}

// RUN: spyre-run %t.mlir --check-pipeline='builtin.module(spyre-pipeline)' --random-seed 4 --special-values 2>&1 | FileCheck %s --check-prefix=CHECKED
// RUN: spyre-run %{root}/examples/transposed.mlir --check-pipeline='builtin.module(spyre-pipeline)' 2>&1 | FileCheck %s --check-prefix=CHECKED
// CHECKED-NOT: DIFFER
// CHECKED: builtin.module(convert-spyre-to-sdscbundle{share-files=false}): a bundle, same results on the simulated card

// The bundle at full size. Of 8 MiB each, a, b and c come from HBM and z goes there. y, which is 8 MiB in all, stays in LX.
// RUN: rm -rf %t.bundle && spyre-translate --spyre-to-bundle %{root}/examples/add_mul.mlir -o %t.bundle
// RUN: spyre-run %{root}/examples/add_mul.mlir --bundle %t.bundle --compare %{root}/examples/add_mul.mlir --random-seed 5 --stats 2>&1 | FileCheck %s --check-prefix=MOVED
// MOVED-DAG: executions: 16 in 10 iterations of loops
// MOVED-DAG: HBM: 25165824 bytes read, 8388608 bytes written
// MOVED-DAG: LX: 8388608 bytes read, 8388608 bytes written, all cores together
// MOVED-DAG: LX peak: 32768 bytes on core {{[0-9]+}}; 32 cores have tensors in LX
// MOVED-DAG: result 0: 0 of 4194304 elements differ

// Untiled, y takes eight times as much of each scratchpad.
// RUN: sed 's/ tile \[.*\]//' %{root}/examples/add_mul.mlir > %t.untiled.mlir
// RUN: rm -rf %t.whole && spyre-translate --spyre-to-bundle %t.untiled.mlir -o %t.whole
// RUN: spyre-run %t.untiled.mlir --bundle %t.whole --random-seed 5 --stats 2>&1 | FileCheck %s --check-prefix=WHOLE
// WHOLE: executions: 2 in 0 iterations of loops
// WHOLE: HBM: 25165824 bytes read, 8388608 bytes written
// WHOLE: LX peak: 262144 bytes

// RUN: spyre-run %t.mlir --random-seed 1 --stats 2>&1 | FileCheck %s --check-prefix=STATS
// STATS-DAG: compile @add_mul: {{[0-9.]+}}{{(ns|µs|ms|s)}}
// STATS-DAG: run @add_mul: {{[0-9.]+}}{{(ns|µs|ms|s)}}
// STATS-DAG: result 0: tensor<64x512xf16> [
