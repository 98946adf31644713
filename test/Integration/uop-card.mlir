// What formulas of tinyspec become on the way to the card.

// One product of matrices, and nothing else.
// RUN: spyre-opt %S/../../examples/uop/gemm.mlir --convert-uop-to-linalg --spyre-import-linalg | FileCheck %s --check-prefix=GEMM
// GEMM-LABEL: func.func @gemm(
// GEMM-NEXT:    spyre.batchmatmul
// GEMM-NEXT:    return

// Positions, which are no reduction.
// RUN: spyre-opt %S/../../examples/uop/arange.mlir --convert-uop-to-linalg | FileCheck %s --check-prefix=ARANGE
// ARANGE-LABEL: func.func @arange(
// ARANGE-NOT:     reduction
// ARANGE:         linalg.index
// ARANGE-NOT:     reduction
// ARANGE:         return

// A softmax is seven structured operations, four loop nests after upstream's fusion: the largest element, the powers, their sum, and the
// quotients.
// RUN: spyre-opt %S/../../examples/uop/softmax.mlir --convert-uop-to-linalg -o %t.mlir
// RUN: spyre-opt %t.mlir --linalg-fuse-elementwise-ops --canonicalize --cse | FileCheck %s --check-prefix=NESTS
// NESTS-COUNT-4: linalg.generic
// NESTS-NOT:     linalg.generic

// With copies for all readers it is three, as in tinygrad: the powers are computed for the sum and for the quotients.
// RUN: spyre-opt %S/../../examples/uop/softmax.mlir --convert-uop-to-linalg=recompute=true --linalg-fuse-elementwise-ops --canonicalize -o %t.fused.mlir
// RUN: FileCheck %s --check-prefix=KERNELS < %t.fused.mlir
// RUN: spyre-run %t.fused.mlir --compare %t.mlir --random-seed 1 --tolerance 1e-6 | FileCheck %s --check-prefix=SAME
// KERNELS:     linalg.generic
// KERNELS:       arith.maxnumf
// KERNELS:     linalg.generic
// KERNELS:       math.exp2
// KERNELS:       arith.addf
// KERNELS:     linalg.generic
// KERNELS:       math.exp2
// KERNELS-NOT: linalg.generic
// SAME: result 0: 0 of 32768 elements differ

// Coarse tiling makes one loop of all of them, where the rows have a name and a scope.
// RUN: sed 's/%arg0: tensor<64x512xf32>) -> tensor<64x512xf32> {/%arg0: tensor<64x512xf32> {spyre.dims = ["rows", "columns"]}) -> tensor<64x512xf32> attributes {spyre.tile_scopes = [#spyre.tile_scope<"rows" in 2>]} {/' %t.mlir > %t.rows.mlir
// RUN: spyre-opt %t.rows.mlir --spyre-import-linalg --spyre-decompose --spyre-assign-dim-hints --coarse-tile | FileCheck %s --check-prefix=TILED
// RUN: spyre-run %t.rows.mlir --on=card --compare %t.mlir --random-seed 1 --tolerance 1e-5 --stats 2>&1 | FileCheck %s --check-prefix=CARD
// TILED:       scf.for
// TILED:         spyre.max
// TILED:         spyre.exp
// TILED:         spyre.sum
// TILED:         spyre.reciprocal
// TILED:         spyre.mul
// TILED:         scf.yield
// TILED-NOT:   scf.for
// TILED-NOT:   = spyre.
// CARD: host: 0 elements
// CARD: executions: {{.*}} in 2 iterations of loops
// CARD: result 0: 0 of 32768 elements differ
