// RUN: rm -rf %t && mkdir %t
// RUN: spyre-opt %s --coarse-tile -o %t/tiled.mlir
// RUN: spyre-opt %t/tiled.mlir --spyre-prove='before=%s unknown=error' -o /dev/null
// RUN: spyre-opt %t/tiled.mlir --spyre-prove=before=%s -o /dev/null 2>&1 | FileCheck %s

// Loops over tiles: two dimensions, shorter last tiles, parts of sums and of products, dynamic extents, tiles of one row,
// and views.

// CHECK-COUNT-8: P2 {{[1-9][0-9]*}}): {{[1-9][0-9]*}} proved, 0 refuted, 0 not decided

!t = tensor<64x512xf16>
func.func @rows_and_columns(%a: !t {spyre.dims = ["A", "B"]}, %b: tensor<1x512xf16> {spyre.dims = ["U", "B"]}) -> !t {
  %y = spyre.add %a, %b tile [0: "A" in 2, 1: "B" in 4] : (!t, tensor<1x512xf16>) -> !t
  %z = spyre.mul %y, %a tile [0: "A" in 2, 1: "B" in 4] : !t
  return %z : !t
}

// 5 tiles of 12 rows, and one of 4; a tile of 128 columns, and one of 72.
!r = tensor<64x200xf16>
func.func @last_tiles(%a: !r {spyre.dims = ["A", "B"]}) -> !r {
  %y = spyre.exp %a tile [0: "A" by 12, 1: "B" by 128] : !r
  %z = spyre.add %y, %a tile [0: "A" by 12, 1: "B" by 128] : !r
  return %z : !r
}

func.func @product(%a: tensor<64x512xf16> {spyre.dims = ["M", "K"]}, %b: tensor<512x128xf16> {spyre.dims = ["K", "N"]}) -> tensor<64x128xf16> {
  %c = spyre.batchmatmul %a, %b tile [0: "M" in 2, 1: "K" in 4] : (tensor<64x512xf16>, tensor<512x128xf16>) -> tensor<64x128xf16>
  %d = spyre.neg %c tile [0: "M" in 2] : tensor<64x128xf16>
  return %d : tensor<64x128xf16>
}

func.func @softmax(%x: tensor<64x512xf16> {spyre.dims = ["S", "T"]}) -> tensor<64x512xf16> {
  %0 = spyre.max %x dims [1] keepdim tile [0: "S" in 4, 1: "T" in 2] : (tensor<64x512xf16>) -> tensor<64x1xf16>
  %1 = spyre.sub %x, %0 tile [0: "S" in 4, 1: "T" in 2] : (tensor<64x512xf16>, tensor<64x1xf16>) -> tensor<64x512xf16>
  %2 = spyre.exp %1 tile [0: "S" in 4, 1: "T" in 2] : tensor<64x512xf16>
  %3 = spyre.sum %2 dims [1] keepdim tile [0: "S" in 4, 1: "T" in 2] : (tensor<64x512xf16>) -> tensor<64x1xf16>
  %4 = spyre.realdiv %2, %3 tile [0: "S" in 4, 1: "T" in 2] : (tensor<64x512xf16>, tensor<64x1xf16>) -> tensor<64x512xf16>
  return %4 : tensor<64x512xf16>
}

func.func @two_nests(%a: !t {spyre.dims = ["A", "B"]}, %b: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.add %a, %b tile [0: "A" in 4] : !t
  %m = spyre.max %y dims [0] keepdim : (!t) -> tensor<1x512xf16>
  %z = spyre.sub %y, %m tile [0: "A" in 4] : (!t, tensor<1x512xf16>) -> !t
  return %z : !t
}

func.func @dynamic(%a: tensor<?x?xf16> {spyre.dims = ["S", "T"]}, %b: tensor<?xf16> {spyre.dims = ["T"]}) -> tensor<?x?xf16>
    attributes {spyre.dim_sizes = {S = #spyre.dynamic<granularity = 4, max = 12>, T = #spyre.dynamic<granularity = 64, max = 192>}} {
  %y = spyre.add %a, %b tile [0: "S" by 4, 1: "T" by 64] : (tensor<?x?xf16>, tensor<?xf16>) -> tensor<?x?xf16>
  %z = spyre.mul %y, %a tile [0: "S" by 4, 1: "T" by 64] : tensor<?x?xf16>
  return %z : tensor<?x?xf16>
}

// One row at a time, next to a dimension of one element.
!b = tensor<1x4x8x128xf16>
func.func @one_row(%a: !b {spyre.dims = ["B", "H", "S", "D"]}, %b: !b {spyre.dims = ["B", "H", "S", "D"]}) -> !b {
  %y = spyre.add %a, %b tile [0: "H" in 4, 1: "S" in 8] : !b
  %z = spyre.mul %y, %b tile [0: "H" in 4, 1: "S" in 8] : !b
  return %z : !b
}

// The second half of the columns, by tiles of rows.
!v = tensor<64x256xf16>
func.func @view(%a: !t {spyre.dims = ["A", "B"]}, %b: !v {spyre.dims = ["A", "C"]}) -> !v {
  %y = spyre.exp %a tile [0: "A" in 4] : !t
  %v = tensor.extract_slice %y[0, 256] [64, 256] [1, 1] : !t to !v
  %z = spyre.add %v, %b tile [0: "A" in 4] : !v
  return %z : !v
}
