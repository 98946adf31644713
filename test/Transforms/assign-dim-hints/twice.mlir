// Names for two dimensions of one extent: of operations along one that is chosen at run time, and of those that a hint asks for tiles
// of. The first dimension keeps the name, and what has names that differ keeps these.

// RUN: spyre-opt %s --spyre-assign-dim-hints | FileCheck %s

!x = tensor<?x64xf32>
!s = tensor<?x?xf32>

// CHECK-LABEL: func.func @open(
// CHECK-SAME: spyre.dim_sizes = {E = 64 : i64, S = #spyre.dynamic<granularity = 64, max = 256>, S_1 = "S"}
// The name goes with the values: what reads the product needs none.
// CHECK: spyre.batchmatmul %arg0, %{{.+}} tile [0: "S" by 64, 1: "S_1" by 64] {spyre.dims = ["S", "S_1"]}
// CHECK-NEXT: spyre.exp %{{.+}} tile [0: "S" by 64, 1: "S_1" by 64] : tensor<?x?xf32>
// Along what it reduces, the operands have both names: the rows have one of them.
// CHECK-NEXT: spyre.batchmatmul %{{.+}}, %arg0 tile [0: "S" by 64, 1: "S_1" by 64] :
func.func @open(%x: !x {spyre.dims = ["S", "E"]}) -> !x
    attributes {spyre.dim_sizes = {E = 64, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %t = spyre.permute %x [1, 0] : !x to tensor<64x?xf32>
  %s = spyre.batchmatmul %x, %t : (!x, tensor<64x?xf32>) -> !s
  %p = spyre.exp %s : !s
  %y = spyre.batchmatmul %p, %x : (!s, !x) -> !x
  return %y : !x
}

// Further names that are declared come first, and a name that is taken is none.
// CHECK-LABEL: func.func @declared(
// CHECK-SAME: spyre.dim_sizes = {K = "S", S = #spyre.dynamic<granularity = 64, max = 256>, S_1 = 64 : i64, S_2 = "S"}
// CHECK: spyre.batchmatmul %arg0, %{{.+}} tile [0: "S" by 64, 1: "K" by 64] {spyre.dims = ["S", "K"]}
// CHECK-NEXT: spyre.batchmatmul {{.*}} tile [0: "S" by 64, 1: "K" by 64, 2: "S_2" by 64] {spyre.dims = ["S", "K"], spyre.reduction_dims = ["S_2"]}
func.func @declared(%x: !x {spyre.dims = ["S", "S_1"]}) -> !s
    attributes {spyre.dim_sizes = {K = "S", S_1 = 64, S = #spyre.dynamic<granularity = 64, max = 256>}} {
  %t = spyre.permute %x [1, 0] : !x to tensor<64x?xf32>
  %s = spyre.batchmatmul %x, %t : (!x, tensor<64x?xf32>) -> !s
  %y = spyre.batchmatmul %s, %s : (!s, !s) -> !s
  return %y : !s
}

// CHECK-LABEL: func.func @chosen(
// CHECK-SAME: spyre.dim_sizes = {E = 64 : i64, S = 128 : i64, S_1 = "S"}
// CHECK: spyre.batchmatmul %arg0, %{{.+}} tile [0: "S" in 2] {spyre.dims = ["S", "S_1"]}
func.func @chosen(%x: tensor<128x64xf32> {spyre.dims = ["S", "E"]}) -> tensor<128x128xf32>
    attributes {spyre.dim_sizes = {E = 64, S = 128}, spyre.tile_scopes = [#spyre.tile_scope<"S" in 2>]} {
  %t = spyre.permute %x [1, 0] : tensor<128x64xf32> to tensor<64x128xf32>
  %s = spyre.batchmatmul %x, %t : (tensor<128x64xf32>, tensor<64x128xf32>) -> tensor<128x128xf32>
  return %s : tensor<128x128xf32>
}

// Nobody asks for tiles here.
// CHECK-LABEL: func.func @unasked(
// CHECK-SAME: spyre.dim_sizes = {E = 64 : i64, S = 128 : i64}
// CHECK: spyre.batchmatmul %arg0, %{{.+}} : (tensor<128x64xf32>
func.func @unasked(%x: tensor<128x64xf32> {spyre.dims = ["S", "E"]}) -> tensor<128x128xf32>
    attributes {spyre.dim_sizes = {E = 64, S = 128}} {
  %t = spyre.permute %x [1, 0] : tensor<128x64xf32> to tensor<64x128xf32>
  %s = spyre.batchmatmul %x, %t : (tensor<128x64xf32>, tensor<64x128xf32>) -> tensor<128x128xf32>
  return %s : tensor<128x128xf32>
}

// What two names meet in is cut once, by the one that is asked for.
// CHECK-LABEL: func.func @meeting(
// CHECK: spyre.sub %arg0, %arg1 tile [0: "T" by 64] {spyre.dims = ["T", "_untracked_64"]}
func.func @meeting(%a: !x {spyre.dims = ["S", "E"]}, %b: !x {spyre.dims = ["T", "E"]}) -> !x
    attributes {spyre.dim_sizes = {E = 64, S = #spyre.dynamic<granularity = 64, max = 192>, T = "S"},
                spyre.tile_scopes = [#spyre.tile_scope<"T" by 64>]} {
  %y = spyre.sub %a, %b : !x
  return %y : !x
}

// CHECK-LABEL: func.func @divided(
// CHECK: spyre.batchmatmul %arg0, %{{.+}} split [4, 1, 1] {spyre.dims = ["S", "S_1"]}
func.func @divided(%x: tensor<128x64xf32> {spyre.dims = ["S", "E"]}) -> tensor<128x128xf32>
    attributes {spyre.dim_sizes = {E = 64, S = 128}, spyre.tile_scopes = [#spyre.tile_scope<"S" over 4>]} {
  %t = spyre.permute %x [1, 0] : tensor<128x64xf32> to tensor<64x128xf32>
  %s = spyre.batchmatmul %x, %t : (tensor<128x64xf32>, tensor<64x128xf32>) -> tensor<128x128xf32>
  return %s : tensor<128x128xf32>
}

// A part of what another dimension has whole has no name: it is cut by nobody.
// CHECK-LABEL: func.func @part(
// CHECK: spyre.sub {{.*}} tile [0: "S" by 64] {spyre.dims = ["S", "_untracked_32"]}
func.func @part(%m: !s {spyre.dims = ["S", "T"]}) -> tensor<?x32xf32>
    attributes {spyre.dim_sizes = {S = #spyre.dynamic<granularity = 64, max = 192>, T = "S"}} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %m, %c0 : !s
  %q = tensor.extract_slice %m[0, 0] [%n, 32] [1, 1] : !s to tensor<?x32xf32>
  %r = tensor.extract_slice %m[0, 0] [32, %n] [1, 1] : !s to tensor<32x?xf32>
  %p = spyre.permute %r [1, 0] : tensor<32x?xf32> to tensor<?x32xf32>
  %y = spyre.sub %q, %p : tensor<?x32xf32>
  return %y : tensor<?x32xf32>
}
