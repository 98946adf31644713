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
// CHECKED-DAG: builtin.module(convert-spyre-to-sdscbundle{share-files=false}): no longer on tensors, not compared
// CHECKED-DAG: remark: the check ends at builtin.module(convert-spyre-to-sdscbundle{{.*}})

// RUN: spyre-run %t.mlir --random-seed 1 --stats 2>&1 | FileCheck %s --check-prefix=STATS
// STATS-DAG: compile @add_mul: {{[0-9.]+}}{{(ns|µs|ms|s)}}
// STATS-DAG: run @add_mul: {{[0-9.]+}}{{(ns|µs|ms|s)}}
// STATS-DAG: result 0: tensor<64x512xf16> [
