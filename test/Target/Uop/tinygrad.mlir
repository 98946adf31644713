// Graphs that the bridge exported from tinygrad 0.14.0, with the results that tinygrad computed on the CPU: python/record_tinygrad.py makes
// them. On the card they have the same results.

// A bound variable is its value; writes to views of a buffer follow each other.
// RUN: spyre-translate --import-uop %S/Inputs/tinygrad/cache.json | spyre-opt --convert-uop-to-linalg -o %t.cache.mlir
// RUN: spyre-run %t.cache.mlir -i %S/Inputs/tinygrad/cache.in_0.npy -i %S/Inputs/tinygrad/cache.in_1.npy --expect %S/Inputs/tinygrad/cache.out_0.npy --expect %S/Inputs/tinygrad/cache.out_1.npy --tolerance 1e-6
// RUN: spyre-run %t.cache.mlir -i %S/Inputs/tinygrad/cache.in_0.npy -i %S/Inputs/tinygrad/cache.in_1.npy --expect %S/Inputs/tinygrad/cache.out_0.npy --expect %S/Inputs/tinygrad/cache.out_1.npy --tolerance 1e-5 --on card

// Two results read an assignment that is no longer the same when it is executed twice.
// RUN: spyre-translate --import-uop %S/Inputs/tinygrad/count.json | spyre-opt --convert-uop-to-linalg -o %t.count.mlir
// RUN: spyre-run %t.count.mlir -i %S/Inputs/tinygrad/count.in_0.npy --expect %S/Inputs/tinygrad/count.out_0.npy --expect %S/Inputs/tinygrad/count.out_1.npy --tolerance 1e-6
// RUN: spyre-run %t.count.mlir -i %S/Inputs/tinygrad/count.in_0.npy --expect %S/Inputs/tinygrad/count.out_0.npy --expect %S/Inputs/tinygrad/count.out_1.npy --tolerance 1e-5 --on card

// A function that is called twice has a body each time.
// RUN: spyre-translate --import-uop %S/Inputs/tinygrad/functions.json | spyre-opt --convert-uop-to-linalg -o %t.functions.mlir
// RUN: spyre-run %t.functions.mlir -i %S/Inputs/tinygrad/functions.in_0.npy -i %S/Inputs/tinygrad/functions.in_1.npy --expect %S/Inputs/tinygrad/functions.out_0.npy --expect %S/Inputs/tinygrad/functions.out_1.npy --tolerance 1e-6
// RUN: spyre-run %t.functions.mlir -i %S/Inputs/tinygrad/functions.in_0.npy -i %S/Inputs/tinygrad/functions.in_1.npy --expect %S/Inputs/tinygrad/functions.out_0.npy --expect %S/Inputs/tinygrad/functions.out_1.npy --tolerance 1e-5 --on card

// A function and its gradient.
// RUN: spyre-translate --import-uop %S/Inputs/tinygrad/gradient.json | spyre-opt --convert-uop-to-linalg -o %t.gradient.mlir
// RUN: spyre-run %t.gradient.mlir -i %S/Inputs/tinygrad/gradient.in_0.npy -i %S/Inputs/tinygrad/gradient.in_1.npy --expect %S/Inputs/tinygrad/gradient.out_0.npy --expect %S/Inputs/tinygrad/gradient.out_1.npy --tolerance 1e-6
// RUN: spyre-run %t.gradient.mlir -i %S/Inputs/tinygrad/gradient.in_0.npy -i %S/Inputs/tinygrad/gradient.in_1.npy --expect %S/Inputs/tinygrad/gradient.out_0.npy --expect %S/Inputs/tinygrad/gradient.out_1.npy --tolerance 1e-5 --on card

// Quotients toward the smaller integer, shifts, and conversions that cut.
// RUN: spyre-translate --import-uop %S/Inputs/tinygrad/integers.json | spyre-opt --convert-uop-to-linalg -o %t.integers.mlir
// RUN: spyre-run %t.integers.mlir -i %S/Inputs/tinygrad/integers.in_0.npy -i %S/Inputs/tinygrad/integers.in_1.npy -i %S/Inputs/tinygrad/integers.in_2.npy --expect %S/Inputs/tinygrad/integers.out_0.npy --expect %S/Inputs/tinygrad/integers.out_1.npy --expect %S/Inputs/tinygrad/integers.out_2.npy --expect %S/Inputs/tinygrad/integers.out_3.npy --tolerance 1e-6
// RUN: spyre-run %t.integers.mlir -i %S/Inputs/tinygrad/integers.in_0.npy -i %S/Inputs/tinygrad/integers.in_1.npy -i %S/Inputs/tinygrad/integers.in_2.npy --expect %S/Inputs/tinygrad/integers.out_0.npy --expect %S/Inputs/tinygrad/integers.out_1.npy --expect %S/Inputs/tinygrad/integers.out_2.npy --expect %S/Inputs/tinygrad/integers.out_3.npy --tolerance 1e-5 --on card

