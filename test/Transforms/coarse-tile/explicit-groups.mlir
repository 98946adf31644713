// RUN: spyre-opt %s --coarse-tile="groups=@two_levels:0-1:2@0/4@1,@first_only:0:2,@two_dimensions:0:2@0+1,@square:0:4@0/4@1,@in_order:2:2,@in_order:0:4,@inside:1:2" | FileCheck %s
// RUN: spyre-opt %s --coarse-tile="groups=@nowhere:0:2" > %t.untouched
// RUN: spyre-opt %s > %t.input
// RUN: diff %t.input %t.untouched

// Groups by position instead of hints.

!t = tensor<256x512xf16>

// CHECK-LABEL: func.func @two_levels
// CHECK:       scf.for {{.+}} to %c2
// CHECK:         scf.for {{.+}} to %c4
// CHECK:           %[[Y:.+]] = spyre.exp %{{.+}} : tensor<128x128xf16>
// CHECK:           spyre.neg %[[Y]] : tensor<128x128xf16>
// CHECK:       spyre.abs %{{.+}} : tensor<256x512xf16>
func.func @two_levels(%a: !t) -> !t {
  %y = spyre.exp %a : !t
  %z = spyre.neg %y : !t
  %w = spyre.abs %z : !t
  return %w : !t
}

// The dimension is 0 where it is not given; hints are not looked at and stay.
// CHECK-LABEL: func.func @first_only
// CHECK:       scf.for {{.+}} to %c2
// CHECK:         spyre.exp %{{.+}} : tensor<128x512xf16>
// CHECK:       spyre.neg %{{.+}} tile [0: "B" in 4] : tensor<256x512xf16>
func.func @first_only(%a: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.exp %a : !t
  %z = spyre.neg %y tile [0: "B" in 4] : !t
  return %z : !t
}

// Two dimensions by one count are two loops.
// CHECK-LABEL: func.func @two_dimensions
// CHECK:       scf.for {{.+}} to %c2
// CHECK:         scf.for {{.+}} to %c2
// CHECK:           spyre.exp %{{.+}} : tensor<128x256xf16>
func.func @two_dimensions(%a: !t) -> !t {
  %y = spyre.exp %a : !t
  return %y : !t
}

// One tensor in two roles has one window for each.
// CHECK-LABEL: func.func @square
// CHECK:       scf.for %[[I:.+]] = %{{.+}} to %c4
// CHECK:         scf.for %[[J:.+]] = %{{.+}} to %c4
// CHECK-DAG:       %[[ROW:.+]] = affine.apply #{{.+}}(%[[I]])
// CHECK-DAG:       %[[COL:.+]] = affine.apply #{{.+}}(%[[J]])
// CHECK-DAG:       %[[L:.+]] = tensor.extract_slice %arg0[%[[ROW]], 0] [64, 256] [1, 1]
// CHECK-DAG:       %[[R:.+]] = tensor.extract_slice %arg0[0, %[[COL]]] [256, 64] [1, 1]
// CHECK:           spyre.batchmatmul %[[L]], %[[R]] : (tensor<64x256xf16>, tensor<256x64xf16>) -> tensor<64x64xf16>
func.func @square(%a: tensor<256x256xf16>) -> tensor<256x256xf16> {
  %y = spyre.batchmatmul %a, %a : (tensor<256x256xf16>, tensor<256x256xf16>) -> tensor<256x256xf16>
  return %y : tensor<256x256xf16>
}

// Groups may be given in any order.
// CHECK-LABEL: func.func @in_order
// CHECK:       %[[Y:.+]] = scf.for {{.+}} to %c4
// CHECK:         spyre.exp %{{.+}} : tensor<64x512xf16>
// CHECK:       %[[Z:.+]] = spyre.neg %[[Y]]
// CHECK:       %[[W:.+]] = scf.for {{.+}} to %c2
// CHECK:         tensor.extract_slice %[[Z]]
// CHECK:         spyre.abs %{{.+}} : tensor<128x512xf16>
// CHECK:       return %[[W]]
func.func @in_order(%a: !t) -> !t {
  %y = spyre.exp %a : !t
  %z = spyre.neg %y : !t
  %w = spyre.abs %z : !t
  return %w : !t
}

// Operations in loops count as well, in the order of the text.
// CHECK-LABEL: func.func @inside
// CHECK:       spyre.exp %arg0
// CHECK:       scf.for {{.+}} to %c4
// CHECK:         scf.for {{.+}} to %c2
// CHECK:           spyre.neg %{{.+}} : tensor<32x512xf16>
func.func @inside(%a: !t) -> !t {
  %lb = arith.constant 0 : index
  %ub = arith.constant 4 : index
  %step = arith.constant 1 : index
  %y = spyre.exp %a : !t
  %init = spyre.empty : !t
  %r = scf.for %i = %lb to %ub step %step iter_args(%acc = %init) -> !t {
    %at = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %w = tensor.extract_slice %y[%at, 0] [64, 512] [1, 1] : !t to tensor<64x512xf16>
    %z = spyre.neg %w : tensor<64x512xf16>
    %n = tensor.insert_slice %z into %acc[%at, 0] [64, 512] [1, 1] : tensor<64x512xf16> into !t
    scf.yield %n : !t
  }
  return %r : !t
}

// A group that names no function is meant for those that have operations; this one has none.
func.func @host(%a: !t) -> !t {
  return %a : !t
}
