// patches.mlir in tiles. Patches are visited in 7 times 2 rows of the grid, tokens in 4 tiles.

!image = tensor<3x224x224xf16>          // channels, height, width
!cut = tensor<3x14x16x14x16xf16>        // channels, patch, row, patch, column
!moved = tensor<14x14x3x16x16xf16>
!patches = tensor<196x768xf16>
!w = tensor<768x192xf16>
!b = tensor<192xf16>
!y = tensor<196x192xf16>
!class = tensor<1x192xf16>
!tokens = tensor<197x192xf16>

func.func @patches(
    %image: !image {spyre.dims = ["C", #spyre.merged<"I" of 14, "Y" of 16>, #spyre.merged<"J" of 14, "X" of 16>]},
    %w: !w {spyre.dims = [#spyre.merged<"C" of 3, "Y" of 16, "X" of 16>, "E"]},
    %b: !b {spyre.dims = ["E"]},
    %class: !class {spyre.dims = ["U", "E"]},
    %positions: !tokens {spyre.dims = ["S", "E"]}) -> !tokens attributes {spyre.tile_scopes = [
    #spyre.tile_scope<"I" in 7, ops 0 to 1>,
    #spyre.tile_scope<"S" in 4, ops 2 to 2>]} {
  %cut = tensor.expand_shape %image [[0], [1, 2], [3, 4]] output_shape [3, 14, 16, 14, 16] : !image into !cut
  %moved = spyre.permute %cut [1, 3, 0, 2, 4] : !cut to !moved
  %patches = tensor.collapse_shape %moved [[0, 1], [2, 3, 4]] : !moved into !patches
  %y0 = spyre.batchmatmul %patches, %w : (!patches, !w) -> !y
  %y = spyre.add %y0, %b : (!y, !b) -> !y
  %e = spyre.empty {spyre.dims = ["S", "E"]} : !tokens
  %t0 = tensor.insert_slice %class into %e[0, 0] [1, 192] [1, 1] : !class into !tokens
  %t1 = tensor.insert_slice %y into %t0[1, 0] [196, 192] [1, 1] : !y into !tokens
  %tokens = spyre.add %t1, %positions : !tokens
  return %tokens : !tokens
}
