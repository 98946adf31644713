// Every row with every row: operations have two dimensions of the dynamic extent, and the names that a function
// declares for it say which is which. One bundle serves every length.

// RUN: spyre-opt %s --spyre-assign-dim-hints --coarse-tile -o %t.tiled.mlir
// RUN: FileCheck %s --input-file %t.tiled.mlir --check-prefix=TILED
// RUN: spyre-run %s --entry attention --size S=128 --random-seed 1 --largest 0.25 --poison --tolerance 1e-3 --compare %t.tiled.mlir | FileCheck %s
// RUN: spyre-run %s --entry masked --size S=192 --random-seed 1 --integers 1 --poison --compare %t.tiled.mlir | FileCheck %s
// RUN: spyre-run %s --entry thrice --size S=128 --random-seed 1 --largest 0.25 --poison --tolerance 1e-3 --compare %t.tiled.mlir | FileCheck %s
// RUN: spyre-run %s --entry attention --size S=64 --random-seed 1 --largest 0.25 --check-pipeline='builtin.module(spyre-pipeline)' --tolerance 1e-3 | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry attention --size S=192 --random-seed 1 --largest 0.25 --check-pipeline='builtin.module(spyre-pipeline)' --tolerance 1e-3 | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry masked --size S=192 --random-seed 1 --integers 1 --check-pipeline='builtin.module(spyre-pipeline)' | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: spyre-run %s --entry thrice --size S=128 --random-seed 1 --largest 0.25 --check-pipeline='builtin.module(spyre-pipeline)' --tolerance 1e-3 | FileCheck %s --check-prefix=CARD --implicit-check-not=DIFFER
// RUN: not spyre-run %s --entry masked --size T=64 --random-seed 1 2>&1 | FileCheck %s --check-prefix=FURTHER
// FURTHER: error: "T" is another name of "S": --size S=EXTENT chooses the extent of both
// CHECK: result 0: 0 of {{[0-9]+}} elements differ
// CARD: a bundle, same results on the simulated card

!x = tensor<?x64xf16>
!s = tensor<?x?xf16>
!c = tensor<?x1xf16>

// The keys are there for all rows before the first row of products, and the products for all keys before their maximum is known.
// TILED-LABEL: func.func @attention(
// TILED-SAME: S = #spyre.dynamic<granularity = 64, max = 192>, S_1 = "S"}
// TILED: scf.for %{{.+}} = %c0 to %[[KEYS:.+]] step %c64
// TILED-NOT: scf.for
// TILED: scf.for %{{.+}} = %c0 to %[[ROWS:.+]] step %c64
// TILED: scf.for %{{.+}} = %c0 to %[[COLUMNS:.+]] step %c64
// TILED: spyre.batchmatmul {{.*}} tensor<64x64xf16>
func.func @attention(%x: !x {spyre.dims = ["S", "E"]}, %v: !x {spyre.dims = ["S", "E"]}) -> (!x {spyre.dims = ["S", "E"]})
    attributes {spyre.dim_sizes = {E = 64, S = #spyre.dynamic<granularity = 64, max = 192>}} {
  %k = spyre.exp %x : !x
  %t = spyre.permute %k [1, 0] : !x to tensor<64x?xf16>
  %s = spyre.batchmatmul %x, %t : (!x, tensor<64x?xf16>) -> !s
  %m = spyre.max %s dims [1] keepdim : (!s) -> !c
  %d = spyre.sub %s, %m : (!s, !c) -> !s
  %p = spyre.exp %d : !s
  %l = spyre.sum %p dims [1] keepdim : (!s) -> !c
  %o = spyre.batchmatmul %p, %v : (!s, !x) -> !x
  %y = spyre.realdiv %o, %l : (!x, !c) -> !x
  return %y : !x
}

// An argument names its dimensions apart. The result has the rows where the argument has the columns.
func.func @masked(%x: !x {spyre.dims = ["S", "E"]}, %mask: !s {spyre.dims = ["S", "T"]}) -> (!s {spyre.dims = ["S", "T"]})
    attributes {spyre.dim_sizes = {E = 64, S = #spyre.dynamic<granularity = 64, max = 192>, T = "S"}} {
  %t = spyre.permute %x [1, 0] : !x to tensor<64x?xf16>
  %s = spyre.batchmatmul %x, %t : (!x, tensor<64x?xf16>) -> !s
  %a = spyre.add %s, %mask : !s
  %p = spyre.permute %a [1, 0] : !s to !s
  %b = spyre.mul %p, %mask : !s
  return %b : !s
}

// All rows with all rows, twice: three loops have the extent, and one of them is reduced.
func.func @thrice(%x: !x {spyre.dims = ["S", "E"]}) -> !s
    attributes {spyre.dim_sizes = {E = 64, S = #spyre.dynamic<granularity = 64, max = 128>}} {
  %t = spyre.permute %x [1, 0] : !x to tensor<64x?xf16>
  %s = spyre.batchmatmul %x, %t : (!x, tensor<64x?xf16>) -> !s
  // Sums of small integers are exact in 16 bits, in any order of tiles.
  %c = spyre.clip %s min -1.0 max 1.0 : !s
  %y = spyre.batchmatmul %c, %c : (!s, !s) -> !s
  return %y : !s
}
