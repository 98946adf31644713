// What is written on operations of tinyspec reaches the structured operations that they become.

// RUN: spyre-opt %s --convert-uop-to-linalg | FileCheck %s
// RUN: spyre-opt %s --convert-uop-to-linalg --uop-apply-opts --spyre-import-linalg --coarse-tile | FileCheck %s --check-prefix=LOOPS
// RUN: spyre-opt %s --convert-uop-to-linalg -o %t.mlir
// RUN: spyre-run %t.mlir --random-seed 1 --integers 3 --passes=uop-apply-opts,spyre-import-linalg,spyre-pipeline 2>/dev/null | FileCheck %s --check-prefix=CARD
// CARD: a bundle, same results on the simulated card

// Sums of rows, and rows without them, in tiles of 128 rows: the sums have sticks of 64.
// CHECK-LABEL: func.func @rows(
// CHECK:         linalg.generic {{.*}}"reduction"]{{.*}}uop.opts = [#uop.split<0 by 2 to loop top>]
// CHECK:         linalg.generic {{.*}}"parallel"]{{.*}}uop.opts = [#uop.split<0 by 2 to loop top>]
// LOOPS-LABEL: func.func @rows(
// LOOPS-COUNT-1: scf.for
// LOOPS:           spyre.sum {{.*}}tensor<128x128xf16>
// LOOPS:           spyre.sub {{.*}}tensor<128x128xf16>
// LOOPS-NOT:     scf.for
// LOOPS:         return
func.func @rows(%x: tensor<256x128xf16>) -> tensor<256x128xf16> {
  %0 = uop.reduce add %x axes [1] {uop.opts = [#uop.split<0 by 2 to loop top>]} : tensor<256x128xf16>
  %1 = uop.expand %0 to [256, 128] : tensor<256x1xf16>
  %2 = uop.sub %x, %1 {uop.opts = [#uop.split<0 by 2 to loop top>]} : tensor<256x128xf16>
  return %2 : tensor<256x128xf16>
}
