// RUN: spyre-opt %s --spyre-propagate-named-dims | FileCheck %s

// Names go from operands to results, for every class of operations.

!t = tensor<128x512xf16>

// CHECK-LABEL: func.func @pointwise(
// CHECK:         spyre.exp %arg0 {spyre.dims = ["A", "B"]}
// CHECK:         spyre.add {{.*}} {spyre.dims = ["A", "B"]}
// CHECK:         spyre.mul {{.*}} {spyre.dims = ["A", "B"]}
// CHECK:         spyre.where3 {{.*}} {spyre.dims = ["A", "B"]}
func.func @pointwise(%a: !t {spyre.dims = ["A", "B"]}, %row: tensor<512xf16>, %col: tensor<128x1xf16> {spyre.dims = ["A", "one"]}) -> !t {
  %x = spyre.exp %a : !t
  // What is broadcast adds no names, and what has none adds none.
  %y = spyre.add %x, %row : (!t, tensor<512xf16>) -> !t
  %z = spyre.mul %y, %col : (!t, tensor<128x1xf16>) -> !t
  %m = spyre.greaterthan %z, %y : (!t, !t) -> tensor<128x512xi1>
  %w = spyre.where3 %m, %z, %y : (tensor<128x512xi1>, !t, !t) -> !t
  return %w : !t
}

// Where names meet, a dimension has them all.
// CHECK-LABEL: func.func @two_names(
// CHECK:         spyre.add {{.*}} {spyre.dims = {{\[\[}}"A", "C"], "B"]}
// CHECK:         spyre.neg {{.*}} {spyre.dims = {{\[\[}}"A", "C"], "B"]}
func.func @two_names(%a: !t {spyre.dims = ["A", "B"]}, %b: !t {spyre.dims = ["C", "B"]}) -> !t {
  %y = spyre.add %a, %b : !t
  %z = spyre.neg %y : !t
  return %z : !t
}

// CHECK-LABEL: func.func @reductions(
// CHECK:         spyre.sum {{.*}} {spyre.dims = ["A"], spyre.reduction_dims = ["B"]}
// CHECK:         spyre.max {{.*}} {spyre.dims = ["A", "_untracked_1"], spyre.reduction_dims = ["B"]}
// CHECK:         spyre.mean {{.*}} {spyre.dims = [], spyre.reduction_dims = ["A", "B"]}
func.func @reductions(%a: !t {spyre.dims = ["A", "B"]}) -> (tensor<128xf16>, tensor<128x1xf16>, tensor<f16>) {
  %s = spyre.sum %a dims [1] : (!t) -> tensor<128xf16>
  %m = spyre.max %a dims [1] keepdim : (!t) -> tensor<128x1xf16>
  %n = spyre.mean %a dims [0, 1] : (!t) -> tensor<f16>
  return %s, %m, %n : tensor<128xf16>, tensor<128x1xf16>, tensor<f16>
}

// K has the names of both operands, also where the right one has rows of padding.
// CHECK-LABEL: func.func @matmul(
// CHECK:         spyre.batchmatmul {{.*}} {spyre.dims = ["N", "M", "O"], spyre.reduction_dims = {{\[\[}}"K", "L"]]}
// CHECK:         spyre.batchmatmul {{.*}} {spyre.dims = ["M", "O"], spyre.reduction_dims = ["K"]}
func.func @matmul(%a: tensor<4x128x300xf16> {spyre.dims = ["N", "M", "K"]}, %b: tensor<300x64xf16> {spyre.dims = ["L", "O"]},
                  %c: tensor<128x300xf16> {spyre.dims = ["M", "K"]}, %d: tensor<320x64xf16> {spyre.dims = ["K", "O"]})
    -> (tensor<4x128x64xf16>, tensor<128x64xf16>) {
  %y = spyre.batchmatmul %a, %b : (tensor<4x128x300xf16>, tensor<300x64xf16>) -> tensor<4x128x64xf16>
  %z = spyre.batchmatmul %c, %d : (tensor<128x300xf16>, tensor<320x64xf16>) -> tensor<128x64xf16>
  return %y, %z : tensor<4x128x64xf16>, tensor<128x64xf16>
}

// The k largest have no name of their own; what they are the largest of is reduced.
// CHECK-LABEL: func.func @topk(
// CHECK:         spyre.topkvalue {{.*}} {spyre.dims = ["A", "_untracked_4"], spyre.reduction_dims = ["B"]}
func.func @topk(%a: !t {spyre.dims = ["A", "B"]}) -> tensor<128x4xf16> {
  %v = spyre.topkvalue %a dim 1 k 4 : (!t) -> tensor<128x4xf16>
  return %v : tensor<128x4xf16>
}

