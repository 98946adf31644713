// RUN: spyre-opt %s --coarse-tile | FileCheck %s

// A tile has the layout of its tensor: the same map on other extents.

// The layouts, in the order of the functions.
// CHECK-DAG: #[[$STICK:.+]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK-DAG: #[[$ROWS:.+]] = #spyre.layout<(d0, d1) -> (d0, d1 floordiv 64, d1 mod 64)>
// CHECK-DAG: #[[$TRANSPOSED:.+]] = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
// CHECK-DAG: #[[$SPARSE:.+]] = #spyre.layout<(d0, d1) -> (d1, 0, d0, 0)>
// CHECK-DAG: #[[$PADDED:.+]] = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), size = [8, 512, 64]>
// CHECK-DAG: #[[$BLOCKED:.+]] = #spyre.layout<(d0, d1, d2, d3) -> (d1, d3 floordiv 64, d0, d2, d3 mod 64)>
// CHECK-DAG: #[[$REPEATED:.+]] = #spyre.layout<(d0, d1) -> (0, d1 floordiv 64, d0, d1 mod 64), size = [4, 8, 256, 64], expanded = [0]>
// CHECK-DAG: #[[$REPEATED_TILE:.+]] = #spyre.layout<(d0, d1) -> (0, d1 floordiv 64, d0, d1 mod 64), size = [4, 8, 128, 64], expanded = [0]>
// CHECK-DAG: #[[$F32:.+]] = #spyre.layout<(d0, d1) -> (d1 floordiv 32, d0, d1 mod 32)>
// CHECK-DAG: #[[$I8:.+]] = #spyre.layout<(d0, d1) -> (d1 floordiv 128, d0, d1 mod 128)>

#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#rows = #spyre.layout<(d0, d1) -> (d0, d1 floordiv 64, d1 mod 64)>
#transposed = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
#sparse = #spyre.layout<(d0, d1) -> (d1, 0, d0, 0)>
#padded = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), size = [8, 512, 64]>
#bhsd = #spyre.layout<(d0, d1, d2, d3) -> (d1, d3 floordiv 64, d0, d2, d3 mod 64)>
#repeated = #spyre.layout<(d0, d1) -> (0, d1 floordiv 64, d0, d1 mod 64), size = [4, 8, 256, 64], expanded = [0]>
#f32 = #spyre.layout<(d0, d1) -> (d1 floordiv 32, d0, d1 mod 32)>
#i8 = #spyre.layout<(d0, d1) -> (d1 floordiv 128, d0, d1 mod 128)>

// The layout does not shrink with the tile: the distance between sticks is that of the whole tensor, which is what
// the windows refer to.
// CHECK-LABEL: func.func @sticks_side_by_side
// CHECK:       spyre.empty : tensor<256x512xf16, #[[$STICK]]>
// CHECK:       tensor.extract_slice {{.+}} [128, 128] [1, 1] : tensor<256x512xf16, #[[$STICK]]> to tensor<128x128xf16, #[[$STICK]]>
func.func @sticks_side_by_side(%a: tensor<256x512xf16, #stick> {spyre.dims = ["A", "B"]}) -> tensor<256x512xf16, #stick> {
  %y = spyre.exp %a tile [0: "A" in 2, 1: "B" in 4] : tensor<256x512xf16, #stick>
  return %y : tensor<256x512xf16, #stick>
}

// CHECK-LABEL: func.func @rows_of_sticks
// CHECK:       tensor.extract_slice {{.+}} : tensor<256x512xf16, #[[$ROWS]]> to tensor<128x128xf16, #[[$ROWS]]>
func.func @rows_of_sticks(%a: tensor<256x512xf16, #rows> {spyre.dims = ["A", "B"]}) -> tensor<256x512xf16, #rows> {
  %y = spyre.exp %a tile [0: "A" in 2, 1: "B" in 4] : tensor<256x512xf16, #rows>
  return %y : tensor<256x512xf16, #rows>
}

// With rows on the stick, columns may be cut one by one and rows may not.
// CHECK-LABEL: func.func @rows_on_the_stick
// CHECK:       tensor.extract_slice {{.+}} : tensor<256x512xf16, #[[$TRANSPOSED]]> to tensor<64x1xf16, #[[$TRANSPOSED]]>
func.func @rows_on_the_stick(%a: tensor<256x512xf16, #transposed> {spyre.dims = ["A", "B"]}) -> tensor<256x512xf16, #transposed> {
  %y = spyre.exp %a tile [0: "A" in 4, 1: "B" in 512] : tensor<256x512xf16, #transposed>
  return %y : tensor<256x512xf16, #transposed>
}

