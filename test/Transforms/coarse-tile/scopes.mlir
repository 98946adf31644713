// RUN: spyre-opt %s --coarse-tile 2>&1 | FileCheck %s --implicit-check-not="remark:"
// RUN: spyre-opt %s --coarse-tile=dry-run -o /dev/null 2>&1 | FileCheck %s --check-prefix=PLAN

// Operations that share their outermost scopes are in one nest, each in the loops of its own scopes.

!t = tensor<64x128xf16>

// PLAN:      group 0: 2 operations in a row with hint scopes 0, 1
// PLAN-NEXT:   loop 0: dimension "S" in 4 tiles
// PLAN-NEXT:   loop 1: dimension "E" in 2 tiles
// PLAN:        spyre.exp  operand 0  argument 0  16x128  64x128
// PLAN:        spyre.neg  operand 0  spyre.exp   16x64   64x128

// CHECK-LABEL: func.func @inner(
// CHECK:         scf.for {{.+}} to %c4
// CHECK:           %[[Y:.+]] = spyre.exp %{{.+}} : tensor<16x128xf16>
// CHECK:           scf.for {{.+}} to %c2
// CHECK:             tensor.extract_slice %[[Y]][0, %{{.+}}] [16, 64] [1, 1]
// CHECK-NOT:     scf.for
func.func @inner(%x: !t {spyre.dims = ["S", "E"]}) -> !t {
  %y = spyre.exp %x tile [0: "S" in 4] : !t
  %z = spyre.neg %y tile [0: "S" in 4, 1: "E" in 2] : !t
  return %z : !t
}

// An operation that has a dimension is not in the loop over it of a scope that it is not in.
// CHECK-LABEL: func.func @between(
// CHECK:         scf.for {{.+}} to %c4
// CHECK:           %[[Y:.+]] = scf.for {{.+}} to %c2
// CHECK:             spyre.exp %{{.+}} : tensor<16x64xf16>
// CHECK:           %[[Z:.+]] = spyre.neg %[[Y]] : tensor<16x128xf16>
// CHECK:           scf.for {{.+}} to %c2
// CHECK:             tensor.extract_slice %[[Z]][0, %{{.+}}] [16, 64] [1, 1]
// CHECK:             spyre.abs %{{.+}} : tensor<16x64xf16>
// CHECK-NOT:     scf.for
func.func @between(%x: !t {spyre.dims = ["S", "E"]}) -> !t {
  %y = spyre.exp %x tile [0: "S" in 4, 1: "E" in 2] : !t
  %z = spyre.neg %y tile [0: "S" in 4] : !t
  %w = spyre.abs %z tile [0: "S" in 4, 1: "E" in 2] : !t
  return %w : !t
}

// Other tiles of the outer scope are another nest.
// CHECK-LABEL: func.func @other_tiles(
// CHECK:         scf.for {{.+}} to %c4
// CHECK:         scf.for {{.+}} to %c2
// CHECK:           scf.for {{.+}} to %c2
func.func @other_tiles(%x: !t {spyre.dims = ["S", "E"]}) -> (!t, !t) {
  %y = spyre.exp %x tile [0: "S" in 4] : !t
  %z = spyre.neg %x tile [2: "S" in 2, 3: "E" in 2] : !t
  return %y, %z : !t, !t
}
