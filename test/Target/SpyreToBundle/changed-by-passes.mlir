// The bundle in IR is the truth: what a pass has made of it is what is written. Upstream's passes merge and fold constants and
// move addresses out of loops. The files of the operations stay as they are, and the bundle stays right.

// RUN: spyre-opt %s --spyre-pipeline=plan=false -o %t.mlir
// RUN: spyre-translate --spyre-to-bundle %t.mlir -o %t
// RUN: for passes in --canonicalize --cse --loop-invariant-code-motion '--canonicalize --cse --loop-invariant-code-motion --canonicalize'; do \
// RUN:   spyre-opt %t.mlir $passes | spyre-translate --spyre-to-bundle -o %t.changed || exit 1; \
// RUN:   diff -r -x bundle.mlir %t %t.changed || exit 1; \
// RUN:   spyre-translate --verify-bundle %t.changed | grep ' 0 warnings' || exit 1; \
// RUN:   not cmp -s %t/bundle.mlir %t.changed/bundle.mlir || exit 1; \
// RUN: done

// One constant stands for all addresses that are as far from their bases.
// RUN: spyre-opt %t.mlir --cse | spyre-translate --spyre-to-bundle -o %t.cse && FileCheck %s < %t.cse/bundle.mlir
// CHECK:      %offset_4096 = arith.constant 4096 : index
// CHECK-NEXT: %arg_0_core_4096 = arith.addi %arg_0, %offset_4096 : index
// CHECK-NOT:  constant 4096
// CHECK:      %arg_1_core_4096 = arith.addi %arg_1, %offset_4096 : index
// RUN: test $(grep -c arith.constant %t.cse/bundle.mlir) -lt $(grep -c arith.constant %t/bundle.mlir)

// The address of a window that only the outer loop moves is computed outside of the inner loop.
// RUN: spyre-opt %t.mlir --loop-invariant-code-motion | spyre-translate --spyre-to-bundle -o %t.licm
// RUN: FileCheck %s --check-prefix=LICM < %t.licm/bundle.mlir
// LICM:      scf.for %i_0
// LICM-NEXT:   %addr_0 = affine.apply #map_0(%i_0)[%arg_1]
// LICM-NEXT:   %addr_1 = affine.apply #map_0(%i_0)[%arg_1_core_4096]
// LICM-NEXT:   scf.for %i_1

// A constant that is folded into a map is a sum again, since a map of the format has no constant.
// RUN: sed 's/\[s0\] -> (\(.*\))>/[s0] -> (\1 + 0)>/' %t.mlir | spyre-translate --spyre-to-bundle -o %t.zero && diff -r %t %t.zero
// RUN: sed -e 's/(d0)\[s0\] -> (\(.*\))>/(d0)[s0] -> (\1 + 4096)>/' -e 's/constant 4096/constant 0/' %t.mlir > %t.folded.mlir
// RUN: not spyre-translate --spyre-to-bundle %t.folded.mlir -o %t.bad 2>&1 | FileCheck %s --check-prefix=FOLDED
// FOLDED: error: operand 1, symbol -2, is parameter 0 + 0 + {{.*}}, but the OpSpec of 'sdsc_0.json' needs parameter 0 + 4096 +

// The results are those of the program.
// RUN: spyre-run %s --entry f --random-seed 1 --check-pipeline='builtin.module(spyre-pipeline{plan=false},canonicalize,cse,loop-invariant-code-motion,canonicalize)' | FileCheck %s --check-prefix=RESULTS
// RESULTS:      convert-spyre-to-sdscbundle{{.*}}: a bundle, same results on the simulated card
// RESULTS-NEXT: canonicalize{{.*}}: a bundle, same results on the simulated card
// RESULTS-NEXT: cse): a bundle, same results on the simulated card
// RESULTS-NEXT: loop-invariant-code-motion): a bundle, same results on the simulated card

module attributes {spyre.target = #spyre.target<cores = 2>} {
  func.func @f(%a: tensor<128x256xf16> {spyre.dims = ["A", "B"]}, %b: tensor<128x1xf16> {spyre.dims = ["A", "One"]}) -> tensor<128x256xf16> {
    %y = spyre.add %a, %b tile [0: "A" in 2, 1: "B" in 2] : (tensor<128x256xf16>, tensor<128x1xf16>) -> tensor<128x256xf16>
    %z = spyre.mul %y, %a tile [0: "A" in 2, 1: "B" in 2] : tensor<128x256xf16>
    return %z : tensor<128x256xf16>
  }
}
