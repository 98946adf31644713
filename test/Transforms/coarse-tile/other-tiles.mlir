// RUN: spyre-opt %s --coarse-tile="groups=0-1:2@0" --verify-diagnostics | FileCheck %s
// RUN: spyre-opt %s --coarse-tile="groups=0-1:2@0" -o %t.mlir 2> /dev/null
// RUN: spyre-run %s --compare %t.mlir --random-seed 1 --poison | FileCheck %s --check-prefix=SAME

// Dimension 0 of the first operation are its rows, and of the second, which reduces them, the columns: what is computed in
// tiles of rows is read in tiles of columns, so there are two loops.

!t = tensor<256x512xf16>

// CHECK-LABEL: func.func @f
// CHECK:         %[[R:.+]] = scf.for
// CHECK:           spyre.neg %{{.+}} : tensor<128x512xf16>
// CHECK:         }
// CHECK:         scf.for
// CHECK:           tensor.extract_slice %[[R]][0, %{{.+}}] [256, 256]
// CHECK-NEXT:      spyre.max %{{.+}} -> tensor<256xf16>
// SAME: result 0: 0 of
func.func @f(%x: !t) -> (tensor<512xf16>, !t) {
  // expected-note @+1 {{computed here}}
  %e = spyre.neg %x : !t
  // expected-remark @+1 {{coarse-tile: operand #0 is complete only after the loop over dimension 0, so a second loop over it follows}}
  %s = spyre.max %e dims [0] : (!t) -> tensor<512xf16>
  return %s, %e : tensor<512xf16>, !t
}
