// Graphs that the bridge recorded under each version of PyTorch that it reads, with operands and results of PyTorch: python/record.py makes
// them. Versions write the same program differently: up to 2.13 the rows of a cache are an input before their positions, and 2.15 says the
// position of each element that it searches.

// RUN: spyre-translate --import-inductor %S/Inputs/versions/cache-2.12.json | spyre-opt --convert-inductor-to-linalg=sizes=hint -o %t.cache-2.12.mlir
// RUN: spyre-run %t.cache-2.12.mlir -i %S/Inputs/versions/cache.in_0.npy -i %S/Inputs/versions/cache.in_2.npy -i %S/Inputs/versions/cache.in_1.npy --expect %S/Inputs/versions/cache.out_0.npy --expect %S/Inputs/versions/cache.out_1.npy --tolerance 1e-5
// RUN: spyre-translate --import-inductor %S/Inputs/versions/cache-2.13.json | spyre-opt --convert-inductor-to-linalg=sizes=hint -o %t.cache-2.13.mlir
// RUN: spyre-run %t.cache-2.13.mlir -i %S/Inputs/versions/cache.in_0.npy -i %S/Inputs/versions/cache.in_2.npy -i %S/Inputs/versions/cache.in_1.npy --expect %S/Inputs/versions/cache.out_0.npy --expect %S/Inputs/versions/cache.out_1.npy --tolerance 1e-5
// RUN: spyre-translate --import-inductor %S/Inputs/versions/cache-2.14.json | spyre-opt --convert-inductor-to-linalg=sizes=hint -o %t.cache-2.14.mlir
// RUN: spyre-run %t.cache-2.14.mlir -i %S/Inputs/versions/cache.in_0.npy -i %S/Inputs/versions/cache.in_1.npy -i %S/Inputs/versions/cache.in_2.npy --expect %S/Inputs/versions/cache.out_0.npy --expect %S/Inputs/versions/cache.out_1.npy --tolerance 1e-5
// RUN: spyre-translate --import-inductor %S/Inputs/versions/cache-2.15.json | spyre-opt --convert-inductor-to-linalg=sizes=hint -o %t.cache-2.15.mlir
// RUN: spyre-run %t.cache-2.15.mlir -i %S/Inputs/versions/cache.in_0.npy -i %S/Inputs/versions/cache.in_1.npy -i %S/Inputs/versions/cache.in_2.npy --expect %S/Inputs/versions/cache.out_0.npy --expect %S/Inputs/versions/cache.out_1.npy --tolerance 1e-5
// RUN: spyre-run %t.cache-2.15.mlir -i %S/Inputs/versions/cache.in_0.npy -i %S/Inputs/versions/cache.in_1.npy -i %S/Inputs/versions/cache.in_2.npy --expect %S/Inputs/versions/cache.out_0.npy --expect %S/Inputs/versions/cache.out_1.npy --tolerance 1e-4 --on card
// RUN: spyre-translate --import-inductor %S/Inputs/versions/search-2.12.json | spyre-opt --convert-inductor-to-linalg=sizes=hint -o %t.search-2.12.mlir
// RUN: spyre-run %t.search-2.12.mlir -i %S/Inputs/versions/search.in_0.npy --expect %S/Inputs/versions/search.out_0.npy --expect %S/Inputs/versions/search.out_1.npy --expect %S/Inputs/versions/search.out_2.npy --expect %S/Inputs/versions/search.out_3.npy --tolerance 1e-5
// RUN: spyre-translate --import-inductor %S/Inputs/versions/search-2.13.json | spyre-opt --convert-inductor-to-linalg=sizes=hint -o %t.search-2.13.mlir
// RUN: spyre-run %t.search-2.13.mlir -i %S/Inputs/versions/search.in_0.npy --expect %S/Inputs/versions/search.out_0.npy --expect %S/Inputs/versions/search.out_1.npy --expect %S/Inputs/versions/search.out_2.npy --expect %S/Inputs/versions/search.out_3.npy --tolerance 1e-5
// RUN: spyre-translate --import-inductor %S/Inputs/versions/search-2.14.json | spyre-opt --convert-inductor-to-linalg=sizes=hint -o %t.search-2.14.mlir
// RUN: spyre-run %t.search-2.14.mlir -i %S/Inputs/versions/search.in_0.npy --expect %S/Inputs/versions/search.out_0.npy --expect %S/Inputs/versions/search.out_1.npy --expect %S/Inputs/versions/search.out_2.npy --expect %S/Inputs/versions/search.out_3.npy --tolerance 1e-5
// RUN: spyre-translate --import-inductor %S/Inputs/versions/search-2.15.json | spyre-opt --convert-inductor-to-linalg=sizes=hint -o %t.search-2.15.mlir
// RUN: spyre-run %t.search-2.15.mlir -i %S/Inputs/versions/search.in_0.npy --expect %S/Inputs/versions/search.out_0.npy --expect %S/Inputs/versions/search.out_1.npy --expect %S/Inputs/versions/search.out_2.npy --expect %S/Inputs/versions/search.out_3.npy --tolerance 1e-5
// RUN: spyre-run %t.search-2.15.mlir -i %S/Inputs/versions/search.in_0.npy --expect %S/Inputs/versions/search.out_0.npy --expect %S/Inputs/versions/search.out_1.npy --expect %S/Inputs/versions/search.out_2.npy --expect %S/Inputs/versions/search.out_3.npy --tolerance 1e-4 --on card
// RUN: spyre-translate --import-inductor %S/Inputs/versions/attention-2.12.json | spyre-opt --convert-inductor-to-linalg=sizes=hint -o %t.attention-2.12.mlir
// RUN: spyre-run %t.attention-2.12.mlir -i %S/Inputs/versions/attention.in_0.npy -i %S/Inputs/versions/attention.in_1.npy -i %S/Inputs/versions/attention.in_2.npy --expect %S/Inputs/versions/attention.out_0.npy --tolerance 1e-5
// RUN: spyre-translate --import-inductor %S/Inputs/versions/attention-2.13.json | spyre-opt --convert-inductor-to-linalg=sizes=hint -o %t.attention-2.13.mlir
// RUN: spyre-run %t.attention-2.13.mlir -i %S/Inputs/versions/attention.in_0.npy -i %S/Inputs/versions/attention.in_1.npy -i %S/Inputs/versions/attention.in_2.npy --expect %S/Inputs/versions/attention.out_0.npy --tolerance 1e-5
// RUN: spyre-translate --import-inductor %S/Inputs/versions/attention-2.14.json | spyre-opt --convert-inductor-to-linalg=sizes=hint -o %t.attention-2.14.mlir
// RUN: spyre-run %t.attention-2.14.mlir -i %S/Inputs/versions/attention.in_0.npy -i %S/Inputs/versions/attention.in_1.npy -i %S/Inputs/versions/attention.in_2.npy --expect %S/Inputs/versions/attention.out_0.npy --tolerance 1e-5
// RUN: spyre-translate --import-inductor %S/Inputs/versions/attention-2.15.json | spyre-opt --convert-inductor-to-linalg=sizes=hint -o %t.attention-2.15.mlir
// RUN: spyre-run %t.attention-2.15.mlir -i %S/Inputs/versions/attention.in_0.npy -i %S/Inputs/versions/attention.in_1.npy -i %S/Inputs/versions/attention.in_2.npy --expect %S/Inputs/versions/attention.out_0.npy --tolerance 1e-5
// RUN: spyre-run %t.attention-2.15.mlir -i %S/Inputs/versions/attention.in_0.npy -i %S/Inputs/versions/attention.in_1.npy -i %S/Inputs/versions/attention.in_2.npy --expect %S/Inputs/versions/attention.out_0.npy --tolerance 1e-4 --on card
// RUN: spyre-translate --import-inductor %S/Inputs/versions/gradient-2.12.json | spyre-opt --convert-inductor-to-linalg=sizes=hint -o %t.gradient-2.12.mlir
// RUN: spyre-run %t.gradient-2.12.mlir -i %S/Inputs/versions/gradient.in_0.npy -i %S/Inputs/versions/gradient.in_1.npy -i %S/Inputs/versions/gradient.in_2.npy -i %S/Inputs/versions/gradient.in_3.npy -i %S/Inputs/versions/gradient.in_4.npy -i %S/Inputs/versions/gradient.in_5.npy -i %S/Inputs/versions/gradient.in_6.npy -i %S/Inputs/versions/gradient.in_7.npy --expect %S/Inputs/versions/gradient.out_0.npy --expect %S/Inputs/versions/gradient.out_1.npy --expect %S/Inputs/versions/gradient.out_2.npy --expect %S/Inputs/versions/gradient.out_3.npy --expect %S/Inputs/versions/gradient.out_4.npy --expect %S/Inputs/versions/gradient.out_5.npy --expect %S/Inputs/versions/gradient.out_6.npy --tolerance 1e-5
// RUN: spyre-translate --import-inductor %S/Inputs/versions/gradient-2.15.json | spyre-opt --convert-inductor-to-linalg=sizes=hint -o %t.gradient-2.15.mlir
// RUN: spyre-run %t.gradient-2.15.mlir -i %S/Inputs/versions/gradient.in_0.npy -i %S/Inputs/versions/gradient.in_1.npy -i %S/Inputs/versions/gradient.in_2.npy -i %S/Inputs/versions/gradient.in_3.npy -i %S/Inputs/versions/gradient.in_4.npy -i %S/Inputs/versions/gradient.in_5.npy -i %S/Inputs/versions/gradient.in_6.npy -i %S/Inputs/versions/gradient.in_7.npy --expect %S/Inputs/versions/gradient.out_0.npy --expect %S/Inputs/versions/gradient.out_1.npy --expect %S/Inputs/versions/gradient.out_2.npy --expect %S/Inputs/versions/gradient.out_3.npy --expect %S/Inputs/versions/gradient.out_4.npy --expect %S/Inputs/versions/gradient.out_5.npy --expect %S/Inputs/versions/gradient.out_6.npy --tolerance 1e-5
// RUN: spyre-run %t.gradient-2.15.mlir -i %S/Inputs/versions/gradient.in_0.npy -i %S/Inputs/versions/gradient.in_1.npy -i %S/Inputs/versions/gradient.in_2.npy -i %S/Inputs/versions/gradient.in_3.npy -i %S/Inputs/versions/gradient.in_4.npy -i %S/Inputs/versions/gradient.in_5.npy -i %S/Inputs/versions/gradient.in_6.npy -i %S/Inputs/versions/gradient.in_7.npy --expect %S/Inputs/versions/gradient.out_0.npy --expect %S/Inputs/versions/gradient.out_1.npy --expect %S/Inputs/versions/gradient.out_2.npy --expect %S/Inputs/versions/gradient.out_3.npy --expect %S/Inputs/versions/gradient.out_4.npy --expect %S/Inputs/versions/gradient.out_5.npy --expect %S/Inputs/versions/gradient.out_6.npy --tolerance 1e-4 --on card
// RUN: spyre-translate --import-inductor %S/Inputs/versions/none-2.15.json | spyre-opt --convert-inductor-to-linalg=sizes=hint -o %t.none-2.15.mlir
// RUN: spyre-run %t.none-2.15.mlir -i %S/Inputs/versions/none.in_0.npy --expect %S/Inputs/versions/none.out_0.npy --tolerance 1e-5

// A result of another program is not taken for this one.
// RUN: not spyre-run %t.attention-2.15.mlir -i %S/Inputs/versions/attention.in_0.npy -i %S/Inputs/versions/attention.in_1.npy -i %S/Inputs/versions/attention.in_2.npy --expect %S/Inputs/versions/attention.in_0.npy --tolerance 1e-5 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: 64 of 64 elements differ

// The version stays with the graph.
// RUN: spyre-translate --import-inductor %S/Inputs/versions/cache-2.12.json | FileCheck %s --check-prefix=OLD
// RUN: spyre-translate --import-inductor %S/Inputs/versions/cache-2.15.json | FileCheck %s --check-prefix=NEW
// OLD: torch = "2.12.
// NEW: torch = "2.15.
