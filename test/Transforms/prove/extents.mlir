// RUN: rm -rf %t && mkdir %t
// RUN: sed 's/granularity = 64, max = 512/granularity = 128, max = 384/' %s > %t/narrow.mlir
// RUN: spyre-opt %t/narrow.mlir --spyre-prove=before=%s -o /dev/null 2>&1 | FileCheck %s
// RUN: spyre-opt %s --spyre-specialize-dynamic-dims=sizes=S=192 -o %t/one.mlir
// RUN: spyre-opt %t/one.mlir --spyre-prove=before=%s -o /dev/null 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: sed 's/granularity = 64, max = 512/granularity = 96, max = 480/' %s > %t/other.mlir
// RUN: not spyre-opt %t/other.mlir --spyre-prove=before=%s -o /dev/null 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: sed -e 's/granularity = 64, max = 512/granularity = 128, max = 384/' -e 's/%%a, %%b/%%b, %%a/' %s > %t/wrong.mlir
// RUN: not spyre-opt %t/wrong.mlir --spyre-prove=before=%s -o /dev/null 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: spyre-opt %s --spyre-prove=before=%s -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAME

// A pass may narrow dynamic extents, and the report says for which the programs are compared. It is none of the proof
// that the later program takes extents that the one before does not.

//  CHECK: remark: spyre-prove: assumes (docs/Proofs.md): A10, extents are those that both programs take: 'S' is a multiple of 128 up to 384, and a multiple of 64 up to 512 before
//  CHECK: 1 operation, {{.*}} 0 refuted, 0 not decided
//    ONE: remark: spyre-prove: assumes (docs/Proofs.md): A10, extents are those that both programs take: 'S' is 192, and a multiple of 64 up to 512 before
//    ONE: 1 operation, {{.*}} 0 refuted, 0 not decided
//  OTHER: other.mlir:{{[0-9]*}}:1: error: spyre-prove: P2: the program takes extents that the one before does not: 'S' is a multiple of 96 up to 480, and a multiple of 64 up to 512 before
//  WRONG: A10
//  WRONG: error: spyre-prove: P2: 'sub': nothing before the pass is 'sub' of element [0, 0] of argument 1 and element [0, 0] of argument 0 (extents (128), point [0, 0])
// SAME-NOT: A10
//   SAME: 1 operation, {{.*}} 0 refuted, 0 not decided

!t = tensor<?x64xf16>
func.func @f(%a: !t {spyre.dims = ["S", "D"]}, %b: !t {spyre.dims = ["S", "D"]}) -> !t
    attributes {spyre.dim_sizes = {D = 64, S = #spyre.dynamic<granularity = 64, max = 512>}} {
  %0 = spyre.sub %a, %b : !t
  return %0 : !t
}
