// RUN: spyre-opt %s --coarse-tile -o %t.mlir 2> %t.said
// RUN: FileCheck %s --input-file %t.mlir
// RUN: FileCheck %s --input-file %t.said --check-prefix=SAID --implicit-check-not="remark:"

// Views between operations of a scope, with layouts: which are in the loops, and what is said of those that are not.

#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
#heads = #spyre.layout<(d0, d1, d2) -> (d1, d0, d2 mod 64)>
!a = tensor<128x512xf16, #rows>
!p = tensor<512x128xf16, #cols>
!h = tensor<128x8x64xf16, #heads>
!w = tensor<128x128xf16, #rows>

// CHECK-LABEL: func.func @permute(
// CHECK:         scf.for
// CHECK:           %[[Y:.+]] = spyre.exp {{.+}} : tensor<32x512xf16, #{{.+}}>
// CHECK:           %[[P:.+]] = spyre.permute %[[Y]] [1, 0] : tensor<32x512xf16, #{{.+}}> to tensor<512x32xf16, #{{.+}}>
// CHECK:           spyre.neg %[[P]]
// CHECK-NOT:     scf.for
func.func @permute(%x: !a {spyre.dims = ["A", "B"]}) -> !p {
  %y = spyre.exp %x tile [0: "A" in 4] : !a
  %p = spyre.permute %y [1, 0] : !a to !p
  %z = spyre.neg %p tile [0: "A" in 4] : !p
  return %z : !p
}

// Two heads of 64 are 128 of the merged dimension.
// CHECK-LABEL: func.func @heads(
// CHECK:         scf.for
// CHECK:           %[[Y:.+]] = spyre.exp {{.+}} : tensor<128x128xf16, #{{.+}}>
// CHECK:           %[[E:.+]] = tensor.expand_shape %[[Y]] {{\[}}[0], [1, 2]] output_shape [128, 2, 64]
// CHECK:           spyre.neg %[[E]]
// CHECK-NOT:     scf.for
func.func @heads(%x: !a {spyre.dims = ["S", #spyre.merged<"H" of 8, "D" of 64>]}) -> !h {
  %y = spyre.exp %x tile [0: "H" in 4] : !a
  %e = tensor.expand_shape %y [[0], [1, 2]] output_shape [128, 8, 64] : !a into !h
  %z = spyre.neg %e tile [0: "H" in 4] : !h
  return %z : !h
}

// A view that nobody in the scope reads is behind the loops.
// CHECK-LABEL: func.func @unread(
// CHECK:         %[[R:.+]]:2 = scf.for
// CHECK-NOT:       spyre.permute
// CHECK:         spyre.permute %[[R]]#0 [1, 0]
// CHECK-NOT:     scf.for
func.func @unread(%x: !a {spyre.dims = ["A", "B"]}) -> (!p, !a) {
  %y = spyre.exp %x tile [0: "A" in 4] : !a
  %p = spyre.permute %y [1, 0] : !a to !p
  %z = spyre.neg %y tile [0: "A" in 4] : !a
  return %p, %z : !p, !a
}

// Tiles of an inner part are in pieces.
// CHECK-LABEL: func.func @inner_part(
// CHECK:         scf.for
// CHECK:         tensor.collapse_shape
// CHECK:         scf.for
// SAID:      remark: coarse-tile: scope 0 goes on in a second nest of loops: spyre.neg at {{.+}} needs the value of tensor.collapse_shape at {{.+}}, which needs the value of spyre.exp at {{.+}} in the first nest; tensor.collapse_shape is not in the loops: the loops cut dimension "S", which is not the outermost part of the reshaped dimension, so that its tiles are not contiguous; cut another dimension, or use the view outside of the scope
// SAID:      note: the first nest ends here
func.func @inner_part(%x: tensor<4x64x128xf16> {spyre.dims = ["B", "S", "E"]}) -> tensor<256x128xf16> {
  %y = spyre.exp %x tile [0: "S" in 2] : tensor<4x64x128xf16>
  %c = tensor.collapse_shape %y [[0, 1], [2]] : tensor<4x64x128xf16> into tensor<256x128xf16>
  %z = spyre.neg %c tile [0: "S" in 2] : tensor<256x128xf16>
  return %z : tensor<256x128xf16>
}

// Nor is a window in what the loops cut a view of a tile.
// CHECK-LABEL: func.func @window(
// CHECK:         scf.for
// CHECK:         tensor.extract_slice %{{.+}}[0, 128] [128, 128] [1, 1]
// CHECK:         scf.for
// SAID: remark: coarse-tile: scope 0 goes on in a second nest of loops: {{.+}} tensor.extract_slice is not in the loops: it takes a window along dimension "B", which the loops cut
// SAID: note: the first nest ends here
func.func @window(%x: !a {spyre.dims = ["A", "B"]}) -> !w {
  %y = spyre.exp %x tile [0: "B" in 2] : !a
  %s = tensor.extract_slice %y[0, 128] [128, 128] [1, 1] : !a to !w
  %z = spyre.neg %s tile [0: "B" in 2] : !w
  return %z : !w
}

// Dropped dimensions of one element are no hindrance, and a step is.
// CHECK-LABEL: func.func @dropped(
// CHECK:         scf.for
// CHECK:           tensor.extract_slice %{{.+}}[2, 0, 0] [1, 16, 128] [1, 1, 1] : tensor<4x16x128xf16> to tensor<16x128xf16>
// CHECK-NOT:     scf.for
func.func @dropped(%x: tensor<4x64x128xf16> {spyre.dims = ["B", "S", "E"]}) -> tensor<64x128xf16> {
  %y = spyre.exp %x tile [0: "S" in 4] : tensor<4x64x128xf16>
  %s = tensor.extract_slice %y[2, 0, 0] [1, 64, 128] [1, 1, 1] : tensor<4x64x128xf16> to tensor<64x128xf16>
  %z = spyre.neg %s tile [0: "S" in 4] : tensor<64x128xf16>
  return %z : tensor<64x128xf16>
}

// CHECK-LABEL: func.func @step(
// SAID: remark: coarse-tile: scope 0 goes on in a second nest of loops: {{.+}} tensor.extract_slice is not in the loops: it has a stride other than 1
// SAID: note: the first nest ends here
func.func @step(%x: !a {spyre.dims = ["A", "B"]}) -> tensor<128x256xf16> {
  %y = spyre.exp %x tile [0: "A" in 4] : !a
  %s = tensor.extract_slice %y[0, 0] [128, 256] [1, 2] : !a to tensor<128x256xf16>
  %z = spyre.neg %s tile [0: "A" in 4] : tensor<128x256xf16>
  return %z : tensor<128x256xf16>
}
