// Times and statistics of passes written in Rust.

// RUN: spyre-opt %s --coarse-tile --mlir-timing -o /dev/null 2>&1 | FileCheck %s --check-prefix=TIMING
// TIMING: Execution time report
// TIMING: {{[0-9.]+ \( *[0-9.]+%\)}}    coarse-tile
// TIMING: Total

// RUN: spyre-opt %s --coarse-tile --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATISTICS
// STATISTICS: Pass statistics report
// STATISTICS: coarse-tile
// STATISTICS-NEXT: (S) 1 groups     - Groups of operations that were tiled
// STATISTICS-NEXT: (S) 2 loops      - Loops that were made
// STATISTICS-NEXT: (S) 2 operations - Operations that were moved into loops

// Other runs, other numbers; a pass that failed has counted nothing.
// RUN: spyre-opt %s --coarse-tile="groups=0:2@0,1:4@0" --mlir-pass-statistics -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=GROUPS
// GROUPS: (S) 2 groups
// RUN: not spyre-opt %s --coarse-tile="groups=0:3@2" --mlir-pass-statistics -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FAILED
// FAILED: (S) 0 groups

// Only on request, and only of the passes that ran.
// RUN: spyre-opt %s --coarse-tile 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: spyre-opt %s --mlir-pass-statistics 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: (S)

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<1024x4096xf16, #stick>

func.func @add_mul(%a: !t {spyre.dims = ["A", "B"]}, %b: !t {spyre.dims = ["A", "B"]}, %c: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.add %a, %b tile [0: "A" in 2, 1: "B" in 4] : !t
  %z = spyre.mul %y, %c tile [0: "A" in 2, 1: "B" in 4] : !t
  return %z : !t
}
