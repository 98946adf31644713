// A convolution with windows that do not overlap, as in ViT-Tiny: an image of 3 x 224 x 224 in 14 x 14 patches of 16 x
// 16, each a row of a matrix product, a class token before them, and the embedding of positions.

!image = tensor<3x224x224xf16>          // channels, height, width
!cut = tensor<3x14x16x14x16xf16>        // channels, patch, row, patch, column
!moved = tensor<14x14x3x16x16xf16>
!patches = tensor<196x768xf16>
!w = tensor<768x192xf16>
!b = tensor<192xf16>
!y = tensor<196x192xf16>
!class = tensor<1x192xf16>
!tokens = tensor<197x192xf16>

func.func @patches(%image: !image, %w: !w, %b: !b, %class: !class, %positions: !tokens) -> !tokens {
  %cut = tensor.expand_shape %image [[0], [1, 2], [3, 4]] output_shape [3, 14, 16, 14, 16] : !image into !cut
  %moved = spyre.permute %cut [1, 3, 0, 2, 4] : !cut to !moved
  %patches = tensor.collapse_shape %moved [[0, 1], [2, 3, 4]] : !moved into !patches
  %y0 = spyre.batchmatmul %patches, %w : (!patches, !w) -> !y
  %y = spyre.add %y0, %b : (!y, !b) -> !y
  %e = spyre.empty : !tokens
  %t0 = tensor.insert_slice %class into %e[0, 0] [1, 192] [1, 1] : !class into !tokens
  %t1 = tensor.insert_slice %y into %t0[1, 0] [196, 192] [1, 1] : !y into !tokens
  %tokens = spyre.add %t1, %positions : !tokens
  return %tokens : !tokens
}