// Casts, copies and restickify change nothing.
// CHECK-LABEL: func.func @moves(
// CHECK:         spyre.dl16tofp32 {{.*}} {spyre.dims = ["A", "B"]}
// CHECK:         spyre.copy {{.*}} {spyre.dims = ["A", "B"]}
// CHECK:         spyre.restickify {{.*}} {spyre.dims = ["A", "B"]}
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 32, d1, d0 mod 32)>
func.func @moves(%a: !t {spyre.dims = ["A", "B"]}) -> tensor<128x512xf32, #cols> {
  %f = spyre.dl16tofp32 %a : (!t) -> tensor<128x512xf32>
  %c = spyre.copy %f : tensor<128x512xf32>
  %r = spyre.restickify %c : (tensor<128x512xf32>) -> tensor<128x512xf32, #cols>
  return %r : tensor<128x512xf32, #cols>
}

// Without inputs, an operation says its names itself.
// CHECK-LABEL: func.func @sources(
// CHECK:         spyre.fill {{.*}} {spyre.dims = ["A", "B"]}
// CHECK:         spyre.exp {{.*}} {spyre.dims = ["A", "B"]}
// CHECK:         tensor.insert_slice {{.*}} {spyre.dims = ["C", "B"]}
func.func @sources() -> (!t, tensor<256x512xf16>) {
  %one = spyre.fill dense<1.0> : !t {spyre.dims = ["A", "B"]}
  %y = spyre.exp %one : !t
  %e = spyre.empty {spyre.dims = ["C", "B"]} : tensor<256x512xf16>
  %i = tensor.insert_slice %y into %e[0, 0] [128, 512] [1, 1] : !t into tensor<256x512xf16>
  return %y, %i : !t, tensor<256x512xf16>
}

// What an operation declares for its result holds there, for its own iteration, and from there on.
// CHECK-LABEL: func.func @declared_on_the_way(
// CHECK:         spyre.exp %arg0 {spyre.dims = ["M", "B"]}
// CHECK:         spyre.neg {{.*}} {spyre.dims = ["M", "B"]}
func.func @declared_on_the_way(%a: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.exp %a {spyre.dims = ["M", "_untracked_512"]} : !t
  %z = spyre.neg %y : !t
  return %z : !t
}

// The dimensions of indices take the place of the one that they choose from, whose name goes no further.
// CHECK-LABEL: func.func @gather(
// CHECK:         spyre.gather {{.*}} dim 1 {spyre.dims = ["H", "B", "S", "E"]}
// CHECK:         spyre.gather {{.*}} dim 0 {spyre.dims = ["R", "E"]}
func.func @gather(%i: tensor<4x32xi32> {spyre.dims = ["B", "S"]}, %t: tensor<8x100x64xf16> {spyre.dims = ["H", "R", "E"]},
                  %own: tensor<100xi32> {spyre.dims = ["R"]}, %u: tensor<100x64xf16> {spyre.dims = ["R", "E"]})
    -> (tensor<8x4x32x64xf16>, tensor<100x64xf16>) {
  %0 = spyre.gather %i, %t dim 1 : (tensor<4x32xi32>, tensor<8x100x64xf16>) -> tensor<8x4x32x64xf16>
  // The indices may have the same name: then it is theirs.
  %1 = spyre.gather %own, %u dim 0 : (tensor<100xi32>, tensor<100x64xf16>) -> tensor<100x64xf16>
  return %0, %1 : tensor<8x4x32x64xf16>, tensor<100x64xf16>
}

// What is declared for dimensions that are reduced holds as well.
// CHECK-LABEL: func.func @declared_reduction(
// CHECK:         spyre.sum {{.*}} {spyre.dims = ["A"], spyre.reduction_dims = ["K"]}
func.func @declared_reduction(%a: !t {spyre.dims = ["A", "B"]}) -> tensor<128xf16> {
  %s = spyre.sum %a dims [1] {spyre.reduction_dims = ["K"]} : (!t) -> tensor<128xf16>
  return %s : tensor<128xf16>
}

// Of two names that operands have for a dimension, one that another dimension has is that one's.
// CHECK-LABEL: func.func @apart(
// A further name of a dimension is as good as its name.
// CHECK:         spyre.permute {{.*}} {spyre.dims = ["E", "T"], spyre.expected_dims = ["E", "S"]}
// CHECK:         spyre.batchmatmul %arg0, %{{.+}} {spyre.dims = ["S", "T"], spyre.reduction_dims = ["E"]}
// CHECK:         spyre.batchmatmul %{{.+}}, %arg0 {spyre.dims = ["S", "E"], spyre.reduction_dims = ["T"]}
func.func @apart(%x: tensor<128x64xf16> {spyre.dims = ["S", "E"]}) -> (tensor<128x64xf16>, tensor<64x128xf16>)
    attributes {spyre.dim_sizes = {E = 64, S = 128, T = "S"}} {
  %k = spyre.exp %x {spyre.dims = ["T", "E"]} : tensor<128x64xf16>
  %t = spyre.permute %k [1, 0] {spyre.expected_dims = ["E", "S"]} : tensor<128x64xf16> to tensor<64x128xf16>
  %s = spyre.batchmatmul %x, %t : (tensor<128x64xf16>, tensor<64x128xf16>) -> tensor<128x128xf16>
  %y = spyre.batchmatmul %s, %x : (tensor<128x128xf16>, tensor<128x64xf16>) -> tensor<128x64xf16>
  return %y, %t : tensor<128x64xf16>, tensor<64x128xf16>
}