// The arguments of a function are the first buffers, in their order.
// RUN: spyre-translate --import-uop %S/Inputs/tinygrad/jit.json | spyre-opt --convert-uop-to-linalg -o %t.jit.mlir
// RUN: spyre-run %t.jit.mlir -i %S/Inputs/tinygrad/jit.in_0.npy -i %S/Inputs/tinygrad/jit.in_1.npy --expect %S/Inputs/tinygrad/jit.out_0.npy --tolerance 1e-6
// RUN: spyre-run %t.jit.mlir -i %S/Inputs/tinygrad/jit.in_0.npy -i %S/Inputs/tinygrad/jit.in_1.npy --expect %S/Inputs/tinygrad/jit.out_0.npy --tolerance 1e-5 --on card

// A counter and a key are buffers.
// RUN: spyre-translate --import-uop %S/Inputs/tinygrad/random.json | spyre-opt --convert-uop-to-linalg -o %t.random.mlir
// RUN: spyre-run %t.random.mlir -i %S/Inputs/tinygrad/random.in_0.npy -i %S/Inputs/tinygrad/random.in_1.npy --expect %S/Inputs/tinygrad/random.out_0.npy --tolerance 1e-6
// RUN: spyre-run %t.random.mlir -i %S/Inputs/tinygrad/random.in_0.npy -i %S/Inputs/tinygrad/random.in_1.npy --expect %S/Inputs/tinygrad/random.out_0.npy --tolerance 1e-5 --on card

// Positions, in integers.
// RUN: spyre-translate --import-uop %S/Inputs/tinygrad/search.json | spyre-opt --convert-uop-to-linalg -o %t.search.mlir
// RUN: spyre-run %t.search.mlir -i %S/Inputs/tinygrad/search.in_0.npy -i %S/Inputs/tinygrad/search.in_1.npy -i %S/Inputs/tinygrad/search.in_2.npy --expect %S/Inputs/tinygrad/search.out_0.npy --expect %S/Inputs/tinygrad/search.out_1.npy --expect %S/Inputs/tinygrad/search.out_2.npy --tolerance 1e-6
// RUN: spyre-run %t.search.mlir -i %S/Inputs/tinygrad/search.in_0.npy -i %S/Inputs/tinygrad/search.in_1.npy -i %S/Inputs/tinygrad/search.in_2.npy --expect %S/Inputs/tinygrad/search.out_0.npy --expect %S/Inputs/tinygrad/search.out_1.npy --expect %S/Inputs/tinygrad/search.out_2.npy --tolerance 1e-5 --on card

// One part of a tensor is on each of two devices.
// RUN: spyre-translate --import-uop %S/Inputs/tinygrad/shards.json | spyre-opt --convert-uop-to-linalg -o %t.shards.mlir
// RUN: spyre-run %t.shards.mlir -i %S/Inputs/tinygrad/shards.in_0.npy --expect %S/Inputs/tinygrad/shards.out_0.npy --tolerance 1e-6
// RUN: spyre-run %t.shards.mlir -i %S/Inputs/tinygrad/shards.in_0.npy --expect %S/Inputs/tinygrad/shards.out_0.npy --tolerance 1e-5 --on card

// Reductions drop axes, and constants have no width.
// RUN: spyre-translate --import-uop %S/Inputs/tinygrad/softmax.json | spyre-opt --convert-uop-to-linalg -o %t.softmax.mlir
// RUN: spyre-run %t.softmax.mlir -i %S/Inputs/tinygrad/softmax.in_0.npy --expect %S/Inputs/tinygrad/softmax.out_0.npy --tolerance 1e-6
// RUN: spyre-run %t.softmax.mlir -i %S/Inputs/tinygrad/softmax.in_0.npy --expect %S/Inputs/tinygrad/softmax.out_0.npy --tolerance 1e-5 --on card

// The state of an optimizer is written in place.
// RUN: spyre-translate --import-uop %S/Inputs/tinygrad/step.json | spyre-opt --convert-uop-to-linalg -o %t.step.mlir
// RUN: spyre-run %t.step.mlir -i %S/Inputs/tinygrad/step.in_0.npy -i %S/Inputs/tinygrad/step.in_1.npy -i %S/Inputs/tinygrad/step.in_2.npy -i %S/Inputs/tinygrad/step.in_3.npy --expect %S/Inputs/tinygrad/step.out_0.npy --tolerance 1e-6
// RUN: spyre-run %t.step.mlir -i %S/Inputs/tinygrad/step.in_0.npy -i %S/Inputs/tinygrad/step.in_1.npy -i %S/Inputs/tinygrad/step.in_2.npy -i %S/Inputs/tinygrad/step.in_3.npy --expect %S/Inputs/tinygrad/step.out_0.npy --tolerance 1e-5 --on card

// Other operands have another result.
// RUN: not spyre-run %t.integers.mlir -i %S/Inputs/tinygrad/integers.in_1.npy -i %S/Inputs/tinygrad/integers.in_0.npy -i %S/Inputs/tinygrad/integers.in_2.npy --expect %S/Inputs/tinygrad/integers.out_0.npy --expect %S/Inputs/tinygrad/integers.out_1.npy --expect %S/Inputs/tinygrad/integers.out_2.npy --expect %S/Inputs/tinygrad/integers.out_3.npy 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: elements differ