// A restickify is cut in whole sticks of both sides.
// CHECK-LABEL: func.func @restickify
// CHECK:       spyre.restickify %{{.+}} : (tensor<64x128xf16, #[[$STICK]]>) -> tensor<64x128xf16, #[[$TRANSPOSED]]>
// CHECK:       tensor.insert_slice {{.+}} : tensor<64x128xf16, #[[$TRANSPOSED]]> into tensor<256x512xf16, #[[$TRANSPOSED]]>
func.func @restickify(%a: tensor<256x512xf16, #stick> {spyre.dims = ["A", "B"]}) -> tensor<256x512xf16, #transposed> {
  %y = spyre.restickify %a tile [0: "A" in 4, 1: "B" in 4] : (tensor<256x512xf16, #stick>) -> tensor<256x512xf16, #transposed>
  return %y : tensor<256x512xf16, #transposed>
}

// One element in each stick: any tile is whole sticks.
// CHECK-LABEL: func.func @sparse
// CHECK:       tensor.extract_slice {{.+}} [1, 1] [1, 1] : tensor<256x1xf16, #[[$SPARSE]]> to tensor<1x1xf16, #[[$SPARSE]]>
func.func @sparse(%a: tensor<256x1xf16, #sparse> {spyre.dims = ["A", "B"]}) -> tensor<256x1xf16, #sparse> {
  %y = spyre.exp %a tile [0: "A" in 256] : tensor<256x1xf16, #sparse>
  return %y : tensor<256x1xf16, #sparse>
}

// Padding belongs to the whole tensor. The full tensor that is filled has it, the tile has not.
// CHECK-LABEL: func.func @padding
// CHECK:       spyre.empty : tensor<40x512xf16, #[[$PADDED]]>
// CHECK:       tensor.extract_slice {{.+}} : tensor<40x512xf16, #[[$PADDED]]> to tensor<10x512xf16, #[[$STICK]]>
// CHECK:       spyre.exp %{{.+}} : tensor<10x512xf16, #[[$STICK]]>
// CHECK:       tensor.insert_slice {{.+}} : tensor<10x512xf16, #[[$STICK]]> into tensor<40x512xf16, #[[$PADDED]]>
func.func @padding(%a: tensor<40x512xf16, #padded> {spyre.dims = ["A", "B"]}) -> tensor<40x512xf16, #padded> {
  %y = spyre.exp %a tile [0: "A" in 4] : tensor<40x512xf16, #padded>
  return %y : tensor<40x512xf16, #padded>
}

// Elements that are stored several times are stored as often in the tile.
// CHECK-LABEL: func.func @repeated
// CHECK:       tensor.extract_slice {{.+}} : tensor<256x512xf16, #[[$REPEATED]]> to tensor<128x512xf16, #[[$REPEATED_TILE]]>
func.func @repeated(%a: tensor<256x512xf16, #repeated> {spyre.dims = ["A", "B"]}) -> tensor<256x512xf16, #repeated> {
  %y = spyre.exp %a tile [0: "A" in 2] : tensor<256x512xf16, #repeated>
  return %y : tensor<256x512xf16, #repeated>
}

// Two tiled dimensions that are not neighbours in device memory, with an extent-1 dimension in front.
// CHECK-LABEL: func.func @four_dimensions
// CHECK:       tensor.extract_slice %arg0[0, %{{.+}}, %{{.+}}, 0] [1, 1, 32, 128] [1, 1, 1, 1] : tensor<1x8x64x128xf16, #[[$BLOCKED]]> to tensor<1x1x32x128xf16, #[[$BLOCKED]]>
func.func @four_dimensions(%a: tensor<1x8x64x128xf16, #bhsd> {spyre.dims = ["B", "H", "S", "D"]}) -> tensor<1x8x64x128xf16, #bhsd> {
  %y = spyre.exp %a tile [0: "H" in 8, 1: "S" in 2] : tensor<1x8x64x128xf16, #bhsd>
  return %y : tensor<1x8x64x128xf16, #bhsd>
}

// Sticks hold 32 elements of 4 bytes and 128 of 1.
// CHECK-LABEL: func.func @other_element_types
// CHECK:       spyre.add %{{.+}} : tensor<256x32xf32, #[[$F32]]>
// CHECK:       spyre.add %{{.+}} : tensor<256x128xi8, #[[$I8]]>
func.func @other_element_types(%a: tensor<256x512xf32, #f32> {spyre.dims = ["A", "B"]}, %b: tensor<256x512xi8, #i8> {spyre.dims = ["A", "B"]}) -> (tensor<256x512xf32, #f32>, tensor<256x512xi8, #i8>) {
  %y = spyre.add %a, %a tile [0: "B" in 16] : tensor<256x512xf32, #f32>
  %z = spyre.add %b, %b tile [1: "B" in 4] : tensor<256x512xi8, #i8>
  return %y, %z : tensor<256x512xf32, #f32>, tensor<256x512xi8, #i8>
}

// Without a layout, the default one decides and the tile has none either.
// CHECK-LABEL: func.func @no_layout
// CHECK:       tensor.extract_slice {{.+}} : tensor<256x512xf16> to tensor<128x64xf16>
func.func @no_layout(%a: tensor<256x512xf16> {spyre.dims = ["A", "B"]}) -> tensor<256x512xf16> {
  %y = spyre.exp %a tile [0: "A" in 2, 1: "B" in 8] : tensor<256x512xf16>
  return %y : tensor<256x512xf16>
}
