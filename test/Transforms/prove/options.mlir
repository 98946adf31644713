// RUN: not spyre-opt %s --spyre-prove=claims=P2 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: not spyre-opt %s --spyre-prove=claims=P5 2>&1 | FileCheck %s --check-prefix=FILES
// RUN: not spyre-opt %s --spyre-prove=claims=P1,P9 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not spyre-opt %s --spyre-prove=unknown=maybe 2>&1 | FileCheck %s --check-prefix=MAYBE
// RUN: not spyre-opt %s --spyre-prove=budget=-1 2>&1 | FileCheck %s --check-prefix=BUDGET
// RUN: not spyre-opt %s --spyre-prove=before=%t.missing 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not spyre-opt %s --spyre-prove='before=%s chain=next' 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not spyre-opt %s --spyre-prove=chain=then 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: spyre-opt %s --spyre-prove=claims=P3,P4 -o /dev/null 2>&1 | FileCheck %s --check-prefix=PLACES
// RUN: sed s/@f/@g/ %s > %t.mlir && spyre-opt %t.mlir --spyre-prove=before=%s -o /dev/null 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: spyre-opt %s --pass-pipeline='builtin.module(spyre-prove{chain=first},canonicalize,spyre-prove{chain=next},spyre-prove{chain=last})' -o /dev/null
// RUN: echo 'module {}' | spyre-opt --spyre-prove -o /dev/null 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not spyre-opt %s --verify-tiling 2>&1 | FileCheck %s --check-prefix=FLAG

//   ALONE: error: spyre-prove: P2 is about two programs: 'before' names the file with the first one
//   FILES: error: spyre-prove: P5 is about the files of a bundle: spyre-translate prove DIR FILE proves it
//    NONE: error: spyre-prove: 'P9' is no claim; the claims are P1, P2, P3 and P4
//   MAYBE: error: spyre-prove: 'unknown': 'maybe' is none of error, remark and ignore
//  BUDGET: error: spyre-prove: the budget is -1, below 0
// MISSING: error: spyre-prove: cannot read {{.*}}.missing: No such file
//    BOTH: error: spyre-prove: 'before' and 'chain' exclude each other
//    STEP: error: spyre-prove: 'chain': 'then' is none of first, next and last
//  PLACES: remark: spyre-prove: P3, P4: the function is not decided: no operation has a place; --spyre-scratchpad-planning gives it one
//    NAME: remark: spyre-prove: P2: the function is not decided: the module before has no function of this name
// NOTHING: remark: spyre-prove: no function has device operations, so nothing is proved
//    FLAG: Unknown command line argument '--verify-tiling'

func.func @f(%a: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %0 = spyre.exp %a : tensor<64x64xf16>
  return %0 : tensor<64x64xf16>
}
